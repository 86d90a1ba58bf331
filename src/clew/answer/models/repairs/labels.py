"""The labels that the variables of a written query imply: (nurse) is a nurse, unless the question says otherwise.

In: the plan of a query and its question. Out: the plan with a label, or several, for each slot that had none.
"""

import re
from dataclasses import replace

from clew.answer.grammar.clauses import find_clauses
from clew.answer.lexicon.forms import is_code, plain_name, stem, tokens_of
from clew.answer.lexicon.words import Words
from clew.answer.models.shown_schema import ShownSchema
from clew.answer.plans.plan import ABSENT, COUNTED, Plan, Slot, Step
from clew.answer.reading.question import ParsedQuestion
from clew.graph.encode import UNTYPED
from clew.store.layout import StoreSchema

__all__ = ["ImpliedLabels", "takes_one_of_twins"]

WHICH_ARE = re.compile(r"\W*(?:which|what)\s+\w+\s+(?:is|are|was|were|has|have|had|does|do|did)\b", re.IGNORECASE)
TWINS = 0.75  # share of the ends of relations that two labels have in common from which one noun may mean both


class ImpliedLabels:
    """What variables say about types, for one graph."""

    def __init__(self, schema: StoreSchema, shown: ShownSchema, words: Words) -> None:
        self.schema, self.shown, self.words = schema, shown, words

    def typed(self, plan: Plan, question: ParsedQuestion) -> Plan:
        """The plan with the labels that its variables imply, where none was written; a named entity has its own.

        Where a relation leads to several labels, a label that no word of the question mentions is left open, and
        "anybody" means all that it can be; a code is nobody's word, so that nothing follows from its absence, and where
        everything has a type, a noun that is asked for may be a word for the label that no list has (*digs*, sites). A
        label that some steps exclude is that which all of them allow.
        """
        untyped = {label.name for label in self.schema.labels if label.type == UNTYPED}
        codes = {label.name for label in self.schema.labels if is_code(label.type)}
        named = {each.of for part in plan.parts for each in part.conditions if each.key == "id"}
        said = {label for label in (*question.asked, *question.mentioned) if not _is_only_a_kind(label, question.text)}
        said |= {label.name for label in self.schema.labels if _is_spelt(label.name, question.text)}
        stated = {each.of for part in plan.parts for each in part.conditions} - named  # slots with other conditions
        stated |= {each.by.of for each in plan.sort if each.by is not None}
        wanted, meant = next((each.of for each in plan.asked), None), _asks_for_a_noun(question)

        def implied(slot: Slot) -> Slot:
            label = self.shown.label_of(slot.name)
            if slot.types or label is None or label in untyped or (untyped and slot.name in named):
                return slot
            ends = _ends(plan, slot.name, self.schema)
            reached = set.intersection(*ends) if ends else set()
            if slot.name not in named:
                if not untyped and (other := _allowed(label, plan, slot.name, self.schema)):
                    return replace(slot, types=(other,))
                unsaid = label not in said or self._is_a_role(label, question.text, plan, slot.name)
                open_ = len(reached) > 1 and label not in codes and not (meant and slot.name == wanted and not untyped)
                if unsaid and (open_ or (untyped and slot.name in stated)):
                    return slot
            alone = (label,) if slot.name in named else self._said_with(label, question.text)
            together = question.asked if label in question.asked else alone
            return replace(slot, types=tuple(each for each in together if each in reached) or (label,))

        return replace(plan, slots=tuple(map(implied, plan.slots)))

    def _said_with(self, label: str, text: str) -> tuple[str, ...]:
        """The labels that the word for one means: of "anybody" all people, of "nurses" one."""
        said = (each.labels for each in self.words.find_types(list(tokens_of(text))) if label in each.labels)
        return min(said, key=len, default=(label,))

    def _is_a_role(self, label: str, text: str, plan: Plan, slot: str) -> bool:
        """Whether all words for a label only say what a relation says: what treats is a treatment, drug or not."""
        tokens = list(tokens_of(text))
        words = [tokens[each.last - 1].text for each in self.words.find_types(tokens) if label in each.labels]
        relations = {name for part in plan.parts for step in part.steps if slot in step.ends for name in step.relations}
        return bool(words) and all(
            stem(word) not in map(stem, plain_name(label).split())
            and any(self._is_noun_of(name, word) for name in relations)
            for word in words
        )

    def _is_noun_of(self, relation: str, word: str) -> bool:
        known = {each.name for each in self.schema.relationships}
        return relation in known and self.words.is_own(relation, word)


