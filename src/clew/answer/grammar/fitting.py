"""The relations that may stand for one clause of a question: those that its words mention, else those its types allow.

In: a clause and the types of its two nouns. Out: links of one or two steps of the schema, the best fitting first.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from clew.answer.grammar.assemble import Link, Nouns
from clew.answer.grammar.clauses import Clause
from clew.answer.grammar.parse import Tree
from clew.answer.lexicon.words import Words
from clew.answer.names.meanings import Meaning
from clew.store.layout import Relationship, StoreSchema

__all__ = ["HIERARCHIES", "FittingRelations", "Has"]

MOST_LINKS = 6  # relations that are tried for one clause
HIERARCHIES = ("is_a", "subclass_of")
Has = Callable[[Meaning, str, bool], bool]  # of a relationship, as the subject of its triples or as their object


class FittingRelations:
    """Finds relations for the clauses of one tree."""

    def __init__(self, words: Words, schema: StoreSchema, tree: Tree, nouns: Nouns, has: Has | None) -> None:
        self.words, self.schema, self.tree, self.nouns, self.has = words, schema, tree, nouns, has
        self._of_clauses: dict[Clause, list[Link]] = {}

    def links(
        self, clause: Clause, left: Sequence[str], right: Sequence[str], meant: Mapping[int, Meaning]
    ) -> list[Link]:
        """Relations that join two nouns of some types, those that the words mention first."""
        if clause not in self._of_clauses:
            self._of_clauses[clause] = list(self._direct(clause))
        direct = self._of_clauses[clause]
        fits = [link for link in direct if _allows(left, link.start) and _allows(right, link.end)]
        fits = [link for link in fits if (link.fit >= 1.0 and not self._untyped) or self._is_there(clause, link, meant)]
        best = max((link.fit for link in fits), default=0.0)
        if best < 1.0:
            fits += self._longer([link for link in direct if link.fit >= 1.0 or not fits], direct, left, right)
        fits.sort(key=lambda link: (-link.fit, len(link.moves)))
        top = fits[0].fit if fits else 0.0
        return [link for link in fits if link.fit > top - 0.5][:MOST_LINKS]

    def _direct(self, clause: Clause) -> Iterator[Link]:
        """Every relation between any types, and how clearly the words of a clause mention it."""
        said = [word for at in clause.words for word in self._written(at)]
        idle = ("frame", "light", "filler")  # "shared by" is no border, though neighbours share one
        content = [word for word in said if not any(self.words.is_class(each, word) for each in idle)]
        stems = [stem for word in said for stem in self.words.stems_in(word)]
        where = any(word.text.lower() == "where" for word in self.tree.words)
        for relation in self.schema.relationships:
            if relation.negated or relation.relation in HIERARCHIES:
                continue
            mentioned = self._mentions(relation, content, self.words.says(relation.name, stems, where=where))
            forward = self._is_forward(relation, clause)
            for ends in relation.ends:
                for along, start, end in ((True, ends.subject, ends.object), (False, ends.object, ends.subject)):
                    if relation.symmetric and not along and ends.subject == ends.object:
                        continue
                    turned = 0.0 if ends.subject != ends.object or along == forward or relation.symmetric else -0.9
                    yield Link(((relation.name, along, end),), start, mentioned + turned)

    @property
    def _untyped(self) -> bool:
        return len(self.schema.labels) == 1

    def _is_there(self, clause: Clause, link: Link, meant: Mapping[int, Meaning]) -> bool:
        """Whether the names of a clause have triples of a relation at all."""
        (relation, along, _), *_ = link.moves
        ends = ((clause.left, along), (clause.right, not along))
        named = [(meant[at], subject) for at, subject in ends if at in meant]
        return self.has is None or all(self.has(meaning, relation, subject) for meaning, subject in named)

    def _written(self, at: int) -> list[str]:
        """A word, or all words of the noun that it is part of."""
        whole = [n for n in range(len(self.tree.words)) if self.nouns.find(n) == self.nouns.find(at)]
        noun = self.tree.words[at].kind == "NOUN" and all(self.tree.words[n].kind == "NOUN" for n in whole)
        return [self.tree.words[n].text for n in (whole if noun else [at])]

    def _longer(
        self, mentioned: Sequence[Link], direct: Sequence[Link], left: Sequence[str], right: Sequence[str]
    ) -> Iterator[Link]:
        """A relation with one more step at either end: a mentioned one, or any where none joins two types directly."""
        for link in mentioned:
            for other in direct:
                back_and_forth = link.moves[0][0] == other.moves[0][0] and link.moves[0][1] != other.moves[0][1]
                if not left or not right or back_and_forth:
                    continue
                if link.start in left and link.end == other.start and other.end in right:
                    yield Link((*link.moves, *other.moves), link.start, link.fit - 0.3)
                if other.start in left and other.end == link.start and link.end in right:
                    yield Link((*other.moves, *link.moves), other.start, link.fit - 0.3)

    def _mentions(self, relation: Relationship, content: Sequence[str], clearly: float) -> float:
        """How clearly the words of a clause mention a relation: 1 for its own words, less for light ones."""
        if clearly >= 0.6:
            return 1.0 + 0.1 * clearly
        if any(self.words.binds(relation.name, word) for word in content):
            return 1.0
        return 0.0

    def _is_forward(self, relation: Relationship, clause: Clause) -> bool:
        """Whether the left noun is the subject of a relation's triples, as far as grammar says."""
        heads = [self.tree.words[at] for at in clause.words]
        noun = next((w for w in heads if w.kind == "NOUN" and self.words.binds(relation.name, w.text)), None)
        if noun is not None and self.nouns.find(clause.left) == self.nouns.find(clause.words[0] if clause.words else 0):
            return self.words.noun_is_subject(relation.name, noun.text)
        if noun is not None:
            return True  # "have German as an official language"
        return self.words.verb_is_subject(relation.name, [w.text for w in heads], passive=clause.passive)


def _allows(labels: Sequence[str], label: str) -> bool:
    return not labels or label in labels
