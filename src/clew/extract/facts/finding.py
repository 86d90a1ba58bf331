"""The facts that a text states: names of the seed in it, and the relations a statement model reads between them."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from pathlib import Path

from clew.extract.corpus.sentences import split_passage
from clew.extract.facts.entity_types import statement_type
from clew.extract.facts.new_drugs import new_drugs
from clew.extract.facts.status import DENIED, GIVEN, SPECULATIVE, STATED, status_of
from clew.extract.facts.support import supported_heads
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

STATUSES = (STATED, GIVEN, DENIED, SPECULATIVE)
DISEASE = "disease"
NO_NAME_BEFORE = re.compile(r"\bheat[- ]$", re.IGNORECASE)  # heat shock
NO_NAME_AFTER = re.compile(r" standard\b|-(?:based|free|like)\b|[ -](?:starvation|deprivation|depletion|restriction)\b")
OF_A_PROTEIN = re.compile(r"(?:['’]s?)?(?: \d\w?| group [A-G])? (?:protein|transcription factor)\b")  # after a disease
OF_AN_ENZYME = re.compile(  # after a chemical: "tyrosine phosphatase", "glucose transporter", "serotonin reuptake"
    r"[- ](?:\w*(?:phosphat|kin|hydroxyl|synth|synthet|dehydrogen|reduct|oxid|oxygen|ester|hydrol|transfer|carboxyl|lig"
    r"|deamin|transamin|cycl|mut|isomer)ases?|lyases?|transporters?|receptors?|channels?|reuptake|(?:ant)?agonists?"
    r"|blockers?|inhibitors?)\b"
)
IN_A_CHEMICAL = re.compile(r"\w[)\]]-?$")  # before a chemical: "benz(a)" of anthracene
AS_A_TOOL = re.compile(r"-(?:immobili[sz]ed|ana?esthetized|paraly[sz]ed|sedated)\b")  # after a chemical
OF_ANOTHER_RNA = re.compile(
    r"\b(?:lncRNA|circRNA|lincRNA|anti)[- ]$|\b(?:circ-?|miR-?)$", re.IGNORECASE
)  # before a gene
OF_ANOTHER_GENE = re.compile(r"-(?:(?:AS|IT)\d*|\d{1,2})(?![\w-])")  # after a gene: MKLN1-AS, NEDD4-2
NO_GENE = re.compile(r"c[AG]MP|I(?:Na|Ca|K[rs]?)|[A-Z0-9-]{2,}s")  # second messengers, currents, cells ("MSCs")
ACROSS_A_COMMA = re.compile(r",\s*\w\Z")  # "cynaroside, a flavonoid" is not cynaroside A
OF_A_VIRUS = re.compile(r" virus(?:es)?\b")  # "hepatitis C virus"
NO_DISEASE = re.compile(r".*\bgenes?|(?:SARS|MERS)-?CoV.*", re.IGNORECASE)  # "EXT2 genes"
OF_A_MICROBE = re.compile(
    r"\b(?:[A-Z]\.|Mycobacterium|Clostridium|Brucella|Bacillus|Plasmodium) $"
)  # before tuberculosis
BEFORE = 15  # characters
NOT_NAMED = re.compile(r"(?:the|this|a|an) ")  # "the syndrome" is whichever the text is about
CACHED = 1 << 14  # names of entities
ELSEWHERE = " […] "  # between two sentences that are not one


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
    status: str  # stated; or given, denied or speculative, which is no fact and kept with this mark
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
        self._name_of = lru_cache(maxsize=CACHED)(self._look_up_name)
        self._names_of = lru_cache(maxsize=CACHED)(self._look_up_names)
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
        named = self.mentions(text)
        judged = self.judge(text, named)
        kept = [each for each in judged if (each.stated if confidence is None else each.probability >= confidence)]
        return self.describe(text, named, kept)

    def judge(self, text: str, named: Sequence[tuple[Head, str]]) -> list[Statement]:
        """Every relation that the pairs of these names may have, with its probability, surest first."""
        mentions = [Mention(head.start, head.end, type_, (head.entity or "",)) for head, type_ in named]
        return self.model.state(text, mentions)

    def describe(self, text: str, named: Sequence[tuple[Head, str]], judged: Sequence[Statement]) -> list[Fact]:
        """Judged relations with the names and sentences that they are about."""
        of: dict[str, list[Head]] = {}
        for head, _ in named:
            of.setdefault(head.entity or "", []).append(head)
        ends = ([each.subject for each in judged], [each.relation for each in judged], [each.object for each in judged])
        known = self._known.find(*ends)
        sentences = list(split_passage(text, 0, len(text)))
        facts = [self._fact(text, sentences, each, of) for each in judged]
        return [replace(fact, known=is_known) for fact, is_known in zip(facts, known, strict=True)]

    def names(self, text: str) -> list[Head]:
        """The names of the seed in a text, and of drugs that it does not know."""
        known = [head for head in self._chooser.heads(text, Counter()) if head.entity]
        return sorted([*known, *new_drugs(text, known)], key=lambda head: head.start)

    def mentions(self, text: str) -> list[tuple[Head, str]]:
        """The names in a text that statements may be about, each with its type for the statement model."""
        heads = [head for head in self.names(text) if _is_whole(text, head)]
        typed = [(head, type_) for head in heads if (type_ := statement_type(self._name(head), head.type, head.text))]
        typed = [(head, type_) for head, type_ in typed if IS_MEANT[type_](text, head)]
        return supported_heads(text, typed, self._names)

    def _fact(
        self, text: str, sentences: Sequence[tuple[int, int]], said: Statement, of: dict[str, list[Head]]
    ) -> Fact:
        pairs = product(of[said.subject], of[said.object])
        places = [_place(text, sentences, *pair, relation=said.relation) for pair in pairs]
        best = min(places, key=lambda each: (len(each.sentences), STATUSES.index(each.status), each.distance))
        subject, object_ = best.subject, best.object
        sentence = ELSEWHERE.join(text[slice(*sentences[each])].strip() for each in best.sentences)
        return Fact(
            said.subject, self._name(subject), subject.type or "", said.relation,
            said.object, self._name(object_), object_.type or "", said.probability, False, best.status, sentence,
            subject.text, subject.start, subject.end, object_.text, object_.start, object_.end,
        )  # fmt: skip

    def _name(self, head: Head) -> str:
        return self._name_of(head.entity or "") or head.text

    def _names(self, head: Head) -> list[str]:
        return self._names_of(head.entity or "")

    def _look_up_name(self, entity: str) -> str:
        number = int(self.graph.lookup([entity])[0])
        return "" if number < 0 else self._linker.name_of(number)

    def _look_up_names(self, entity: str) -> list[str]:
        return [form.text for form in self._linker.index.forms_of(self.graph.lookup([entity]))]


def _is_whole(text: str, head: Head) -> bool:
    """Whether a name is not part of a longer expression or of a bracket that goes on: "platinum-based", "protein (A" of
    "protein (A-1)"."""
    if NO_NAME_AFTER.match(text, head.end) or NO_NAME_BEFORE.search(text, max(0, head.start - 6), head.start):
        return False
    if NOT_NAMED.match(head.text) or ACROSS_A_COMMA.search(head.text):
        return False
    return head.text.count("(") <= head.text.count(")") or text.startswith(")", head.end)


def _is_disease(text: str, head: Head) -> bool:
    """Whether the name of a disease is not part of that of a protein, a virus or a microbe."""
    after = OF_A_PROTEIN.match(text, head.end) or OF_A_VIRUS.match(text, head.end)
    if after or NO_DISEASE.fullmatch(head.text):
        return False
    return not OF_A_MICROBE.search(text, max(0, head.start - BEFORE), head.start)


def _is_chemical(text: str, head: Head) -> bool:
    """Whether the name of a chemical is not part of that of another one, or of what acts on it."""
    before = IN_A_CHEMICAL.search(text, max(0, head.start - BEFORE), head.start)
    return not before and not OF_AN_ENZYME.match(text, head.end) and not AS_A_TOOL.match(text, head.end)


def _is_gene(text: str, head: Head) -> bool:
    """Whether a gene is not named by an RNA that is no message of it, a drug against it, or the number of another."""
    before = OF_ANOTHER_RNA.search(text, max(0, head.start - BEFORE), head.start)
    return not before and not OF_ANOTHER_GENE.match(text, head.end) and not NO_GENE.fullmatch(head.text)


IS_MEANT = {"chemical": _is_chemical, DISEASE: _is_disease, "gene": _is_gene}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where two names are: the numbers of their sentences, and what these say of the two."""

    subject: Head
    object: Head
    sentences: tuple[int, ...]
    status: str

    @property
    def distance(self) -> int:
        return abs(self.subject.start - self.object.start)


def _place(text: str, sentences: Sequence[tuple[int, int]], subject: Head, object_: Head, *, relation: str) -> _Place:
    begins = [start for start, _ in sentences]
    numbers = [max(0, bisect_right(begins, head.start) - 1) for head in (subject, object_)]
    (first, end), (later, _) = (sentences[each] for each in numbers)
    spans = [
        (head.start - start, head.end - start) for head, start in zip((subject, object_), (first, later), strict=True)
    ]
    if first == later:
        return _Place(subject, object_, (numbers[0],), status_of(text[first:end], *spans, relation=relation))
    said = {status_of(text[slice(*sentences[number])], span, span) for number, span in zip(numbers, spans, strict=True)}
    return _Place(subject, object_, tuple(sorted(numbers)), max(said, key=STATUSES.index))
