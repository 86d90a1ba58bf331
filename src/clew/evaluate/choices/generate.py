"""A generator of multiple-choice questions from any graph, whose gold is in the graph.

Half name their entity by a synonym (by its name where synonyms are rare) and are answered by one triple; half need two.
Gold can be limited to the triples of one source: then all need one triple, and name their entity by its name. In a
fifth no option is right. The popularity (degree) of the right option has a random rank among the options, so that
popularity alone tells nothing.
"""

from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.evaluate.choices.wording import one_hop_question, two_hop_question
from clew.graph import Where, read_entities, read_triples
from clew.link import Linker
from clew.progress import Progress, silent
from clew.traverse import GraphEngine

__all__ = ["ChoiceQuestion", "generate_choices"]

SHARE_WITHOUT = 5  # one question of this many has no right option
WINDOW = 60  # entities on either side, by degree, that distractors are drawn from
TRIES = 400  # for each question
LONGEST_NAME = 80  # characters
RARE = 100  # synonyms are rare if fewer than one entity of this many has one


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """A question with its options in random order; `gold` is None if none of them is right."""

    id: str
    kind: str  # what a table is split by: synonym, name or two-hop; or how the graph supports the gold
    question: str
    options: tuple[str, ...]
    ids: tuple[str, ...]  # of the options
    gold: str | None
    named: tuple[str, ...]  # ids of the entities that the question names, if they are known
    context: str = ""  # what another system retrieved for it, where that is stored


def generate_choices(
    linker: Linker,
    *,
    count: int = 500,
    seed: int = 0,
    options: int = 5,
    source: str | None = None,
    progress: Progress = silent,
) -> list[ChoiceQuestion]:
    """Questions in a fixed order for a graph, a number, a seed and a source; an error if there are too few facts."""
    if count < 1 or not 2 <= options <= 10:
        raise InputError(f"{count} questions with {options} options were asked for: expected 1 or more, with 2 to 10")
    maker = _Maker(linker, Random(seed), options, source)
    made: list[ChoiceQuestion] = []
    texts: set[str] = set()
    for at in range(count):
        progress("making questions", at, count)
        make = maker.one_hop if at % 2 == 0 or source is not None else maker.two_hops
        right = at % SHARE_WITHOUT != SHARE_WITHOUT - 1
        for _ in range(TRIES):
            found = make(f"q{at + 1}", right)
            if found is not None and found.question not in texts:
                texts.add(found.question)
                made.append(found)
                break
        else:
            raise InputError(f"the graph has too few facts for {count:,} questions: {len(made):,} could be made")
    return made


