"""A graph in the shape of iBKH from public tables: Hetionet's entities and some of its relations, and `biomed_edges`.

Drug treats, palliates, indicated_for Disease · causes SideEffect · targets, metabolised_by, transported_by, inhibits,
induces Gene · Disease has_symptom Symptom, is_a Disease · Gene associated_with Disease, participates_in Pathway ·
drugs resemble drugs and diseases diseases. Drug interactions are in none of the tables: what is known of them is which
drug inhibits or induces what metabolises another. Of participates_in and of drugs that resemble the folder has a part.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from benchmarks.graphs.biomed_tables import (
    SOURCES,
    Statement,
    disease_names,
    disease_references,
    disease_subclasses,
    drug_actions,
    gene_diseases,
    indications,
    side_effect_synonyms,
    side_effects,
    symptoms,
)
from benchmarks.graphs.hetionet import READING
from benchmarks.graphs.recipe import recipe_of
from clew.graph import Relation, Staged
from clew.graph.staging import ASSERTION_TYPES, QUALIFIER_PREFIX, Problems
from clew.progress import Progress, silent

__all__ = ["COLUMNS", "build", "digest", "stage"]

OURS = ("benchmarks.graphs.biomed_tables", "benchmarks.graphs.hetionet", "benchmarks.graphs.ibkh")
TYPES = {  # Hetionet's types that are kept, and what iBKH calls them
    "Compound": "Drug",
    "Disease": "Disease",
    "Gene": "Gene",
    "Pathway": "Pathway",
    "SideEffect": "SideEffect",
    "Symptom": "Symptom",
}
KEPT: Mapping[tuple[str, str, str], tuple[str, bool]] = {  # Hetionet's kind → our relation, and whether it is turned
    ("Compound", "treats", "Disease"): ("treats", False),
    ("Compound", "palliates", "Disease"): ("palliates", False),
    ("Compound", "resembles", "Compound"): ("resembles", False),
    ("Disease", "resembles", "Disease"): ("resembles", False),
    ("Disease", "presents", "Symptom"): ("has_symptom", False),
    ("Disease", "associates", "Gene"): ("associated_with", True),
    ("Gene", "participates", "Pathway"): ("participates_in", False),
}
RELATIONS = (Relation("is_a", transitive=True), Relation("resembles", symmetric=True))
COLUMNS = pa.schema(
    [
        *((name, pa.string()) for name in ("subject", "relation", "object", "source", "source_version", "license")),
        ("evidence", ASSERTION_TYPES["evidence"]),
        *((name, pa.string()) for name in ("knowledge_level", "agent_type")),
        *((QUALIFIER_PREFIX + name, pa.string()) for name in ("source_detail", "actions", "articles")),
    ]
)


def build(data: Path, out: Path, *, overwrite: bool = False, progress: Progress = silent) -> Path:
    """Build the graph at `out` from the data folder and return its path."""
    from clew.graph.build import build_graph

    problems = Problems("refuse")
    staged = stage(data, problems=problems, progress=progress)
    build_graph(staged, out, problems=problems, overwrite=overwrite, progress=progress)
    return out


def digest(data: Path) -> str:
    """What the graph is made with: it changes with the files of the data folder and with the code that reads them."""
    return recipe_of((*READING, *OURS), (data / name for name in ("hetionet", "biomed_edges")))


def stage(data: Path, *, problems: Problems, progress: Progress = silent) -> Staged:
    """The graph as tables, before it is built."""
    from clew.graph.readers import READERS

    hetionet: Staged = READERS.load("hetionet")(data / "hetionet", problems=problems, progress=progress)
    folder = data / "biomed_edges"
    entities = _Entities(hetionet)
    known = entities.ids
    triples = _kept(hetionet, entities.original)
    drugs = {each for each in known if entities.types[each] == "Drug"}
    genes: dict[str, set[str]] = defaultdict(set)
    for each in known:
        if entities.types[each] == "Gene":
            genes[entities.names[each]].add(each)
    for disease, name, kind in disease_names(folder):
        entities.name(disease, "Disease", name, synonym=kind != "name")
    for disease, reference in disease_references(folder):
        entities.references[disease].append(reference)
    stated = [
        *disease_subclasses(folder),
        *indications(folder, drugs),
        *drug_actions(folder, known),
        *entities.named("Symptom", symptoms(folder)),
        *entities.named("Disease", gene_diseases(folder, genes)),
        *entities.named("SideEffect", side_effects(folder, drugs)),
    ]
    for concept, name in side_effect_synonyms(folder):
        if concept in entities.types:
            entities.name(concept, "SideEffect", name, synonym=True)
    used = set(triples["source"].to_pylist())
    sources = {each.name: each for each in hetionet.sources if each.name in used} | SOURCES
    return replace(
        hetionet,
        triples=pa.concat_tables([triples, pa.Table.from_pylist(stated, COLUMNS)], promote_options="default"),
        entities=entities.table(),
        relations=RELATIONS,
        sources=tuple(sources[name] for name in sorted(sources)),
        triple_origin=Staged(triples).triple_origin,
        entity_origin=Staged(triples).entity_origin,
    )


class _Entities:
    """Ids with names, types, synonyms and what other vocabularies call them."""

    def __init__(self, hetionet: Staged) -> None:
        """Hetionet's entities of the types that are kept, under iBKH's names for types."""
        table = hetionet.entities
        assert table is not None
        columns = (table[column].to_pylist() for column in ("id", "name", "type", "xrefs"))
        self.names: dict[str, str] = {}
        self.types: dict[str, str] = {}
        self.original: dict[str, str] = {}  # Hetionet's own type
        self.synonyms: dict[str, dict[str, str]] = defaultdict(dict)  # id → folded → as written
        self.references: dict[str, list[str]] = defaultdict(list)
        for identifier, name, type_, references in zip(*columns, strict=True):
            if type_ in TYPES:
                self.names[identifier], self.types[identifier] = name, TYPES[type_]
                self.original[identifier] = type_
                self.references[identifier] += references
        self.ids = frozenset(self.names)

    def name(self, identifier: str, type: str, name: str, *, synonym: bool = False) -> None:
        """Take a name; the first that is no synonym is the name of the entity."""
        self.types.setdefault(identifier, type)
        if identifier not in self.names and not synonym:
            self.names[identifier] = name
        elif name.casefold() != self.names.get(identifier, "").casefold():
            self.synonyms[identifier].setdefault(name.casefold(), name)

    def named(self, type: str, statements: Iterable[Statement]) -> Iterator[Statement]:
        """The statements, without the names of their objects, which are taken where there is none yet."""
        for statement in statements:
            name, object_ = str(statement.pop("object_name")), str(statement["object"])
            if object_ not in self.names:
                self.name(object_, type, name)
            yield statement

    def table(self) -> pa.Table:
        ids = sorted(self.names)
        texts = pa.list_(pa.string())
        return pa.table(
            {
                "id": ids,
                "name": [self.names[each] for each in ids],
                "type": [self.types[each] for each in ids],
                "synonyms": pa.array([sorted(self.synonyms[each].values()) for each in ids], texts),
                "xrefs": pa.array([sorted(set(self.references[each])) for each in ids], texts),
            }
        )


def _kept(hetionet: Staged, types: Mapping[str, str]) -> pa.Table:
    """Hetionet's triples of the kinds that are kept, in our words; where they stand is what its reader gave them."""
    rows = []
    for row in hetionet.triples.to_pylist():
        kind = types.get(row["subject"], ""), row["relation"], types.get(row["object"], "")
        if kind not in KEPT:
            continue
        relation, turned = KEPT[kind]
        ends = (row["object"], row["subject"]) if turned else (row["subject"], row["object"])
        rows.append({**row, "subject": ends[0], "relation": relation, "object": ends[1]})
    return pa.Table.from_pylist(rows, COLUMNS)
