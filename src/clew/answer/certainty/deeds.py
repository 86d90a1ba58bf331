"""Who does what to whom in a question, and in its plan: a verb that has another doer there, or a hop that nobody said.

A verb names a relation, and the relation has its own two ends: patients take medicines. "Does Larch Ward take
warfarin?" is not answered by the patients of the ward, nor "Does Agnes Cole look after Amara Obi?" by who looks after
Agnes Cole. Words for a relation that are not its own name ("cause" for associated_with) may well lead over a hop that
nobody says; their direction counts all the same.
"""

from collections import deque
from collections.abc import Iterator, Sequence

from clew.answer.grammar.clauses import Clause, Sentence, find_clauses
from clew.answer.lexicon.families import LEADING
from clew.answer.lexicon.forms import plain_name, root, stem, tokens_of
from clew.answer.lexicon.phrases import VERB_PARTICLES, is_verb_name
from clew.answer.lexicon.words import Words
from clew.answer.plans.plan import Step
from clew.answer.reading.interpretation import Interpretation
from clew.store.layout import Relationship

__all__ = ["find_misplaced", "tells_no_direction", "unites_types"]

HIERARCHIES = ("is_a", "subclass_of")
BY = "by"
TRANSFERS = {  # verbs whose doer is not who the preposition of their relation leads to
    "from": frozenset(map(stem, (
        "steal", "buy", "purchase", "borrow", "take", "rent", "inherit", "acquire", "obtain", "receive", "loot", "copy",
        "seize", "learn", "win",
    ))),
    "to": frozenset(map(stem, (
        "sell", "lend", "give", "send", "donate", "pay", "ship", "deliver", "hand", "export", "loan", "bequeath",
        "leave", "rent", "lease", "lose", "offer",
    ))),
}  # fmt: skip


def find_misplaced(interpretation: Interpretation, words: Words) -> Relationship | None:
    """The relation of a verb whose doer, or what it is done to, most parse trees have otherwise than the plan."""
    found = [
        verdict
        for sentence in map(find_clauses, interpretation.question.trees)
        if (verdict := _verdict(sentence, interpretation, words)) is not None
    ]
    amiss = [name for name in found if name]
    return words.schema.relationship(amiss[0]) if 2 * len(amiss) > len(found) else None


def unites_types(interpretation: Interpretation, words: Words) -> bool:
    """Whether most parse trees say of one type that it is another: "which diseases are a feature of …"."""
    trees = interpretation.question.trees
    found = 0
    for sentence in map(find_clauses, trees):
        types = [[_labels(at, sentence, words) for at in pair] for pair in sentence.same]
        found += any(one and other and one.isdisjoint(other) for one, other in types)
    return 2 * found > len(trees)


def tells_no_direction(interpretation: Interpretation, words: Words) -> bool:
    """Whether most trees have a verb between two names that a plan joins by a relation which no such verb is a word
    for, though both ends of it are of one type: "when did A pay B back?", *lent to*."""
    trees = interpretation.question.trees
    found = 0
    for sentence in map(find_clauses, trees):
        between = [each for each in sentence.clauses if _joins_names(each, sentence)]
        deeds = [_Deed(clause, sentence, interpretation, words) for clause in between]
        found += any(deed.leaves_ends_open() for deed in deeds)
    return 2 * found > len(trees)


def _joins_names(clause: Clause, sentence: Sentence) -> bool:
    return all(sentence.tree.words[at].anchor is not None for at in (clause.left, clause.right))


def _verdict(sentence: Sentence, interpretation: Interpretation, words: Words) -> str | None:
    """The first relation that is misplaced in a tree, "" where all of its verbs are in place; None if it has none."""
    verdicts = [
        verdict
        for clause in sentence.clauses
        if (verdict := _Deed(clause, sentence, interpretation, words).verdict()) is not None
    ]
    return next(filter(None, verdicts), "" if verdicts else None)


