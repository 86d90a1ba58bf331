"""Figures of `clew extract TEXTS`: facts of abstracts whose facts are listed, BC5CDR without given mentions, speed.

    python -m benchmarks.extraction.statements written abstracts.jsonl
    python -m benchmarks.extraction.statements end-to-end --data data --mesh mesh.clew
    python -m benchmarks.extraction.statements speed pubmed.xml.gz --documents 200 --threads 2

An abstract of `written` is a JSON object with id, title, abstract, entities (names by key) and facts (subject and
object by key, relation). `--model` takes a folder or a name, and `--json` writes the rows to a file.
"""

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.report import write_json
from clew.evaluate.extraction.bc5cdr.end_to_end import mesh_ids
from clew.extract.corpus.document import Document, lay_out
from clew.extract.corpus.readers import read_file
from clew.extract.corpus.source_files import source_files
from clew.extract.facts.finding import Fact, FactFinder
from clew.extract.facts.status import STATED
from clew.extract.statements.gold import read_development
from clew.extract.statements.relations import STATED as RELATIONS
from clew.graph.staging import Problems
from clew.traverse import open as open_graph

__all__ = ["end_to_end", "figures", "speed", "written"]

SYMMETRIC = frozenset(each.name for each in RELATIONS if each.symmetric)


def figures(right: int, said: int, gold: int) -> dict[str, float]:
    """Precision, recall and F1 with their counts."""
    return {
        "right": right,
        "said": said,
        "gold": gold,
        "precision": round(right / max(1, said), 4),
        "recall": round(right / max(1, gold), 4),
        "f1": round(2 * right / max(1, said + gold), 4),
    }


def written(given: argparse.Namespace) -> dict[str, Any]:
    """Facts found in abstracts with all their facts listed; an entity is right if a text of it is among its names."""
    finder = FactFinder.open(Path(given.model), threads=given.threads)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for abstract in map(json.loads, Path(given.abstracts).read_text("utf-8").splitlines()):
        document = Document(abstract["id"], abstract["title"], (abstract["abstract"],), "", "", "")
        found = finder.find(lay_out(document).text, confidence=given.confidence)
        names = {key: frozenset(map(str.casefold, each["names"])) for key, each in abstract["entities"].items()}
        listed = {(each["subject"], each["relation"], each["object"]) for each in abstract["facts"]}
        for _, relation, _ in listed:
            counts[relation]["gold"] += 1
        hits = set()
        for fact in (each for each in found if each.status == STATED):
            hit = _listed(fact, _spelled(found), listed, names)
            counts[fact.relation]["said"] += hit not in hits or hit is None
            hits |= {hit} - {None}
        for _, relation, _ in hits:
            counts[relation]["right"] += 1
    rows = {name: figures(each["right"], each["said"], each["gold"]) for name, each in sorted(counts.items())}
    total = sum(counts.values(), Counter[str]())
    return {**rows, "all": figures(total["right"], total["said"], total["gold"])}


def _spelled(found: Iterable[Fact]) -> Mapping[str, set[str]]:
    """The texts by which facts name each entity."""
    texts: dict[str, set[str]] = defaultdict(set)
    for each in found:
        texts[each.subject].add(each.subject_text.casefold())
        texts[each.object].add(each.object_text.casefold())
    return texts


def _listed(
    fact: Fact,
    spelled: Mapping[str, set[str]],
    listed: Iterable[tuple[str, str, str]],
    names: Mapping[str, frozenset[str]],
) -> tuple[str, str, str] | None:
    subject, object_ = spelled[fact.subject], spelled[fact.object]
    for one, relation, other in listed:
        straight = subject & names[one] and object_ & names[other]
        turned = relation in SYMMETRIC and subject & names[other] and object_ & names[one]
        if relation == fact.relation and (straight or turned):
            return one, relation, other
    return None


def end_to_end(given: argparse.Namespace) -> dict[str, Any]:
    """*induces* on the development set of BC5CDR, mentions found by name, and the recall that names allow."""
    finder = FactFinder.open(Path(given.model), threads=given.threads)
    mesh = None if given.mesh is None else open_graph(given.mesh)
    right = said = gold = reachable = 0
    for document in (each for each in read_development(Path(given.data)) if each.corpus == "bc5cdr"):
        named = {head.entity or "" for head, _ in finder.mentions(document.text)}
        ids = mesh_ids(finder.graph, named, mesh=mesh)
        records = {record for each in named for record in ids.get(each, ())}
        pairs = {(one, other) for _, one, other in document.relations}
        stated = {
            (one, other)
            for fact in finder.find(document.text, confidence=given.confidence)
            if fact.relation == "induces" and (fact.status == STATED or given.marked)
            for one in ids.get(fact.subject, ())
            for other in ids.get(fact.object, ())
        }
        right, said, gold = right + len(stated & pairs), said + len(stated), gold + len(pairs)
        reachable += sum(one in records and other in records for one, other in pairs)
    return {**figures(right, said, gold), "reachable": round(reachable / gold, 4)}


def speed(given: argparse.Namespace) -> dict[str, Any]:
    """Documents a second: names alone, and whole."""
    problems = Problems(on_error="skip")
    documents = (each for file in source_files(given.texts, problems) for each in read_file(file, problems))
    texts = [lay_out(each).text for each in islice(documents, given.documents)]
    finder = FactFinder.open(Path(given.model), threads=given.threads)
    finder.find(texts[0])
    begun = time.perf_counter()
    for text in texts:
        finder.mentions(text)
    named = time.perf_counter()
    facts = sum(len(finder.find(text)) for text in texts)
    done = time.perf_counter()
    return {
        "documents": len(texts),
        "facts": facts,
        "names_per_second": round(len(texts) / (named - begun), 1),
        "documents_per_second": round(len(texts) / (done - named), 2),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures of one command as JSON lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for function, positional in ((written, "abstracts"), (end_to_end, None), (speed, "texts")):
        command = commands.add_parser(function.__name__.replace("_", "-"), help=function.__doc__)
        command.set_defaults(run=function)
        command.add_argument("--model", default="small")
        command.add_argument("--threads", type=int)
        command.add_argument("--confidence", type=float)
        command.add_argument("--json")
        if positional is not None:
            command.add_argument(positional, nargs="+" if positional == "texts" else None)
    commands.choices["end-to-end"].add_argument("--data", required=True)
    commands.choices["end-to-end"].add_argument("--mesh")
    commands.choices["end-to-end"].add_argument("--marked", action="store_true", help="count marked statements too")
    commands.choices["speed"].add_argument("--documents", type=int, default=200)
    given = parser.parse_args(arguments)
    report = given.run(given)
    for name, value in report.items():
        print(name, value)
    if given.json:
        write_json(Path(given.json), report)


if __name__ == "__main__":
    main()
