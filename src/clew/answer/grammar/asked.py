"""What a sentence asks for: the noun of its question word, of "list" or of "there may be", or a yes or no."""

from clew.answer.grammar.parse import Tree

__all__ = ["EVERY_ONE", "LISTING", "WH", "AskedNoun", "inside_relative", "subjects_of"]

SUBJECT = ("nsubj", "nsubjpass", "csubj", "expl")
WH = frozenset({"which", "what", "who", "whom", "whose", "where", "when"})
LISTING = frozenset(
    {"count", "list", "name", "give", "show", "tell", "find", "enumerate", "identify", "display", "get"}
)
EVERY_ONE = frozenset({"everybody", "everyone", "everything"})
GENERIC = frozenset({"name", "names", "list", "set", "number", "count", "total", "kind", "type", "form", "sort"})


def subjects_of(tree: Tree, at: int) -> list[int]:
    """The subjects of a verb, in their order."""
    found = tree.children(at, *SUBJECT)
    for helper in tree.children(at, "aux", "auxpass"):
        found += tree.children(helper, *SUBJECT)
    return sorted(found)


def inside_relative(tree: Tree, at: int) -> bool:
    """Whether a word belongs to a relative clause."""
    while tree.words[at].head != at:
        if tree.words[at].role == "relcl":
            return True
        at = tree.words[at].head
    return False


class AskedNoun:
    """The noun that is asked for, if any; `word` is a question word that only stands for it: "which of the films"."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.words = tree, tree.words
        self.low = [word.text.lower() for word in tree.words]
        self.asked: int | None = None
        self.possible: int | None = None  # what there may be: "is there a drug"
        self.judged = False  # to be answered by yes or no
        self.word = -1
        self._find_asked()

    def _find_asked(self) -> None:
        asked = next((at for at, word in enumerate(self.low) if word in WH and self._asks(at)), None)
        if asked is not None:
            self.asked = self._asked_noun(asked)
            return
        if "how" in self.low:
            many = self.low.index("how") + 1
            if many < len(self.low) and self.low[many] in ("many", "much"):
                head = self.words[many].head
                nouns = [at for at in range(many + 1, len(self.words)) if self.words[at].kind in ("NOUN", "PROPN")]
                self.asked = head if self.words[head].kind in ("NOUN", "PROPN") else next(iter(nouns), None)
            return
        root = self.tree.root
        if (self.words[root].lemma in LISTING or self.low[root] in LISTING) and not subjects_of(self.tree, root):
            named = self.tree.child(root, "dobj", "attr", "oprd", "pobj", "appos")
            self.asked = None if named is None else self._specific(named)
        elif self.words[root].kind in ("NOUN", "PROPN") and self.words[root].anchor is None:
            self.asked = self._specific(root)
        else:
            self.judged = True
            self.possible = self._possible()

    def _possible(self) -> int | None:
        nouns = [at for at, word in enumerate(self.words) if word.kind in ("NOUN", "PROPN") and word.anchor is None]
        there = self.low[1:2] == ["there"]
        any_of = [n for n in nouns if any(self.low[child] in ("any", "some") for child in self.tree.children(n, "det"))]
        return next(iter(any_of or (nouns if there else ())), None)

    def _asks(self, at: int) -> bool:
        """Whether a question word asks, rather than begins a relative clause."""
        if self.low[at] == "whose" and at > 1:
            return False
        if at == 0 or self.words[at - 1].kind in ("ADP", "PUNCT") or self.words[at].role == "det":
            return at < 2 or self.words[at].role == "det" or not inside_relative(self.tree, at)
        return self.words[at - 1].lemma in LISTING or self.low[at - 1] in ("me", "us", "know", "out", "and")

    def _asked_noun(self, at: int) -> int:
        """The noun that a question word belongs to: "which genes", or "what is the dosage"; else the word itself."""
        word = self.words[at]
        head = self.words[word.head]
        if word.role == "det" and head.kind in ("NOUN", "PROPN", "ADJ"):
            return self._specific(word.head)
        following = at + 1
        if self.low[following : following + 1] == ["of"]:  # "which of the films …"
            noun = next((n for n in range(at + 2, len(self.words)) if self.words[n].kind == "NOUN"), None)
            if noun is not None and all(self.words[n].kind in ("DET", "PRON", "ADJ") for n in range(at + 2, noun)):
                self.word = at
                return self._noun_head(noun)
        beside = self.words[following] if following < len(self.words) else word
        while beside.role in ("amod", "npadvmod", "compound", "punct") and following + 1 < len(self.words):
            if beside.kind == "NOUN" and beside.anchor is None:
                break
            following += 1  # "which French-speaking countries"
            beside = self.words[following]
        if self.low[at] in ("which", "what") and beside.kind == "NOUN" and beside.anchor is None:
            return self._noun_head(following)
        if head.lemma == "be" and self.low[at] in ("what", "which", "who"):
            other = [n for n in self.tree.children(word.head, "nsubj", "attr") if n != at]
            if other and self.words[other[0]].anchor is None and self._is_noun(other[0]):
                return self._specific(other[0])
        return at

    def _is_noun(self, at: int) -> bool:
        """Whether a word may be what is asked for: a noun, or "everything that …"."""
        return self.words[at].kind in ("NOUN", "PROPN") or self.low[at] in EVERY_ONE

    def _noun_head(self, at: int) -> int:
        while self.words[at].role in ("compound", "amod", "nmod") and self.words[at].head > at:
            at = self.words[at].head
        return at

    def _specific(self, at: int) -> int:
        """Past nouns that only introduce another: "the number of genes", "the names of all drugs"."""
        if self.low[at] in GENERIC or self.words[at].lemma in GENERIC:
            of = next((n for n in self.tree.children(at, "prep") if self.low[n] == "of"), None)
            named = None if of is None else self.tree.child(of, "pobj")
            if named is not None and self.words[named].anchor is None:
                return named
        return at
