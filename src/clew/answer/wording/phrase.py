"""The text of an answer: it states what the rows state and nothing else.

A template sentence is made from the plan and the items. A language model may reword it; if its text contains a name or
number that is not in the rows, the template sentence is kept.
"""

import logging
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from clew.answer.answer import Item
from clew.answer.lexicon.words import Words
from clew.answer.plans.assertions.filters import Qualifier
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.operators import TURNED
from clew.answer.plans.plan import ABSENT, COUNTED, PATH_LENGTH
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.rank import conditions_said, names_in
from clew.answer.values.attributes import Attribute
from clew.answer.wording.amounts import LISTED, amount, names_among, plain_list, value_text, with_values
from clew.answer.wording.plan_phrases import judged_phrase, relation_phrase, there_phrase, verbalise
from clew.answer.wording.value_words import aggregate_said, compared_said, listed, nouns, title_of, type_name
from clew.plurals import counted, plural

if TYPE_CHECKING:
    from clew.lm import LanguageModel

__all__ = ["phrased", "plain_text", "states_only"]

log = logging.getLogger(__name__)
MOST_TOKENS = 160
BESIDE = 3  # rows of further columns that are said of an item
NUMBER = re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)*(?![\w-])")
NAMED = re.compile(r"(?<![\w-])[A-Z][\w-]*")


def plain_text(
    candidate: Candidate,
    words: Words,
    *,
    named: Sequence[tuple[str, bool]],
    kind: str,
    items: Sequence[Item],
    value: object,
    total: int,
    truncated: bool,
    sources: Sequence[str] = (),
    tied: Sequence[Item] = (),
    same_named: Collection[str] = (),
) -> str:
    """The answer in one sentence; `named` lists the named entities and whether each is excluded.

    `same_named` are ids of items that are one of several entities of their name, and said with them.
    """
    if candidate.values is not None and (text := value_text(candidate, words, items, value, tied)) is not None:
        return text
    if kind == "exists":
        return _exists_text(candidate, words, named, bool(value), sources)
    if kind == "path":
        return _path_text([name for name, _ in named], total)
    if kind == "count" and isinstance(value, int):
        return f"{value:,} {_asked_for(candidate, words, named, value)}."
    if kind in ("count", "aggregate"):
        what = aggregate_said(candidate.plan) or "number"
        found = "none is stated" if value is None else amount(value)
        return f"{what.capitalize()} of {_asked_for(candidate, words, named, 2)}: {found}."
    if isinstance(value, bool) and items:  # whether some of them have more than the others
        ranked = plain_list(list(_shown(items[:LISTED])), len(items))
        return f"{'Yes' if value else 'No'}: {_asked_for(candidate, words, named, len(items))}: {ranked}."
    if candidate.plan.column is not None:
        return _column_text(candidate, words, items)
    if candidate.plan.attribute is not None and candidate.values is None:
        return _attribute_text(candidate, words, named, items)
    if not items:
        return f"No {_asked_for(candidate, words, named, 2)} were found in this graph."
    more = " or more" if truncated else ""
    attribute = candidate.values.shown if candidate.values is not None else None
    shown = plain_list(list(_shown(items[:LISTED], attribute, same_named)), total)
    if candidate.values is not None and candidate.plan.limit == total == 1:
        return f"{_ranked(candidate, words, named)}: {shown}."
    text = f"{total:,}{more} {_asked_for(candidate, words, named, 2 if truncated else total)}: {shown}."
    if candidate.plan.limit == 1 and total > 1:
        return f"{text} They are tied."
    if not tied:
        return text
    others = plain_list(list(_shown(tied[:LISTED], attribute)), len(tied))
    return f"{text} Tied with {items[-1].name}: {others}."


