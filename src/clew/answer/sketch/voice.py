"""The voice of sketches in answering: the best reading that finds something, run and ready to be compared."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from clew.answer.certainty.contradicted import contradictions
from clew.answer.grammar.roles import COMPARISON, MODAL, NAME, NEGATION, PAST, QUANTIFIER, RESTRICTION, STRUCTURE
from clew.answer.hearing.hearing import Heard, forbids
from clew.answer.hearing.linking import Has
from clew.answer.kept import lexical_of, owners_of, polarity_of, stated_once_of, words_of
from clew.answer.lexicon.families import has_synonyms
from clew.answer.lexicon.polarity import HARM
from clew.answer.lexicon.words import Words
from clew.answer.names.meanings import inside
from clew.answer.plans.assertions.filters import with_filters
from clew.answer.quantities.limits import limited
from clew.answer.reading.account import Account, Binding, Unbound, account_for
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.held import unheld
from clew.answer.reading.interpretation import Interpretation
from clew.answer.reading.opposed import is_opposed
from clew.answer.reading.question import ParsedQuestion
from clew.answer.resources import Resources
from clew.answer.runner import Ran, Runner
from clew.answer.sketch.reading import SketchReading, read_sketches
from clew.answer.sketch.sketch import Word
from clew.answer.statements.said_of import with_statements
from clew.answer.strategy import Question
from clew.errors import ClewError, Timeout

__all__ = ["Spoken", "speak"]

MOST_TRIED = 4  # readings that are run until one finds something
MET = 0.6  # fit of a phrase from which its words are accounted for
HOW = frozenset({"how", "much", "many"})  # words that ask for a value
QUESTIONS = HOW | {"who", "whom", "whose", "what", "which", "where", "when"}  # what they ask for, the plan gives
AMOUNTS = (QUANTIFIER, COMPARISON)  # roles of words that a phrase cannot meet
STATED = (QUANTIFIER, NAME, MODAL, PAST)  # roles of words that have to be in the plan, whatever phrase has them


@dataclass(frozen=True, slots=True)
class Spoken:
    """A reading that was run."""

    reading: SketchReading
    ran: Ran
    said: tuple[Word, ...]  # the words of its phrases
    contradicted: bool  # by who does what to whom in the question, or by what it denies or excludes

    @property
    def is_complete(self) -> bool:
        """Whether every word that a plan cannot do without is accounted for, and nothing is said otherwise."""
        return not self.ran.interpretation.account.missing and not self.contradicted

    @property
    def unheard(self) -> tuple[Unbound, ...]:
        """The words that a plan cannot do without and that no phrase of the sketch has, be its fit good or bad.

        An amount, a year or a proper name is heard only if the plan has it: a phrase cannot stand for it.
        """
        spans = [(each.start, each.end) for each in self.said]
        missing = self.ran.interpretation.account.missing
        return tuple(
            each
            for each in missing
            if each.role in STATED or not any(a < each.end and each.start < b for a, b in spans)
        )


def speak(
    question: Question, parsed: ParsedQuestion, heard: Heard, resources: Resources, runner: Runner, has: Has
) -> Spoken | None:
    """The best reading of a question that accounts for every word and finds something, else the best that finds
    something, else the best that runs; None where there is none.

    `parsed` is what its words say, `has` whether an entity has triples of a relation. Sketches know no aggregates.
    """
    if parsed.values.aggregate:
        return None
    apart = tuple(token for token in parsed.tokens if not inside(token, parsed.names))
    parsed = replace(parsed, anchors=parsed.names, tokens=apart)
    words = heard.words
    readings = read_sketches(
        heard,
        parsed.anchors,
        lexical_of(resources),
        resources.engine,
        has=has,
        mutual=stated_once_of(resources),
        check=runner.deadline.check,
    )
    first: Spoken | None = None
    polarity, forbidden = polarity_of(resources), forbids(parsed.text)
    allowed = (
        each
        for each in readings
        if not is_opposed(parsed, each.candidate, polarity)
        and (not forbidden or any(polarity.get(name) == HARM for name in each.candidate.relationships))
    )
    for unlimited in islice(allowed, MOST_TRIED):
        plan = limited(with_statements(unlimited.candidate.plan, parsed, resources.schema), parsed)
        reading = replace(unlimited, candidate=replace(unlimited.candidate, plan=plan))
        try:
            ran = runner.run(_interpreted(reading, question, parsed, words, words_of(resources)))
        except Timeout:
            raise
        except ClewError:
            continue
        told = replace(ran.interpretation, question=parsed)
        met = {at for at in reading.met if at not in reading.left_out}
        said = tuple(word for at, word in enumerate(words) if at in met or word.text.lower() in QUESTIONS)
        spoken = Spoken(
            reading, ran, said, contradicted=contradictions(told, words_of(resources), owners_of(resources)) > 0
        )
        if not ran.is_empty and spoken.is_complete:
            return spoken
        if first is None or (first.ran.is_empty and not ran.is_empty):
            first = spoken
    return first


def _interpreted(
    reading: SketchReading, question: Question, parsed: ParsedQuestion, words: Sequence[Word], lexicon: Words
) -> Interpretation:
    """A reading as an interpretation: within the filters of the asker, with an account of the words."""
    bare = ParsedQuestion(
        parsed.text,
        anchors=parsed.anchors,
        tokens=(),
        type_words=(),
        operation="list",
        asked=(),
        mentioned=(),
        filters=question.filters,
        subclasses=reading.subclasses,
    )
    meant = replace(reading.candidate, plan=with_filters(reading.candidate.plan, question.filters))
    return Interpretation(bare, meant, account=_account(reading, parsed, words, lexicon))


def _account(reading: SketchReading, parsed: ParsedQuestion, words: Sequence[Word], lexicon: Words) -> Account:
    """The account of a plan, in which words that a sketch met are bound, and those that it leaves out are not."""
    account = account_for(parsed, reading.candidate, lexicon, next(iter(parsed.trees), None))
    met = [words[at] for at, fit in reading.met.items() if fit >= MET]
    bindings = [Binding(each.start, each.end, "sketch") for each in met if each.name is None]
    bound = {(each.start, each.end) for each in account.bindings}
    left = [Unbound(words[at].start, words[at].end, words[at].text, QUANTIFIER) for at in reading.left_out]
    waiting = [*account.unbound, *_other_numbers(account, words)]
    stated = {each: role for each in waiting if (role := unheld(each, reading.candidate.plan)) is not None}
    unbound = [
        replace(each, role=stated.get(each, each.role))
        for each in waiting
        if each in stated or not _is_met(each, reading, met, words, parsed.text)
    ]
    added = [each for each in bindings if (each.start, each.end) not in bound]
    return Account(tuple(sorted([*account.bindings, *added], key=lambda each: each.start)), (*unbound, *left))


def _other_numbers(account: Account, words: Sequence[Word]) -> list[Unbound]:
    """Figures that the first reader takes for part of a value: the plan of a sketch has to have them by itself."""
    known = [(each.start, each.end) for each in account.bindings if each.part != "value"]
    known += [(each.start, each.end) for each in account.unbound]
    return [
        Unbound(each.start, each.end, each.text, RESTRICTION)
        for each in words
        if each.name is None
        and each.text.isdecimal()
        and not any(start < each.end and each.start < end for start, end in known)
    ]


def _is_met(word: Unbound, reading: SketchReading, met: Sequence[Word], words: Sequence[Word], text: str) -> bool:
    """Whether a sketch accounts for a word: by an amount, by denying something, by a phrase that fits, or since the
    word by itself means a relation or an attribute that the plan has."""
    if word.role in AMOUNTS:
        return reading.sketch.grades
    if word.role in (MODAL, PAST):
        return False
    if word.role == NEGATION:
        return reading.sketch.denies or forbids(text)  # then the phrase itself says no
    if reading.sketch.mode == "value" and word.text.lower() in HOW:
        return True
    if any(one.start < word.end and word.start < one.end for one in met):
        return True
    own = [at for at, each in enumerate(words) if each.start < word.end and word.start < each.end]
    meant = reading.linked.meant(own).likeliest() if reading.linked is not None and own else None
    listed = has_synonyms(word.text.lower())  # for other relations, or its own list would have met it
    return meant is not None and not listed and word.role == STRUCTURE and meant in _parts(reading.candidate)


def _parts(candidate: Candidate) -> set[tuple[str, str]]:
    """The relationships and attributes of a plan."""
    plan = candidate.plan
    values = (
        [each for part in plan.parts for each in part.conditions] + list(plan.asked) + [each.by for each in plan.sort]
    )
    labels = {slot.name: slot.types for slot in plan.slots}
    attributes = {
        (label, each.key) for each in values if each is not None and each.key for label in labels.get(each.of, ())
    }
    return {(name, "") for name in candidate.relationships} | attributes
