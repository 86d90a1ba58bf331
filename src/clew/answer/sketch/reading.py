"""Readings of a question by its sketches: written by the parser, grounded in the schema, built into candidates.

Each reading carries what speaks for it: how probable its sketch is, how well its weakest phrase fits, and which words
of the question it leaves out.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, log

from clew.answer.hearing.hearing import Heard
from clew.answer.hearing.linking import Has, LinkedQuestion
from clew.answer.hearing.writing import Written
from clew.answer.lexicon.forms import stem, word_table
from clew.answer.lexicon.numbers import read_number
from clew.answer.names.meanings import Anchor, Meaning
from clew.answer.reading.candidates import Candidate
from clew.answer.sketch.build import Built, build
from clew.answer.sketch.ground import ground
from clew.answer.sketch.lexical import Lexical
from clew.answer.sketch.sketch import VARIABLES, Ref, Said, Sketch, Statement, Word
from clew.answer.sketch.things import of_cases
from clew.graph import GraphContents

__all__ = ["SketchReading", "read_sketches", "split_facts"]

MOST_GROUNDED = 6  # ways to ground one sketch that are built
PHRASES = frozenset({"fact", "attribute", "kind", "max", "min"})  # statements whose words mean a part of a schema
MULTIPLES = frozenset({"dozen", "hundred", "thousand", "million", "billion"})
SUPERLATIVE = "est"  # how a superlative ends
SHORTEST_NAME = 4  # letters of a noun that names an entity
WEIGHTY = frozenset(word_table("sketch.json")["weighty"])  # words that change an answer
NEGATIONS = frozenset(word_table("sketch.json")["negations"])
MEASURING = frozenset(word_table("sketch.json")["measuring"])  # words that ask for a time or an amount
OFTEN_IDLE = frozenset(word_table("sketch.json")["often idle"])  # of the weighty, words that may say nothing


@dataclass(frozen=True, slots=True)
class SketchReading:
    """A candidate with the sketch it stands for."""

    candidate: Candidate
    sketch: Sketch
    probability: float  # of the sketch
    fit: float  # sum of the logarithms of all fits
    weakest: float
    left_out: tuple[int, ...]
    subclasses: bool
    met: Mapping[int, float]  # how well words are met, by their numbers
    linked: LinkedQuestion | None
    foreign: float  # how probable it is that some phrase means nothing of the graph

    @property
    def score(self) -> float:
        return self.fit + log(max(self.probability, 1e-9)) - 0.5 * len(self.left_out)


def read_sketches(
    heard: Heard,
    anchors: Sequence[Anchor],
    lexical: Lexical,
    contents: GraphContents,
    *,
    has: Has | None = None,
    mutual: frozenset[str] = frozenset(),
    check: Callable[[], None] = lambda: None,
) -> Iterator[SketchReading]:
    """All readings of what was heard, best first, each plan once, made as they are asked for.

    `check` raises once there is no time left.
    """
    words, spelt, linked = heard.words, heard.spelt, heard.linked

    def readings(each: Written) -> Iterator[SketchReading]:
        found = False
        looser = (split_facts(each.sketch, lambda at: lexical.is_type(spelt[at].text)), of_cases(each.sketch, spelt))
        for sketch in (*_forms(each.sketch, spelt), *looser):
            if sketch is None or (found and sketch in looser):
                continue
            grounded, _ = ground(
                sketch,
                spelt,
                anchors,
                lexical,
                has=has,
                find=lambda said: entities_named(said, contents),
                linked=linked,
                check=check,
            )
            for one in grounded[:MOST_GROUNDED]:
                check()
                built = build(one, spelt, anchors, lexical, mutual=mutual, linked=linked)
                if isinstance(built, Built):
                    found = True
                    yield _reading(built, sketch, each, words, linked)

    return _best_first(heard.written, readings)


def _best_first(
    written: Sequence[Written], readings: Callable[[Written], Iterator[SketchReading]]
) -> Iterator[SketchReading]:
    """Readings by their scores; a sketch is grounded only once no reading so far is sure to be better than its own.

    The logarithm of a sketch's probability is the most that a reading of it can score, since no fit is above 1.
    """
    waiting: list[SketchReading] = []
    given: set[object] = set()
    for number, each in enumerate(written):
        waiting = sorted([*waiting, *readings(each)], key=lambda one: -one.score)
        most = log(written[number + 1].probability) if number + 1 < len(written) else -inf
        while waiting and waiting[0].score >= most:
            best = waiting.pop(0)
            if best.candidate.plan not in given:
                given.add(best.candidate.plan)
                yield best


def _reading(
    built: Built, sketch: Sketch, written: Written, words: Sequence[Word], linked: LinkedQuestion | None
) -> SketchReading:
    left = (*built.left_out, *_weighty_left(sketch, words))
    wider = any(each.kind == "any" for each in sketch.statements)
    return SketchReading(
        built.candidate,
        sketch,
        written.probability,
        built.score,
        built.weakest,
        left,
        wider,
        built.met,
        linked,
        _foreign(sketch, linked),
    )


def _foreign(sketch: Sketch, linked: LinkedQuestion | None) -> float:
    """How probable it is that the phrase of a fact, a noun or an attribute means nothing of the graph."""
    if linked is None:
        return 0.0
    said = [each.words for each in sketch.statements if each.kind in PHRASES and each.words]
    said += [words for _, words in sketch.asked if words]
    return max((linked.meant(words).none for words in said), default=0.0)


def _forms(sketch: Sketch, words: Sequence[Word]) -> Iterator[Sketch]:
    """A sketch, and the same as a relation or as an attribute where it only asks for one thing of a name.

    "The priciest bottle" asks for a bottle, though a parser may take it for a price.
    """
    yield sketch
    if (valued := _as_value(sketch)) is not None:
        yield valued
    if sketch.mode == "value" and sketch.asked[0][0] is None:  # "what part of town does A live in": the part itself
        said = sketch.asked[0][1]
        timed = any(words[at].text.lower() in MEASURING for at in said)
        stated = next((each for each in sketch.statements if any(one.words == said for one in each.said)), None)
        if stated is not None and isinstance(stated.right, str) and not timed:
            bare = [replace(each, said=()) if each is stated else each for each in sketch.statements]
            yield Sketch("list", ((stated.right, ()),), (*bare, Statement("kind", stated.right, said)))
    if sketch.mode == "value" and sketch.asked[0][0] is not None:
        named, said = sketch.asked[0]
        if isinstance(named, str) and any(words[at].text.lower().endswith(SUPERLATIVE) for at in said):
            most = Statement("max", named, said)
            yield Sketch("list", ((named, ()),), (*sketch.statements, most))
        yield Sketch("list", (("v", ()),), (*sketch.statements, Statement("fact", "v", said, named)))
        stated = Statement("fact", named, said, "v", said=(Said(said),))  # when something was found: a column
        yield Sketch("value", ((None, said),), (*sketch.statements, stated))
    if sketch.mode == "list" and len(sketch.asked) == 1 and isinstance(sketch.asked[0][0], str):
        asked = sketch.asked[0][0]
        own = [each for each in sketch.statements if asked in (each.left, each.right)]
        facts = [each for each in own if each.kind == "fact" and not each.denied]
        kinds = [each for each in own if each.kind == "kind"]
        if len(facts) == 1 and len(own) == len(facts) + len(kinds):
            (fact,) = facts
            of: Ref | None = fact.right if fact.left == asked else fact.left
            both = (*(at for each in kinds for at in each.words), *fact.words)
            rest = tuple(each for each in sketch.statements if each not in own)
            yield Sketch("value", ((of, both),), rest)
            if kinds:
                yield Sketch("value", ((of, kinds[0].words),), rest)


def _as_value(sketch: Sketch) -> Sketch | None:
    """A sketch in which what is counted is a value of what has it: the most *viewers*, more than 100 *seats*.

    None where nothing is counted, or more is said of it.
    """
    counted = next((each for each in sketch.statements if each.kind in ("most", "fewest", "number")), None)
    if counted is None or isinstance(counted.right, str):
        return None
    own = [each for each in sketch.statements if counted.left in (each.left, each.right) and each is not counted]
    kinds = [each for each in own if each.kind == "kind"]
    facts = [each for each in own if each.kind == "fact" and each.right == counted.left and not each.denied]
    if len(own) != 2 or len(kinds) != 1 or len(facts) != 1 or counted.left in [of for of, _ in sketch.asked]:
        return None
    said, of = kinds[0].words, facts[0].left
    if counted.kind == "number":
        value = Statement("attribute", of, said, operator=counted.operator, value=counted.value)
    else:
        value = Statement("max" if counted.kind == "most" else "min", of, said)
    return replace(sketch, statements=(*(each for each in sketch.statements if each not in (*own, counted)), value))


def split_facts(sketch: Sketch, is_type: Callable[[int], bool]) -> Sketch | None:
    """A sketch in which facts that name a thing between two others are two: to "carry wine from" a country.

    None where there is no such fact.
    """
    taken = {ref for each in sketch.statements for ref in (each.left, each.right)} | {ref for ref, _ in sketch.asked}
    free = [name for name in VARIABLES if name not in taken]
    found: list[Statement] = []
    for each in sketch.statements:
        inner = [at for at in each.words[1:-1] if is_type(at)] if each.kind == "fact" else []
        if not inner or not free:
            found.append(each)
            continue
        between, at = free.pop(), each.words.index(inner[0])
        found += [
            replace(each, words=each.words[:at], right=between, said=()),
            Statement("kind", between, (inner[0],), denied=each.denied),
            replace(each, words=each.words[at + 1 :], left=between, other=False),
        ]
    return replace(sketch, statements=tuple(found)) if len(found) > len(sketch.statements) else None


def _weighty_left(sketch: Sketch, words: Sequence[Word]) -> Iterator[int]:
    """Numbers and words of amount, order or negation that nothing in a sketch accounts for."""
    used = {at for each in sketch.statements for at in (*each.words, *each.value)}
    used |= {at for each in sketch.statements for said in each.said for at in (*said.words, *said.value)}
    used |= {at for _, said in sketch.asked for at in said}
    for at, word in enumerate(words):
        low = word.text.lower()
        if at in used or word.name is not None:
            continue
        if low in NEGATIONS or low.endswith("n't"):
            if not sketch.denies and not sketch.grades:
                yield at
        elif _is_number(low) or (low in WEIGHTY and low not in OFTEN_IDLE and not sketch.grades):
            yield at


def _is_number(word: str) -> bool:
    """Whether a word says how many: "two" of "two thousand" is another number, but "which one" says none."""
    return word in MULTIPLES or (word != "one" and read_number(word) is not None)


def entities_named(said: str, contents: GraphContents) -> tuple[Meaning, ...]:
    """The entities that a noun names, in the singular or plural, one for each type."""
    found: dict[str, Meaning] = {}
    for form in dict.fromkeys((said, said.removesuffix("s"), stem(said))):
        for each in contents.find(form, whole=True) if len(form) >= SHORTEST_NAME else ():
            found.setdefault(each.type, Meaning(each.type, (each.id,), each.name, each.score, each.how))
        if found:
            break
    return tuple(found.values())[:3]
