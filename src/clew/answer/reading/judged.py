"""Words that no lexicon has, met by the relation they mean: "put in" and *calls_at*, as the schema linker says.

Where every plan leaves out words, those that the linker is confident about no longer stop a plan: the answer is
doubtful. Words that a list has for another relation, or that a plan refused, are not put to the linker.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from clew.answer.hearing.linking import LinkedQuestion
from clew.answer.lexicon.families import has_synonyms
from clew.answer.lexicon.forms import word_table
from clew.answer.lexicon.words import Words
from clew.answer.reading.account import RESTRICTION, STRUCTURE, Account, Unbound
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.question import ParsedQuestion
from clew.answer.sketch.sketch import Word, split_words

__all__ = ["Judge", "Link"]

Check = Callable[[], None]
Link = Callable[[Sequence[Word], ParsedQuestion, Check], LinkedQuestion]
CONFIDENT = 0.8
SMALL = frozenset(word_table("sketch.json")["small"])


class Judge:
    """Says which relations of one graph the words of a question mean; `link` reads a question with the schema."""

    def __init__(self, words: Words, link: Link) -> None:
        self._words, self._link = words, link

    def eased(
        self, accounts: Sequence[tuple[Candidate, Account]], question: ParsedQuestion, *, check: Check
    ) -> list[Account]:
        """The accounts of some plans, in which words that mean a relation of the plan only restrict.

        `check` raises once there is no time left.
        """
        anchors = sorted(question.anchors, key=lambda each: each.start)
        words = split_words(question.text, [(each.start, each.end) for each in anchors])
        asked = [(candidate, list(self._asked(candidate, account, words))) for candidate, account in accounts]
        if not any(runs for _, runs in asked):
            return [account for _, account in accounts]
        linked = self._link(words, question, check)
        eased = []
        for (candidate, runs), (_, account) in zip(asked, accounts, strict=True):
            likely = [run for run, places in runs if self._likely(candidate, places, linked) >= CONFIDENT]
            met = {each.start for run in likely for each in run}
            unbound = (replace(each, role=RESTRICTION) if each.start in met else each for each in account.unbound)
            eased.append(replace(account, unbound=tuple(unbound)))
        return eased

    def _asked(
        self, candidate: Candidate, account: Account, words: Sequence[Word]
    ) -> Iterator[tuple[list[Unbound], list[int]]]:
        """The runs of unbound words that no list has and the plan did not refuse: what the linker is asked about."""
        for run, places in _runs(account.unbound, words):
            if not any(has_synonyms(each.text) or self._refused(candidate, each.text) for each in run):
                yield run, places

    def _refused(self, candidate: Candidate, word: str) -> bool:
        """Whether a word belongs to what a relation of the plan is called: it was left unbound for a reason."""
        return any(self._words.binds(name, word) for name in candidate.relationships)

    def _likely(self, candidate: Candidate, places: Sequence[int], linked: LinkedQuestion) -> float:
        """How likely some words mean a relation of a plan."""
        meant = linked.meant(places)
        return sum(meant.relations.get(name, 0.0) for name in set(candidate.relationships))


def _runs(unbound: Sequence[Unbound], words: Sequence[Word]) -> Iterator[tuple[list[Unbound], list[int]]]:
    """Words of a question's structure with nothing but small words between them ("came from the pen of"), and the
    numbers of these words and of the small ones."""
    at = {word.start: number for number, word in enumerate(words) if word.name is None}
    run: list[Unbound] = []
    for each in sorted(unbound, key=lambda each: each.start):
        if each.role != STRUCTURE or each.start not in at:
            continue
        between = words[at[run[-1].start] + 1 : at[each.start]] if run else ()
        if any(word.name is not None or word.text.lower() not in SMALL for word in between):
            yield run, list(range(at[run[0].start], at[run[-1].start] + 1))
            run = []
        run.append(each)
    if run:
        yield run, list(range(at[run[0].start], at[run[-1].start] + 1))
