"""`clew eval trust`: your own questions asked once each, and how far the answers can be trusted."""

import sys
from contextlib import ExitStack
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import sha256
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.app.assemble import Settings, assemble
from clew.app.cli.asking.ask import mention_missing_encoder
from clew.app.cli.terminal.output import bold, print_json, print_table, printable, say
from clew.app.cli.terminal.progress import terminal_progress
from clew.errors import InputError
from clew.progress import Progress, track

if TYPE_CHECKING:
    from clew.answer import Answer, Asker
    from clew.evaluate.trust import Outcome, TrustQuestion

__all__ = ["evaluate_trust"]


def evaluate_trust(
    path: Path,
    graphs: list[str],
    *,
    data: Path,
    model: str | None,
    compose: bool | None,
    strategy: str,
    timeout: float | None,
    out: Path | None,
    list_wrong: bool,
    as_json: bool,
) -> None:
    """Ask every question of a file, show the shares with their intervals, and keep each answer in `out`.

    Until all are asked, answers are kept beside `out`: a run that was stopped is resumed from there.
    """
    from clew.answer import Question
    from clew.evaluate.journal import Journal
    from clew.evaluate.revision import revision
    from clew.evaluate.trust import Outcome, ask_each, load_questions

    questions = load_questions(path)
    used = {"strategy": strategy, "model": model and Path(model).name, "compose": compose}
    with terminal_progress() as progress, ExitStack() as stack:
        places = _places(graphs, {each.graph for each in questions}, data, progress)
        askers: dict[str, Asker] = {}
        for place in dict.fromkeys(places.values()):
            settings = Settings(place, model=model, compose=compose, strategy=strategy, phrase=False)
            opened = next((each.resources.model for each in askers.values()), None)  # one model for all graphs
            askers[place] = assemble(settings, model=opened, progress=progress)
            stack.callback(askers[place].close)
        for asker in askers.values():
            asker.check()
            mention_missing_encoder(asker)

        def ask(question: "TrustQuestion") -> "Answer":
            return askers[places[question.graph]].ask(Question(question.question, timeout=timeout))

        part = out and out.with_name(f"{out.name}.part")
        described = {
            "questions": sha256(path.read_bytes()).hexdigest(),
            "graphs": places,
            "timeout": timeout,
            "commit": revision(),
            **used,
        }
        journal = Journal(part, described, what="questions with gold")
        if journal.records:
            before = f"{len(journal.records)} of {len(questions)} questions were asked before"
            print(f"clew: {before} ({part}): going on with the rest", file=sys.stderr)
        rest = track(questions[len(journal.records) :], "asking", progress, total=len(questions) - len(journal.records))
        for outcome in ask_each(rest, ask):
            journal.append(asdict(outcome))
    outcomes = [Outcome(**each) for each in journal.records]
    record = _record(path, places, outcomes) | used
    if out is not None and part is not None:
        from clew.files import write_text

        write_text(out, dumps(record, indent=1, ensure_ascii=False) + "\n")
        part.unlink()
    if as_json:
        print_json(record)
        return
    _show(record)
    if list_wrong:
        _show_wrong(outcomes)


def _places(graphs: list[str], wanted: set[str], data: Path, progress: Progress) -> dict[str, str]:
    """The graph directory of each name that the questions use: given for it, given without a name, or its own."""
    from clew.app.cli.evaluation.graphs import named_graph

    parts = (graph.partition("=") for graph in graphs)
    given = dict((name, place) if equals else ("", name) for name, equals, place in parts)
    if "" in wanted and "" not in given:
        raise InputError("some questions name no graph: say which one answers them with --graph PATH")
    places = {}
    for name in sorted(wanted):
        place = given.get(name, given.get(""))
        places[name] = place if place is not None else named_graph(name, data, progress).snapshot.name
    return places


def _record(path: Path, places: dict[str, str], outcomes: "list[Outcome]") -> dict[str, Any]:
    from clew.evaluate.revision import revision
    from clew.evaluate.trust import shares

    return {
        "questions": path.name,
        "graphs": {name: Path(place).name for name, place in places.items()},
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": revision(),
        "n": len(outcomes),
        "shares": [asdict(each) for each in shares(outcomes)],
        "outcomes": [asdict(each) for each in outcomes],
    }


def _show(record: dict[str, Any]) -> None:
    rows = [
        (each["name"], f"{each['count']} of {each['of']}", _per_cent(each), f"{each['low']:.0%}-{each['high']:.0%}")
        for each in record["shares"]
    ]
    print_table(["", "count", "share", "95 % interval"], rows)
    seconds = sorted(each["seconds"] for each in record["outcomes"])
    say()
    median, most = seconds[len(seconds) // 2], seconds[-1]
    say(f"{record['n']} questions; {1000 * median:.0f} ms median, {1000 * most:.0f} ms at most")


def _per_cent(share: dict[str, Any]) -> str:
    return f"{share['count'] / share['of']:.1%}" if share["of"] else "–"


def _show_wrong(outcomes: "list[Outcome]") -> None:
    wrong = [each for each in outcomes if not each.right]
    say()
    say(bold(f"Not right: {len(wrong):,} of {len(outcomes):,}"))
    for each in wrong:
        say(f"- {each.id} ({each.certainty}): {printable(each.question)} → {printable(each.answer)[:120]}")