def _asked_for(candidate: Candidate, words: Words, named: Sequence[tuple[str, bool]], number: int) -> str:
    """The requested items as a noun phrase, singular or plural as `number` requires."""
    plan = candidate.plan if candidate.values is None else candidate.values.base
    phrase = verbalise(plan, names_in(candidate), words, number=number)
    if phrase is None:
        noun = type_name(candidate.asked) if candidate.asked is not None else "entity"
        denies = any(part.kind == ABSENT for part in plan.parts)
        about = f" such that {conditions_said(candidate, words)}" if denies else _about(named)
        phrase = f"{plural(noun, number)}{about}"
    phrase = phrase if candidate.values is None else with_values(phrase, candidate.values)
    aside = f" (other than {plain_list(candidate.aside, len(candidate.aside))})" if candidate.aside else ""
    return f"{phrase}{aside}{_qualified(candidate)}"


def _ranked(candidate: Candidate, words: Words, named: Sequence[tuple[str, bool]]) -> str:
    """Among which the first in an order was asked for: "First of the wards by beds, lowest first"."""
    among = names_among(candidate)
    assert candidate.values is not None
    return f"{among} {candidate.values.said}" if among else f"First of the {_asked_for(candidate, words, named, 2)}"


def _qualified(candidate: Candidate) -> str:
    """What a plan asks of the qualifiers of statements: " (with a frequency above 50%)"."""
    said = [_said_of_statements(each, candidate) for part in candidate.plan.parts for each in part.conditions]
    return f" ({', '.join(dict.fromkeys(filter(None, said)))})" if any(said) else ""


def _said_of_statements(condition: Condition, candidate: Candidate) -> str:
    slots = {slot.name: slot.types for slot in candidate.plan.slots}
    if isinstance(condition.value, Asked) and condition.operator in TURNED:
        condition = condition.turned if condition.of in slots else condition
        assert isinstance(condition.value, Asked)
        if condition.of in slots:
            return ""
        of = condition.value.of
        statement = "the same statement" if of == condition.of else "the other statement"
        other = names_in(candidate).get(of) or (f"the {nouns(slots[of], 1)}" if of in slots else statement)
        return f"with {compared_said(condition, other)}"
    if not condition.key.startswith("q_"):
        return ""
    names = {id: meaning.name for meaning in candidate.meanings for id in meaning.ids}
    said = tuple(names.get(str(each), each) for each in condition.values)
    value = said if isinstance(condition.value, tuple) else said[0]
    return str(Qualifier(condition.key, condition.operator, value, shared=condition.shared))  # type: ignore[arg-type]


def phrased(model: "LanguageModel", question: str, plain: str) -> str:
    """The plain text reworded by a model, or unchanged if the model fails or adds anything."""
    from clew.errors import ModelError, Timeout
    from clew.lm import Message, Request, load_prompt, strip

    asked = load_prompt("clew.answer", "phrase.txt").format(question=question, facts=plain)
    try:
        completion = model.complete(Request([Message("user", asked)], max_tokens=MOST_TOKENS))
    except (ModelError, Timeout) as error:
        log.info("the model failed, the plain text is kept: %s", error)
        return plain
    said = " ".join(strip(completion.text).split())
    good = bool(said) and completion.finish == "stop" and states_only(said, known=[plain], question=question)
    return said if good else plain


def _about(named: Sequence[tuple[str, bool]]) -> str:
    wanted = [name for name, excluded in named if not excluded]
    unwanted = [name for name, excluded in named if excluded]
    about = f" linked to {listed(wanted)}" if wanted else ""
    return f"{about}{' but' if about else ''} not linked to {listed(unwanted)}" if unwanted else about


def _exists_text(
    candidate: Candidate, words: Words, named: Sequence[tuple[str, bool]], value: bool, sources: Sequence[str]
) -> str:
    """Yes or no, with the triple in question and its sources."""
    plan = candidate.plan
    compares = any(isinstance(each.value, Asked) for part in plan.parts for each in part.conditions)
    if plan.having or compares or any(part.kind in (ABSENT, COUNTED) for part in plan.parts):
        return _bounded_text(candidate, words, value)
    names = names_in(candidate)
    said = relation_phrase(plan, names, words)
    answer, there = "Yes" if value else "No", value == (plan.kind == "exists")
    stated = f" ({', '.join(sources)})" if sources and there else ""
    if said is None and (found := there_phrase(plan, names, words, holds=there)) is not None:
        return f"{answer}: in this graph {found}{_qualified(candidate)}{stated}."
    if said is None:
        linked = plain_list([name for name, _ in named], len(named)) if named else "any entity"
        return f"{answer}: {'this graph' if there else 'nothing in this graph'} links {linked} as asked{stated}."
    said = f"{said}{_qualified(candidate)}"
    if there:
        return f"{answer}: {said}{stated}."
    steps = [step for part in plan.parts for step in part.steps]
    if len(steps) > 1 and all(names.keys() >= set(step.ends) for step in steps):
        return f"{answer}: not all of this is in this graph: {said}."
    return f"{answer}: {said} is not in this graph."


