"""Plans that lead where no word of the question points: such an answer is doubtful at best.

Checked: a plan that returns by the relation it came by ("projects of employees of project A") though nothing says that
it is shared, and one that shares nothing though the question says "the same"; two slots for what the question comes
back to ("that cloth"); a yes to "a tablet or a liquid?"; an entity in between or beside that no word mentions, reached
by relations that no word mentions; a relation that says more than the question ("works as head brewer at" for "work
at"); one that no word mentions where another joins the same types ("shown in the painting" by *painted*); a verb that
is said twice of which the plan has one relation ("brought a case and had one brought against them"); and a second
request in one question ("…; count its districts too"), of which a plan answers one.
"""

import re
from collections.abc import Iterator, Sequence

from clew.answer.lexicon.forms import plain_name, stem, tokens_of
from clew.answer.lexicon.words import Words
from clew.answer.plans.plan import OPTIONAL, Plan, Step
from clew.answer.plans.schema.containment import is_within
from clew.answer.reading.interpretation import Interpretation

__all__ = ["goes_astray"]

SHARED = re.compile(
    r"\b(?:same|shar\w+|common|other|others|another|else|also|too|both|together|fellow|co-?\w+|colleagues?|team-?mates?|"
    r"alongside|besides|as well|similar\w*|like|alike|overlap\w*|each other|one another)\b",
    re.IGNORECASE,
)
SECOND = re.compile(
    r"(?:[;.?!]\s*(?:and\s+|also\s+|then\s+)?(?:how\s+many|count|list|name|give|show|tell|say|what|when|where|how)|"
    r",?\s+and\s+(?:also\s+|then\s+)?(?:how\s+(?:many|much|long)|what|when|where|(?:count|list|name)\s+(?:the|its|all)))"
    r"\b(?=[^;.?!]*\w\s+\w)",
    re.IGNORECASE,
)
FIRST = re.compile(
    r"\W*(?:\w+\s+)?(?:which|what|who|whom|whose|where|when|how|list|name|give|show|find)\b", re.IGNORECASE
)

SAME = re.compile(
    r"\b(?:that|the|this|those|these|one)\s+(?:very\s+|one\s+and\s+the\s+)?same\b|"
    r"\bshar(?:e|es|ed|ing)\s+(?:\w+\s+){1,4}with\s+(?:another|(?:any\s+|an)?other|each\s+other|one\s+another)\b",
    re.IGNORECASE,
)
CHOICE = re.compile(
    r"\W*(?:is|are|was|were|do|does|did|has|have)\b[^,;.?!]*\w\s+or\s+(?:an?\s+|the\s+)?[\w-]+(?:\s+[\w-]+)?\W*",
    re.IGNORECASE,
)
WHERE = re.compile(r"\W*where\b", re.IGNORECASE)
PLACES = frozenset({"at", "in", "on", "for", "of", "to", "by", "with"})  # words that follow a role
NEAR = 12  # letters between words of one phrase


def goes_astray(interpretation: Interpretation, words: Words) -> bool:
    """Whether a plan returns, strays or answers only one of two requests."""
    return (
        _asks_twice(interpretation)
        or any(_returns(interpretation, slot) for slot in _between(interpretation.candidate.plan))
        or any(_is_unsaid(interpretation, slot, words) for slot in _between(interpretation.candidate.plan))
        or any(_is_unsaid(interpretation, slot, words) for slot in _ranked_by(interpretation.candidate.plan))
        or any(_is_idle(interpretation, slot, words) for slot in _between(interpretation.candidate.plan))
        or _is_where_of_another(interpretation, words)
        or _is_apart(interpretation)
        or _is_two_of_one(interpretation, words)
        or _offers(interpretation)
        or any(_says_more(name, interpretation, words) for name in _relations(interpretation.candidate.plan))
        or any(_is_guessed(step, interpretation, words) for step in _all_steps(interpretation.candidate.plan))
        or _is_said_twice(interpretation, words)
    )


def _asks_twice(interpretation: Interpretation) -> bool:
    """Whether a question has a second request that is no follow-up to the first ("list them")."""
    text = interpretation.question.text
    spans = (each.span() for each in SECOND.finditer(text))
    framed = interpretation.question.followed
    return not framed and FIRST.match(text) is not None and any(start > 0 for start, _ in spans)