class _Maker:
    def __init__(self, linker: Linker, random: Random, options: int, source: str | None) -> None:
        self.engine: GraphEngine = linker.engine
        self.linker, self.random, self.options = linker, random, options
        schema = self.engine.schema
        entities = read_entities(self.engine, ("id", "name", "synonyms"))
        self.ids: list[str] = entities["id"].to_pylist()
        self.names = [" ".join(name.split()) for name in entities["name"].to_pylist()]
        listed = entities["synonyms"].to_pylist() if "synonyms" in entities.column_names else []
        self.synonyms = {at: sorted(set(known)) for at, known in enumerate(listed) if known}
        if source is not None or len(self.synonyms) * RARE < len(self.ids):
            self.synonyms = {}
        self.named: dict[str, list[int]] = {}
        for entity, name in enumerate(self.names):
            self.named.setdefault(name.casefold(), []).append(entity)
        self.types = list(schema.types)
        self.type_of = self.engine.types_of()
        self.degree = self.engine.degree(direction="both")
        self.by_type = {
            number: sorted(np.flatnonzero(self.type_of == number).tolist(), key=lambda each: (self.degree[each], each))
            for number in range(len(self.types))
        }
        self.place = {entity: at for ranked in self.by_type.values() for at, entity in enumerate(ranked)}
        usable = [each for each in schema.relations if not each.negated and not each.transitive and each.triples]
        columns = self.engine.triple_columns()
        self.columns = columns
        stated = np.ones(len(columns.relation), bool) if source is None else _stated_by(source, self.engine)
        self.triples = {each.number: np.flatnonzero((columns.relation == each.number) & stated) for each in usable}
        self.relations = [each.number for each in usable if len(self.triples[each.number])]
        if not self.relations:
            raise InputError("the graph has no triple to ask about: all relations are negated or transitive")
        self.affirmed = {each.number: each.name for each in usable}

    def one_hop(self, id: str, right: bool) -> ChoiceQuestion | None:
        """One triple; its entity is named by a synonym, or by its name where synonyms are rare."""
        relation, subject, object_ = self._triple()
        asked_is_subject = self.random.random() < 0.5
        asked, anchor = (subject, object_) if asked_is_subject else (object_, subject)
        if self.synonyms and anchor not in self.synonyms:
            return None
        name = self.random.choice(self.synonyms[anchor]) if self.synonyms else self.names[anchor]
        group = self._group(name, anchor)
        if group is None:
            return None
        direct = self.engine.hop(group, 1, direction="both").ids
        text = one_hop_question(
            self.affirmed[relation], name, self.types[self.type_of[asked]], asked_is_subject=asked_is_subject
        )
        kind = "synonym" if self.synonyms else "name"
        return self._question(id, kind, text, anchor, asked, set(direct.tolist()) | set(group), right)

    def two_hops(self, id: str, right: bool) -> ChoiceQuestion | None:
        """A chain whose first subject is asked for and whose far end is named."""
        first, asked, between = self._triple()
        near = self.engine.triples([between], direction="both", relations=sorted(self.affirmed.values()))
        if not len(near):
            return None
        at = self.random.randrange(len(near))
        second, subject, object_ = int(near.relation[at]), int(near.subject[at]), int(near.object[at])
        anchor = object_ if subject == between else subject
        kinds = {int(self.type_of[each]) for each in (asked, between, anchor)}
        if anchor in (asked, between) or len(kinds) < 3:  # a chain over one type twice is hard to say
            return None
        name = self.names[anchor]
        group = self._group(name, anchor)
        if group is None:
            return None
        middle, wanted = self.types[self.type_of[between]], self.types[self.type_of[asked]]
        reached = self.engine.hop(group, 2, direction="both", through=[middle], types=[wanted]).ids
        direct = self.engine.hop(group, 1, direction="both").ids
        text = two_hop_question(
            self.affirmed[first],
            middle,
            self.affirmed[second],
            name,
            wanted,
            between_is_subject=subject == between,
        )
        true = set(reached.tolist()) | set(direct.tolist()) | set(group)
        return self._question(id, "two-hop", text, anchor, asked, true, right)

    def _triple(self) -> tuple[int, int, int]:
        """A triple of a random relation, rare ones as often as frequent ones."""
        relation = self.random.choice(self.relations)
        numbers = self.triples[relation]
        at = int(numbers[self.random.randrange(len(numbers))])
        return relation, int(self.columns.subject[at]), int(self.columns.object[at])

    def _group(self, name: str, entity: int) -> list[int] | None:
        """Every entity that a name may mean; None if it does not mean this one, or cannot be put into a question."""
        if not name.strip() or len(name) > LONGEST_NAME or "?" in name or "\n" in name:
            return None
        linked = self.linker.link(name, last_stage="normalised", limit=50)
        found = {each.entity for each in linked.candidates}
        return sorted(found) if entity in found else None

    def _question(
        self, id: str, kind: str, text: str, anchor: int, asked: int, true: set[int], right: bool
    ) -> ChoiceQuestion | None:
        """The question with distractors; None if there are too few of about the same degree."""
        higher = self.random.randrange(self.options)  # options more popular than the right one
        chosen = self._distractors(asked, true, higher, self.options - 1 - higher)
        if chosen is None:
            return None
        entities = [asked, *chosen]
        if not right:
            more = self._distractors(asked, true | set(chosen), 1, 0)
            if more is None:
                return None
            entities = [*more, *chosen]
        names = [self.names[entity] for entity in entities]
        if len({name.casefold() for name in names}) < len(names) or not all(names):
            return None
        order = self.random.sample(range(len(names)), len(names))
        return ChoiceQuestion(
            id=id,
            kind=kind,
            question=text,
            options=tuple(names[at] for at in order),
            ids=tuple(self.ids[entities[at]] for at in order),
            gold=names[0] if right else None,
            named=(self.ids[anchor],),
        )

    def _distractors(self, gold: int, true: set[int], higher: int, lower: int) -> list[int] | None:
        """Entities of the same type that are not right: some of a degree above that of the gold, some below."""
        ranked, at = self.by_type[int(self.type_of[gold])], self.place[gold]
        above = self._wrong(ranked[at + 1 : at + 1 + WINDOW], true)
        below = self._wrong(ranked[max(0, at - WINDOW) : at], true)
        if len(above) < higher or len(below) < lower:
            return None
        return [*self.random.sample(above, higher), *self.random.sample(below, lower)]

    def _wrong(self, entities: list[int], true: set[int]) -> list[int]:
        """Those that are neither right nor share a name with one that is; an entity without triples is too easy."""
        return [
            each
            for each in entities
            if self.degree[each] and not any(other in true for other in self.named[self.names[each].casefold()])
        ]


def _stated_by(source: str, engine: GraphEngine) -> NDArray[np.bool_]:
    """Which triples a source states."""
    stated = np.zeros(engine.counts["triples"], bool)
    stated[read_triples(engine, where=Where(sources=source))["number"].to_numpy()] = True
    return stated
