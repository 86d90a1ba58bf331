"""`clew diagnose`: findings or a note → ranked diagnoses with the statements for and against each."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from clew.app.assemble import Settings, assemble
from clew.app.cli.asking.ask import PATIENCE
from clew.app.cli.terminal.conversation import read_input
from clew.app.cli.terminal.options import (
    AsJson,
    FindingRelation,
    GraphPath,
    HierarchyRelation,
    NegatedRelation,
    check_limit,
)
from clew.app.cli.terminal.output import bold, print_json, print_table, printable, say
from clew.app.cli.terminal.progress import announced, terminal_progress
from clew.app.records import diagnoses_record
from clew.errors import InputError

if TYPE_CHECKING:
    from clew.answer.diagnosis.diagnose import Diagnoses, Diagnosis, FindingMatch
    from clew.answer.diagnosis.two_rounds import TwoRounds

__all__ = ["diagnose"]

MOST_SOURCES = 2  # named for each statement
MOST_GENES = 3


def diagnose(
    graph: GraphPath,
    findings: Annotated[
        list[str] | None,
        typer.Argument(metavar="FINDING...", help="Names or ids of findings.", show_default=False),
    ] = None,
    absent: Annotated[
        list[str] | None,
        typer.Option(
            "--absent", metavar="FINDING", help="Looked for and not seen; may be repeated.", show_default=False
        ),
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", metavar="NOTE", help="A note that mentions findings.", show_default=False)
    ] = None,
    file: Annotated[
        str | None, typer.Option(metavar="FILE", help="The note from a file; - reads stdin.", show_default=False)
    ] = None,
    relation: FindingRelation = None,
    negated: NegatedRelation = None,
    hierarchy: HierarchyRelation = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="MODEL",
            help="Also let a language model predict, in two rounds with the graph.",
            show_default=False,
        ),
    ] = None,
    k: Annotated[int, typer.Option("--k", metavar="K", help="Hops of the two rounds, from 1 to 5.")] = 2,
    details: Annotated[int, typer.Option(metavar="N", help="Diagnoses whose evidence is shown.")] = 3,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Maximum number of diagnoses.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Rank the diagnoses of a graph by findings, with the statements for and against each. Not medical advice.

    No language model takes part: a finding counts by its information content over the hierarchy of findings and by its
    frequency in the diagnosis; absent findings, and findings that a diagnosis is stated to lack, count against it. In a
    note, negated findings are absent, and those that are uncertain or about family members are not used.

    The relations are chosen from the schema, unless they are named. With --model, its predictions within k hops of a
    finding are kept, and it selects among the best candidates of the graph; each is shown with its path.

    \b
    Examples:
      clew diagnose hpo.clew Arachnodactyly "Ectopia lentis" "Aortic root aneurysm"
      clew diagnose hpo.clew HP:0001250 "Global developmental delay" --absent Microcephaly
      clew diagnose hpo.clew --text "Tall girl with arachnodactyly and ectopia lentis. No scoliosis." --json
      clew diagnose hpo.clew Arachnodactyly "Ectopia lentis" --model smollm2 --k 1
    """
    check_limit(limit)
    if not limit:
        raise InputError("--limit is a number of diagnoses, 1 or more, not 0")
    if text is not None and file is not None:
        raise InputError("give --text or --file, not both")
    note = text or "" if file is None else read_input(file)
    if not findings and not note.strip():
        raise InputError("nothing to diagnose: give findings, --text with a note, or --file")
    from clew.answer.diagnosis.diagnose import diagnose_with, predict_for
    from clew.answer.diagnosis.relations import choose_relations
    from clew.answer.diagnosis.two_rounds import RoundSettings

    with terminal_progress() as progress:
        prepared = announced(progress, f"preparing {graph} for diagnoses, once", after=PATIENCE)
        resources = assemble(Settings(graph, model=model), progress=prepared).resources
        relations = choose_relations(resources.engine.schema, finding=relation, negated=negated, hierarchy=hierarchy)
        found = diagnose_with(
            resources, findings or (), absent=absent or (), note=note, limit=limit, relations=relations
        )
        rounds = None if model is None else predict_for(resources, found, RoundSettings(k=k))
    if as_json:
        print_json(diagnoses_record(found, graph=graph, snapshot=resources.engine.snapshot.id, rounds=rounds))
        return
    _show(found, details=details)
    if rounds is not None:
        _show_rounds(rounds)
    say()
    say(found.note)
    print(f"clew: {found.total:,} diagnoses ranked in {found.seconds * 1000:.0f} ms", file=sys.stderr)


def _show(found: "Diagnoses", *, details: int) -> None:
    for is_present, title in ((True, "Findings"), (False, "Absent")):
        listed = [f"{each.name} ({each.id})" for each in found.findings if each.present == is_present]
        if listed:
            say(printable(f"{title}: {', '.join(listed)}"))
    for ignored in found.ignored:
        say(printable(f"Ignored: {ignored.text!r}: {ignored.reason}"))
    say()
    rows = [
        (at, each.id, each.name, each.score, _explained(each), _beside(each))
        for at, each in enumerate(found.items, start=1)
    ]
    titles = ["#", "id", "diagnosis", "score", "explained", "linked"]
    print_table(titles, rows, shrink=["diagnosis", "linked"])
    for at, each in enumerate(found.items[: max(0, details)], start=1):
        say()
        say(bold(printable(f"{at}. {each.name} ({each.id})")))
        evidence = [_row(match) for match in each.matches]
        print_table(["finding", "matched by", "how", "frequency", "weight", "sources"], evidence, shrink=["sources"])


def _show_rounds(rounds: "TwoRounds") -> None:
    say()
    say(bold("Two rounds with the model"))
    for each in rounds.fates:
        named = each.name if each.id is None else f"{each.name} ({each.id})"
        say(printable(f"{each.fate}: {named}: {each.reason}"))
        for step in each.path:
            say(printable(f"    {step}"))
    if not rounds.fates:
        say("the model named and selected no diagnosis")


def _explained(diagnosis: "Diagnosis") -> str:
    present = [each for each in diagnosis.matches if each.finding.present]
    matched = sum(each.kind in ("same", "more specific") for each in present)
    return f"{matched} of {len(present)}"


def _beside(diagnosis: "Diagnosis") -> str:
    names = list(dict.fromkeys(each.subject_name for each in diagnosis.beside))
    more = f", {len(names) - MOST_GENES} more" if len(names) > MOST_GENES else ""
    return ", ".join(names[:MOST_GENES]) + more


def _row(match: "FindingMatch") -> tuple[str, str, str, str, float, str]:
    how = match.kind
    if match.kind == "related" and match.ancestor is not None:
        how = f"related: both {match.ancestor.name}"
    return (
        match.finding.name,
        "" if match.term is None else match.term.name,
        how,
        "" if match.frequency is None else f"{match.frequency:.0%}",
        match.weight,
        _sources(match),
    )


def _sources(match: "FindingMatch") -> str:
    if match.statement is None:
        return ""
    stated = [each for one in match.statement.assertions for each in (*one.evidence, one.source or "")]
    named = list(dict.fromkeys(filter(None, stated)))
    more = f", {len(named) - MOST_SOURCES} more" if len(named) > MOST_SOURCES else ""
    return ", ".join(named[:MOST_SOURCES]) + more
