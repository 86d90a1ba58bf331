"""`clew eval diagnosis`, `rounds`, `quality` and `patients`: simulated patients, ranked, predicted and judged."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clew.app.assemble import open_graph
from clew.app.cli.evaluation.diagnosis_tables import show_quality, show_rankings, show_rounds
from clew.app.cli.evaluation.options import Model, RunJournal, Seed
from clew.app.cli.terminal.options import AsJson, FindingRelation, GraphPath, HierarchyRelation, NegatedRelation
from clew.app.cli.terminal.output import print_json, say
from clew.app.cli.terminal.progress import terminal_progress
from clew.errors import InputError

if TYPE_CHECKING:
    from clew.answer import Resources
    from clew.answer.diagnosis.relations import ProfileRelations

__all__ = ["diagnosis", "patients", "quality", "rounds"]

Count = Annotated[int, typer.Option("--count", metavar="N", help="Number of patients.")]
Findings = Annotated[int, typer.Option(metavar="N", help="Findings drawn from the profile of the diagnosis.")]
Noise = Annotated[int, typer.Option(metavar="N", help="Random findings added.")]
Imprecision = Annotated[float, typer.Option(metavar="X", help="Share of findings given as a parent in the hierarchy.")]
Absent = Annotated[int, typer.Option(metavar="N", help="Findings recorded as absent.")]


def diagnosis(
    graph: GraphPath,
    count: Count = 500,
    seed: Seed = 0,
    findings: Findings = 5,
    noise: Noise = 2,
    imprecision: Imprecision = 0.3,
    relation: FindingRelation = None,
    negated: NegatedRelation = None,
    hierarchy: HierarchyRelation = None,
    absent: Absent = 0,
    hidden: Annotated[float, typer.Option(metavar="X", help="Share of profile rows that no ranking may see.")] = 0.0,
    rows: Annotated[
        str | None, typer.Option(metavar="ROW,ROW", help="Rows to rank by (default: all).", show_default=False)
    ] = None,
    out: RunJournal = None,
    as_json: AsJson = False,
) -> None:
    """Simulate patients from the profiles of a graph and rank all diagnoses by their findings.

    Findings are drawn from the profile of a random diagnosis, frequent ones more often; each becomes a parent in the
    hierarchy with the given probability, and random ones are added. Rows: ranker (`clew diagnose`), random, overlap
    (findings in common), cosine (TF-IDF), best-match (mean of the best Lin similarities).

    \b
    Examples:
      clew eval diagnosis hpo.clew
      clew eval diagnosis hpo.clew --hidden 0.1 --rows ranker,cosine --out run.jsonl
      clew eval diagnosis hpo.clew --count 50 --findings 3 --absent 2 --json
    """
    from clew.evaluate.diagnosis.patients import PatientSettings
    from clew.evaluate.diagnosis.rows import ROWS
    from clew.evaluate.diagnosis.run import run_rankings

    listed = ROWS if rows is None else [each.strip() for each in rows.split(",") if each.strip()]
    settings = PatientSettings(findings=findings, noise=noise, imprecision=imprecision, absent=absent)
    with _opened(graph, relation, negated, hierarchy) as (resources, chosen), terminal_progress() as progress:
        report = run_rankings(
            resources,
            chosen,
            count=count,
            seed=seed,
            settings=settings,
            hidden=hidden,
            rows=list(listed),
            out=out,
            progress=progress,
        )
    if as_json:
        print_json({"graph": graph, **report})
    else:
        show_rankings(report)


def rounds(
    graph: GraphPath,
    count: Count = 200,
    seed: Seed = 0,
    k: Annotated[str, typer.Option("--k", metavar="K,K", help="Hops, from 1 to 5.")] = "1,2,3,4,5",
    candidates: Annotated[int, typer.Option(metavar="N", help="Candidates of Round 2.")] = 20,
    precision: Annotated[float, typer.Option(metavar="X", help="Of the simulated predictor.")] = 0.3,
    recall: Annotated[float, typer.Option(metavar="X", help="Of the simulated predictor.")] = 0.5,
    plausible: Annotated[
        float, typer.Option(metavar="X", help="Share of its wrong diagnoses that share a finding with the patient.")
    ] = 0.5,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="MODEL",
            help="A language model predicts instead: a name, a .gguf file or a URL.",
            show_default=False,
        ),
    ] = None,
    findings: Findings = 5,
    noise: Noise = 2,
    imprecision: Imprecision = 0.3,
    relation: FindingRelation = None,
    negated: NegatedRelation = None,
    hierarchy: HierarchyRelation = None,
    plot: Annotated[
        str | None, typer.Option(metavar="FILE.svg", help="Draw the distances to the diagnosis.", show_default=False)
    ] = None,
    out: RunJournal = None,
    as_json: AsJson = False,
) -> None:
    """Evaluate the two rounds of a predictor and the graph on simulated patients.

    Round 1 keeps predicted diagnoses within k hops of a finding; Round 2 adds what the predictor selects among the best
    candidates of the graph within k hops. Precision, recall and F1 by k and round, Round 1 refined by similarity, and
    how far findings are from the right diagnosis. The predictor is simulated with stated rates, or a language model.

    \b
    Examples:
      clew eval rounds hpo.clew
      clew eval rounds hpo.clew --precision 0.1 --recall 0.6 --plot hops.svg --out run.jsonl
      clew eval rounds hpo.clew --model smollm2 --count 10 --k 1,2 --out model.jsonl
    """
    from clew.evaluate.diagnosis.patients import PatientSettings
    from clew.evaluate.diagnosis.rounds import RoundsRun, run_rounds
    from clew.evaluate.diagnosis.simulated import PredictorSettings

    if plot is not None and not plot.endswith(".svg"):
        raise InputError(f"--plot takes a file that ends in .svg, not {plot!r}")
    run = RoundsRun(
        count,
        seed,
        _numbers(k),
        candidates,
        PredictorSettings(precision, recall, plausible, seed),
        PatientSettings(findings, noise, imprecision),
    )
    with _opened(graph, relation, negated, hierarchy, model) as (resources, chosen), terminal_progress() as progress:
        report = run_rounds(resources, chosen, run, out=out, progress=progress)
    if plot is not None:
        from clew.evaluate.report.plots import draw_shares
        from clew.files import write_text

        write_text(Path(plot), draw_shares("Hops from a finding to the right diagnosis", report["hops"]))
    if as_json:
        print_json({"graph": graph, **report})
    else:
        show_rounds(report)


def patients(
    graph: GraphPath,
    out: Annotated[str, typer.Option("--out", "-o", metavar="FILE.jsonl", help="Where to write.", show_default=False)],
    count: Count = 500,
    seed: Seed = 1,
    k: Annotated[int, typer.Option("--k", metavar="K", help="Hops, from 1 to 5.")] = 1,
    mode: Annotated[str, typer.Option(metavar="MODE", help="at: exactly k hops away; within: up to k hops.")] = "at",
    most: Annotated[int, typer.Option(metavar="N", help="Diagnoses of the graph in each chat, the best.")] = 20,
    findings: Findings = 5,
    noise: Noise = 2,
    imprecision: Imprecision = 0.3,
    relation: FindingRelation = None,
    negated: NegatedRelation = None,
    hierarchy: HierarchyRelation = None,
    as_json: AsJson = False,
) -> None:
    """Write simulated patients as chats for training a model that diagnoses.

    A chat has the findings, the best diagnoses of the graph at or within k hops, and the right one as the answer.
    Use another seed than that of an evaluation.

    \b
    Examples:
      clew eval patients hpo.clew --out train.jsonl --count 2000
      clew eval patients hpo.clew --out train.jsonl --k 2 --mode within --most 30
    """
    from clew.evaluate.diagnosis.patients import PatientSettings
    from clew.evaluate.diagnosis.training import write_training

    settings = PatientSettings(findings, noise, imprecision)
    with _opened(graph, relation, negated, hierarchy) as (resources, chosen), terminal_progress() as progress:
        suggested = write_training(
            resources,
            chosen,
            Path(out),
            count=count,
            seed=seed,
            k=k,
            mode=mode,
            most=most,
            settings=settings,
            progress=progress,
        )
    if as_json:
        print_json({"graph": graph, "out": out, "chats": count, "suggested": suggested})
    else:
        say(f"{count:,} chats in {out}; the right diagnosis is among those of the graph in {suggested / count:.1%}")


def quality(
    graph: GraphPath,
    count: Annotated[int, typer.Option("--count", metavar="N", help="Summaries to calibrate on, and to judge.")] = 50,
    seed: Seed = 0,
    model: Model = None,
    findings: Findings = 5,
    noise: Noise = 2,
    imprecision: Imprecision = 0.3,
    relation: FindingRelation = None,
    negated: NegatedRelation = None,
    hierarchy: HierarchyRelation = None,
    out: RunJournal = None,
    as_json: AsJson = False,
) -> None:
    """Judge summaries of diagnoses by the nine attributes of PDSQI-9, with a judge that is calibrated first.

    The judge sees summaries of simulated patients and the same with one attribute spoilt. Where its balanced accuracy
    is below 0.70 on those that its threshold was not set on, the attribute has no figure. Without --model rules judge
    what can be counted; they know how summaries are spoilt, and show that the measurement works, not more.

    \b
    Examples:
      clew eval quality hpo.clew
      clew eval quality hpo.clew --model smollm2 --count 10 --out run.jsonl
    """
    from clew.evaluate.diagnosis.patients import PatientSettings
    from clew.evaluate.diagnosis.quality import ModelQualityJudge, QualityJudge, RuleJudge, evaluate_quality

    settings = PatientSettings(findings, noise, imprecision)
    with _opened(graph, relation, negated, hierarchy, model) as (resources, chosen), terminal_progress() as progress:
        judge: QualityJudge = RuleJudge() if resources.model is None else ModelQualityJudge(resources.model)
        report = evaluate_quality(
            resources, chosen, judge, count=count, seed=seed, settings=settings, out=out, progress=progress
        )
    if as_json:
        print_json({"graph": graph, **report})
    else:
        show_quality(report)


@contextmanager
def _opened(
    graph: str, finding: str | None, negated: str | None, hierarchy: str | None, model: str | None = None
) -> "Iterator[tuple[Resources, ProfileRelations]]":
    """A graph with the relations that describe its diagnoses."""
    from clew.answer import Resources
    from clew.answer.diagnosis.relations import choose_relations

    with Resources(open_graph(graph), encoder=None, model=model) as resources:
        schema = resources.engine.schema
        yield resources, choose_relations(schema, finding=finding, negated=negated, hierarchy=hierarchy)


def _numbers(listed: str) -> tuple[int, ...]:
    try:
        return tuple(dict.fromkeys(int(each) for each in listed.split(",")))
    except ValueError:
        raise InputError(f"--k takes numbers of hops such as 1,2,3, not {listed!r}") from None
