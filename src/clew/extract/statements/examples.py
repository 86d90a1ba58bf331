"""Documents as the model reads them, as plain arrays, and a file of them: training needs nothing else of a corpus."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError

__all__ = [
    "COUNTED",
    "ENTITY_TYPES",
    "FEATURES",
    "MARKERS",
    "Example",
    "MarkedDocument",
    "load_examples",
    "save_examples",
]

ENTITY_TYPES = ("chemical", "gene", "variant", "disease")  # in the order of a pair: a chemical is never the object
MARKERS = 2 * len(ENTITY_TYPES)  # tokens added to the vocabulary: an opening and a closing one for each type
SHARED = 4  # the feature that counts shared sentences
COUNTED = 9  # numbers of a pair beside the types of its ends
FEATURES = COUNTED + 2 * len(ENTITY_TYPES)
ARRAYS = ("tokens", "openings", "membership", "pairs", "features")


@dataclass(frozen=True, slots=True)
class MarkedDocument:
    """A document ready to encode, with its entities and the pairs to judge."""

    tokens: NDArray[np.int64] = field(repr=False)  # (length,) with [CLS] and [SEP]
    openings: NDArray[np.int64] = field(repr=False)  # (mentions,) places of the opening markers
    membership: NDArray[np.float32] = field(repr=False)  # (entities, mentions) 1 where a mention refers to an entity
    entities: tuple[str, ...]
    types: tuple[str, ...]
    pairs: NDArray[np.int64] = field(repr=False)  # (pairs, 2) subject and object, places in `entities`
    features: NDArray[np.float32] = field(repr=False)  # (pairs, FEATURES)
    cut: int = 0  # mentions beyond the last position that the model knows

    @property
    def apart(self) -> NDArray[np.bool_]:
        """Which pairs share no sentence."""
        return np.asarray(self.features[:, SHARED] == 0)


@dataclass(frozen=True, slots=True)
class Example:
    """A gold document ready for training: the label of a pair is 0 (not stated) or 1 + the number of its relation."""

    document: str
    corpus: str
    marked: MarkedDocument
    labels: NDArray[np.int64] = field(repr=False)  # (pairs,)
    missed: int = 0  # gold pairs that are no candidates, such as those of an entity whose mentions were cut off


def save_examples(path: Path, examples: Sequence[Example]) -> None:
    """Write examples as one .npz file: each array of all of them end to end, and the rest as JSON."""
    rows = [
        {
            "document": each.document,
            "corpus": each.corpus,
            "missed": each.missed,
            "entities": each.marked.entities,
            "types": each.marked.types,
            "cut": each.marked.cut,
            "shapes": [getattr(each.marked, name).shape for name in ARRAYS],
        }
        for each in examples
    ]
    columns = {
        name: np.concatenate([getattr(each.marked, name).ravel() for each in examples] or [np.zeros(0)])
        for name in ARRAYS
    }
    columns["labels"] = np.concatenate([each.labels for each in examples]) if examples else np.zeros(0)
    columns["header"] = np.frombuffer(json.dumps(rows).encode(), np.uint8)
    np.savez_compressed(Path(path), allow_pickle=False, **columns)


def load_examples(path: Path) -> list[Example]:
    """Read what `save_examples` wrote."""
    try:
        with np.load(Path(path), allow_pickle=False) as file:
            rows = json.loads(file["header"].tobytes())
            columns = {name: file[name] for name in ARRAYS}
            labels = file["labels"]
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{path} is not a file of marked documents: {error}") from error
    at = dict.fromkeys((*ARRAYS, "labels"), 0)
    found: list[Example] = []
    for row in rows:
        parts: dict[str, NDArray[np.generic]] = {}
        for name, shape in zip(ARRAYS, row["shapes"], strict=True):
            size = int(np.prod(shape))
            parts[name] = columns[name][at[name] : at[name] + size].reshape(shape)
            at[name] += size
        count = len(parts["pairs"])
        mine = labels[at["labels"] : at["labels"] + count]
        at["labels"] += count
        marked = MarkedDocument(
            tokens=parts["tokens"].astype(np.int64),
            openings=parts["openings"].astype(np.int64),
            membership=parts["membership"].astype(np.float32),
            entities=tuple(row["entities"]),
            types=tuple(row["types"]),
            pairs=parts["pairs"].astype(np.int64),
            features=parts["features"].astype(np.float32),
            cut=row["cut"],
        )
        found.append(Example(row["document"], row["corpus"], marked, mine.astype(np.int64), row["missed"]))
    return found