class _Deed:
    """A verb between two nouns, and the steps of the plan between the same two."""

    def __init__(self, clause: Clause, sentence: Sentence, interpretation: Interpretation, words: Words) -> None:
        self.clause, self.sentence, self.interpretation, self.words = clause, sentence, interpretation, words
        self.plan, said = interpretation.candidate.plan, [sentence.tree.words[at] for at in clause.words]
        self.verbs = [each.text for each in said if each.kind == "VERB" and not words.is_class("light", each.text)]
        self.small = [each.text.lower() for each in said if each.kind not in ("VERB", "AUX")]
        self.agent = BY in self.small

    def verdict(self) -> str | None:
        """The relation that is misplaced, "" if none is; None where the verb and the plan have none in common."""
        left, right = (_slot(at, self.sentence, self.interpretation, self.words) for at in self._nouns)
        if not self.verbs or left is None or right is None or left == right:
            return None
        path = self._path(left, right)
        said = [(step, along) for step, along in path if self._relation(step) is not None and self._says(step)]
        if not said:
            return None
        own = [step for step, _ in said if _is_own_verb(self._known(step), self.verbs)]
        if own and self._has_unsaid_hop(path, own[0]):
            return own[0].relations[0]
        turned = [along != forward for step, along in said if (forward := self._is_forward(step)) is not None]
        return said[0][0].relations[0] if turned and all(turned) else ""

    def leaves_ends_open(self) -> bool:
        """Whether its two nouns are joined by one step that either could begin, and its verbs are no word for that."""
        left, right = (_slot(at, self.sentence, self.interpretation, self.words) for at in self._nouns)
        if not self.verbs or left is None or right is None or left == right:
            return False
        path = self._path(left, right)
        if len(path) != 1 or self._relation(path[0][0]) is None:
            return False
        (step, _), known = path[0], self._known(path[0][0])
        one_type = any(ends.subject == ends.object for ends in known.ends)
        return one_type and not (known.symmetric or step.either_way or self._says(step))

    @property
    def _nouns(self) -> tuple[int, int]:
        """Who does it, or undergoes it by nobody that is said, and the other one."""
        return (self.clause.right, self.clause.left) if self.agent else (self.clause.left, self.clause.right)

    def _known(self, step: Step) -> Relationship:
        return self.words.schema.relationship(step.relations[0])

    def _relation(self, step: Step) -> Relationship | None:
        """The one relation of a step, unless that is of a hierarchy."""
        if len(step.relations) != 1 or step.repeated or self._known(step).relation in HIERARCHIES:
            return None
        return self._known(step)

    def _says(self, step: Step) -> bool:
        return any(self.words.binds(step.relations[0], verb) for verb in self.verbs)

    def _path(self, left: str, right: str) -> list[tuple[Step, bool]]:
        """The fewest steps from one slot to another, each with whether it leads along its relation."""
        paths: dict[str, list[tuple[Step, bool]]] = {left: []}
        waiting = deque([left])
        steps = [step for part in self.plan.parts for step in part.steps]
        while waiting and right not in paths:
            at = waiting.popleft()
            for step in steps:
                other = step.object if step.subject == at else step.subject
                if at in step.ends and other not in paths:
                    paths[other] = [*paths[at], (step, step.subject == at)]
                    waiting.append(other)
        return paths.get(right, [])

    def _has_unsaid_hop(self, path: Sequence[tuple[Step, bool]], own: Step) -> bool:
        """Whether a step before the verb's own, or behind it where the verb has the noun as its object, is not said,
        and leads to something that is not said either and is no place."""
        at = next(number for number, (step, _) in enumerate(path) if step == own)
        hops = [step for step, _ in path[:at]] + [step for step, _ in path[at + 1 :] if self._is_object(own)]
        return any(not self._is_said(step) and any(map(self._is_unsaid_slot, step.ends)) for step in hops)

    def _is_object(self, step: Step) -> bool:
        """Whether the noun is what is done, or the doer, or follows the preposition of the relation's own name."""
        return set(self.small) <= {BY, *plain_name(self._known(step).called).split()}

    def _is_said(self, step: Step) -> bool:
        if self._relation(step) is None or not step.relations:
            return True
        tokens = self.interpretation.question.tokens
        said = [token.text for token in tokens if not self.words.is_class("frame", token.text)]
        name = step.relations[0]
        return any(self.words.binds(name, word) for word in said) or (
            self.words.says(name, [token.stem for token in tokens]) > 0
        )

    def _is_unsaid_slot(self, slot: str) -> bool:
        """Whether something is in between that no word mentions; a place need not be mentioned."""
        types, question = self.plan.slot(slot).types, self.interpretation.question
        held = {each.of for part in self.plan.parts for each in part.conditions}
        spoken = {label for word in question.type_words for label in word.labels}
        placed = any(stem(part) in self.words.classes["where"] for name in types for part in plain_name(name).split())
        return slot not in held | self.plan.wanted and bool(types) and spoken.isdisjoint(types) and not placed

    def _is_forward(self, step: Step) -> bool | None:
        """Whether the doer is the subject of a relation; None where it is unclear, or either may be."""
        known = self._known(step)
        if known.symmetric or step.either_way or any(ends.subject == ends.object for ends in known.ends):
            return None
        if (self.clause.passive and not self.agent) or not self._is_object(step):
            return None  # "are linked to", "result from"
        return _doer_is_subject(known, self.verbs, self.small, self.words)


