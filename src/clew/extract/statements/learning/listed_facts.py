"""Pairs to learn from in abstracts all of whose facts are listed: a listed pair states its relation, any other pair of
listed entities neither help nor harm.

An abstract is a line of JSON with id, title, abstract, entities (names by key) and facts (subject and object by key,
relation).
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from clew.errors import InputError
from clew.extract.corpus.document import Document, lay_out
from clew.extract.statements.gold import Mention
from clew.extract.statements.learning.reader_training import PairRow, ReadPair, read_rows
from clew.extract.statements.marking import Marker
from clew.extract.statements.relations import STATED

__all__ = ["listed_rows"]

SAYS = {
    "treats": "helps",
    "induces": "harms",
    "associated_with": "related",
    "affects": "related",
    "interacts_with": "related",
}
NEITHER, NEITHER_WEIGHT = "neither", 0.7
ENDS = frozenset((each.subject, each.object) for each in STATED)
NEEDED = frozenset({"title", "abstract", "entities", "facts"})
Mentions = Callable[[str], Sequence[Mention]]


def listed_rows(marker: Marker, paths: Sequence[Path], mentions: Mentions) -> list[PairRow]:
    """The pairs of these files that a relation is read for; entities that no list names are left out."""
    found: list[PairRow] = []
    for path in paths:
        for number, abstract in enumerate(_read(Path(path)), start=1):
            document = Document(f"{path}:{number}", abstract["title"], (abstract["abstract"],), "", "", "")
            text = lay_out(document).text
            named = mentions(text)
            pairs = list(_pairs(abstract, document.id, text, named))
            rows = read_rows(marker, pairs, {document.id: text}, {text: named}.__getitem__)
            found += [
                replace(row, weight=NEITHER_WEIGHT) if pair.says == NEITHER else row
                for pair, row in zip(pairs, rows, strict=True)
            ]
    return found


def _read(path: Path) -> list[Mapping[str, Any]]:
    try:
        abstracts = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        missing = set[str]().union(*(NEEDED.difference(each) for each in abstracts))
    except (OSError, ValueError, TypeError) as error:
        raise InputError(
            f"cannot read {path} as abstracts with their facts, one JSON object a line: {error}"
        ) from error
    if missing:
        raise InputError(
            f"{path}: an abstract lacks {', '.join(sorted(missing))}: give title, abstract, entities, facts"
        )
    return abstracts


def _pairs(abstract: Mapping[str, Any], document: str, text: str, named: Sequence[Mention]) -> Iterator[ReadPair]:
    """What the abstract says of each two of the entities that its list names."""
    of: dict[str, set[str]] = {}  # entity found -> its entities in the list
    types: dict[str, str] = {}
    keys: dict[str, set[str]] = {}
    for key, entity in abstract["entities"].items():
        for name in entity["names"]:
            keys.setdefault(name.casefold(), set()).add(key)
    for mention in named:
        for each in mention.ids:
            types.setdefault(each, mention.type)
            of.setdefault(each, set()).update(keys.get(text[mention.start : mention.end].casefold(), ()))
    facts = {(each["subject"], each["object"]): each["relation"] for each in abstract["facts"]}
    order = {entity: number for number, entity in enumerate(of)}
    for one, other in product(of, of):
        alike = types[one] == types[other]  # such a pair is asked once, in either direction
        if (types[one], types[other]) in ENDS and of[one] and of[other] and not (alike and order[one] >= order[other]):
            ends = [*product(of[one], of[other]), *(product(of[other], of[one]) if alike else ())]
            relations = {facts.get(each) for each in ends}
            says = next((SAYS[each] for each in SAYS if each in relations), NEITHER)
            yield ReadPair(document, one, other, says)
