"""Other meanings of the names in a question, and how to choose one.

Ambiguity are other entities that a name fits about as well; `settle` holds a name to the one that the asker chose.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from clew.answer.answer import Ambiguity, Sense
from clew.answer.reading.interpretation import Interpretation
from clew.answer.reading.question import Anchor, Meaning, ParsedQuestion
from clew.answer.reading.rank import Ranked
from clew.errors import InputError, UnknownName
from clew.graph import GraphContents
from clew.link import Linker

__all__ = ["close_names", "find_ambiguities", "settle"]

NEAR_IN_RANK = 0.75  # an interpretation with another meaning of a name counts unless its plan scores this much lower
RESEMBLES = 0.65  # similarity from which a name is worth mentioning
MOST = 4
GIVEN = "given by the asker"


def find_ambiguities(interpretation: Interpretation, linker: Linker) -> tuple[Ambiguity, ...]:
    """Names of the question with another meaning that is almost as likely, and the one that was chosen."""
    found = []
    chosen = interpretation.candidate.meanings
    for at, (anchor, meaning) in enumerate(zip(interpretation.question.anchors, chosen, strict=True)):
        if meaning.reason == GIVEN:
            continue
        listed = [each for each in interpretation.question.names if anchor.start <= each.start < anchor.end]
        if len(listed) > 1:  # "A or B" means both
            continue
        taken, *alike = _senses(meaning, linker.engine)
        others = [each for each in alike if each.name.casefold() != taken.name.casefold()]
        others += _of_the_same_type(anchor, meaning, linker)
        others += _of_another_type(at, meaning, interpretation.ranked, chosen, linker.engine)
        distinct = [each for each in dict.fromkeys(others) if each != taken]
        if distinct:
            found.append(Ambiguity(anchor.text, taken, tuple(distinct[:MOST])))
    return tuple(found)


def _of_the_same_type(anchor: Anchor, meaning: Meaning, linker: Linker) -> Iterator[Sense]:
    for each in linker.link(anchor.text).alternatives:
        namesake = each.name.casefold() == meaning.name.casefold()
        if each.type == meaning.type and each.id not in meaning.ids and not namesake:
            yield Sense(each.id, each.name, each.type)


def _of_another_type(
    at: int, meaning: Meaning, ranked: Sequence[Ranked], chosen: Sequence[Meaning], contents: GraphContents
) -> Iterator[Sense]:
    """Meanings that differ in this name alone and have a plan of nearly the same score."""
    for each in ranked:
        others = each.candidate.meanings
        if ranked[0].score - each.score > NEAR_IN_RANK or len(others) != len(chosen) or others[at] == meaning:
            continue
        if all(one == other for place, (one, other) in enumerate(zip(others, chosen, strict=True)) if place != at):
            yield _senses(others[at], contents)[0]


def _senses(meaning: Meaning, contents: GraphContents) -> list[Sense]:
    """The entities of a meaning, that which gave it its name first."""
    rows = contents.describe(np.unique(contents.resolve(list(meaning.ids)))).to_pylist()
    senses = [Sense(row["id"], row["name"], row["type"]) for row in rows]
    return sorted(senses, key=lambda each: each.name != meaning.name)


def close_names(question: ParsedQuestion, linker: Linker) -> tuple[Ambiguity, ...]:
    """For words that name nothing here, the names that resemble them."""
    found = []
    for word in dict.fromkeys(question.unrecognised):
        close = [each for each in linker.link(word).candidates if each.score >= RESEMBLES]
        if close:
            found.append(Ambiguity(word, None, tuple(Sense(each.id, each.name, each.type) for each in close[:MOST])))
    return tuple(found)


def settle(
    text: str, meaning: Mapping[str, str], contents: GraphContents, understand: Callable[[str], ParsedQuestion]
) -> ParsedQuestion:
    """Understand a question whose names are held to the given ids: {"lentis": "HP:0001083"}.

    What is not recognised as a name is understood as if the entity's own name, or its id, stood there.
    """
    question = understand(text)
    held: dict[str, Sense] = {}
    for name, identifier in meaning.items():
        sense = _sense(identifier, contents)
        whole = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
        if not name.strip() or not whole.search(text):
            raise InputError(f"the question does not say {name!r}, for which a meaning is given")
        for stand_in in (name, sense.name, sense.id):
            said = text if stand_in == name else whole.sub(stand_in.replace("\\", r"\\"), text)
            tried = question if stand_in == name else understand(said)
            if any(anchor.text.casefold() == stand_in.casefold() for anchor in tried.anchors):
                text, question, held[stand_in.casefold()] = said, tried, sense
                break
        else:
            raise InputError(f"{name!r} cannot be held to {identifier}: neither is read as a name in this question")
    anchors, names = (
        tuple(_held(each, held.get(each.text.casefold())) for each in some)
        for some in (question.anchors, question.names)
    )
    return replace(question, anchors=anchors, names=names)


def _held(anchor: Anchor, sense: Sense | None) -> Anchor:
    if sense is None:
        return anchor
    return replace(anchor, meanings=(Meaning(sense.type, (sense.id,), sense.name, 1.0, GIVEN),))


def _sense(identifier: str, contents: GraphContents) -> Sense:
    entity = int(contents.lookup([identifier])[0])
    if entity < 0:
        raise UnknownName(f"a meaning is the id of an entity: this graph has no {identifier!r}")
    (row,) = contents.describe([entity]).to_pylist()
    return Sense(row["id"], row["name"], row["type"])