def _between(plan: Plan) -> Iterator[str]:
    """Slots that are neither asked for, counted, named, restricted, compared nor sorted by."""
    held = {each.of for part in plan.parts for each in part.conditions if not each.says_there_is_one}
    held |= {each.of for each in plan.asked} | {part.count.of for part in plan.parts if part.count is not None}
    held |= {each.of for each in plan.measures} | {sort.by.of for sort in plan.sort if sort.by is not None}
    held |= {other for part in plan.parts for each in part.conditions for other in each.others}
    return (slot.name for slot in plan.slots if slot.name not in held)


def _ranked_by(plan: Plan) -> Iterator[str]:
    """The slot whose number ranks what is asked for: of "the top patients", nothing says that it is that of nurses."""
    if plan.operation == "top" and plan.measure is not None and not plan.measure.bounds and plan.measure.key is None:
        yield plan.measure.of


def _steps(plan: Plan, slot: str) -> list[Step]:
    """The steps at a slot; none if one of them walks a hierarchy or nested places."""
    parts = (part for part in plan.parts if part.kind != OPTIONAL and not part.inside)
    found = [step for part in parts for step in part.steps if slot in step.ends]
    return [] if any(step.repeated for step in found) else found


def _returns(interpretation: Interpretation, slot: str) -> bool:
    """Whether a plan leaves a slot by the relation it came by, which the question mentions once and not as shared."""
    steps = _steps(interpretation.candidate.plan, slot)
    moves = [(name, step.subject == slot) for step in steps for name in step.relations]
    twice = {name for name, forward in moves if moves.count((name, forward)) > 1}
    if not twice or SHARED.search(interpretation.question.text) or _is_contrasted(interpretation):
        return False
    said = [
        each.start for each in interpretation.account.bindings if each.part in {f"relation {name}" for name in twice}
    ]
    apart = sum(1 for at, start in enumerate(said) if not at or start - said[at - 1] > NEAR)
    return apart < 2


def _is_contrasted(interpretation: Interpretation) -> bool:
    """Whether a plan returns since the question means another one than a name has: "a different ward than"."""
    contrast = interpretation.question.contrast
    return contrast is not None and contrast.start in interpretation.candidate.quantified


def _is_unsaid(interpretation: Interpretation, slot: str, words: Words) -> bool:
    """Whether neither a slot nor any relation at it is mentioned; a place in between need not be."""
    plan, question = interpretation.candidate.plan, interpretation.question
    steps, types = _steps(plan, slot), plan.slot(slot).types
    spoken = {label for word in question.type_words for label in word.labels}
    if len(steps) < 2 or len(words.schema.labels) == 1 or spoken.intersection(types):
        return False
    relations = [name for step in steps for name in step.relations]
    named = [part for name in types for part in plain_name(name).split()]
    if any(stem(part) in words.classes["where"] for part in named):
        return False
    return not any(_is_said(name, interpretation, words) for name in relations)


def _is_idle(interpretation: Interpretation, slot: str, words: Words) -> bool:
    """Whether a slot only has to exist, by a relation that no word mentions, and the question does not mention its
    type, or once where another slot is of that type."""
    plan, steps = interpretation.candidate.plan, _steps(interpretation.candidate.plan, slot)
    types = set(plan.slot(slot).types)
    others = [each for each in plan.slots if each.name != slot and types & set(each.types)]
    mentioned = sum(bool(types.intersection(word.labels)) for word in interpretation.question.type_words)
    if len(steps) != 1 or not types or mentioned > 1 or (mentioned == 1 and not others):
        return False
    return not any(_is_said(name, interpretation, words) for name in steps[0].relations)


def _is_where_of_another(interpretation: Interpretation, words: Words) -> bool:
    """Whether "where" is answered by the place of something in between, by a relation that no word mentions."""
    plan = interpretation.candidate.plan
    if not plan.asked or WHERE.match(interpretation.question.text) is None:
        return False
    between = set(_between(plan))
    steps = (step for slot in between for step in _steps(plan, slot) if plan.asked[0].of in step.ends)
    return any(not any(_is_said(name, interpretation, words) for name in step.relations) for step in steps)


