"""Figures of `clew extract TEXTS`: abstracts whose facts are listed, BC5CDR without given mentions, speed, a folder
that is killed and resumed, and the 8-bit file against the same weights in torch.

    python -m benchmarks.extraction.statements written abstracts.jsonl
    python -m benchmarks.extraction.statements end-to-end --data data --mesh mesh.clew
    python -m benchmarks.extraction.statements speed pubmed.xml.gz --documents 200 --threads 2 --graphmert 5
    python -m benchmarks.extraction.statements folder pubmed.xml.gz --documents 1000 --json thousand.json
    python -m benchmarks.extraction.statements equal pubmed.xml.gz --documents 50

`--model` takes a folder or a name, and `--json` writes the figures to a file.
"""

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import islice, product
from pathlib import Path
from typing import Any

from benchmarks.extraction.lost_facts import STAGES, read_abstract
from benchmarks.extraction.thousand import extract_killed_and_resumed
from benchmarks.report import environment, write_json
from clew.evaluate.extraction.bc5cdr.end_to_end import mesh_ids
from clew.extract.corpus.document import lay_out
from clew.extract.corpus.readers import read_file
from clew.extract.corpus.source_files import source_files
from clew.extract.facts.finding import Fact, FactFinder
from clew.extract.facts.status import STATED
from clew.extract.statements.gold import read_development
from clew.extract.statements.prediction import Statement
from clew.graph.staging import Problems
from clew.traverse import open as open_graph

__all__ = ["end_to_end", "equal", "figures", "folder", "speed", "written"]

INDUCES = "induces"


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
    """Facts found in abstracts with all their facts listed, and the stage at which each of the others is lost."""
    finder = FactFinder.open(Path(given.model), threads=given.threads)
    right, wrong = Counter[str](), Counter[str]()
    stages: dict[str, Counter[str]] = defaultdict(Counter)
    for abstract in map(json.loads, Path(given.abstracts).read_text("utf-8").splitlines()):
        outcome = read_abstract(finder, abstract, confidence=given.confidence)
        right, wrong = right + outcome.right, wrong + outcome.wrong
        for relation, counts in outcome.stages.items():
            stages[relation] += counts
    everything = sum(stages.values(), Counter[str]())
    rows = {
        name: figures(right[name], right[name] + wrong[name], counts.total()) for name, counts in sorted(stages.items())
    }
    rows["all"] = figures(right.total(), right.total() + wrong.total(), everything.total())
    return {
        **rows,
        "stages": {stage: everything[stage] for stage in STAGES},
        "by_relation": {name: dict(counts) for name, counts in sorted(stages.items())},
    }


def end_to_end(given: argparse.Namespace) -> dict[str, Any]:
    """*induces* on the development set of BC5CDR, mentions found by name, and the recall that names allow.

    Three rows: the defaults (or `--confidence`), and from the threshold of the best F1 on in any sentences, without and
    with marked statements.
    """
    finder = FactFinder.open(Path(given.model), threads=given.threads)
    mesh = None if given.mesh is None else open_graph(given.mesh)
    best = finder.model.thresholds[INDUCES].threshold
    ways: dict[str, Callable[[Statement, Fact], bool]] = {
        "default": lambda each, fact: each.stated and fact.status == STATED,
        "best_f1": lambda each, fact: each.probability >= best and fact.status == STATED,
        "best_f1_with_marked": lambda each, _: each.probability >= best,
    }
    if given.confidence is not None:
        ways["default"] = lambda each, fact: each.probability >= given.confidence and fact.status == STATED
    right, said, gold, reachable = Counter[str](), Counter[str](), 0, 0
    for document in (each for each in read_development(Path(given.data)) if each.corpus == "bc5cdr"):
        named = finder.mentions(document.text)
        judged = [each for each in finder.judge(document.text, named) if each.relation == INDUCES]
        facts = finder.describe(document.text, named, judged)
        entities = {head.entity or "" for head, _ in named}
        ids = mesh_ids(finder.graph, entities, mesh=mesh)
        records = {record for each in entities for record in ids.get(each, ())}
        pairs = {(one, other) for _, one, other in document.relations}
        for name, keeps in ways.items():
            ends = [(each.subject, each.object) for each, fact in zip(judged, facts, strict=True) if keeps(each, fact)]
            stated = {pair for one, other in ends for pair in product(ids.get(one, ()), ids.get(other, ()))}
            right[name] += len(stated & pairs)
            said[name] += len(stated)
        gold += len(pairs)
        reachable += sum(one in records and other in records for one, other in pairs)
    rows = {name: figures(right[name], said[name], gold) for name in ways}
    return {**rows, "reachable": round(reachable / gold, 4)}


