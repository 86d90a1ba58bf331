"""The inputs of every variant, from one run and its seed: what is dropped, injected anew and asked.

Sequences, heads, planted facts and withheld pairs are the run's own. Written is what differs: leaves.npz and
lessons.npz of a variant, and questions.npz about the whole corpus. Sequences are not written: they are those of the
chains, by number.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from benchmarks.extraction_ablations_mentions import Mentions, Questions, list_questions
from benchmarks.extraction_ablations_plan import ALPHAS, LESS_SEED
from clew.evaluate.extraction.pubtator import read_pubtator
from clew.extract.chains.graphs import Chains, read_chains
from clew.extract.chains.injection import InjectionSettings, inject, read_injected
from clew.extract.chains.leaves import grow_leaves
from clew.extract.mentions.heads import read_heads
from clew.extract.ranking.examples import make_examples
from clew.extract.seed.candidate_triples import CandidateTriples, collect_candidate_triples
from clew.extract.seed.held_out import mark_unseen, pair_numbers, read_held_out, read_removed_triples
from clew.extract.seed.reserved import hidden_triples
from clew.extract.seed.selection import read_matches
from clew.extract.seed.signatures import Signatures
from clew.extract.sequences.packing import read_sequences
from clew.extract.sequences.vocabulary import open_vocabulary
from clew.extract.stage import write_stage
from clew.graph import Graph

__all__ = ["ask_corpus", "drop_triples", "order_heads", "prepare"]

Ints = NDArray[np.integer]
SEED = 20250702
LEAVES = ("leaf_sequence", "leaf_root", "head_first", "head_last", "leaf_relation", "tail", "tail_length")
INJECTION = InjectionSettings(quantile=0.05, repeats=20, alternatives=4)  # of the full model
PAPER = InjectionSettings(quantile=0.25, repeats=1, alternatives=1)
DOCUMENT = "PMID:"
REPORTED = ("alpha", "quantile", "matches", "injected", "distinct triples injected", "relations injected")
OF_LESSONS = ("sequences", "heads", "held_out")  # what lessons are made of, besides what is injected


def prepare(run: Path, graph: Graph, chains: Path, out: Path, *, bc5cdr: Path | None = None) -> dict[str, Any]:
    """Write the inputs of all variants under `out`; `chains` are the full model's. Returns what was counted."""
    full = read_chains(chains)
    matches, removed = read_matches(run), read_removed_triples(run)
    counts: dict[str, Any] = {}
    dropped = drop_triples(graph.triple_count, removed)
    tables = {name: (matches.filter(_offered(matches, graph, removed, dropped[name])), INJECTION) for name in LESS_SEED}
    for name, quantile in ALPHAS.items():
        tables[name] = matches, InjectionSettings(quantile=quantile, repeats=20, alternatives=4)
    tables["paper-injection"] = matches, PAPER
    for name, (table, settings) in tables.items():
        (out / name).mkdir(parents=True, exist_ok=True)
        injected, report = inject(table, settings)
        counts[name] = _write_leaves(run, injected, full, out / name / "leaves.npz")
        counts[name] |= {key: report[key] for key in REPORTED}
        if name in dropped:
            lessons = _teach_less(run, graph, dropped[name], injected, full, out / name / "lessons.npz")
            counts[name] |= {"lessons": lessons, "seed triples dropped": len(dropped[name])}
    questions = ask_corpus(run, graph, full.relations)
    questions.save(out / "questions.npz")
    counts["questions"] = {"mentions": len(questions.mentions.entity), "queries": len(questions.head)}
    counts["questions"]["rows"] = len(questions.tail)
    if bc5cdr is not None:
        np.save(out / "bc5cdr_sequences.npy", _sequences_of(run, bc5cdr))
    (out / "counts.json").write_text(json.dumps(counts, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return counts


def drop_triples(triples: int, removed: Ints) -> dict[str, NDArray[np.int64]]:
    """Triples that a smaller seed lacks, in one random order: what the smaller cut drops the larger drops too."""
    left = np.setdiff1d(np.arange(triples), removed)
    order = np.random.default_rng(SEED).permutation(left)
    return {name: np.sort(order[: round(share * len(order))]) for name, share in LESS_SEED.items()}


def _offered(matches: pa.Table, graph: Graph, removed: Ints, dropped: Ints) -> pa.Array:
    """Which matches a seed without the dropped triples still offers."""
    offered = collect_candidate_triples(graph, without=np.union1d(removed, dropped), fewest=1)
    numbers = {name: at for at, name in enumerate(offered.relations)}
    relation = np.array([numbers.get(name, -1) for name in matches["relation"].to_pylist()], np.int64)
    subject, object_ = (_entities(matches[name], graph) for name in ("subject", "object"))
    known = np.isin(_keys(subject, relation, object_, offered, graph), _offered_keys(offered, graph))
    return pa.array(known & (relation >= 0))


def _entities(ids: pa.ChunkedArray, graph: Graph) -> NDArray[np.int64]:
    found = pc.index_in(ids, value_set=graph.entities["id"]).fill_null(-1)
    return np.asarray(found.to_numpy(), np.int64)


def _keys(subject: Ints, relation: Ints, object_: Ints, offered: CandidateTriples, graph: Graph) -> NDArray[np.int64]:
    """One number for a triple."""
    return (subject.astype(np.int64) * len(offered.relations) + relation) * graph.entity_count + object_


def _offered_keys(offered: CandidateTriples, graph: Graph) -> NDArray[np.int64]:
    return _keys(offered.subject, offered.relation.astype(np.int64), offered.object, offered, graph)


def _write_leaves(run: Path, injected: pa.Table, full: Chains, out: Path) -> dict[str, Any]:
    """Write the leaves of what is injected, with relations numbered as the full model has them."""
    path = run / "sequences" / "tokenizer.json"
    vocabulary, tokenizer = open_vocabulary(path), path.read_text("utf-8")
    chains, counts = grow_leaves(read_sequences(run), read_heads(run), injected, vocabulary, tokenizer)
    numbers = np.array([full.relations.index(name) for name in chains.relations], np.int16)
    arrays = {name: getattr(chains, name) for name in LEAVES} | {"leaf_relation": numbers[chains.leaf_relation]}
    np.savez_compressed(out, **arrays)
    return {"leaves": counts["leaves"]}


def _teach_less(run: Path, graph: Graph, dropped: Ints, injected: pa.Table, full: Chains, out: Path) -> dict[str, int]:
    """The lessons of a smaller seed, about pairs that its own leaves do not show, over the chains' own sequences."""
    with TemporaryDirectory() as temporary:
        smaller, folder = Path(temporary, "run"), Path(temporary, "lessons")
        for each in (smaller, folder):
            each.mkdir()
        for stage in OF_LESSONS:
            (smaller / stage).symlink_to((run / stage).resolve(), target_is_directory=True)
        write_stage(smaller / "injected", {}, {"injected": injected}, {}, what="injected triples")
        counts = make_examples(smaller, graph, folder, relations=full.relations, without=dropped)
        arrays = {file.stem: np.load(file) for file in sorted(folder.glob("*.npy"))}
    for name in ("roots", "offsets"):  # the chains have them
        del arrays[name]
    sequence = arrays.pop("sequence_number")[arrays["query_sequence"]]
    np.savez_compressed(out, **arrays | {"query_sequence": sequence})
    return counts


def ask_corpus(run: Path, graph: Graph, relations: tuple[str, ...]) -> Questions:
    """All questions about the linked mentions of a run, and which answers would be new and not held out."""
    heads = read_heads(run)
    rows = order_heads(heads, graph)
    chosen = heads.take(pa.array(rows))
    sequence, first, last = (chosen[name].to_numpy().astype(np.int64) for name in ("sequence", "first", "last"))
    mentions = Mentions(sequence, first, last, _entities(chosen["entity"], graph))
    kinds, spelling = chosen["type"], pc.utf8_lower(chosen["text"])
    kind, types = _numbered(kinds)
    fits = _fits(graph, relations, types)
    questions = list_questions(mentions, _numbered(spelling)[0], kind, fits)
    return _mark_free(questions, run, graph, relations)


def order_heads(heads: pa.Table, graph: Graph) -> NDArray[np.int64]:
    """The rows of the heads that are linked, in the order of the text: mention i of `Questions` is row i of these."""
    linked = np.flatnonzero(_entities(heads["entity"], graph) >= 0)
    order = np.lexsort((heads["first"].to_numpy()[linked], heads["sequence"].to_numpy()[linked]))
    return linked[order]


def _numbered(column: pa.ChunkedArray) -> tuple[NDArray[np.int64], list[str]]:
    encoded = pc.dictionary_encode(column).combine_chunks()
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64), encoded.dictionary.to_pylist()


def _fits(graph: Graph, relations: tuple[str, ...], types: list[str]) -> NDArray[np.bool_]:
    signatures = Signatures.of_schema(graph.schema, relations=relations)
    fits = np.zeros((len(types), len(relations), len(types)), bool)
    number: Mapping[str, int] = {name: at for at, name in enumerate(types)}
    for at, relation in enumerate(relations):
        for start, end in signatures.pairs[relation]:
            if start in number and end in number:
                fits[number[start], at, number[end]] = True
    return fits


def _mark_free(questions: Questions, run: Path, graph: Graph, relations: tuple[str, ...]) -> Questions:
    """With `free`: the seed does not offer the triple, no leaf is kept from its pair, and no end has to stay unseen."""
    offered = collect_candidate_triples(graph, without=read_removed_triples(run), fewest=1)
    number = np.array([offered.relations.index(name) for name in relations])
    head, tail = (questions.mentions.entity[at] for at in (np.repeat(questions.head, questions.count), questions.tail))
    relation = number[np.repeat(questions.relation, questions.count)]
    known = np.isin(_keys(head, relation, tail, offered, graph), _offered_keys(offered, graph))
    kept = hidden_triples(run)
    pairs = pair_numbers(graph.subject_of(kept), graph.forward.end[kept], graph.entity_count)
    held = np.isin(pair_numbers(head, tail, graph.entity_count), pairs)
    facts = mark_unseen(read_held_out(run), read_injected(run))
    unseen = _entities(facts.filter(facts["unseen"])["subject"], graph)
    free = ~known & ~held & ~np.isin(head, unseen) & ~np.isin(tail, unseen)
    return Questions(questions.mentions, questions.head, questions.relation, questions.count, questions.tail, free)


def _sequences_of(run: Path, pubtator: Path) -> NDArray[np.int32]:
    """The sequences of the abstracts of a file."""
    wanted = pa.array([DOCUMENT + each.document for each in read_pubtator(pubtator)])
    return np.flatnonzero(pc.is_in(read_sequences(run)["document"], value_set=wanted).to_numpy()).astype(np.int32)
