"""`clew eval qa`: the questions of a benchmark answered, scored and shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.app.assemble import Settings, assemble, open_graph
from clew.app.cli.asking.ask import mention_missing_encoder
from clew.app.cli.evaluation.compare import show_models, show_tests
from clew.app.cli.evaluation.graphs import bench_graph
from clew.app.cli.terminal.output import bold, print_json, print_table, printable, say
from clew.app.cli.terminal.progress import terminal_progress
from clew.errors import InputError, UnknownName

if TYPE_CHECKING:
    from clew import GraphEngine
    from clew.answer import Asker
    from clew.evaluate.comparison import NamedRun
    from clew.evaluate.report import Run
    from clew.progress import Progress

__all__ = ["Asking", "evaluate_questions"]

ALZKB = "alzkb"
THIS = "this run"
SHOWN = 20  # incorrect answers listed
BARS = {"execution": 0.06, "items": 1.5, "total": 3.0}  # target medians, in seconds


@dataclass(frozen=True, slots=True)
class Asking:
    """How a benchmark is run."""

    graph: str | None
    data: Path
    paraphrases: bool
    embedding: bool
    strategy: str
    model: str | None
    choose: str
    compose: bool | None
    phrase: bool

    def settings(self, asker: "Asker") -> dict[str, Any]:
        """What the record says about it."""
        return {
            "paraphrases": self.paraphrases,
            "embedding": asker.resources.encoder is not None,
            "strategy": self.strategy,
            "model": self.model,
            "choose": self.choose,
            "compose": self.compose,
            "phrase": self.model is not None and self.phrase,
        }


def evaluate_questions(bench: str, asking: Asking, *, baseline: Path | None, out: Path | None, as_json: bool) -> None:
    """Run a benchmark, perhaps compare with a saved run, write a report, and show the figures."""
    from clew.evaluate.questions import BENCHES

    if bench not in (*BENCHES, ALZKB):
        raise UnknownName(f"no benchmark is called {bench!r}: known: {', '.join(BENCHES)}, {ALZKB}")
    if bench == ALZKB and asking.paraphrases:
        raise InputError("alzkb has no paraphrases: omit --paraphrases")
    earlier = None if baseline is None else _earlier(bench, baseline)
    with terminal_progress() as progress:
        engine = bench_graph(bench, asking.data, progress) if asking.graph is None else open_graph(asking.graph)
        if earlier is not None and earlier.run["snapshot"] != engine.snapshot.id:
            raise InputError(
                f"{baseline} is a run on snapshot {earlier.run['snapshot']} of {earlier.run['graph']}, not "
                f"{engine.snapshot.id}: repeat that run, or give its graph with --graph"
            )
        record = _ask(bench, engine, asking, progress)
    if earlier is not None:
        from clew.evaluate.comparison import NamedRun, compare_pair, model_changes

        this = NamedRun(THIS, _as_run(record))
        record["comparisons"] = compare_pair(earlier, this)
        record["models"] = list(model_changes(earlier, this))
    if out is not None:
        _write(record, out)
    if as_json:
        print_json(record)
    else:
        _show(record)
        if out is not None:
            say()
            say(f"written to {printable(str(out))}")


def _earlier(bench: str, path: Path) -> "NamedRun":
    from clew.evaluate.comparison import load_runs

    (earlier,) = load_runs([path])
    if earlier.run["bench"] != bench:
        raise InputError(f"{path} is a run of {earlier.run['bench']}, not of {bench}: compare runs of one benchmark")
    return earlier


def _ask(bench: str, engine: "GraphEngine", asking: Asking, progress: "Progress") -> dict[str, Any]:
    _prepare(engine, progress)
    settings = Settings(
        str(engine.snapshot.name),
        strategy=asking.strategy,
        model=asking.model,
        choose=asking.choose,
        compose=asking.compose,
        phrase=asking.phrase,
        encoder="default" if asking.embedding else None,
    )
    asker = assemble(settings, engine=engine, progress=progress)
    try:
        asker.check()
        if asking.embedding:
            mention_missing_encoder(asker)
        return (_ask_alzkb if bench == ALZKB else _ask_bench)(bench, asker, asking, progress)
    finally:
        asker.close()


def _prepare(engine: "GraphEngine", progress: "Progress") -> None:
    """Build what is derived from a graph, so that the first question is not timed with it."""
    from clew.link import Linker
    from clew.store.store import open_store

    open_store("embedded", engine, build=True, progress=progress).close()
    Linker(engine, progress=progress)


def _ask_bench(bench: str, asker: "Asker", asking: Asking, progress: "Progress") -> dict[str, Any]:
    from clew.evaluate.questions import load_bench
    from clew.evaluate.runner import ask_all, cold_seconds, run_record

    questions = load_bench(bench)
    cold = cold_seconds(asker, questions[0].question)
    asked = list(ask_all(questions, asker, paraphrases=asking.paraphrases, progress=progress))
    return {**run_record(bench, asked, asker, settings=asking.settings(asker)), "cold_seconds": round(cold, 3)}


def _ask_alzkb(bench: str, asker: "Asker", asking: Asking, progress: "Progress") -> dict[str, Any]:
    from clew.evaluate.benches.alzkb.asking import alzkb_record, ask_alzkb
    from clew.evaluate.benches.alzkb.questions import load_alzkb
    from clew.evaluate.runner import cold_seconds

    questions = load_alzkb(asking.data, asker.resources.engine)
    first = next((each for each in questions if each.covered), None)
    if first is None:
        raise InputError(
            f"{asker.resources.engine.snapshot.name} covers none of AlzKB's questions: build it from its data"
        )
    cold = cold_seconds(asker, first.question)
    results = ask_alzkb(questions, asker, progress=progress)
    record = alzkb_record(questions, results, asker, settings=asking.settings(asker))
    return {**record, "cold_seconds": round(cold, 3)}


def _as_run(record: dict[str, Any]) -> "Run":
    from clew.evaluate.report import read_run

    return read_run(record)


def _write(record: dict[str, Any], path: Path) -> None:
    from clew.evaluate.report import write_markdown, write_page
    from clew.files import write_text

    if path.suffix == ".json":
        write_text(path, dumps(record, indent=1, ensure_ascii=False) + "\n")
    else:
        write_text(path, (write_markdown if path.suffix == ".md" else write_page)(_as_run(record)))


# what is shown --------------------------------------------------------------------------------------------------------


def _show(record: dict[str, Any]) -> None:
    levels = [*record["summary"]["levels"], record["summary"]["pooled"]]
    _show_levels(levels, queries=record["bench"] != ALZKB)
    if "forms" in record:
        say()
        _show_forms(record)
    say()
    _show_times(record["summary"]["pooled"]["latency"])
    say()
    for note in record["notes"]:
        say(note)
    say(f"the first question took {record['cold_seconds']:.2f} s, including start-up")
    show_tests(record["comparisons"])
    show_models(record.get("models", []))
    _show_wrong(record["questions"])


def _show_levels(levels: Sequence[dict[str, Any]], *, queries: bool) -> None:
    """The figures by level; `queries` says whether there are gold queries to match."""
    rows = []
    for level in levels:
        measures = level["measures"]
        right, query = measures["result_match"], measures["query_match"]
        rows.append(
            (
                level["level"],
                level["n"],
                f"{right['mean']:.1%} ({right['low']:.0%}-{right['high']:.0%})",
                f"{query['mean']:.1%}" if queries else "–",
                measures["reciprocal_rank"]["mean"],
                f"{level['abstention_rate']:.1%}",
                f"{level['coverage']:.0%}",
            )
        )
    print_table(["level", "n", "result match", "query match", "MRR", "abstained", "covered"], rows)


def _show_forms(record: dict[str, Any]) -> None:
    """What AlzKB's forms score, and why its other questions were not asked."""
    titles = ["form", "n", "by id", "by name", "all items counted"]
    rows = []
    for form in record["forms"]:
        figures = (form["by_id"], form["by_name"], form["unlimited"])
        rows.append((form["form"], form["n"], *(f"{f['mean']:.3f} ({f['low']:.2f}-{f['high']:.2f})" for f in figures)))
    print_table(titles, rows)
    say()
    for reason, number in record["not_covered"].items():
        say(f"- {number:,} not asked: {printable(reason)}")


def _show_times(latency: dict[str, dict[str, float]]) -> None:
    from clew.evaluate.report.words import PHASE_NAMES, seconds

    rows = []
    for phase, times in latency.items():
        bar = BARS.get(phase)
        verdict = "" if bar is None else f"≤ {seconds(bar)}, {'met' if times['median'] <= bar else 'missed'}"
        figures = (times[name] for name in ("median", "mean", "deviation", "p95"))
        rows.append((PHASE_NAMES[phase], *map(seconds, figures), verdict))
    print_table(["time", "median", "mean", "SD", "p95", "target median"], rows)


def _show_wrong(questions: Sequence[dict[str, Any]]) -> None:
    wrong = [each for each in questions if not each["score"]["result_match"]]
    if not wrong:
        return
    say()
    say(bold(f"Incorrect: {len(wrong):,} of {len(questions):,}"))
    for each in wrong[:SHOWN]:
        said = printable(each.get("note") or each["answer"])[:100]
        say(f"- {each['score']['id']}: {printable(each['question'])} → {said}")
    if len(wrong) > SHOWN:
        say(f"- and {len(wrong) - SHOWN:,} more: --out and --json list all")