def speed(given: argparse.Namespace) -> dict[str, Any]:
    """Documents a second: names alone, whole, and by GraphMERT, the model before."""
    texts = _texts(given)
    finder = FactFinder.open(Path(given.model), threads=given.threads)
    finder.find(texts[0])
    begun, used = time.perf_counter(), time.process_time()
    for text in texts:
        finder.mentions(text)
    named = time.perf_counter()
    facts = sum(len(finder.find(text)) for text in texts)
    done, worked = time.perf_counter(), time.process_time()
    return {
        **environment(),
        "documents": len(texts),
        "facts": facts,
        "names_per_second": round(len(texts) / (named - begun), 1),
        "documents_per_second": round(len(texts) / (done - named), 2),
        "cpu_seconds_per_document": round((worked - used) / len(texts), 3),
        **(_graphmert_speed(given, texts[: given.graphmert]) if given.graphmert else {}),
    }


def _graphmert_speed(given: argparse.Namespace, texts: Sequence[str]) -> dict[str, Any]:
    """Documents a second by GraphMERT, each as `clew extract predict --text` reads it, seed graph opened once."""
    import torch

    from clew.extract.packaging.locate import find_model
    from clew.extract.run.options import RunOptions
    from clew.extract.run.single_text import extract_from_text

    torch.set_num_threads(given.threads or 2)
    model, graph = find_model(Path(given.model))
    settings = RunOptions(size="small").settings()
    begun, used = time.perf_counter(), time.process_time()
    for text in texts:
        extract_from_text(text, model, graph, settings=settings, device="cpu")
    return {
        "graphmert_documents": len(texts),
        "graphmert_documents_per_second": round(len(texts) / (time.perf_counter() - begun), 2),
        "graphmert_cpu_seconds_per_document": round((time.process_time() - used) / len(texts), 3),
    }


def folder(given: argparse.Namespace) -> dict[str, Any]:
    """Extract from a folder of documents in a process that is killed once and resumed: memory, time, the same facts."""
    return {**environment(), **extract_killed_and_resumed(_texts(given), Path(given.model), again=given.again)}


def equal(given: argparse.Namespace) -> dict[str, Any]:
    """How far the probabilities of the exported graphs are from those of torch with the same weights."""
    import numpy as np
    import torch

    from benchmarks.extraction.torch_model import load_exported
    from clew.extract.packaging.locate import find_statements
    from clew.extract.statements.config import columns_of
    from clew.extract.statements.gold import Mention
    from clew.extract.statements.relations import STATED as RELATIONS

    finder = FactFinder.open(Path(given.model), threads=given.threads)
    judge, reader = load_exported(find_statements(Path(given.model)))
    types = frozenset((each.subject, each.object) for each in RELATIONS)
    pairs, far = 0, {"document": 0.0, "sentences": 0.0}
    for text in _texts(given):
        mentions = [Mention(head.start, head.end, type_, (head.entity or "",)) for head, type_ in finder.mentions(text)]
        marked = finder.model.marker.mark(text, mentions, types=types)
        if not len(marked.pairs):
            continue
        rows = np.arange(len(marked.pairs))
        ends = [(marked.entities[one], marked.entities[other]) for one, other in marked.pairs]
        columns = (marked.tokens[None], marked.openings, marked.membership, marked.pairs, marked.features)
        with torch.inference_mode():
            scores = judge(*map(torch.from_numpy, columns)).numpy()
            read = [
                reader(torch.from_numpy(each[None]), torch.ones(1, len(each), dtype=torch.int64)).softmax(1).numpy()
                for each in finder.model.marker.pair_texts(text, mentions, ends)
            ]
        for corpus in ("bc5cdr", "biored"):
            here, there = (_shares(each[:, columns_of(corpus)]) for each in (finder.model.score(marked), scores))
            far["document"] = max(far["document"], float(np.abs(here - there).max()))
        gap = np.abs(finder.model.read_pairs(text, mentions, marked, rows) - np.concatenate(read)).max()
        far["sentences"] = max(far["sentences"], float(gap))
        pairs += len(rows)
    return {"pairs": pairs, **{f"largest_difference_{name}": float(f"{value:.2g}") for name, value in far.items()}}


def _shares(scores: Any) -> Any:
    import numpy as np

    raised = np.exp(scores - scores.max(1, keepdims=True))
    return raised / raised.sum(1, keepdims=True)


def _texts(given: argparse.Namespace) -> list[str]:
    problems = Problems(on_error="skip")
    documents = (each for file in source_files(given.texts, problems) for each in read_file(file, problems))
    return [lay_out(each).text for each in islice(documents, given.documents)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures of one command as JSON lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    texts = ((speed, "texts"), (folder, "texts"), (equal, "texts"))
    for function, positional in ((written, "abstracts"), (end_to_end, None), *texts):
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
    commands.choices["speed"].add_argument("--documents", type=int, default=200)
    commands.choices["speed"].add_argument("--graphmert", type=int, default=0, help="documents for GraphMERT too")
    commands.choices["folder"].add_argument("--documents", type=int, default=1000)
    commands.choices["equal"].add_argument("--documents", type=int, default=50)
    commands.choices["folder"].add_argument("--again", action="store_true", help="extract once more, never killed")
    given = parser.parse_args(arguments)
    report = given.run(given)
    for name, value in report.items():
        print(name, value)
    if given.json:
        write_json(Path(given.json), report)


if __name__ == "__main__":
    main()
