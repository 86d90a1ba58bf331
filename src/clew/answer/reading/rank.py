"""Which of the candidate plans a question means: put each into words and see which come nearest.

What counts, each for itself and added up: words of the question that mention the plan's relations, types the question
mentions that the plan has or lacks, how well names matched, how long the plan is, and (with an encoder) how near the
plan in words is to the question with names replaced by their types.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from clew.answer.lexicon.words import Words
from clew.answer.plans.canonical import canonical
from clew.answer.plans.plan import ABSENT, Part, Plan, Step
from clew.answer.reading.account import Account, account_for
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.question import ParsedQuestion
from clew.answer.wording.part_phrases import BESIDE, COMPARED
from clew.answer.wording.relation_words import RelationWords
from clew.answer.wording.value_words import aggregate_said, chosen_said
from clew.plurals import plural
from clew.store.deadline import Deadline

if TYPE_CHECKING:
    from clew.answer.reading.judged import Judge
    from clew.embed import Encoder

__all__ = ["TIE", "Ranked", "Weights", "conditions_said", "in_words", "masked", "names_in", "rank"]

NEAREST = 12  # plans that are verbalised and compared by embedding; the others score far lower
TIE = 0.15  # plans whose scores differ by less are told apart by little more than chance
LONGEST_COMPARED = 500  # characters: nobody asks that much in one sentence, and an encoder's time grows
ENCODED = 4  # texts at a time, so that a question ends in time


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each sign counts."""

    relation: float = 0.6  # words that mention a relation of the plan
    mentioned: float = 0.8  # a type the question mentions is, or is not, in the plan
    unmentioned: float = 0.15  # a type in between that the question does not mention
    step: float = 0.2
    name: float = 1.0  # how well names matched
    kind: float = 0.4  # a name is of a type that the question says, or of the same type as another name
    grammar: float = 0.7  # the grammar of the question proposes the plan
    missing: float = 0.6  # a word without which the plan answers another question
    restriction: float = 0.25  # a restriction that the plan leaves out
    meaning: float = 1.0  # nearness of the plan in words


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score, what the score is made of, and what its plan makes of each word."""

    candidate: Candidate
    score: float
    parts: dict[str, float]
    account: Account = field(default_factory=Account)


def rank(
    question: ParsedQuestion,
    found: Sequence[Candidate],
    words: Words,
    *,
    encoder: "Encoder | None" = None,
    judge: "Callable[[], Judge | None] | None" = None,
    weights: Weights | None = None,
    deadline: Deadline | None = None,
) -> list[Ranked]:
    """Candidates from the likeliest to the least likely; equal ones stay in their order."""
    weights = weights or Weights()
    stems = list(question.stems)
    said = {name: words.says(name, stems) for name in {name for each in found for name in each.relationships}}
    check: Callable[[], None] = _no_limit if deadline is None else deadline.check
    ranked = []
    for each in found:
        check()
        ranked.append(_scored(question, each, said, weights))
    ranked.sort(key=lambda each: -each.score)
    accounted = []
    for one in _nearest(ranked):
        check()
        accounted.append(_accounted(question, one, words, weights))
    near = _agreed(accounted, weights, check)
    opened = judge() if judge is not None and near and all(each.account.missing for each in near) else None
    if opened is not None:
        accounts = opened.eased([(each.candidate, each.account) for each in near], question, check=check)
        near = [_with_account(each, account, weights) for each, account in zip(near, accounts, strict=True)]
    if encoder is not None and len(near) > 1:
        near = _compared(question, near, words, encoder, weights, check)
    return sorted(near, key=lambda each: -each.score)


def _compared(
    question: ParsedQuestion,
    near: list[Ranked],
    words: Words,
    encoder: "Encoder",
    weights: Weights,
    check: Callable[[], None],
) -> list[Ranked]:
    """With the nearness of each plan in words to the question.

    If every plan leaves out a word, only the best is of interest: those that no nearness could bring up to it are not
    compared.
    """
    texts = [in_words(each.candidate, words) for each in near]
    whole = masked(question, near[0].candidate, words)
    if max(map(len, (whole, *texts))) > LONGEST_COMPARED:
        return near
    declined = all(each.account.missing for each in near)
    order = sorted(range(len(near)), key=lambda at: -near[at].score)
    found, best = list(near), float("-inf")
    for start in range(0, len(order), ENCODED):
        some = order[start : start + ENCODED]
        if declined and near[some[0]].score + weights.meaning < best - TIE:
            break
        check()
        rows = encoder.encode([whole, *(texts[at] for at in some)])
        for at, like in zip(some, (rows[1:] @ rows[0]).tolist(), strict=True):
            found[at] = _plus(near[at], "meaning", weights.meaning * like)
            best = max(best, found[at].score)
    return found


def _no_limit() -> None:
    pass


def _nearest(ranked: Sequence[Ranked]) -> list[Ranked]:
    """The best plans of each who proposed some."""
    by_origin: dict[tuple[str, ...], list[Ranked]] = {}
    for each in ranked:
        by_origin.setdefault(each.candidate.found_by, []).append(each)
    return [each for group in by_origin.values() for each in group[:NEAREST]]


def _agreed(found: Sequence[Ranked], weights: Weights, check: Callable[[], None]) -> list[Ranked]:
    """Each plan once; what schema and grammar both propose counts more, and so does what grammar does alone."""
    kept: dict[Plan, Ranked] = {}
    for each in found:
        check()
        key = canonical(each.candidate.plan)
        other = kept.get(key)
        if other is None:
            kept[key] = each
        elif other.candidate.found_by != each.candidate.found_by:
            best = max(each, other, key=lambda one: one.score)
            both = tuple(sorted({*other.candidate.found_by, *each.candidate.found_by}))
            share = max(each.candidate.share, other.candidate.share)
            kept[key] = replace(best, candidate=replace(best.candidate, found_by=both, share=share))
    return [_plus(each, "grammar", weights.grammar * each.candidate.share) for each in kept.values()]


def _accounted(question: ParsedQuestion, ranked: Ranked, words: Words, weights: Weights) -> Ranked:
    """With the words that the plan leaves out."""
    tree = question.trees[0] if question.trees else None
    return _with_account(ranked, account_for(question, ranked.candidate, words, tree), weights)


def _with_account(ranked: Ranked, account: Account, weights: Weights) -> Ranked:
    left_out = weights.missing * len(account.missing) + weights.restriction * len(account.restrictions)
    return replace(_plus(ranked, "left out", -left_out - ranked.parts.get("left out", 0.0)), account=account)


def _plus(ranked: Ranked, name: str, value: float) -> Ranked:
    whole = ranked.parts.get(name, 0.0) + value
    return replace(ranked, score=ranked.score + value, parts={**ranked.parts, name: whole})


def _scored(question: ParsedQuestion, candidate: Candidate, says: Mapping[str, float], weights: Weights) -> Ranked:
    relations = dict.fromkeys(candidate.relationships)
    said = sum(says[name] for name in relations) / max(1, len(relations))
    between = _between(candidate)
    wanted = [label for label in question.mentioned if label != candidate.asked]
    groups = [set(word.labels) for word in question.type_words if not word.implied]
    missing = sum(1 for group in groups if group.isdisjoint(candidate.labels))
    present = sum(1 for label in set(wanted) if label in between)
    types = [meaning.type for meaning in candidate.meanings]
    fitting = sum(1 for type in types if type in question.type_hints) + (len(types) - len(set(types)))
    unmentioned = sum(1 for label in between if label not in wanted)
    steps = sum(len(part.steps) for part in candidate.plan.parts)
    names = sum(meaning.score for meaning in candidate.meanings) / max(1, len(candidate.meanings))
    parts = {
        "relation": weights.relation * said,
        "mentioned": weights.mentioned * (present - missing),
        "unmentioned": -weights.unmentioned * unmentioned,
        "step": -weights.step * steps,
        "name": weights.name * names,
        "kind": weights.kind * fitting,
    }
    return Ranked(candidate, sum(parts.values()), parts)


def _between(candidate: Candidate) -> list[str]:
    """Labels of slots that are neither asked for nor named."""
    plan = candidate.plan
    named = {condition.of for part in plan.parts for condition in part.conditions if not condition.negated}
    asked = {column.of for column in plan.asked}
    return [label for slot in plan.slots if slot.name not in named | asked for label in slot.types]


def masked(question: ParsedQuestion, candidate: Candidate, words: Words) -> str:
    """The question with each name replaced by its type."""
    text = question.text
    for anchor, meaning in sorted(zip(question.anchors, candidate.meanings, strict=True), key=lambda p: -p[0].start):
        text = f"{text[: anchor.start]}a {_called(meaning.type, words)}{text[anchor.end :]}"
    return text


def _called(type: str, words: Words) -> str:
    return words.name_of(type) if type in words.types else type.lower()


def in_words(candidate: Candidate, words: Words, *, names: bool = False) -> str:
    """A plan as a short English question, with types for names, or with the names themselves."""
    plan = candidate.plan
    called = _called_in(candidate, words, names=names)
    joined = conditions_said(candidate, words, names=names)
    chosen = f", with {said}" if (said := chosen_said(plan)) else ""
    such_that = f" such that {joined}{chosen}" if joined else chosen
    if plan.kind == "path":
        return f"how is {called['a']} connected to {called['b']}"
    if plan.kind in ("exists", "lacks"):
        return f"is it {'so' if plan.kind == 'exists' else 'not so'} that {joined}{chosen}"
    if plan.operation == "count":
        return f"how many {_plural(candidate.asked, words)} are there{such_that}"
    if plan.operation == "top" and plan.measure is not None and plan.measure.function == "count":
        types = [slot.types for slot in plan.slots if slot.name == plan.measure.of]
        measured = _plural(types[0][0] if types and types[0] else None, words)
        return f"which {_plural(candidate.asked, words)} have the most {measured}{such_that}"
    aggregate = f", with {said}" if (said := aggregate_said(plan)) else ""
    return f"which {_plural(candidate.asked, words)} are there{such_that}{aggregate}"


def conditions_said(candidate: Candidate, words: Words, *, names: bool = True) -> str:
    """What must be so for a plan, step by step."""
    plan, called = candidate.plan, _called_in(candidate, words, names=names)
    outer = [part for part in plan.parts if not part.inside and (part.count is None or part.count.operator)]
    return ", and ".join(text for part in outer if (text := _said(plan, part, called, words, names)))


def _called_in(candidate: Candidate, words: Words, *, names: bool) -> dict[str, str]:
    called = {slot.name: _type(candidate.plan, slot.name, words) for slot in candidate.plan.slots}
    return called | (names_in(candidate) if names else {})


def names_in(candidate: Candidate) -> dict[str, str]:
    """What named slots are called."""
    by_ids: dict[object, str] = {meaning.ids: meaning.name for meaning in candidate.meanings}
    found = {}
    for condition in (each for part in candidate.plan.parts for each in part.conditions if each.key == "id"):
        known = by_ids.get(condition.values) or _all_of(candidate, set(map(str, condition.values)))
        if known:
            found[condition.of] = f"anything but {known}" if condition.negated else known
    return found


def _all_of(candidate: Candidate, ids: set[str]) -> str | None:
    """The names that together stand for exactly these ids."""
    names = [meaning.name for meaning in candidate.meanings if ids.issuperset(meaning.ids)]
    whole = {id for meaning in candidate.meanings for id in meaning.ids} >= ids
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names) if names and whole else None


def _said(plan: Plan, part: Part, called: Mapping[str, str], words: Words, names: bool) -> str:
    steps = [
        f"{called[step.subject]} {_verb(step, words, names)} {called[step.object]}"
        for step in part.steps
        if step.relations
    ]
    inner = (each for each in plan.inner(part) if each.count is None or each.count.operator)
    text = " and ".join([*steps, *(_said(plan, each, called, words, names) for each in inner)])
    if part.count is not None:
        counted, other = plural(called[part.count.of]), plan.compared_with(part)
        if not part.count.operator:  # it is said where it is compared
            return f"{counted} for which {text}"
        if other is not None:
            than = _said(plan, other, called, words, names)
            return f"there are {BESIDE[part.count.operator].format(f'{counted} for which {text}', than)}"
        return f"for {COMPARED[part.count.operator]} {part.count.number} {counted} {text}"
    if part.name:
        return f"it never is so that {text}"
    return f"not {text}" if part.kind == ABSENT and text else text


def _verb(step: Step, words: Words, names: bool) -> str:
    """The everyday words of a relation; whole sentences, which people read, need them in the third person."""
    said = [words.relations[name][0] for name in step.relations]
    return " or ".join(RelationWords(each).after(1) if names else each for each in said)


def _type(plan: Plan, slot: str, words: Words) -> str:
    types = plan.slot(slot).types
    return _called(types[0], words) if types else "thing"


def _plural(label: str | None, words: Words) -> str:
    return plural(_called(label, words) if label else "thing")
