"""BC5CDR and BioRED: abstracts with gold mentions and relations, from a data folder.

`read_training` leaves out every abstract of either development set, so that nothing trained on it has seen one.
"""

import gzip
import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from clew.errors import InputError

__all__ = [
    "CORPORA",
    "Corpus",
    "GoldDocument",
    "Mention",
    "Relation",
    "is_held_out",
    "read_corpus",
    "read_development",
    "read_training",
]

GZIP = b"\x1f\x8b"
NO_RECORD = ("", "-", "-1")
TYPES = MappingProxyType(
    {
        "Chemical": "chemical",
        "ChemicalEntity": "chemical",
        "Disease": "disease",
        "DiseaseOrPhenotypicFeature": "disease",
        "GeneOrGeneProduct": "gene",
        "SequenceVariant": "variant",
    }
)
Relation = tuple[str, str, str]  # relation, then two entity ids


@dataclass(frozen=True, slots=True)
class Corpus:
    """Where a corpus lies, how it separates ids, and which relations it labels between which types."""

    name: str
    training: str
    development: str
    separator: str
    relations: Mapping[str, str]  # as the files name them: as the model names them
    pairs: frozenset[tuple[str, str]]  # types of candidate pairs, subject first


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention in a text: its characters, its type and the entities it refers to."""

    start: int
    end: int
    type: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GoldDocument:
    """An abstract with gold mentions and relations; `text` is the title, a space and the abstract."""

    id: str
    corpus: str
    text: str = field(repr=False)
    mentions: tuple[Mention, ...] = field(repr=False)  # in order of their start
    relations: frozenset[Relation] = field(repr=False)


BC5CDR = Corpus(
    "bc5cdr",
    "bc5cdr/cdr_train.pubtator.gz",
    "bc5cdr/cdr_dev.pubtator.gz",
    "|",
    MappingProxyType({"CID": "induces"}),
    frozenset({("chemical", "disease")}),
)
BIORED = Corpus(
    "biored",
    "biored/biored_train.pubtator.gz",
    "biored/biored_dev.pubtator.gz",
    ",",
    MappingProxyType(
        {
            "Association": "association",
            "Positive_Correlation": "positive_correlation",
            "Negative_Correlation": "negative_correlation",
            "Bind": "binds",
            "Cotreatment": "cotreatment",
            "Comparison": "comparison",
            "Drug_Interaction": "drug_interaction",
            "Conversion": "conversion",
        }
    ),
    frozenset(
        {
            ("chemical", "disease"),
            ("gene", "disease"),
            ("variant", "disease"),
            ("chemical", "gene"),
            ("chemical", "variant"),
            ("chemical", "chemical"),
            ("gene", "gene"),
            ("variant", "variant"),
        }
    ),
)
CORPORA: Mapping[str, Corpus] = MappingProxyType({each.name: each for each in (BC5CDR, BIORED)})


def read_training(data: Path) -> list[GoldDocument]:
    """The training abstracts of all corpora, without any that is in a development set."""
    kept_back = {document.id for document in read_development(data)}
    return [
        document
        for corpus in CORPORA.values()
        for document in read_corpus(Path(data) / corpus.training, corpus)
        if document.id not in kept_back
    ]


def read_development(data: Path) -> list[GoldDocument]:
    """The development abstracts of all corpora."""
    return [
        document for corpus in CORPORA.values() for document in read_corpus(Path(data) / corpus.development, corpus)
    ]


def is_held_out(document: str, *, share: float) -> bool:
    """Whether a training abstract is kept for calibration: by a hash of its id, so the same one in every corpus."""
    number = int.from_bytes(hashlib.sha256(document.encode()).digest()[:8], "big")
    return number < share * 2**64


def read_corpus(path: Path, corpus: Corpus) -> list[GoldDocument]:
    """The abstracts of a PubTator file, plain or gzipped, in order."""
    try:
        content = Path(path).read_bytes()
        lines = (gzip.decompress(content) if content.startswith(GZIP) else content).decode("utf-8").split("\n")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path} as a PubTator file of {corpus.name}: {error}") from error
    return [_document(block, corpus, f"{path}, line {first}") for first, block in _blocks(lines)]


def _blocks(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Documents are separated by empty lines; each comes with the number of its first line."""
    block: list[str] = []
    first = 1
    for number, line in enumerate(lines, start=1):
        if line := line.rstrip("\r"):
            first = first if block else number
            block.append(line)
        elif block:
            yield first, block
            block = []
    if block:
        yield first, block


def _document(block: list[str], corpus: Corpus, place: str) -> GoldDocument:
    if len(block) < 2 or block[0].count("|") < 2 or block[1].count("|") < 2:
        raise InputError(f"{place}: a document begins with a line id|t|title and a line id|a|abstract")
    identifier, _, title = block[0].split("|", 2)
    text = f"{title} {block[1].split('|', 2)[2]}"
    mentions: list[Mention] = []
    relations: set[Relation] = set()
    for line in block[2:]:
        cells = line.split("\t")
        if len(cells) >= 4 and cells[1] in corpus.relations:
            relations.add((corpus.relations[cells[1]], cells[2], cells[3]))
        elif len(cells) >= 6 and cells[1].isdigit() and cells[2].isdigit() and cells[4] in TYPES:
            mentions.append(_mention(cells, text, corpus, place))
    mentions.sort(key=lambda mention: (mention.start, mention.end))
    return GoldDocument(identifier, corpus.name, text, tuple(mentions), frozenset(relations))


def _mention(cells: list[str], text: str, corpus: Corpus, place: str) -> Mention:
    start, end = int(cells[1]), int(cells[2])
    if text[start:end] != cells[3]:
        raise InputError(f"{place}: characters {start} to {end} are {text[start:end]!r}, the file says {cells[3]!r}")
    ids = tuple(dict.fromkeys(each for each in cells[5].split(corpus.separator) if each not in NO_RECORD))
    return Mention(start, end, TYPES[cells[4]], ids)
