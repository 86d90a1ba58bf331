"""The quantifiers of a sentence and the noun that each is about: "whose neighbours all …", "only films directed by …".

In: a tree. Out: for every word such as "all", "every" or "only" the noun that it quantifies, where the tree tells.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from clew.answer.grammar.asked import EVERY_ONE
from clew.answer.grammar.parse import Tree

__all__ = ["ALL", "INEXACT", "ONLY", "Quantifier", "find_quantifiers"]

ALL, ONLY = "all", "only"
KINDS = {
    **dict.fromkeys(("all", "every", "each", *EVERY_ONE), ALL),
    **dict.fromkeys(("only", "solely", "exclusively"), ONLY),
}
INEXACT = frozenset({"almost", "nearly", "virtually", "practically", "hardly", "not", "about", "roughly"})
NOUNS = ("NOUN", "PROPN", "PRON")
RELATIVE = frozenset({"that", "which", "who", "whom"})
THEM = frozenset({"them", "these", "those", "which", "whom"})
SUBJECT = ("nsubj", "nsubjpass")


@dataclass(frozen=True, slots=True)
class Quantifier:
    """`noun` and `word` are places in the tree; `again` where more is said of those that a clause has brought in.

    "Countries, all of them in Africa" and "neighbours that all speak Spanish" are about those countries and neighbours.
    """

    kind: str
    noun: int
    word: int
    again: bool = False


def find_quantifiers(tree: Tree) -> Iterator[Quantifier]:
    """The quantifiers of a tree whose noun is clear."""
    for at, word in enumerate(tree.words):
        kind = KINDS.get(word.text.lower())
        following = tree.words[at + 1].text.lower() if at + 1 < len(tree.words) else ""
        before = tree.words[at - 1].text.lower() if at else ""
        inexact = following in ("but", "some", "few", "a", "part") or before in INEXACT
        aside = word.text.lower() == "all" and before in ("at", "above", "after")
        if kind is None or inexact or following == "other" or aside:
            continue
        noun = _noun_of_all(tree, at) if kind == ALL else _noun_of_only(tree, at)
        if noun is None:
            continue
        pronoun = tree.words[noun].text.lower() in THEM
        meant = _antecedent(tree, noun, at) if pronoun else noun
        if meant is not None:
            floating = noun != at and tree.words[tree.words[at].head].kind in ("VERB", "AUX")
            yield Quantifier(kind, meant, at, pronoun or floating)


def _noun_of_all(tree: Tree, at: int) -> int | None:
    """ "All neighbours", "all of whose neighbours", "whose neighbours all speak", "who all speak", "everyone"."""
    if tree.words[at].text.lower() in EVERY_ONE or tree.children(at, "relcl"):  # "all that she wrote"
        return at
    of = next((n for n in tree.children(at, "prep") if tree.words[n].text.lower() == "of"), None)
    if of is not None:
        return tree.child(of, "pobj")
    head = tree.words[at].head
    if head == at:
        return None
    if tree.words[head].kind in NOUNS and tree.words[head].anchor is None:
        return head
    if tree.words[head].kind in ("VERB", "AUX"):
        subject = next((n for n in tree.children(head, *SUBJECT) if n < at), None)
        if subject is not None and tree.words[subject].text.lower() in RELATIVE and tree.words[head].role == "relcl":
            return tree.words[head].head
        return subject
    return None


def _noun_of_only(tree: Tree, at: int) -> int | None:
    """ "Only films", "only to airports", "have only produced films", "are only in Europe"."""
    head = tree.words[at].head
    if head == at:
        return None
    kind = tree.words[head].kind
    if kind in NOUNS:
        return head
    if kind == "ADP":
        return tree.child(head, "pobj")
    if kind not in ("VERB", "AUX"):
        return None
    found = list(tree.children(head, "dobj", "attr", "oprd"))
    for preposition in tree.children(head, "prep", "agent"):
        found += tree.children(preposition, "pobj")
    return min((noun for noun in found if noun > at), default=None)


def _antecedent(tree: Tree, pronoun: int, quantifier: int) -> int | None:
    """The noun before a comma that a pronoun behind it stands for."""
    before = [
        n
        for n in range(min(pronoun, quantifier))
        if tree.words[n].kind in ("NOUN", "PROPN") and tree.words[n].anchor is None
    ]
    return before[-1] if before else None
