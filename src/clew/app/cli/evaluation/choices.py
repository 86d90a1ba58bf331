"""`clew eval mcq`: multiple-choice questions from a graph, asked and shown as a table."""

import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.app.cli.evaluation.graphs import asked_graph, bench_graph, kept_graph
from clew.app.cli.terminal.output import print_json, print_table, say
from clew.app.cli.terminal.progress import terminal_progress
from clew.errors import InputError
from clew.plurals import counted

if TYPE_CHECKING:
    from clew import GraphEngine
    from clew.evaluate.choices.generate import ChoiceQuestion
    from clew.link import Linker
    from clew.progress import Progress

__all__ = ["QuestionSet", "evaluate_choices"]

BIOMIXQA, STATEMENTS = "biomixqa", "biomixqa-statements"  # sets with questions of their own
DISEASE_GENES = "disease-genes"  # the graph of both
GRAPHS = ("hpo", "hetionet", "ibkh", DISEASE_GENES)
COUNT, COUNT_WITHOUT = 500, 300


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Which questions are asked: a graph or a set, how many (None: as many as is usual), and a source to leave out."""

    graph: str
    data: Path
    count: int | None = None
    seed: int = 0
    without: str | None = None

    def settings(self) -> dict[str, Any]:
        """What tells a run of these questions from others."""
        settings: dict[str, Any] = {"count": self._count(), "seed": self.seed}
        if self._has_own():
            settings["set"] = self.graph
        return settings | ({} if self.without is None else {"without": self.without})

    def open(self, progress: "Progress") -> "GraphEngine":
        """The graph that knows the answers."""
        if self._has_own() and self.without is not None:
            raise InputError(f"{self.graph} has questions of its own: leave out --without")
        if self._has_own():
            return bench_graph(DISEASE_GENES, self.data, progress)
        return asked_graph(self.graph, (*GRAPHS, BIOMIXQA, STATEMENTS), self.data, progress)

    def questions(self, linker: "Linker", progress: "Progress") -> "Sequence[ChoiceQuestion]":
        """The questions, in a fixed order."""
        from clew.evaluate.choices import biomixqa
        from clew.evaluate.choices.generate import generate_choices

        folder = self.data / BIOMIXQA
        if self._has_own():
            own = (
                biomixqa.read_statements(folder)
                if self.graph == STATEMENTS
                else biomixqa.read_questions(folder, linker, seed=self.seed)
            )
            return own[: self.count]
        return generate_choices(
            linker, count=self._count() or COUNT, seed=self.seed, source=self.without, progress=progress
        )

    def rows(self) -> "Sequence[str]":
        """The rows that suit the questions."""
        from clew.evaluate.choices.rows import FOR_STATEMENTS, ROWS, STATED, STORED

        if self.graph == STATEMENTS:
            return FOR_STATEMENTS
        return [row for row in ROWS if row != STATED and (row not in STORED or self._has_own())]

    def _has_own(self) -> bool:
        return self.graph in (BIOMIXQA, STATEMENTS) and not Path(self.graph).exists()

    def _count(self) -> int | None:
        if self.count is not None or self._has_own():
            return self.count
        return COUNT if self.without is None else COUNT_WITHOUT


def evaluate_choices(
    asked: QuestionSet,
    *,
    rows: str | None,
    model: str | None,
    sample: int,
    embedding: bool,
    ablations: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Ask the rows and show what each answered right."""
    from clew.answer import Resources
    from clew.evaluate.choices.held_out import by_support
    from clew.evaluate.choices.rows import ABLATIONS, WITH_MODEL
    from clew.evaluate.choices.run import run_choices

    chosen = _rows(rows, asked.rows(), with_model=model is not None, embedding=embedding)
    if ablations:
        chosen += [row for row in ABLATIONS if model is not None or row not in WITH_MODEL]
    encoder = "default" if embedding else None
    with ExitStack() as opened, terminal_progress() as progress:
        engine = asked.open(progress)
        questions = asked.questions(opened.enter_context(Resources(engine, encoder=None)).linker, progress)
        if asked.without is not None:
            engine = _without(engine, asked.without, progress)
            questions = by_support(questions, engine)
        plain = opened.enter_context(Resources(engine, encoder=encoder))
        reading = None if model is None else opened.enter_context(Resources(engine, encoder=encoder, model=model))
        report = run_choices(
            plain,
            reading,
            questions,
            rows=chosen,
            asked=asked.settings(),
            sample=sample,
            out=out,
            progress=progress,
        )
    graph = asked.graph
    if as_json:
        print_json({"graph": graph, **report})
    else:
        _show(report)


def _without(engine: "GraphEngine", source: str, progress: "Progress") -> "GraphEngine":
    """The graph without a source, built once and kept."""
    from clew.evaluate.choices.held_out import build_without

    name = re.sub(r"[^A-Za-z0-9]+", "-", source)
    recipe = sha256(f"{engine.snapshot.id} {source}".encode()).hexdigest()[:10]
    return kept_graph(f"without-{name}", recipe, lambda out: build_without(engine, source, out, progress=progress))


def _rows(given: str | None, rows: Sequence[str], *, with_model: bool, embedding: bool) -> list[str]:
    """The rows that are named, or those of `rows` that can be asked."""
    from clew.evaluate.choices.rows import ABLATIONS, ROWS, WITH_MODEL, WITH_PRIOR
    from clew.evaluate.row_names import known_rows

    if given is None:
        usual = [row for row in rows if row not in WITH_PRIOR and (with_model or row not in WITH_MODEL)]
        return [row for row in usual if embedding or row != "vectors"]
    return known_rows([row.strip() for row in given.split(",") if row.strip()], {**ROWS, **ABLATIONS})


def _show(report: dict[str, Any]) -> None:
    kinds = report["kinds"]
    listed = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
    say(f"{counted(report['questions'], 'question')}: {listed}")
    table = [
        (
            row["row"],
            row["n"],
            f"{row['right']:.1%} ({row['low']:.0%}-{row['high']:.0%})",
            f"{row['abstained']:.0%}",
            *(f"{row['by_kind'][kind]['right']:.1%}" if kind in row["by_kind"] else "–" for kind in kinds),
            row["calls"],
            row["tokens"],
            f"{row['seconds'] / row['n']:.3f}",
        )
        for row in report["rows"]
    ]
    print_table(["row", "n", "right", "abstained", *kinds, "calls", "tokens", "s/question"], table)
    for each in report["paired"]:
        if each["baseline"] != each["row"]:
            say(
                f"{each['row']} against {each['baseline']}: {each['gain']:+.1%} "
                f"({each['low']:+.1%} to {each['high']:+.1%}, p = {each['p']:.3g}, n = {each['n']})"
            )
