"""Whether the schema linker bears out a plan: each of its relations is meant by some words, and none means another.

Both readers take synonyms from the same lists, so that both may read "kill" as *eats* where the graph has *repels*. The
linker was trained on other schemas and knows no list. An answer is doubtful if the linker finds a relation of its plan
nowhere in the question, or knows another relation for a word; a relation's own name needs nobody to bear it out.
"""

from collections.abc import Collection, Iterator, Sequence

from clew.answer.grammar.parse import Tree
from clew.answer.hearing.linking import LinkedQuestion
from clew.answer.lexicon.forms import word_table
from clew.answer.lexicon.words import Words
from clew.answer.plans.plan import Plan
from clew.answer.plans.schema.containment import is_within
from clew.answer.sketch.sketch import Word

__all__ = ["is_attested"]

LEAST = 0.3  # probability that some words mean a relation, from which they may
ANOTHER = 0.6  # probability that a word means a relation that a plan does not have, from which it does
LONGEST = 4  # words of a phrase
TELLING = frozenset({"NOUN", "VERB", "ADJ"})
SMALL = frozenset(word_table("sketch.json")["small"])


def is_attested(
    plan: Plan,
    linked: LinkedQuestion,
    said: Sequence[Word],
    words: Words,
    *,
    tree: Tree | None,
    hierarchies: Collection[str],
) -> bool:
    """Whether every relation of a plan is meant by words of a question, and no word means another relation.

    `linked` is the question whose words `said` are, `hierarchies` are the relations of subclasses, which nobody needs
    to mention, as with places inside places and what is stated to be absent.
    """
    steps = [step for part in plan.parts for step in part.steps]
    relations = {name for step in steps for name in step.relations}
    own = {name: {at for at, word in enumerate(said) if words.is_own(name, word.text)} for name in relations}
    phrases = list(_phrases(said))
    for name in {name for step in steps if not step.repeated for name in step.relations} - {*hierarchies}:
        relation = words.schema.relationship(name)
        if not (own[name] or relation.negated or is_within(relation.called)):
            likeliest = max((linked.meant(phrase).relations.get(name, 0.0) for phrase in phrases), default=0.0)
            if likeliest < LEAST:
                return False
    expected = relations | {*hierarchies}
    return not any(
        share > ANOTHER and name not in expected
        for at in set(_telling(said, tree)).difference(*own.values())
        for name, share in linked.meant([at]).relations.items()
    )


def _phrases(said: Sequence[Word]) -> Iterator[list[int]]:
    """Words in a row that no name interrupts."""
    for first in range(len(said)):
        for last in range(first, min(first + LONGEST, len(said))):
            if said[last].name is not None:
                break
            yield list(range(first, last + 1))


def _telling(said: Sequence[Word], tree: Tree | None) -> Iterator[int]:
    """The words that say something by themselves."""
    for at, word in enumerate(said):
        place = None if tree is None else tree.at(word.start)
        kind = tree.words[place].kind if tree is not None and place is not None else None
        if word.name is None and word.text.lower() not in SMALL and (tree is None or kind in TELLING):
            yield at