def _slot(at: int, sentence: Sentence, interpretation: Interpretation, words: Words) -> str | None:
    """The slot of a plan that a noun stands for: a name, what is asked for, or the only one of its type."""
    plan, word = interpretation.candidate.plan, sentence.tree.words[at]
    if word.anchor is not None:
        names = [*interpretation.question.anchors, *interpretation.question.names]
        ids = {id for each in names if each.start == word.start for meant in each.meanings for id in meant.ids}
        conditions = (each for part in plan.parts for each in part.conditions if each.key == "id")
        return next((each.of for each in conditions if not ids.isdisjoint(each.values)), None)
    labels = _labels(at, sentence, words)
    fitting = [slot.name for slot in plan.slots if labels.intersection(slot.types)]
    asked = plan.asked[0].of if plan.asked else plan.measure.of if plan.measure is not None else None
    if at == sentence.asked and (not labels or asked in fitting):
        return asked
    return fitting[0] if len(fitting) == 1 else None


def _labels(at: int, sentence: Sentence, words: Words) -> set[str]:
    """The types that a noun names."""
    word = sentence.tree.words[at]
    found = words.find_types(tokens_of(word.text)) if word.kind in ("NOUN", "PROPN") and word.anchor is None else []
    return {label for each in found if not each.implied for label in each.labels}


def _own_words(known: Relationship) -> list[str]:
    """The words of a relation's name without those that lead it: is_trained_on is trained on."""
    said = plain_name(known.called).split()
    return said[1:] if len(said) > 1 and said[0] in LEADING else said


def _is_own_verb(known: Relationship, verbs: Sequence[str]) -> bool:
    """Whether a relation is called by a verb: takes, runs_ward, trained_on, directed_by."""
    first, *rest = _own_words(known)
    verbal = first.endswith(("s", "ed")) or is_verb_name("_".join((first, *rest)))
    return verbal and any(root(first) == root(verb) for verb in verbs)


def _doer_is_subject(known: Relationship, verbs: Sequence[str], small: Sequence[str], words: Words) -> bool | None:
    """Whether who does what some verbs say is the subject of a relation (*eats*) or its object (*eaten_by*)."""
    first, *rest = _own_words(known)
    if _is_own_verb(known, verbs):
        if BY in rest:  # eaten_by, caused_by_part
            return False
        if stem(first) in TRANSFERS.get(rest[-1] if rest else "", ()) and rest[-1] not in small:
            return True  # who stole it is not whom it is stolen from
        past = first.endswith("ed") and VERB_PARTICLES.isdisjoint(rest[-1:])  # "received", not "admitted to"
        return True if past or (first.endswith("s") and not first.endswith("ss")) else None
    if any(words.goes_both_ways(known.name, verb) for verb in verbs):
        return None
    deed = words.deed_is_subject(known.name, [*verbs, *(each for each in small if each != BY)], passive=False)
    if deed is not None:  # a noun alone does not say which end it names: supplier, cast_member
        return deed if is_verb_name("_".join((first, *rest))) else None
    phrases = list(_phrases(known, words))
    stems = {stem(verb) for verb in verbs}
    if any(phrase[-1] == BY and phrase[0] in stems for phrase in phrases):
        return False  # "characterised by": what characterises it is the object
    if any(len(phrase) == 1 and phrase[0] in stems for phrase in phrases):
        return words.verb_is_subject(known.name, verbs, passive=False)
    return None


def _phrases(known: Relationship, words: Words) -> Iterator[list[str]]:
    """The phrases for a relation, as stems."""
    return (words.stems_in(phrase) for phrase in words.relations[known.name] if phrase)
