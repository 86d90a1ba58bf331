"""A staged graph in which equivalent entities are one, with a record of every id that was merged.

What is merged stays findable: the old id becomes a cross-reference, its name a synonym. A statement keeps the ids of
its source as the qualifiers original_subject and original_object, so that merging can be undone.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from clew.errors import InputError
from clew.graph.encode import distinct_entities
from clew.graph.readers.merge import unite_entities
from clew.graph.readers.parts import DESCRIPTIONS
from clew.graph.resolution.clusters import Kept, choose
from clew.graph.resolution.mappings import EXACT, Equivalence, in_full, read_sssom, shared_xrefs
from clew.graph.staging import QUALIFIER_PREFIX, Origin, Problems, Staged
from clew.progress import Progress, silent

__all__ = ["XREFS", "resolve"]

XREFS = "xrefs"  # in place of a file: the cross-references of the entities themselves
TEXT, LISTS = pa.string(), pa.list_(pa.string())


def resolve(
    staged: Staged,
    mappings: Sequence[str | Path],
    *,
    predicates: Sequence[str] = (EXACT,),
    prefer: Sequence[str] = (),
    problems: Problems,
    progress: Progress = silent,
) -> Staged:
    """Merge entities that SSSOM files (or "xrefs") call the same; never by name."""
    if not mappings:
        raise InputError("no mappings were given, expected SSSOM files (.sssom.tsv), or xrefs for cross-references")
    progress("merging entities", 0, 1)
    wanted = in_full(predicates)
    entities = distinct_entities(staged, problems)
    found: list[Equivalence] = []
    for each in mappings:
        if str(each) == XREFS and not Path(XREFS).exists():
            found += shared_xrefs(entities, problems)
        else:
            found += read_sssom(Path(each), predicates=wanted, problems=problems)
    ids = entities["id"].cast(TEXT).to_pylist()
    kept = choose(found, ids, prefer=prefer, problems=problems)
    named = ", ".join(str(each) for each in mappings)
    if kept:
        problems.note("entity merged", named, "listed in merged.sssom.tsv of the snapshot", count=len(kept))
    else:
        problems.note("mappings without effect", named, "no two entities of this graph are mapped to each other")
    progress("merged entities", 1, 1)
    return replace(
        staged,
        triples=_triples(staged.triples, kept),
        entities=_entities(entities, kept),
        entity_origin=Origin(("entities",)),
        merged=_record(entities, kept, found),
    )


def _triples(triples: pa.Table, kept: Kept) -> pa.Table:
    """Both ends as the ids that stay; the ids of the source where they differ."""
    triples = triples.drop_columns([name for name in triples.column_names if name in DESCRIPTIONS])
    for end in ("subject", "object"):
        column = triples[end].combine_chunks()
        given = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        before = given.dictionary.to_pylist()
        after = pa.array([kept.get(each, each) for each in before], TEXT).dictionary_encode()
        changed = pa.array([each if each in kept else None for each in before], TEXT)
        replaced = pa.DictionaryArray.from_arrays(after.indices.take(given.indices), after.dictionary)
        triples = triples.set_column(triples.column_names.index(end), end, replaced)
        if changed.null_count < len(changed):
            original = changed.take(given.indices).dictionary_encode()
            triples = triples.append_column(f"{QUALIFIER_PREFIX}original_{end}", original)
    return triples


def _entities(entities: pa.Table, kept: Kept) -> pa.Table:
    """The entities that stay, described by those that are merged into them where they say nothing themselves."""
    ids = entities["id"].cast(TEXT).combine_chunks()
    old = pc.is_in(ids, value_set=pa.array(list(kept), TEXT))
    if not kept:
        return entities
    staying, going = entities.filter(pc.invert(old)), entities.filter(old)
    names = going["id"].cast(TEXT).to_pylist()
    given = going["xrefs"].to_pylist() if "xrefs" in going.column_names else [None] * len(names)
    xrefs = pa.array([[name, *(more or ())] for name, more in zip(names, given, strict=True)], LISTS)
    columns = dict(zip(going.column_names, going.columns, strict=True))
    columns |= {"id": pa.array([kept[name] for name in names], TEXT), "xrefs": xrefs}
    return unite_entities([staying, pa.table(columns)], ["entities", "merged entities"], Problems("skip"))


def _record(entities: pa.Table, kept: Kept, found: Sequence[Equivalence]) -> pa.Table:
    """What was merged and why, with the columns of SSSOM."""
    labels = {}
    if "name" in entities.column_names:
        labels = dict(zip(entities["id"].to_pylist(), entities["name"].to_pylist(), strict=True))
    reason: dict[str, Equivalence] = {}
    for each in found:
        for end in (each.one, each.other):
            reason.setdefault(end, each)
    rows = [
        {
            "subject_id": old,
            "subject_label": labels.get(old),
            "predicate_id": reason[old].predicate,
            "object_id": stays,
            "object_label": labels.get(stays),
            "mapping_justification": reason[old].why,
            "mapping_source": reason[old].where,
            "comment": f"{reason[old].one} = {reason[old].other}",
        }
        for old, stays in sorted(kept.items())
    ]
    names = ("subject_id", "subject_label", "predicate_id", "object_id", "object_label",
             "mapping_justification", "mapping_source", "comment")  # fmt: skip
    return pa.table({name: pa.array([row[name] for row in rows], TEXT) for name in names})
