"""A dependency tree → clauses: who is joined to whom by which words, what is asked for, and what is denied.

"Which drugs treat epilepsy without causing rash?" has two clauses of one subject: drugs treat epilepsy, and (denied)
drugs cause rash. Nouns are known by the place of their word in the tree; a relative pronoun is the noun it stands for.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from clew.answer.grammar.asked import LISTING, WH, AskedNoun, inside_relative, subjects_of
from clew.answer.grammar.parse import Tree, Word

__all__ = ["LIGHT", "Clause", "Sentence", "find_clauses", "without_light"]

NOMINAL = ("NOUN", "PROPN", "PRON", "NUM", "ADJ")
NEGATIVE = frozenset(
    {"unless", "not", "n't", "no", "without", "never", "neither", "nor", "except", "excluding", "cannot"}
)
LIGHT = ("have", "be", "exist")  # verbs that only say that there is something
ASKERS = frozenset({"us", "me", "you", "ours", "yours"})  # of whom no graph knows
NOBODY = frozenset({"nobody", "nothing", "none"})
RELATIVE = frozenset({"that", "which", "who", "whom", "what"})
TELLING = frozenset({"know", "report", "record", "say", "state", "tell", "describe", "document"})
THEM = frozenset({"it", "they", "them", "he", "she", "him", "her"})


@dataclass(frozen=True, slots=True)
class Clause:
    """Two nouns and the words that join them; `passive` if the left one is what something is done to."""

    left: int
    right: int
    words: tuple[int, ...]
    passive: bool = False
    denied: bool = False


@dataclass(slots=True)
class Sentence:
    """The clauses of a question; `same` are nouns that mean one thing."""

    tree: Tree
    clauses: list[Clause] = field(default_factory=list)
    same: list[tuple[int, int]] = field(default_factory=list)
    different: list[tuple[int, int]] = field(default_factory=list)  # nouns that cannot mean one thing
    asked: int | None = None
    possible: int | None = None  # the noun that there may be, to be judged or listed: "is there a drug", "any drug"
    judged: bool = False  # to be answered by yes or no
    unclear: bool = False  # it says something that no clause stands for


@lru_cache(maxsize=64)
def find_clauses(tree: Tree) -> Sentence:
    """Read the clauses of a tree; whoever asks again gets the same ones."""
    return _Clauses(tree).read()


class _Clauses:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.words = tree.words
        noun = AskedNoun(tree)
        self.found = Sentence(tree, asked=noun.asked, judged=noun.judged, possible=noun.possible)
        self.low = noun.low
        self.asking = noun.word

    def read(self) -> Sentence:
        self._unite_all_of_them()
        for at, word in enumerate(self.words):
            if word.kind in ("VERB", "AUX") and word.role not in ("aux", "auxpass"):
                self._verb(at)
            elif word.kind in NOMINAL:
                self._noun(at)
        return self.found

    def _unite_all_of_them(self) -> None:
        """ "Countries, all of them in Africa": both words stand for the noun before."""
        for at, word in enumerate(self.low):
            of = next((n for n in self.tree.children(at, "prep") if self.low[n] == "of"), None)
            them = None if of is None or word not in ("all", "each", "both") else self.tree.child(of, "pobj")
            before = [n for n in range(at) if self.words[n].kind == "NOUN" and self.words[n].anchor is None]
            if them is not None and self.low[them] in ("them", "these", "those", "which", "whom") and before:
                self.found.same += [(before[-1], at), (before[-1], them)]

    # verbs ----------------------------------------------------------------------------------------------------------

    def _verb(self, at: int) -> None:
        if self.words[at].role == "ROOT" and self.words[at].lemma in LISTING and not subjects_of(self.tree, at):
            return
        subject = self._subject(at)
        if self.words[at].lemma == "be":
            self._copula(at, subject)
            return
        passive = self._is_passive(at)
        pairs = list(self._complements(at)) or self._shared_complements(at)
        if subject is None and pairs and self.found.asked is not None:
            subject = self.found.asked
        if subject is not None and self._shares(at, subject, passive):
            return
        if subject is not None and self.low[subject] in WH and self.words[at].lemma in TELLING:
            self.found.same += [(subject, right) for right, _ in pairs if self.words[right].anchor is None]
            if any(self.words[right].anchor is None for right, _ in pairs):
                return  # "what is known about the course of"
        none = [n for n in self.tree.children(at, "dobj") if self._has_no(n)]
        for right, words in pairs:
            if none and right > none[0] and words and self.words[words[0]].kind == "ADP":
                self._join(none[0], right, (none[0], *words), False, False)  # "cause no disease with drowsing"
            elif subject is not None and right != subject:
                self._join(subject, right, (at, *words), passive, self._is_denied(at))
        if subject is not None and not pairs:
            head = self._relative_head(at)
            if head is not None and head != subject:
                self._join(subject, head, (at,), passive, self._is_denied(at))

    def _relative_head(self, at: int) -> int | None:
        """The noun that a relative clause belongs to; one that is read as an object clause ("films starring A that B
        did not direct") belongs to the noun before."""
        if self.words[at].role == "relcl":
            return self.words[at].head
        marks = [n for n in self.tree.children(at, "mark") if self.low[n] in RELATIVE]
        if self.words[at].role != "ccomp" or not marks:
            return None
        before = [n for n in range(marks[0]) if self.words[n].kind == "NOUN" and self.words[n].anchor is None]
        return before[-1] if before else None

    def _shared_complements(self, at: int) -> list[tuple[int, tuple[int, ...]]]:
        """Of "directed and starred in the same film": what the last of several verbs is about, for the others."""
        word = self.words[at]
        beside = [n for n in self.tree.children(word.head, "acl", "relcl") if n > at] if word.role == "relcl" else []
        for other in (*self.tree.children(at, "conj"), *beside):
            if self.words[other].kind == "VERB" and not subjects_of(self.tree, other):
                found = list(self._complements(other)) or self._shared_complements(other)
                return [(right, ()) for right, _ in found]
        return []

    def _shares(self, at: int, subject: int, passive: bool) -> bool:
        """ "Teams that share a ground with the Rovers" and "have one in common with": both have the same one."""
        preposition = next(
            (n for n in range(at, len(self.words)) if self.low[n] == "with" and self._below(n, at)), None
        )
        common = self.words[at].lemma == "share" or "common" in self.low[at:]
        things = self.tree.children(at, "dobj")
        others = self.tree.children(preposition, "pobj") if preposition is not None else []
        if not common or not things or not others:
            return False
        for thing in things:
            self._join(subject, thing, (at, thing), passive, self._is_denied(at))
            for other in others:
                self.found.clauses.append(Clause(other, thing, (at, thing), passive))
                self.found.different.append((subject, other))
        return True

    def _below(self, at: int, above: int) -> bool:
        while self.words[at].head != at and at != above:
            at = self.words[at].head
        return at == above

    def _copula(self, at: int, subject: int | None) -> None:
        denied = self._is_denied(at)
        for right in self.tree.children(at, "attr"):
            if subject is not None and right != subject and self.low[right] not in WH:
                for each in self._listed(right):
                    if (preposition := self._before(at, subject)) is not None:  # "in which country is the school"
                        self._join(each, subject, (at, preposition), False, denied)
                    elif self.found.asked in (subject, each) and self._is_name(subject, each):
                        asked = subject if self.found.asked == subject else each
                        self._join(asked, each if asked == subject else subject, (asked,), False, denied)
                    elif self.words[each].anchor is not None:
                        self._join(subject, each, (at,), False, denied)
                    elif denied:  # "which is not a symptom of A": what is denied is told by words
                        self.found.unclear = True
                    else:
                        self.found.same.append((subject, each))
            elif subject is not None and self.low[right] in WH:
                self.found.same.append((subject, right))
        if subject is None:
            return
        for preposition in self.tree.children(at, "prep"):
            for right, words in self._of_preposition(preposition):
                self._join(subject, right, (at, *words), False, denied)
        for quality in self.tree.children(at, "acomp"):
            for right, words in self._complements(quality):
                self._join(subject, right, (quality, *words), self.words[quality].tag == "VBN", denied)
        for adverb in self.tree.children(at, "advmod"):
            if self.low[adverb] in ("where", "when"):
                self._join(subject, adverb, (at,), False, denied)

    def _before(self, at: int, asked: int) -> int | None:
        """The preposition before what is asked for, which a tree gives to the verb instead."""
        alone = (n for n in self.tree.children(at, "prep") if n < asked and not self.tree.children(n))
        return next(alone, None) if asked == self.found.asked else None

    def _is_name(self, *nouns: int) -> bool:
        return any(self.words[at].anchor is not None for at in nouns)

    def _subject(self, at: int) -> int | None:
        word = self.words[at]
        own = [n for n in subjects_of(self.tree, at) if n < at or word.lemma == "be" or word.head != at]
        own = own or subjects_of(self.tree, at)
        if own:
            first = own[0]
            return word.head if word.role == "relcl" and self.low[first] in RELATIVE else first
        if word.role in ("relcl", "acl"):
            return word.head
        if word.role in ("conj", "xcomp", "advcl", "ccomp", "pcomp", "dep"):
            above = word.head
            while self.words[above].kind == "ADP" and self.words[above].head != above:
                above = self.words[above].head
            if self.words[above].kind in ("VERB", "AUX"):
                return self._subject(above) if above != at else None
            return above
        return None

    def _is_passive(self, at: int) -> bool:
        word = self.words[at]
        if self.tree.child(at, "nsubjpass", "auxpass") is not None:
            return True
        if word.tag != "VBN":
            return False
        if word.role == "acl":
            return True
        return word.role == "conj" and not subjects_of(self.tree, at) and self._is_passive(word.head)

    def _complements(self, at: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """What a verb is about besides its subject, with the words between: its objects, and those of prepositions."""
        late = [n for n in subjects_of(self.tree, at)[1:] if n > at]
        particles = tuple(self.tree.children(at, "prt"))
        named: tuple[int, ...] = ()
        for preposition in self.tree.children(at, "prep"):
            if self.low[preposition] == "as":  # "have German as an official language"
                named += tuple(self.tree.children(preposition, "pobj"))
        whole = self.tree.children(at, "dobj", "attr", "oprd", "dative")
        for right in (*whole, *late):
            if self.low[right] in RELATIVE and self.words[at].role == "relcl":
                right = self.words[at].head
            for each in self._listed(right):
                yield each, (*particles, *named)
        for preposition in (*self.tree.children(at, "prep", "agent"), *self.tree.children(at, "dative")):
            if self.low[preposition] != "as":
                for right, words in self._of_preposition(preposition):
                    yield right, (*words, *particles)
        for adverb in self.tree.children(at, "advmod"):
            if self.low[adverb] in ("where", "when") and self.found.asked == adverb:
                yield adverb, ()
        if self.words[at].role == "relcl" and not whole and subjects_of(self.tree, at):
            first = subjects_of(self.tree, at)[0]
            through = any(
                self.low[n] in RELATIVE for p in self.tree.children(at, "prep") for n in self.tree.children(p)
            )
            if self.low[first] not in RELATIVE and not through:
                stranded = [n for n in self.tree.children(at, "prep") if not self.tree.children(n, "pobj")]
                yield self.words[at].head, tuple(stranded)

    def _of_preposition(self, at: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        for right in self.tree.children(at, "pobj"):
            for each in self._listed(self._antecedent(right, at)):
                yield each, (at,)
        asked, stranded = self.found.asked, not self.tree.children(at) and self.words[at].head < at
        if stranded and asked is not None and asked < at and not inside_relative(self.tree, at):
            yield asked, (at,)  # "what does Warfarin bind to?"
        for other in self.tree.children(at, "conj"):
            if self.words[other].kind == "ADP":
                yield from self._of_preposition(other)

    def _antecedent(self, pronoun: int, at: int) -> int:
        """The noun that a relative pronoun stands for: that of its clause, else the noun before."""
        if self.low[pronoun] not in RELATIVE or pronoun == self.asking:
            return pronoun
        head = self._above(at, "relcl")
        before = pronoun - 1
        if head is None and before >= 0 and self.words[before].kind == "NOUN" and self.words[before].anchor is None:
            return before
        return pronoun if head is None else head

    def _above(self, at: int, role: str) -> int | None:
        """The noun that the clause of a word belongs to."""
        while self.words[at].head != at:
            if self.words[at].role == role:
                return self.words[at].head
            at = self.words[at].head
        return None

    # nouns ----------------------------------------------------------------------------------------------------------

    def _noun(self, at: int) -> None:
        for preposition in self.tree.children(at, "prep"):
            if self.low[preposition] in ("as", "than"):
                continue
            for right, words in self._of_preposition(preposition):
                self._join(at, right, (at, *words), False, self.low[preposition] in NEGATIVE)
        for owner in self.tree.children(at, "poss"):
            if self.low[owner] == "whose":
                head = self._above(at, "relcl")
                head = self.found.asked if head is None and self.found.asked != at else head
                owner = owner if head is None else head
            as_such = self.words[at].role == "pobj" and self.low[self.words[at].head] == "as"  # "as their currency"
            if owner != at and not as_such:
                self._join(at, owner, (at, *self.tree.children(at, "amod")), False, False)
        for modifier in self.tree.children(at, "compound", "amod", "nmod", "appos", "npadvmod"):
            if self.words[modifier].anchor is not None:
                self._join(at, modifier, (), False, False)
            for inner in self.tree.children(modifier, "npadvmod", "compound", "dobj"):
                if self.words[modifier].tag == "VBG" and self.words[inner].anchor is not None:
                    self._join(at, inner, (modifier,), False, False)  # "French-speaking countries"

    def _listed(self, at: int) -> list[int]:
        """A noun and those that are listed after it."""
        found = [at]
        for other in self.tree.children(at, "conj", "appos"):
            if (
                self.words[other].kind in ("NOUN", "PROPN", "PRON", "NUM", "ADJ")
                or self.words[other].anchor is not None
            ):
                found += self._listed(other)
        return found

    # both -----------------------------------------------------------------------------------------------------------

    def _join(self, left: int, right: int, words: Sequence[int], passive: bool, denied: bool) -> None:
        if right == self.asking and self.found.asked is not None:
            right = self.found.asked
        denied = denied or self._denied_between(min(words, default=left), right) or self._has_no(right)
        denied = denied or (left != self.found.asked and self._has_no(left))  # "that no customer has bought"
        idle = (self.low[right] in WH and self.found.asked not in (None, right)) or self.low[right] in ASKERS
        if left != right and not idle:
            self.found.clauses.append(Clause(left, right, tuple(words), passive, denied))

    def _is_denied(self, at: int) -> bool:
        below = [*self.tree.children(at, "neg"), *self.tree.children(at, "preconj", "cc", "mark")]
        for helper in self.tree.children(at, "aux", "auxpass"):
            below += self.tree.children(helper, "neg")
        if any(self.low[n] in NEGATIVE for n in below):
            return True
        above = self.words[at].head
        if self.words[at].role in ("pcomp", "xcomp") and self.low[above] in NEGATIVE:
            return True
        return self.words[at].role == "conj" and self._is_denied_list(at)

    def _is_denied_list(self, at: int) -> bool:
        """ "do not cause rash or raise …": the second verb is denied with the first, unless "but" stands between."""
        above = self.words[at].head
        between = self.low[above:at]
        joined = "or" in between or "nor" in between
        return self.words[above].kind in ("VERB", "AUX") and joined and self._is_denied(above)

    def _denied_between(self, start: int, right: int) -> bool:
        """A negation between the words that join and the noun: "but not to Portela"."""
        before = range(min(start, right) + 1, right)
        between = [n for n in before if self.low[n] in NEGATIVE]
        return bool(between) and not any(
            self.words[n].anchor is not None or self.words[n].kind in ("VERB",) for n in range(between[-1] + 1, right)
        )

    def _has_no(self, at: int) -> bool:
        return self.low[at] in NOBODY or any(
            self.low[n] in ("no", "neither", "nor") for n in self.tree.children(at, "det", "preconj", "cc", "neg")
        )


def without_light(clauses: Sequence[Clause], tree: Tree) -> list[Clause]:
    """ "Have no drug that treats them" is one clause: the verb that says more counts, denied if the other is."""

    def is_light(clause: Clause) -> bool:
        own = [at for at in clause.words if at < len(tree.words) and at not in (clause.left, clause.right)]
        return bool(own) and all(tree.words[at].lemma in LIGHT for at in own)

    kept = []
    for clause in clauses:
        beside = [each for each in clauses if {each.left, each.right} == {clause.left, clause.right}]
        fuller = [each for each in beside if not is_light(each)]
        if clause in fuller:
            denied = clause.denied or any(each.denied for each in beside if is_light(each))
            kept.append(replace(clause, denied=denied))
        elif not fuller:
            kept.append(clause)
    return kept


def describe_clause(clause: Clause, words: Sequence[Word]) -> str:
    """A clause as it reads, for tests and traces."""
    said = " ".join(words[n].text for n in clause.words)
    return f"{'not ' * clause.denied}{words[clause.left].text} [{said}] {words[clause.right].text}"
