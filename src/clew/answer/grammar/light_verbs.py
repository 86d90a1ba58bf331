"""Light verbs of a question, bound by grammar and types: "Who uses the euro?" where countries *have a currency*.

A verb such as use, lie, fall under or make up says little by itself. Where it stands between two nouns whose types are
known, it stands for the step of the plan between them, if the relation may mean what the verb does (`lexicon/light`)
and no other relation between these types may.
"""

from collections.abc import Iterator, Sequence, Set
from functools import cached_property

from clew.answer.grammar.clauses import Clause, Sentence, find_clauses
from clew.answer.grammar.parse import Tree
from clew.answer.lexicon.light import senses_of_relation, senses_of_verb
from clew.answer.lexicon.polarity import NEITHER, polarity_of_name
from clew.answer.lexicon.words import Words
from clew.answer.plans.plan import Plan, Step
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.question import ParsedQuestion

__all__ = ["LightVerbs"]

PARTICLES = ("ADP", "PART", "ADV")
US = frozenset({"i", "you", "we", "one"})
IDIOMS = ("place", "part", "use")  # nouns that say nothing apart from their verb: take place, make use of


class LightVerbs:
    """The light verbs of a question in one plan."""

    def __init__(self, question: ParsedQuestion, candidate: Candidate, words: Words) -> None:
        self.question, self.candidate, self.words, self.schema = question, candidate, words, words.schema
        self.plan: Plan = candidate.plan

    def bound(self) -> Iterator[tuple[int, str, bool]]:
        """Where verbs begin that stand for a relation of the plan, that relation, and whether their senses meet.

        Where they do not, but types leave no other relation, it may be meant.
        """
        for tree in self.question.trees:
            for place, particles, clause, sentence in _spoken(tree):
                senses = senses_of_verb(tree.words[place].lemma, particles)
                senses = senses or senses_of_verb(tree.words[place].text, particles)
                name, sure = self._met(senses, clause, sentence) if senses else (None, False)
                if name is not None:
                    yield tree.words[place].start, name, sure
                    for inner in tree.children(place, "dobj"):
                        if tree.words[inner].text.lower() in IDIOMS:
                            yield tree.words[inner].start, name, sure

    def _met(self, senses: Set[str], clause: Clause | None, sentence: Sentence) -> tuple[str | None, bool]:
        """The relation that a verb of these senses stands for in the plan, and whether it surely does.

        It surely does if every step between its two nouns may mean what the verb does, and no other relation may.
        """
        alone = sum(len(part.steps) for part in self.plan.parts) == 1 and bool(self.plan.required.steps)
        if clause is None and not alone:
            return None, False
        if clause is not None and {sentence.tree.words[at].text.lower() for at in (clause.left, clause.right)} & US:
            name = self.plan.required.steps[0].relations[0] if alone else None
            return name, False  # "airports that I can use" say how they are related to the rest of the question only
        ends = (self._labels(clause.left, sentence), self._labels(clause.right, sentence)) if clause else (None, None)
        for steps in self._between(*ends):
            names = [name for step in steps for name in step.relations]
            if all(senses & self._senses[name] for name in names) and not self._has_rival(senses, steps):
                return names[0], True
        if clause is not None and None not in ends:
            for steps in self._between(*ends):
                if len(steps) == 1 and self._is_alone(steps[0]):
                    return steps[0].relations[0], False
        return None, False

    def _is_alone(self, step: Step) -> bool:
        """Whether a relation between two different types is the only one, and means neither help nor harm."""
        relation = self.schema.relationship(step.relations[0])
        types = [set(self.plan.slot(end).types) for end in step.ends]
        return (
            len(step.relations) == 1
            and types[0].isdisjoint(types[1])
            and not relation.negated
            and polarity_of_name(relation) == NEITHER
            and not self._others(step, types)
        )

    def _labels(self, at: int, sentence: Sentence) -> frozenset[str] | None:
        """The types of a noun; None where it does not say."""
        word = sentence.tree.words[at]
        if word.anchor is not None and word.anchor < len(self.candidate.meanings):
            return frozenset({self.schema.label_of(self.candidate.meanings[word.anchor].type)})
        for start, end, labels in self._typed:
            if start <= word.start < end:
                return frozenset(labels)
        if at == sentence.asked and self.candidate.asked is not None:
            named = word.text.lower() != "who" or self.words.may_be_who(self.candidate.asked)
            return frozenset({self.candidate.asked} if named else ())
        return None

    @cached_property
    def _typed(self) -> list[tuple[int, int, tuple[str, ...]]]:
        tokens = list(self.question.tokens)
        found = self.words.find_types(tokens)
        return [
            (tokens[word.first].start, tokens[word.last - 1].end, word.labels) for word in found if not word.implied
        ]

    @cached_property
    def _senses(self) -> dict[str, frozenset[str]]:
        return {each.name: senses_of_relation(each, self.schema) for each in self.schema.relationships}

    def _between(self, left: frozenset[str] | None, right: frozenset[str] | None) -> Iterator[list[Step]]:
        """The steps of the plan that lead from a slot of some types to one of others, the shortest first."""
        steps = [step for part in self.plan.parts for step in part.steps]
        found = [[step] for step in steps] + [
            [one, other] for one in steps for other in steps if one is not other and set(one.ends) & set(other.ends)
        ]
        for chain in found:
            first, last = _outer(chain)
            for here, there in ((first, last), (last, first)):
                if self._is_one(here, left) and self._is_one(there, right):
                    yield chain
                    break

    def _is_one(self, slot: str, labels: frozenset[str] | None) -> bool:
        types = self.plan.slot(slot).types
        return labels is None or not types or not labels.isdisjoint(types)

    def _has_rival(self, senses: Set[str], steps: Sequence[Step]) -> bool:
        """Whether another relation between the same types may mean the same, so that types do not settle it."""
        chosen = {name for step in steps for name in step.relations}
        others = {
            name for step in steps for name in self._others(step, [set(self.plan.slot(end).types) for end in step.ends])
        }
        return any(senses & self._senses[name] for name in others - chosen)

    def _others(self, step: Step, types: Sequence[set[str]]) -> list[str]:
        """Other relations between the types of a step, in any direction."""
        return [
            other.name
            for other in self.schema.relationships
            if other.name not in step.relations and not other.negated
            if any(
                (one.subject in types[0] and one.object in types[1])
                or (one.subject in types[1] and one.object in types[0])
                for one in other.ends
            )
        ]


