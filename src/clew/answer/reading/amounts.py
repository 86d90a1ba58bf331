"""Words of amount and negation that no plan may pass over: "all" of another noun, "almost all", a second "not"."""

from collections import Counter
from collections.abc import Iterator, Sequence

from clew.answer.grammar.asked import EVERY_ONE
from clew.answer.grammar.clauses import find_clauses
from clew.answer.grammar.parse import Tree
from clew.answer.grammar.quantifiers import INEXACT, find_quantifiers
from clew.answer.lexicon.forms import Token
from clew.answer.lexicon.words import Words
from clew.answer.plans.plan import ABSENT, Plan
from clew.answer.reading.intent import YES_NO

__all__ = ["EVERY", "find_only_asked", "find_quantifying", "is_inexact", "is_passed_over", "passed_over"]

EVERY = ("all", "every", "each", *sorted(EVERY_ONE))


def find_quantifying(trees: Sequence[Tree]) -> set[int]:
    """Where words such as "all" begin that most trees take to be about another noun than the one that is asked for."""
    found: Counter[int] = Counter()
    for tree in trees:
        asked = find_clauses(tree).asked
        for each in find_quantifiers(tree):
            if each.noun != asked and tree.words[each.noun].anchor is None and not _is_wanted(tree, each.noun):
                found[tree.words[each.word].start] += 1
    return {start for start, votes in found.items() if 2 * votes > len(trees)}


def _is_wanted(tree: Tree, noun: int) -> bool:
    """ "I want everyone who …": who that is is asked for, without a question word."""
    word, verb = tree.words[noun], tree.words[tree.words[noun].head]
    wants = tree.child(word.head, "nsubj")
    said = "" if wants is None else tree.words[wants].text.lower()
    return word.role == "dobj" and verb.role == "ROOT" and said in ("i", "we")


def find_only_asked(trees: Sequence[Tree]) -> set[int]:
    """Where an "only" begins that belongs to what is asked for: "which is the only country that …"."""
    return {
        tree.words[each.word].start
        for tree in trees
        for each in find_quantifiers(tree)
        if tree.words[each.word].role == "amod" and each.noun == find_clauses(tree).asked
    }


def is_inexact(words: Sequence[str], at: int) -> bool:
    """Whether a word is part of an amount that no quantifier of a plan stands for.

    >>> [is_inexact(text.split(), 1) for text in ("almost all films", "with all but one", "make only some", "make all")]
    [True, True, True, False]
    """
    before, behind = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
    if words[at] in EVERY:
        return before in INEXACT or behind == "but"
    return words[at] in ("only", "just") and behind in ("some", "few", "part")


def is_passed_over(plan: Plan, tokens: Sequence[Token], at: int, words: Words) -> bool:
    """Whether an unbound word is an amount that the plan answers without: a yes or no to "all" needs all of them."""
    said = [token.text.lower() for token in tokens]
    asks = plan.kind != "rows" or said[0] in YES_NO
    judged = asks and said[at] in EVERY and (at == 0 or said[at - 1] not in ("at", "above"))
    judged = judged or (asks and said[at] == "most" and at == 1)  # "do most patients …"
    return judged or is_inexact(said, at) or _is_another_same(plan, tokens, at, words)


def _is_another_same(plan: Plan, tokens: Sequence[Token], at: int, words: Words) -> bool:
    """Whether something is counted, but not what must be the same: "twice in films by the same director"."""
    measure = plan.measure
    if tokens[at].text.lower() != "same" or measure is None or measure.operator is None:
        return False
    types = next((set(slot.types) for slot in plan.slots if slot.name == measure.of), set())
    typed = [word.labels for word in words.find_types(list(tokens)) if word.first == at + 1]
    return not isinstance(measure.value, Plan) and not (typed and types.intersection(typed[0]))


def passed_over(plan: Plan, said: Sequence[str], words: Words) -> Iterator[int]:
    """Words that a plan does not stand for though it may seem so: inexact amounts, and negations beyond its own.

    Of "not without" one undoes the other, so a plan with one negation answers another question.
    """
    yield from (at for at in range(len(said)) if is_inexact(said, at))
    negations = [at for at, word in enumerate(said) if words.is_class("negation", word) and word != "nor"]
    negated = {each.name for each in words.schema.relationships if each.negated}
    there = sum(part.kind == ABSENT and not part.inside for part in plan.parts) + (plan.kind == "lacks")
    there += sum(each.negated for part in plan.parts if part.kind != ABSENT for each in part.conditions)
    there += sum(not negated.isdisjoint(step.relations) for part in plan.parts for step in part.steps)
    yield from negations[there:] if there else ()
