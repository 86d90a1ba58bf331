"""The shape of a statement model: its encoder as the start's config.json gives it, its head, and its outputs."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from clew.errors import InputError
from clew.extract.bert import read_shape
from clew.extract.statements.examples import MARKERS
from clew.extract.statements.gold import CORPORA

__all__ = ["OUTPUTS", "Config", "columns_of", "config_of_start", "read_config"]

OUTPUTS: Mapping[str, tuple[str, ...]] = {name: tuple(corpus.relations.values()) for name, corpus in CORPORA.items()}
POSITIONS = 1024  # tokens of a document at most; positions beyond those of the start begin as copies of its own


@dataclass(frozen=True, slots=True)
class Config:
    """Sizes of encoder and head."""

    vocabulary: int  # of the start, without markers
    width: int
    layers: int
    heads: int
    inner: int
    positions: int = POSITIONS
    epsilon: float = 1e-12
    dropout: float = 0.1
    pair_width: int = 256
    block: int = 32  # width of a block of the bilinear product of two entities
    compare: bool = True  # let the pairs of a document attend to each other

    def __post_init__(self) -> None:
        if self.width % self.heads or self.width % self.block or self.pair_width % 4:
            raise InputError(
                f"a width of {self.width} cannot be cut into {self.heads} heads and blocks of {self.block},"
                f" or {self.pair_width} into 4"
            )

    @property
    def tokens(self) -> int:
        """Rows of the embedding: the vocabulary and the markers."""
        return self.vocabulary + MARKERS

    def to_json(self) -> str:
        """As config.json."""
        return json.dumps(asdict(self), indent=1) + "\n"


def read_config(text: str) -> Config:
    """From config.json of a trained model."""
    try:
        content = json.loads(text)
        return Config(**{each.name: content[each.name] for each in fields(Config)})
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"config.json is not that of a statement model: {error}") from error


def config_of_start(start: Path) -> Config:
    """The config of a model that begins with the BERT-shaped checkpoint in a directory."""
    return Config(**asdict(read_shape(start)))


def columns_of(corpus: str) -> slice:
    """The columns of a corpus among all scores: first "not stated", then its relations."""
    first = 0
    for name, relations in OUTPUTS.items():
        if name == corpus:
            return slice(first, first + 1 + len(relations))
        first += 1 + len(relations)
    raise KeyError(corpus)