def _outer(chain: Sequence[Step]) -> tuple[str, str]:
    """The slots at the two ends of one step, or of two that share a slot."""
    if len(chain) == 1:
        return chain[0].ends[0], chain[0].ends[1]
    shared = next(end for end in chain[0].ends if end in chain[1].ends)
    first, last = ([end for end in step.ends if end != shared] or [shared] for step in chain)
    return first[0], last[0]


def _is_particle(tree: Tree, at: int) -> bool:
    return tree.words[at].kind in PARTICLES or tree.words[at].text.lower() in IDIOMS


def _spoken(tree: Tree) -> Iterator[tuple[int, tuple[str, ...], Clause | None, Sentence]]:
    """The verbs of a tree with their particles and each clause that they belong to; one of none with what is near."""
    sentence = find_clauses(tree)
    for at, word in enumerate(tree.words):
        if word.kind not in ("VERB", "AUX", "NOUN") or word.anchor is not None:
            continue
        clauses = [each for each in sentence.clauses if at in each.words]
        behind = [n for n in (*tree.children(at), at + 1) if n < len(tree.words) and _is_particle(tree, n)]
        for clause in clauses:
            near = [n for n in (*clause.words, *behind) if n != at]
            yield at, tuple(dict.fromkeys(tree.words[n].text.lower() for n in near)), clause, sentence
        if not clauses and word.kind == "VERB":
            yield at, tuple(dict.fromkeys(tree.words[n].text.lower() for n in behind)), None, sentence
