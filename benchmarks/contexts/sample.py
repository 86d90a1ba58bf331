"""The questions that rows with a model are asked first, written to sample.tsv beside this file: 100 of each set.

`python -m benchmarks.contexts.sample --data data` draws them again. Every set is in a stratified order, and they are
its beginning; `clew eval mcq` and `clew eval paths` with `--sample 100` ask the same ones.
"""

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path

from clew.answer import Resources
from clew.app.cli.evaluation.choices import QuestionSet
from clew.app.cli.evaluation.graphs import bench_graph
from clew.evaluate.paths.generate import generate_paths
from clew.progress import silent

__all__ = ["draw"]

SIZE = 100
CHOICES = ("hpo", "hetionet", "biomixqa", "biomixqa-statements")
PATHS, PATHS_COUNT = "fb15k237", 1000
Row = tuple[str, str, str, str, str]


def draw(data: Path) -> Iterator[Row]:
    """Set, id, kind, question and right answer."""
    for name in CHOICES:
        asked = QuestionSet(name, data)
        with Resources(asked.open(silent), encoder=None) as resources:
            for question in asked.questions(resources.linker, silent)[:SIZE]:
                yield name, question.id, question.kind, question.question, question.gold or ""
    engine = bench_graph(PATHS, data, silent)
    for each in generate_paths(engine, count=PATHS_COUNT, seed=0, part="test")[:SIZE]:
        yield PATHS, each.id, each.kind, each.question, " ".join(each.gold)


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("data"))
    rows = list(draw(parser.parse_args().data))
    with Path(__file__).with_name("sample.tsv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerows([("set", "id", "kind", "question", "gold"), *rows])


if __name__ == "__main__":
    main()
