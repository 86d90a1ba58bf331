"""`graph.context` on HPO: the time of 40 questions about entities drawn at random, each asked for the first time.

The index of names is open and the vectors of signatures are kept (one question of each form is asked before); no
entity is asked about twice. Every context is checked before its time counts.
"""

import random
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import clew
from benchmarks.report import claim_table, environment
from clew.answer.context.tokens import estimate_tokens
from clew.evaluate.report.tables import markdown_table
from clew.progress import Progress, silent

__all__ = ["run", "show"]

FORMS = {
    "Disease": ("What are the symptoms of {}?", "How is {} inherited?"),
    "Phenotype": ("Which diseases show {}?", "Which genes are linked to {}?"),
}
BUDGETS = (300, 1500)
LIMIT = 100  # milliseconds


def run(*, quick: bool = False, progress: Progress = silent) -> dict[str, Any]:
    """Median and 95th percentile of the seconds of a question, for each budget."""
    with tempfile.TemporaryDirectory() as folder:
        graph = clew.build("hpo", out=Path(folder) / "hpo.clew")
        asked = _questions(graph, 10 if quick else 40)
        for budget in BUDGETS:
            for question in asked[: len(FORMS) * 2]:
                graph.context(question, budget=budget)
        rows = []
        for budget in BUDGETS:
            times = []
            for question in asked[len(FORMS) * 2 :]:
                begun = time.perf_counter()
                found = graph.context(question, budget=budget)
                times.append(1000 * (time.perf_counter() - begun))
                assert found.lines, f"nothing was found for {question!r}"
                assert estimate_tokens(found.text) <= budget, f"the budget was exceeded for {question!r}"
                assert all(line.sources for line in found.lines), f"a line without a source for {question!r}"
                progress(f"budget {budget}", len(times), len(asked))
            rows.append(
                {
                    "budget": budget,
                    "questions": len(times),
                    "median_ms": round(float(np.median(times)), 1),
                    "p95_ms": round(float(np.percentile(times, 95)), 1),
                    "ranking": found.ranking,
                }
            )
    slowest = max(row["median_ms"] for row in rows)
    claim = {"claim": "median ms of a context", "at_most": LIMIT, "measured": slowest, "holds": slowest <= LIMIT}
    return {"benchmark": "context", "quick": quick, **environment(), "rows": rows, "claims": [claim]}


def _questions(graph: clew.GraphEngine, count: int) -> list[str]:
    """Questions of every form in turn, about entities with at least five triples."""
    drawn = random.Random(7)
    degree, types = graph.degree(direction="both"), graph.types_of()
    made = []
    pools = {name: np.flatnonzero((types == graph.schema.type_number(name)) & (degree >= 5)).tolist() for name in FORMS}
    for at in range(count + len(FORMS) * 2):
        name = list(FORMS)[at % len(FORMS)]
        entity = pools[name].pop(drawn.randrange(len(pools[name])))
        form = FORMS[name][at // len(FORMS) % 2]
        made.append(form.format(graph.describe([entity])["name"][0].as_py()))
    return made


def show(report: dict[str, Any]) -> str:
    """The rows and the claim as tables."""
    names = ["budget", "questions", "median_ms", "p95_ms", "ranking"]
    return "\n\n".join(
        [
            markdown_table(names, [[str(row[name]) for name in names] for row in report["rows"]]),
            claim_table(report["claims"]),
        ]
    )
