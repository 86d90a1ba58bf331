"""Words that ask what may, should or will be: a graph states what is.

"Should Derek Foyle take co-amoxiclav?" is not answered by what he takes, nor "Which patients can take it?" by those who
do. What things can do they do ("which drugs can cause nausea"), unless nothing is found: what is not stated may be
possible. A word for whoever asks ("could you list", "where can I find") is only polite.
"""

from collections.abc import Iterator

from clew.answer.grammar.clauses import NEGATIVE
from clew.answer.grammar.parse import Tree
from clew.answer.grammar.roles import MODAL, RESTRICTION
from clew.answer.lexicon.forms import word_table
from clew.answer.lexicon.polarity import HARM, polarity_of_name
from clew.answer.lexicon.words import Words
from clew.answer.plans.plan import Plan
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.question import ParsedQuestion

__all__ = ["asks_what_may_be", "asks_what_will_be", "find_modals", "is_modal"]

DUTY, POSSIBLE = (frozenset(word_table("asking.json")[name]) for name in ("duty", "possibility"))
FUTURE, GOING = frozenset({"will", "shall", "'ll"}), "going"
ASKERS = frozenset({"i", "you", "we", "one", "me", "us", "somebody", "someone", "anybody", "anyone"})
HAVING = "have"  # the light verb that says what people take, own or suffer from


def find_modals(candidate: Candidate, words: Words, tree: Tree | None) -> dict[int, str]:
    """Where words stand that a plan of what is does not answer, and what each does in the sentence.

    A duty at the beginning ("Should I give A for B?") is answered by no plan but a yes or no about what must not be.
    """
    judged = candidate.plan.kind in ("exists", "lacks")
    forbids = tree is not None and _forbids(candidate, words)
    if tree is None or (forbids and judged):
        return {}
    if any(_leads(at, tree) for at, _ in _modals(tree)):
        return {tree.words[0].start: MODAL}
    if forbids or candidate.values is not None or candidate.plan.attribute is not None:
        return {}
    of_people = any(words.is_agent(label) for label in _labels(candidate.plan))
    found = {}
    for modal, verb in _modals(tree):
        duty = tree.words[modal].text.lower() in DUTY
        if (not duty and not of_people) or (not judged and not _is_deed(verb, tree, candidate, words)):
            continue
        found[tree.words[modal].start] = MODAL if duty or judged else RESTRICTION
    return found


def asks_what_will_be(question: ParsedQuestion) -> bool:
    """Whether a question asks what the future brings, in most parse trees."""
    ahead = [
        any(tree.words[at].text.lower() in FUTURE for at, _ in _modals(tree)) or _is_going_to(tree)
        for tree in question.trees
    ]
    return 2 * sum(ahead) > len(ahead)


def is_modal(word: str) -> bool:
    """Whether a word is a verb of what may, should or will be."""
    return word.lower() in DUTY | POSSIBLE


def asks_what_may_be(question: ParsedQuestion) -> bool:
    """Whether a question asks what is possible, in most parse trees."""
    return 2 * sum(any(_modals(tree)) for tree in question.trees) > len(question.trees)


def _modals(tree: Tree) -> Iterator[tuple[int, int]]:
    """The modal verbs of a tree with their verbs; not those that deny, nor of whoever asks ("where should I look").

    "Should I move A away from B?" is no way of asking.
    """
    for at, word in enumerate(tree.words):
        leads = _leads(at, tree)
        if (word.tag != "MD" and not leads) or word.anchor is not None or word.text.lower() not in DUTY | POSSIBLE:
            continue
        beside = [tree.words[other].text.lower() for other in (*tree.children(word.head), *tree.children(at))]
        subjects = [tree.words[other] for other in tree.children(word.head, "nsubj", "nsubjpass")]
        asks = not leads and any(each.text.lower() in ASKERS for each in subjects)
        if NEGATIVE.isdisjoint(beside) and not asks:
            yield at, word.head


def _leads(at: int, tree: Tree) -> bool:
    """Whether a duty begins a sentence: "Ought A to be …" has no noun and no other verb there, whatever a tree says."""
    return at == 0 and tree.words[at].text.lower() in DUTY


def _is_going_to(tree: Tree) -> bool:
    """Whether something is going to happen; nobody who asks goes anywhere."""
    for at, word in enumerate(tree.words):
        if word.text.lower() == GOING and tree.child(at, "xcomp") is not None:
            return not any(tree.words[each].text.lower() in ASKERS for each in tree.children(at, "nsubj"))
    return False


def _is_deed(verb: int, tree: Tree, candidate: Candidate, words: Words) -> bool:
    """Whether a verb says what a relation of the plan states as a fact: "can take" and *takes*."""
    said = tree.words[verb]
    return said.lemma == HAVING or any(words.is_own(name, said.text) for name in candidate.relationships)


def _forbids(candidate: Candidate, words: Words) -> bool:
    """Whether a relation of the plan itself says what should not be: contraindicated_in."""
    known = (words.schema.relationship(name) for name in candidate.relationships)
    return any(polarity_of_name(each) == HARM for each in known)


def _labels(plan: Plan) -> set[str]:
    return {label for slot in plan.slots for label in slot.types}
