"""Tables of diagnosis runs: rankings, two rounds, refinement and distances."""

from typing import Any

from clew.app.cli.terminal.output import print_table, say

__all__ = ["show_quality", "show_rankings", "show_rounds"]

SHOWN_TOPS = (None, 1, 3, 5, 10, 20, 30)


def show_rankings(report: dict[str, Any]) -> None:
    """The table of `clew eval diagnosis`."""
    table = [
        (
            row["row"],
            row["n"],
            _share(row["top_1"]),
            _share(row["top_10"]),
            row["mean_reciprocal_rank"],
            f"{row['median_rank']:,.0f}",
            row["milliseconds"],
        )
        for row in report["rows"]
    ]
    print_table(["row", "n", "top-1", "top-10", "MRR", "median rank", "ms"], table)
    hidden = report["settings"]["hidden"]
    seen = f"{hidden:.0%} of their rows hidden" if hidden else "all of their rows seen: a ceiling"
    say(f"{report['diagnoses']:,} diagnoses; patients are drawn from the profiles that are ranked, {seen}")


def show_rounds(report: dict[str, Any]) -> None:
    """The tables of `clew eval rounds`: by k and round, refinement, distances."""
    rows = [("predictions", "", *_measures(report["baseline"]), "")]
    for each in report["rounds"]:
        rows.append(("round 1", str(each["k"]), *_measures(each["round_1"]), ""))
        rows.append(("round 2", str(each["k"]), *_measures(each["round_2"]), f"{each['reached']:.1%}"))
    rows += [(f"ranker, top {each['top']}", "", *_measures(each), "") for each in report["ranker"]]
    print_table(["diagnoses", "k", "P", "R", "F1", "named", "right one among candidates"], rows)
    say()
    say("Round 1 refined: F1 by the least similarity and the number of most similar that stay")
    tops = [top for top in SHOWN_TOPS if any(each["top"] == top for each in report["grid"])]
    cells = {(each["k"], each["threshold"], each["top"]): f"{each['f1']:.1%}" for each in report["grid"]}
    thresholds = list(dict.fromkeys((k, threshold) for k, threshold, _ in cells))
    print_table(
        ["k", "similarity", *("all" if top is None else f"top {top}" for top in tops)],
        [
            (str(k), "any" if least is None else f"{least:g}", *(cells[k, least, top] for top in tops))
            for k, least in thresholds
        ],
    )
    say()
    say("Hops between a finding and the right diagnosis")
    hops = report["hops"]
    columns = list(hops["drawn"])
    print_table(["finding", *columns], [(name, *(f"{hops[name][each]:.1%}" for each in columns)) for name in hops])


def _measures(figures: dict[str, Any]) -> tuple[str, str, str, float]:
    return (
        f"{figures['precision']:.1%}",
        f"{figures['recall']:.1%}",
        f"{figures['f1']:.1%} ({figures['low']:.0%}-{figures['high']:.0%})",
        figures["named"],
    )


def _share(figure: dict[str, float]) -> str:
    return f"{figure['mean']:.1%} ({figure['low']:.0%}-{figure['high']:.0%})"


def show_quality(report: dict[str, Any]) -> None:
    """The table of `clew eval quality`; an attribute that the judge may not be believed on has no figure."""
    table = []
    for row in report["rows"]:
        known, holds = row["accuracy"], row["holds"]
        said = "cannot judge" if known is None else f"{known['mean']:.2f} ({known['low']:.2f}-{known['high']:.2f})"
        figure = "no figure" if holds is None else f"{holds['mean']:.1%} ({holds['low']:.0%}-{holds['high']:.0%})"
        table.append((row["attribute"], said, figure))
    print_table(["attribute", "balanced accuracy", "holds for"], table)
    say(
        f"judge: {report['judge']}; calibrated on {report['patients']:,} summaries and spoilt ones, then as many judged"
    )