def states_only(text: str, *, known: Iterable[str], question: str) -> bool:
    """Whether every number and capitalised name in a text comes from the rows or the question."""
    allowed = " ".join([*known, question]).lower()
    for found in (*NUMBER.findall(text), *NAMED.findall(_without_starts(text))):
        if not re.search(rf"(?<!\w){re.escape(found.lower().replace(',', ''))}(?!\w)", allowed.replace(",", "")):
            return False
    return True


def _without_starts(text: str) -> str:
    """The text with the first word of each sentence in lower case, since its capital is no sign of a name."""
    return re.sub(r"(^|[.!?:]\s+)([A-Z][a-z]+)\b", lambda found: found.group(1) + found.group(2).lower(), text)


def _shown(
    items: Sequence[Item], attribute: Attribute | None = None, same_named: Collection[str] = ()
) -> Iterator[str]:
    """Each item by its name, with its id where others have the name, and with its number or value."""
    often = Counter(item.name for item in items)
    for item in items:
        value = item.number if item.number is not None else item.value
        value = None if any(cell.name == str(value) for row in item.beside for cell in row) else value
        alike = often[item.name] > 1 or item.id in same_named
        notes = [*([item.id] if alike else []), *([] if value is None else [amount(value, attribute)])]
        rows = [", ".join(map(str, row)) for row in item.beside[:BESIDE]]
        more = len(item.beside) - len(rows)
        said = [", ".join(notes), *rows, f"and {more:,} more" if more else ""]
        yield f"{item.name} ({'; '.join(filter(None, said))})" if any(said) else item.name


def _column_text(candidate: Candidate, words: Words, items: Sequence[Item]) -> str:
    """What a statement says in one column: "Marfan syndrome has_phenotype Arachnodactyly: frequency 124 of 197"."""
    column = title_of(str(candidate.plan.column))
    said = relation_phrase(candidate.plan, names_in(candidate), words) or "the statement asked about"
    if not items:
        return f"No {column} is stated in this graph for: {said}."
    return f"{said}: {column} {plain_list(list(_shown(items[:LISTED])), len(items))}."


def _attribute_text(
    candidate: Candidate, words: Words, named: Sequence[tuple[str, bool]], items: Sequence[Item]
) -> str:
    """The values of a property, in a query of one's own or of a model: "Beds of East Ward: 24 (floor 1)"."""
    asked = candidate.plan.asked[0]
    about = names_in(candidate).get(asked.of) or _asked_for(candidate, words, named, 2)
    if not items:
        return f"This graph states no {title_of(str(asked.key))} of {about}."
    shown = [replace(item, number=None) for item in items[:LISTED]]
    return f"{title_of(str(asked.key)).capitalize()} of {about}: {plain_list(list(_shown(shown)), len(items))}."


def _bounded_text(candidate: Candidate, words: Words, value: bool) -> str:
    """Yes or no to a plan that denies or counts: "Yes: Portugal is a country that borders only countries in …"."""
    holds = value == (candidate.plan.kind == "exists")
    said = judged_phrase(candidate.plan, names_in(candidate), words, holds=holds)
    if said is None:
        said = f"it is {'' if holds else 'not '}so that {conditions_said(candidate, words)}"
    return f"{'Yes' if value else 'No'}: in this graph {said}."


def _path_text(named: Sequence[str], total: int) -> str:
    ends = plain_list(named, len(named)) if named else "them"
    if not total:
        return f"No path of up to {PATH_LENGTH} hops connects {ends} in this graph."
    return f"{counted(total, 'shortest path')} {'connects' if total == 1 else 'connect'} {ends}."