def _is_apart(interpretation: Interpretation) -> bool:
    """Whether a question mentions the same thing twice, and no slot but the asked one has two steps."""
    plan = interpretation.candidate.plan
    if SAME.search(interpretation.question.text) is None or plan.measure is not None:
        return False
    asked = {each.of for each in plan.asked}
    return not any(len(_steps(plan, slot.name)) > 1 for slot in plan.slots if slot.name not in asked)


def _is_two_of_one(interpretation: Interpretation, words: Words) -> bool:
    """Whether a plan has two slots for what the question comes back to: "cloths of who wove *that cloth*"."""
    plan = interpretation.candidate.plan
    for tree in interpretation.question.trees[:1]:
        for word in tree.words:
            noun = tree.words[word.head]
            if word.text.lower() != "that" or word.role != "det" or noun.kind != "NOUN" or noun.start < word.start:
                continue
            labels = {label for each in words.find_types(tokens_of(noun.text)) for label in each.labels}
            if sum(not labels.isdisjoint(slot.types) for slot in plan.slots) > 1:
                return True
    return False


def _offers(interpretation: Interpretation) -> bool:
    """Whether a question that ends in "A or B" is answered by yes or no, though it may ask which of the two."""
    return interpretation.candidate.plan.kind == "exists" and CHOICE.fullmatch(interpretation.question.text) is not None


def _relations(plan: Plan) -> set[str]:
    return {name for step in _all_steps(plan) for name in step.relations}


def _all_steps(plan: Plan) -> Iterator[Step]:
    return (step for part in plan.parts for step in part.steps)


def _is_guessed(step: Step, interpretation: Interpretation, words: Words) -> bool:
    """Whether no word mentions the relation of a step, and another one joins the same types."""
    if step.repeated or len(step.relations) != 1 or _is_said(step.relations[0], interpretation, words):
        return False
    if is_within(words.schema.relationship(step.relations[0]).called):  # "French cities"
        return False
    plan = interpretation.candidate.plan
    one, other = (set(plan.slot(end).types) for end in step.ends)
    return any(
        each.name != step.relations[0]
        and not each.negated
        and (one, other) != (set(), set())
        and any(
            (ends.subject in one and ends.object in other) or (ends.subject in other and ends.object in one)
            for ends in each.ends
        )
        for each in words.schema.relationships
    )


def _is_said_twice(interpretation: Interpretation, words: Words) -> bool:
    """Whether one verb stands for one step of a plan in two places of the question."""
    plan = interpretation.candidate.plan
    steps = [name for step in _all_steps(plan) for name in step.relations]
    verbs = {
        word.start: word.lemma
        for tree in interpretation.question.trees[:1]
        for word in tree.words
        if word.kind == "VERB" and not words.is_class("light", word.text)
    }
    said = [(verbs[each.start], each.part) for each in interpretation.account.bindings if each.start in verbs]
    return any(
        said.count((lemma, part)) > steps.count(name)
        for lemma, part in said
        for name in steps
        if part == f"relation {name}" and plan.measure is None
    )


def _says_more(relation: str, interpretation: Interpretation, words: Words) -> bool:
    """Whether a relation is a verb with a role ("works_as_cook_at") and the question has the verb without the role."""
    verb, _, role = words.core(relation).lower().partition("_as_")
    if not role or "_" in verb:
        return False
    said = {token.stem for token in interpretation.question.tokens}
    nouns = [stem(word) for word in role.split("_") if not words.is_class("frame", word) and word not in PLACES]
    return stem(verb) in said and not said.intersection(nouns)


def _is_said(relation: str, interpretation: Interpretation, words: Words) -> bool:
    """Whether the question mentions a relation."""
    question = interpretation.question
    tokens = [token for token in question.tokens if token not in question.of_names]
    said: Sequence[str] = [token.text for token in tokens if not words.is_class("frame", token.text)]
    parts = {each.part for each in interpretation.account.bindings}
    return (
        f"relation {relation}" in parts
        or any(words.binds(relation, word) for word in said)
        or words.says(relation, [token.stem for token in tokens]) > 0
    )
