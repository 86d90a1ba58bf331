"""Graphs compared by a model whose answers are made elsewhere: contexts and prompts in one run, answers in another.

    python -m benchmarks.contexts.graph_requests FOLDER pubmedqa --graph seed=seed.clew --graph extracted=extracted.clew
    python -m benchmarks.contexts.batch MODEL.gguf FOLDER/NAME/responses.jsonl FOLDER/requests/*
    python -m benchmarks.contexts.graph_requests FOLDER pubmedqa --graph … --read NAME

`FOLDER facts --facts facts.tsv` asks about facts. The first run notes, for every question and graph, what local search
finds and the request; `--share 0/8` notes an eighth of the questions. With `--read` the journal of `clew eval graphs`
is written from them, FOLDER/NAME/SET.jsonl, and its report, FOLDER/NAME/SET.json.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.contexts.offline import Offline
from clew.answer import Resources
from clew.app.cli.evaluation.graph_comparison import compared_questions, open_graphs
from clew.app.cli.terminal.options import pairs
from clew.evaluate.choices.generate import ChoiceQuestion
from clew.evaluate.graphs.run import NONE, ask_graph, draw, graph_settings, run_graphs

__all__ = ["answered", "note"]

SETS = ("facts", "pubmedqa")
SEEDS = 3


def note(graphs: Mapping[str, Resources], questions: Sequence[ChoiceQuestion], model: Offline, out: Path) -> None:
    """Append what every graph finds for every question, with the key of the request if there is one."""
    known = {(each["graph"], each["id"]) for each in _noted([out])} if out.exists() else set()
    first = next(iter(graphs.values()))
    with out.open("a", encoding="utf-8") as file:
        for question in questions:
            for name in (NONE, *graphs):
                if (name, question.id) not in known:
                    model.last_key = ""
                    record = ask_graph(name, question, graphs.get(name, first))
                    record |= {"graph": name, "id": question.id, "key": model.last_key}
                    file.write(json.dumps(record) + "\n")
                    file.flush()


def answered(
    noted: Sequence[Mapping[str, Any]], questions: Mapping[str, ChoiceQuestion], responses: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """What was noted, with what the model chose; without a request (nothing was found) it chose nothing."""
    for record in noted:
        question = questions[record["id"]]
        options, tokens = (*question.options, None), 0
        chosen = None
        if record["key"]:
            response = responses[record["key"]]
            chosen = options[response["scores"].index(max(response["scores"]))]
            tokens = response["prompt_tokens"]
        kept = {name: value for name, value in record.items() if name != "key"}
        yield kept | {
            "option": chosen,
            "right": chosen == question.gold,
            "calls": int(bool(record["key"])),
            "tokens": tokens,
        }


def _noted(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """The records of files, each graph and question once; what a killed run began to write is left out."""
    lines = [line for path in paths for line in path.read_text("utf-8").split("\n")[:-1]]
    return list({(each["graph"], each["id"]): each for each in map(json.loads, lines)}.values())


def main() -> None:
    """Note, or read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--graph", action="append", required=True, metavar="NAME=GRAPH")
    parser.add_argument("--facts", default="facts.tsv")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--count", type=int, default=100, help="questions for each of three seeds")
    parser.add_argument("--share", default="0/1", help="which part of the questions is noted, of how many")
    parser.add_argument("--read", metavar="NAME", help="the answers of this model are there")
    given = parser.parse_args()
    requests = given.folder / "requests"
    requests.mkdir(parents=True, exist_ok=True)
    share, of = map(int, given.share.split("/"))
    model = Offline(requests / f"{given.set}.{share}.jsonl", name=given.read or "none")
    with ExitStack() as opened:
        graphs = open_graphs(pairs(given.graph, "--graph"), opened, encoder="default", model=model)
        first = next(iter(graphs.values()))
        questions, _ = compared_questions(given.facts if given.set == "facts" else given.set, first, given.data)
        if given.read is None:
            drawn = draw(questions, count=given.count, seeds=SEEDS)
            once = list({each.id: each for own in drawn.values() for each in own}.values())
            note(graphs, once[share::of], model, given.folder / f"{given.set}.{share}.noted.jsonl")
            return
        own = given.folder / given.read
        lines = (own / "responses.jsonl").read_text("utf-8").splitlines()
        responses = {each["key"]: each for each in map(json.loads, lines)}
        noted = _noted(sorted(given.folder.glob(f"{given.set}.*.noted.jsonl")))
        records = list(answered(noted, {each.id: each for each in questions}, responses))
        settings = graph_settings(graphs, questions, count=given.count, seeds=SEEDS)
        journal = own / f"{given.set}.jsonl"
        journal.write_text("\n".join(map(json.dumps, [settings, *records])) + "\n", "utf-8")
        report = run_graphs(graphs, questions, count=given.count, seeds=SEEDS, out=journal)
    (own / f"{given.set}.json").write_text(json.dumps(report, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
