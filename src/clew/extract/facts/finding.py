"""The facts that a text states: names of the seed in it, and the relations a statement model reads between them."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from clew.extract.corpus.sentences import split_passage
from clew.extract.filter.entities import KnownTriples
from clew.extract.mentions.heads import Head, HeadChooser, HeadSettings
from clew.extract.packaging.locate import SEED, find_statements, open_shipped_seed
from clew.extract.statements.gold import Mention
from clew.extract.statements.hierarchy import read_hierarchy
from clew.extract.statements.prediction import Statement, StatementModel
from clew.link import Linker
from clew.progress import Progress, silent
from clew.traverse import GraphEngine

__all__ = ["ELSEWHERE", "Fact", "FactFinder"]

ELSEWHERE = " […] "  # between two sentences that are not one
TYPES = {
    "Chemical": "chemical",
    "Compound": "chemical",
    "Drug": "chemical",
    "Disease": "disease",
    "Phenotype": "disease",
    "SideEffect": "disease",
    "Symptom": "disease",
    "Gene": "gene",
}


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation that a text states, the entities and mentions at its ends, and the sentence that names both.

    Where no sentence does, the two sentences with the nearest mentions are given.
    """

    subject: str
    subject_name: str
    subject_type: str
    relation: str
    object: str
    object_name: str
    object_type: str
    confidence: float  # the calibrated probability that the text states it
    known: bool  # whether the seed states it
    sentence: str
    subject_text: str
    subject_start: int
    subject_end: int
    object_text: str
    object_start: int
    object_end: int


class FactFinder:
    """Finds facts with a statement model, a seed graph for the names, and the hierarchy of their entities."""

    def __init__(self, model: StatementModel, graph: GraphEngine, *, settings: HeadSettings | None = None) -> None:
        self.model, self.graph = model, graph
        self._linker = Linker(graph)
        self._known = KnownTriples(graph)
        self._chooser = HeadChooser(self._linker, settings or HeadSettings())

    @classmethod
    def open(cls, folder: Path, *, threads: int | None = None, progress: Progress = silent) -> "FactFinder":
        """From a shipped model: its folder or its name, such as small."""
        statements = find_statements(folder)
        graph = open_shipped_seed(statements.parent, progress=progress)
        hierarchy = read_hierarchy(statements.parent / SEED)
        return cls(StatementModel.open(statements, threads=threads, has_narrower=hierarchy.has_narrower), graph)

    def find(self, text: str, *, confidence: float | None = None) -> list[Fact]:
        """The facts of a text, surest first; by default from the threshold of each relation on."""
        heads = [head for head in self._chooser.heads(text, Counter()) if head.entity and head.type in TYPES]
        mentions = [Mention(each.start, each.end, TYPES[each.type or ""], (each.entity or "",)) for each in heads]
        stated = [
            each
            for each in self.model.state(text, mentions)
            if (each.stated if confidence is None else each.probability >= confidence)
        ]
        of: dict[str, list[Head]] = {}
        for head in heads:
            of.setdefault(head.entity or "", []).append(head)
        ends = ([each.subject for each in stated], [each.relation for each in stated], [each.object for each in stated])
        known = self._known.find(*ends)
        sentences = list(split_passage(text, 0, len(text)))
        facts = [self._fact(text, sentences, each, of) for each in stated]
        return [replace(fact, known=is_known) for fact, is_known in zip(facts, known, strict=True)]

    def _fact(
        self, text: str, sentences: Sequence[tuple[int, int]], said: Statement, of: dict[str, list[Head]]
    ) -> Fact:
        begins = [start for start, _ in sentences]

        def place(head: Head) -> int:
            return max(0, bisect_right(begins, head.start) - 1)

        pairs = product(of[said.subject], of[said.object])
        subject, object_ = min(
            pairs, key=lambda pair: (place(pair[0]) != place(pair[1]), abs(pair[0].start - pair[1].start))
        )
        where = sorted({place(subject), place(object_)})
        sentence = ELSEWHERE.join(text[slice(*sentences[each])].strip() for each in where)
        return Fact(
            said.subject, self._name(subject), subject.type or "", said.relation,
            said.object, self._name(object_), object_.type or "", said.probability, False, sentence,
            subject.text, subject.start, subject.end, object_.text, object_.start, object_.end,
        )  # fmt: skip

    def _name(self, head: Head) -> str:
        number = int(self.graph.lookup([head.entity or ""])[0])
        return self._linker.name_of(number) or head.text
