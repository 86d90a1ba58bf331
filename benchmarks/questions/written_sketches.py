"""What is lost after the sketch: the second reader's answers with its own sketches and with those that people wrote.

    python -m benchmarks.questions.written_sketches              # the graphs of questions/small that have some
    python -m benchmarks.questions.written_sketches --graph museum --list

The sketches are those of `questions/sketches/held`, which no reader learned from. A question whose names the linker
finds otherwise than its sketch has them keeps the reader's own.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import clew
from benchmarks.questions.training.notation import read_file
from benchmarks.second_reader import SMALL, both
from clew.answer.ask import resources_of
from clew.answer.hearing.parser import SketchParser
from clew.answer.hearing.writing import Written
from clew.answer.sketch.sketch import Sketch, Word
from clew.errors import ClewError
from clew.evaluate.trust import load_questions

HELD = Path(__file__).parent / "sketches" / "held"
CERTAIN = 0.97  # probability of a sketch that somebody wrote
Lines = Mapping[str, tuple[list[Word], Sketch]]


def written() -> Lines:
    """The words and the sketch of each question that has one."""
    return {
        text.strip(): (words, sketch) for path in sorted(HELD.glob("*.txt")) for text, words, sketch in read_file(path)
    }


class Rewritten(SketchParser):
    """A parser that gives the written sketch of a question, where it has one and `using` says so."""

    def __init__(self, parser: SketchParser, lines: Lines) -> None:
        self._parser, self._lines, self.linker = parser, lines, parser.linker
        self.using = False
        self.state = ""

    def parse(
        self,
        text: str,
        names: Sequence[tuple[int, int]],
        *,
        least: float = 0.0,
        check: Callable[[], None] = lambda: None,
    ) -> tuple[list[Word], list[Written]]:
        words, own = self._parser.parse(text, names, least=least, check=check)
        known, sketch = self._lines.get(text.strip(), ([], None))
        alike = [(each.text, each.name is None) for each in known] == [(each.text, each.name is None) for each in words]
        if sketch is None or not alike:
            self.state = "names differ" if sketch is not None else "none"
            return words, own
        self.state = "same" if own and own[0].sketch == sketch else "another"
        return words, [Written(sketch, CERTAIN, CERTAIN)] if self.using else own


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--graph", action="append", default=[], help="only this graph; repeat it (default: all)")
    parser.add_argument("--list", action="store_true", help="the questions that a written sketch does not answer")
    given = parser.parse_args()
    lines = written()
    asked = {each.name: list(load_questions(each / "questions.jsonl")) for each in SMALL.iterdir() if each.is_dir()}
    known = sorted(name for name, rows in asked.items() if any(row.question.strip() in lines for row in rows))
    if unknown := set(given.graph) - set(known):
        parser.error(f"no sketch was written for {', '.join(sorted(unknown))}: choose among {', '.join(known)}")
    total: Counter[str] = Counter()
    for name in given.graph or known:
        with TemporaryDirectory() as folder:
            out = Path(folder) / f"{name}.clew"
            clew.build(SMALL / name / "triples.csv", entities=SMALL / name / "entities.csv", out=out)
            resources = resources_of(out)
            assert resources.sketch_parser is not None
            rewritten = Rewritten(resources.sketch_parser, lines)
            counts: Counter[str] = Counter()
            for row in (each for each in asked[name] if each.level != "unanswerable"):
                right = {}
                for rewritten.using in (False, True):
                    try:
                        right[rewritten.using] = bool(both(row, resources, rewritten).get("second right"))
                    except ClewError:
                        right[rewritten.using] = False
                counts.update(questions=1, own=right[False], written=right[True])
                counts[rewritten.state] += 1
                if given.list and not right[True]:
                    print(f"  {row.id} ({rewritten.state}): {row.question}")
            print(_shown(name, counts), flush=True)
            total += counts
    print(_shown("all", total))


def _shown(name: str, counts: Counter[str]) -> str:
    own, written_, of = counts["own"], counts["written"], counts["questions"]
    sketches = f"{counts['same']} the same, {counts['another']} others, {counts['names differ']} with other names"
    return f"{name}: {own} of {of} right with the reader's sketches, {written_} with the written ones ({sketches})"


if __name__ == "__main__":
    main()
