"""What words do in a sentence, by its tree: what is asked for, what leads to a name, what restricts or compares."""

from clew.answer.grammar.clauses import find_clauses
from clew.answer.grammar.parse import Tree, Word
from clew.answer.lexicon.forms import Token

__all__ = [
    "ASKED",
    "COMPARISON",
    "MODAL",
    "NAME",
    "NEEDED",
    "NEGATION",
    "OTHER",
    "PAST",
    "QUANTIFIER",
    "RESTRICTION",
    "STRUCTURE",
    "WH",
    "Roles",
]

ASKED, STRUCTURE, QUANTIFIER, COMPARISON, NEGATION = "asked", "structure", "quantifier", "comparison", "negation"
NAME, MODAL, PAST, RESTRICTION, OTHER = "name", "modal", "past", "restriction", "other"
NEEDED = (ASKED, STRUCTURE, QUANTIFIER, COMPARISON, NEGATION, NAME, MODAL, PAST)  # roles that no plan may leave out
CONTENT = ("NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM")
WH = ("which", "what", "who", "whom", "whose", "where", "when", "why", "how")


class Roles:
    """What words do in a sentence, by its tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.asked = find_clauses(tree).asked
        self.carrying = self._carrying()

    def _carrying(self) -> set[int]:
        """Words that lead from the root to a name: without them nothing says how the name comes in."""
        found: set[int] = set()
        for at, word in enumerate(self.tree.words):
            if word.anchor is not None:
                while self.tree.words[at].head != at:
                    at = self.tree.words[at].head
                    found.add(at)
        return found

    def role(self, token: Token) -> str | None:
        inside = [n for n, word in enumerate(self.tree.words) if token.start <= word.start < token.end]
        if not inside:
            return OTHER
        at = next((n for n in inside if self.tree.words[n].head not in inside), inside[0])  # of "half-life": life
        word = self.tree.words[at]
        degrees = [self.tree.words[child].text.lower() for child in self.tree.children(at, "advmod")]
        if word.tag in ("JJS", "JJR", "RBS", "RBR") or {"most", "more", "least", "less"}.intersection(degrees):
            return COMPARISON
        if word.kind not in CONTENT:
            return None if word.kind in ("ADP", "DET", "PRON", "CCONJ", "SCONJ", "PART", "AUX", "PUNCT") else OTHER
        if self._is_asked(at, word):
            return ASKED
        if word.kind == "VERB" or at in self.carrying or word.role in ("ROOT", "acomp", "attr", "dobj"):
            return STRUCTURE
        return RESTRICTION

    def _is_asked(self, at: int, word: Word) -> bool:
        """Whether a noun is what is asked for: "which dosage", "what is the dosage", "how many doses"."""
        if word.kind not in ("NOUN", "PROPN"):
            return False
        if at == self.asked:
            return True
        below = [self.tree.words[child] for child in self.tree.children(at)]
        if any(each.text.lower() in ("which", "what", "many", "much") for each in below):
            return True
        if word.role in ("nsubj", "attr"):
            beside = [self.tree.words[other] for other in self.tree.children(word.head)]
            return any(each.text.lower() in WH for each in beside)
        return word.role in ("ROOT", "dobj") and self.tree.words[word.head].lemma in ("list", "name", "give", "show")