def takes_one_of_twins(plan: Plan, question: ParsedQuestion, schema: StoreSchema) -> bool:
    """Whether a noun that no list knows was read as one label, where another would do as well: "which trees" for
    conifers, where broadleaves are at the same ends of the same relations."""
    wanted = next((slot for slot in plan.slots for each in plan.asked[:1] if slot.name == each.of), None)
    if wanted is None or len(wanted.types) != 1 or not _asks_for_a_noun(question):
        return False  # a column of a statement is of no slot
    (label,) = wanted.types
    ends = _ends(plan, wanted.name, schema)
    if not ends or label in question.mentioned or _is_spelt(label, question.text):
        return False
    reached, own = set.intersection(*ends) - {label}, _places(label, schema)
    return any(len(own & other) >= TWINS * len(own | other) for other in (_places(each, schema) for each in reached))


def _places(label: str, schema: StoreSchema) -> set[tuple[str, bool]]:
    """The ends of relations at which a label stands: their names, and whether it is the subject."""
    pairs = [(known.name, pair) for known in schema.relationships for pair in known.ends]
    subject = {(name, True) for name, pair in pairs if pair.subject == label}
    return subject | {(name, False) for name, pair in pairs if pair.object == label}


def _asks_for_a_noun(question: ParsedQuestion) -> bool:
    """Whether a question asks for a noun that no list has as a word for a type: by most parse trees, or what stands
    between *which* and *are*, that trees take for a verb."""
    asked = [tree.words[at] for tree in question.trees if (at := find_clauses(tree).asked) is not None]
    nouns = sum(each.kind == "NOUN" and each.anchor is None for each in asked)
    return not question.asked and (2 * nouns > len(question.trees) or WHICH_ARE.match(question.text) is not None)


def _is_spelt(label: str, text: str) -> bool:
    """Whether a question has the name of a label in it: "sources" are of the type source, whatever else they may be."""
    return set(map(stem, plain_name(label).split())) <= {stem(token.text) for token in tokens_of(text)}


def _is_only_a_kind(label: str, text: str) -> bool:
    """Whether a question says the last word of a label alone: "ships" are not only container ships."""
    *before, noun = map(stem, plain_name(label).split())
    said = {stem(token.text) for token in tokens_of(text)}
    return bool(before) and noun in said and not said.issuperset(before)


def _ends(plan: Plan, slot: str, schema: StoreSchema) -> list[set[str]]:
    """The labels that each step at a slot leads to; none if it is asked for and all steps are absent or counted."""
    known = {each.name: each for each in schema.relationships}
    parts = [part for part in plan.parts if any(slot in step.ends for step in part.steps)]
    outside = any(each.of == slot for each in plan.asked) and all(part.kind in (ABSENT, COUNTED) for part in parts)
    return [
        {pair.subject if step.subject == slot else pair.object for name in step.relations for pair in known[name].ends}
        for part in ([] if outside else parts)
        for step in part.steps
        if slot in step.ends and step.relations and known.keys() >= set(step.relations) and not step.repeated
    ]


def _allowed(label: str, plan: Plan, slot: str, schema: StoreSchema) -> str | None:
    """The only label that all steps at a slot allow, whichever way round, where some of them exclude its own."""
    turned = tuple(replace(part, steps=tuple(map(_reversed, part.steps))) for part in plan.parts)
    both = zip(_ends(plan, slot, schema), _ends(replace(plan, parts=turned), slot, schema), strict=True)
    ends = [one | other for one, other in both]
    found = set.intersection(*ends) if any(label in each for each in ends) else set()
    return found.pop() if len(found) == 1 and label not in found else None


def _reversed(step: Step) -> Step:
    return replace(step, subject=step.object, object=step.subject)
