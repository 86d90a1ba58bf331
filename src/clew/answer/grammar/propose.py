"""Plans that the grammar of a question proposes: each clause becomes a step, each noun a slot.

In: the clauses of a tree. Out: candidates in which every clause found a relation that its words mention, or at least
one that fits its types. Where a relation does not reach the noun it is said of ("airlines that fly to a city"), one
more step of the schema may lie between.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product

from clew.answer.grammar.assemble import Assembly, Link, Nouns
from clew.answer.grammar.clauses import LIGHT, Clause, Sentence, find_clauses, without_light
from clew.answer.grammar.fitting import HIERARCHIES, FittingRelations, Has
from clew.answer.grammar.parse import Tree
from clew.answer.grammar.quantifiers import Quantifier, find_quantifiers
from clew.answer.lexicon.words import Words
from clew.answer.names.meanings import Meaning
from clew.answer.plans.assertions.filters import with_filters
from clew.answer.plans.plan import Plan
from clew.answer.reading.candidates import Candidate, with_siblings
from clew.answer.reading.intent import YES_NO
from clew.answer.reading.question import ParsedQuestion
from clew.store.layout import StoreSchema

__all__ = ["propose"]

MOST_PLANS = 40  # of one tree
MOST_TRIED = 500  # ways to give clauses their relations: with eight clauses, nearly all may hang together badly
MOST_MEANINGS = 6
LESS_LIKELY = 0.6  # how much a tree counts in which phrases are attached otherwise than the parser does
COUNTED = frozenset({"most", "fewest", "least", "more", "fewer", "less"})
PRONOUNS = frozenset({"it", "they", "them", "he", "she", "him", "her"})


def propose(
    question: ParsedQuestion, words: Words, schema: StoreSchema, *, has: Has | None = None
) -> Iterator[Candidate]:
    """The plans that the trees of a question propose, each once.

    `has` says whether a name has triples of a relation, as their subject or object: what no word mentions is only
    tried where there are some.
    """
    layered = any(each.relation in HIERARCHIES for each in schema.relationships)
    stated = any(each.negated for each in schema.relationships)
    apart = question.operation == "path" or question.quantity.kind == "none"  # read by their words alone
    if apart or (question.direction is not None and layered) or (question.denied and stated):
        return
    found: dict[Plan, Candidate] = {}
    votes: defaultdict[Plan, float] = defaultdict(float)
    trees = [tree for tree in question.trees if sum(word.role == "ROOT" for word in tree.words) == 1]
    for tree in trees:  # those of several sentences are left to the schema
        for number, attached in enumerate(_attachments(tree)):
            proposer = _Proposer(question, words, schema, find_clauses(attached), has)
            for each in islice(proposer.plans(), MOST_PLANS):
                votes[each.plan] += LESS_LIKELY if number else 1.0
                found.setdefault(each.plan, each)
    for plan, candidate in found.items():
        agreed = replace(candidate, share=min(1.0, votes[plan] / len(question.trees)))
        for meant in with_siblings(question, agreed, schema):
            yield replace(meant, plan=with_filters(meant.plan, question.filters))


def _attachments(tree: Tree) -> Iterator[Tree]:
    """A tree, and one in which phrases behind a noun belong to it and not to the verb: "turn up in films by A"."""
    yield tree
    moved = list(tree.words)
    for at, word in enumerate(tree.words):
        verb = tree.words[word.head].kind == "VERB" and word.head < at - 1
        if (
            word.role == "prep"
            and verb
            and at
            and tree.words[at - 1].kind == "NOUN"
            and tree.words[at - 1].anchor is None
        ):
            moved[at] = replace(word, head=at - 1)
    if tuple(moved) != tree.words:
        yield Tree(tuple(moved))


class _Proposer:
    def __init__(
        self, question: ParsedQuestion, words: Words, schema: StoreSchema, sentence: Sentence, has: Has | None
    ) -> None:
        self.question, self.words, self.schema, self.sentence = question, words, schema, sentence
        self.tree: Tree = sentence.tree
        self.nouns = Nouns()
        self.fitting = FittingRelations(words, schema, self.tree, self.nouns, has)
        self.unsaid = 0
        self.unclear = sentence.unclear  # or a pronoun may mean one of several names
        self.said_whole: set[int] = set()  # subjects of phrases that are one relation
        self.meant: Mapping[int, Meaning] = {}  # what the names mean in the plans that are being made
        for one, other in sentence.same:
            self.nouns.unite(one, other)
        self._resolve_pronouns()
        asked = sentence.possible if sentence.asked is None and question.followed else sentence.asked
        self.asked = None if asked is None else self.nouns.find(asked)
        self._unite_phrases()
        self.typed = self._typed()
        self.clauses = self._with_roles(self._with_asked_name(without_light(list(self._clauses()), self.tree)))

    def _resolve_pronouns(self) -> None:
        """ "It" and "they" mean the last name, or what is asked for."""
        for at, word in enumerate(self.tree.words):
            if word.text.lower() not in PRONOUNS or self.nouns.find(at) != at:
                continue
            names = [n for n, each in enumerate(self.tree.words) if each.anchor is not None]
            before = [n for n in names if n < at]
            if word.text.lower() in ("they", "them") and self.sentence.asked is not None:
                self.nouns.unite(self.sentence.asked, at)
            elif before:
                self.nouns.unite(before[-1], at)
                self.unclear = self.unclear or len(before) > 1  # "A together with B: which genes explain it?"
            elif len(names) == 1:
                self.nouns.unite(names[0], at)  # "in which of the films she directed does A star?"

    def _typed(self) -> dict[int, tuple[str, ...]]:
        """The types that nouns name."""
        found: dict[int, tuple[str, ...]] = {}
        tokens = list(self.question.tokens)
        for word in self.words.find_types(tokens):
            at = self.tree.at(tokens[word.last - 1].start)
            if at is not None and not word.implied:
                found.setdefault(self.nouns.find(at), word.labels)
        return found

    def _unite_phrases(self) -> None:
        """ "Place of birth" is one noun where a relation is called so."""
        tokens = self.question.tokens
        for relation in self.schema.relationships:
            for first, last in self.words.spans(relation.name, [token.stem for token in tokens]):
                inner = [self.tree.at(token.start) for token in tokens[first:last]]
                nouns = [at for at in inner if at is not None and self.tree.words[at].kind == "NOUN"]
                verb = inner[0] if inner and inner[0] is not None else None
                if verb is not None and self.tree.words[verb].kind == "VERB" and nouns:  # "take part in"
                    subject = self.tree.child(verb, "nsubj", "nsubjpass")
                    if subject is not None:
                        self.nouns.unite(subject, nouns[0])
                        self.said_whole.add(subject)
                if len(nouns) > 1 and any(token.text.lower() == "of" for token in tokens[first:last]):
                    for other in nouns[1:]:
                        self.nouns.unite(nouns[0], other)

    def _clauses(self) -> Iterator[Clause]:
        """Clauses between different nouns, each once; a name beside the noun of its type is that noun."""
        for clause in self.sentence.clauses:
            left, right = self.nouns.find(clause.left), self.nouns.find(clause.right)
            if self._names_itself(clause) and self._is_of_type(right, self.typed.get(left, ())):
                self.nouns.unite(right, left)
                self.typed.pop(left, None)
            elif self._is_called(clause, left, right):
                self.nouns.unite(right, left)  # "whose capital is Kigali"
            elif not clause.words and left != self.asked and left not in self.typed and not self._is_role(left):
                self.nouns.unite(right, left)  # "in an autosomal dominant manner"
        seen: set[tuple[int, int, tuple[int, ...]]] = set()
        for clause in self.sentence.clauses:
            left, right = self.nouns.find(clause.left), self.nouns.find(clause.right)
            key = (left, right, clause.words)
            if left != right and key not in seen and not self._is_idle(right) and not self._is_idle(left):
                seen.add(key)
                own = (right,) if self._is_had(clause, right) else ()  # "have no dependencies"
                if not clause.words and self._is_role(left):
                    own = (left,)  # "asthma treatments"
                yield replace(clause, left=left, right=right, words=(*clause.words, *own))
        if self.asked is not None:
            self.asked = self.nouns.find(self.asked)

    def _is_had(self, clause: Clause, right: int) -> bool:
        """Whether a clause says only that there is something with a part in a relation."""
        light = [self.tree.words[at].lemma in LIGHT for at in clause.words]
        named = right in self.typed or self.tree.words[right].anchor is not None
        return bool(light) and all(light) and not named and self._is_role(right)

    def _is_called(self, clause: Clause, left: int, right: int) -> bool:
        """Whether a clause only says which entity has a part in a relation."""
        being = bool(clause.words) and all(self.tree.words[at].lemma == "be" for at in clause.words)
        named = self.tree.words[right].anchor is not None
        return being and named and left != self.asked and left not in self.typed and self._is_role(left)

    def _names_itself(self, clause: Clause) -> bool:
        """ "The MIT license", "mutations in TTN": the noun only says what the name is."""
        said = [self.tree.words[at].text.lower() for at in clause.words if at != clause.left]
        return said in ([], ["in"], ["of"])

    def _is_idle(self, at: int) -> bool:
        """A noun that nothing is known of and nothing else hangs on: it restricts, but no slot can stand for it."""
        word = self.tree.words[at]
        if at == self.asked or at in self.typed or word.anchor is not None or word.kind == "PRON":
            return False
        if self.words.is_class("frame", word.text):
            return False
        if self.words.is_class("filler", word.text):  # "on record"
            left = any(self.nouns.find(each.left) == at for each in self.sentence.clauses)
            return word.role == "pobj" and not left
        same = [n for n in range(len(self.tree.words)) if self.nouns.find(n) == at]
        if any(self._is_role(n) for n in same):
            return False
        hanging = [c for c in self.sentence.clauses if at in (self.nouns.find(c.left), self.nouns.find(c.right))]
        return len(hanging) < 2

    def _is_role(self, at: int) -> bool:
        """Whether a noun says what part something has in a relation: director, captain, capital."""
        if at >= len(self.tree.words):
            return False
        word = self.tree.words[at]
        return word.kind in ("NOUN", "PROPN") and any(
            self.words.binds(each.name, word.text) for each in self.schema.relationships
        )

    def _with_asked_name(self, clauses: list[Clause]) -> list[Clause]:
        """ "Which thrillers star …": what is asked for is joined to the name, and is not the name itself."""
        if self.asked is None or self.tree.words[self.asked].anchor is None:
            return clauses
        name, new = self.asked, self._new()
        self.asked = new
        turned = [
            replace(each, left=new if each.left == name else each.left, right=new if each.right == name else each.right)
            for each in clauses
        ]
        return [*turned, Clause(new, name, ())]

    def _with_roles(self, clauses: list[Clause]) -> list[Clause]:
        """With a clause for each noun that has a part in some relation that no other clause mentions: captains."""
        more = []
        for at in dict.fromkeys(end for each in clauses for end in (each.left, each.right)):
            if at >= len(self.tree.words) or at in self.typed or self.tree.words[at].anchor is not None:
                continue
            if self._is_role(at) and not any(at in each.words for each in clauses):
                more.append(Clause(at, self._new(), (at,)))
        ends = {self.asked, *(end for each in clauses for end in (each.left, each.right))}
        for noun in [at for at in self.typed if at in ends and at < len(self.tree.words)]:
            more += [
                Clause(noun, self._new(), (modifier,))
                for modifier in self.tree.children(noun, "compound", "amod")
                if self._is_part_of(modifier, noun) and not any(modifier in each.words for each in clauses)
            ]
        return [*clauses, *more]

    def _is_part_of(self, modifier: int, noun: int) -> bool:
        """Whether the word before a noun for a type says which part that has in a relation: "capital cities"."""
        word, labels = self.tree.words[modifier], self.typed[noun]
        if word.anchor is not None or self.nouns.find(modifier) in self.typed:
            return False
        return any(
            self.words.binds(each.name, word.text)
            and any(label in (ends.subject, ends.object) for ends in each.ends for label in labels)
            for each in self.schema.relationships
        )

    def _new(self) -> int:
        """A noun that no word stands for."""
        self.unsaid += 1
        return len(self.tree.words) + self.unsaid

    def _is_of_type(self, at: int, labels: Sequence[str]) -> bool:
        anchor = self.tree.words[at].anchor
        if anchor is None:
            return False
        return any(self.schema.label_of(each.type) in labels for each in self.question.anchors[anchor].meanings)

    def plans(self) -> Iterator[Candidate]:
        """Every way to give each clause a relation; the best fitting first."""
        starts = self.tree.words[0].text.lower() in YES_NO or self.question.operation == "exists"
        judged = starts and self.asked is None and not self.question.followed
        if not self.clauses or self.unclear or (self.asked is None and not judged):
            return
        if self.question.operation == "exists" and not judged:
            return
        anchors = self.question.anchors
        named = {self.nouns.find(at): w.anchor for at, w in enumerate(self.tree.words) if w.anchor is not None}
        choices = [anchor.meanings[:3] for anchor in anchors]
        for meanings in islice(product(*choices), MOST_MEANINGS):
            labels = {at: (self.schema.label_of(meanings[n].type),) for at, n in named.items()}
            known = {**self.typed, **labels}
            self.meant = {at: meanings[n] for at, n in named.items()}
            for links in islice(self._links(0, known, []), MOST_TRIED):
                found = self._candidate(links, meanings, named, judged=judged)
                if found is not None:
                    yield found

    def _links(self, number: int, known: dict[int, tuple[str, ...]], chosen: list[Link]) -> Iterator[list[Link]]:
        """Relations for the clauses from a number on, given the types of nouns so far."""
        if number == len(self.clauses):
            yield list(chosen)
            return
        clause = self.clauses[number]
        for link in self.fitting.links(clause, known.get(clause.left, ()), known.get(clause.right, ()), self.meant):
            narrowed = {**known, clause.left: (link.start,), clause.right: (link.end,)}
            yield from self._links(number + 1, narrowed, [*chosen, link])

    def _candidate(
        self, links: Sequence[Link], meanings: tuple[Meaning, ...], named: dict[int, int], *, judged: bool
    ) -> Candidate | None:
        different = [
            (self.nouns.find(one), self.nouns.find(other))
            for one, other in self.sentence.different
            if one not in self.said_whole  # "share a border" is one relation
        ]
        built = Assembly(
            meanings,
            named,
            different=different,
            counted=self.counted(),
            symmetric=self.schema.symmetric,
            quantifiers=list(self._quantifiers()),
            restricts=self._restricts,
        )
        start = next(iter(named), None) if judged else self.asked
        if start is None or not built.grow(start, list(zip(self.clauses, links, strict=True))):
            return None
        return built.candidate(self.question, judged=judged, root=start)

    def _quantifiers(self) -> Iterator[Quantifier]:
        """Quantifiers of nouns that are neither asked for nor names, each by where its word begins."""
        for each in find_quantifiers(self.tree):
            noun = self.nouns.find(each.noun)
            if noun != self.asked:
                yield replace(each, noun=noun, word=self.tree.words[each.word].start)

    def _restricts(self, clause: Clause, noun: int) -> bool:
        """Whether a clause belongs to a noun phrase ("neighbours of", "whose neighbours") and is not said of it."""
        at = clause.words[0] if clause.words else noun
        while self.nouns.find(at) != noun and self.tree.words[at].head != at:
            at = self.tree.words[at].head
        return self.nouns.find(at) == noun

    def counted(self) -> int | None:
        """The noun whose number is compared: "the most films", "more than two languages"."""
        low = [word.text.lower() for word in self.tree.words]
        for at, word in enumerate(self.tree.words):
            if low[at] in COUNTED and low[max(0, at - 1) : at + 2] not in (
                ["at", "least", "one"],
                ["at", "least", "1"],
            ):
                head = word.head
                while self.tree.words[head].kind not in ("NOUN", "PROPN") and self.tree.words[head].head != head:
                    head = self.tree.words[head].head
                if self.nouns.find(head) != self.asked and self.tree.words[head].kind in ("NOUN", "PROPN"):
                    return self.nouns.find(head)
        return None
