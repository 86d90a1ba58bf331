"""Whether the schema linker bears out a plan: each of its relations is meant by some words, and none means another.

Both readers take synonyms from the same lists, so that both may read "kill" as *eats* where the graph has *repels*. The
linker was trained on other schemas and knows no list. An answer is doubtful if the linker finds a relation of its plan
nowhere in the question, or knows another relation for a word; a relation's own name needs nobody to bear it out.
"""

from collections.abc import Collection, Iterator, Sequence

from clew.answer.hearing.linking import LinkedQuestion
from clew.answer.lexicon.forms import word_table
from clew.answer.lexicon.words import Words
from clew.answer.plans.schema.containment import is_within
from clew.answer.reading.interpretation import Interpretation
from clew.answer.sketch.sketch import Word

__all__ = ["is_attested"]

LEAST = 0.3  # probability that some words mean a relation, from which they may
ANOTHER = 0.6  # probability that a word means a relation that a plan does not have, from which it does
ANY = "relation"  # what a verb that says little is bound to
LONGEST = 4  # words of a phrase
TELLING = frozenset({"NOUN", "VERB", "ADJ"})
IDLE = frozenset(word_table("sketch.json")["small"] + word_table("sketch.json")["reporting"]) - {"found"}


def is_attested(
    interpretation: Interpretation,
    linked: LinkedQuestion,
    said: Sequence[Word],
    words: Words,
    hierarchies: Collection[str],
) -> bool:
    """Whether each relation that words were bound to is meant by some, and no word means a relation of no plan.

    `linked` is the question whose words `said` are; `hierarchies` are the relations of subclasses, which are walked
    where nobody mentions them.
    """
    plan = interpretation.candidate.plan
    relations = {name for part in plan.parts for step in part.steps for name in step.relations}
    own = {name: {at for at, word in enumerate(said) if words.is_own(name, word.text)} for name in relations}
    phrases = list(_phrases(said))

    def is_meant(name: str) -> bool:
        relation = words.schema.relationship(name)
        if own[name] or relation.negated or is_within(relation.called) or name in hierarchies:
            return True
        return any(linked.meant(phrase).relations.get(name, 0.0) >= LEAST for phrase in phrases)

    telling = set(_telling(said, interpretation))
    starts = {said[at].start for at in telling}
    bound = {each.part for each in interpretation.account.bindings if each.start in starts}
    claimed = {name for name in relations if not bound.isdisjoint((f"relation {name}", ANY))}
    expected = relations | {*hierarchies}
    return all(map(is_meant, claimed)) and not any(
        share > ANOTHER and name not in expected
        for at in telling.difference(*own.values())
        for name, share in linked.meant([at]).relations.items()
    )


def _phrases(said: Sequence[Word]) -> Iterator[list[int]]:
    """Words in a row that no name interrupts."""
    for first in range(len(said)):
        for last in range(first, min(first + LONGEST, len(said))):
            if said[last].name is not None:
                break
            yield list(range(first, last + 1))


def _telling(said: Sequence[Word], interpretation: Interpretation) -> Iterator[int]:
    """The words that say more than that there is a relation: by the parser's tree too, where there is one."""
    tree = next(iter(interpretation.question.trees), None)
    for at, word in enumerate(said):
        place = None if tree is None else tree.at(word.start)
        kind = tree.words[place].kind if tree is not None and place is not None else None
        if word.name is None and word.text.lower() not in IDLE and (tree is None or kind in TELLING):
            yield at
