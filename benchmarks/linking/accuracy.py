"""How well and how fast names are linked: BC5CDR over MeSH, BiomixQA over the Disease Ontology, misspelt HPO names.

A mention is right if the best candidate's id is a gold id (any one of them, where a mention has several); an id that
the graph lacks is a miss. A sentence of BiomixQA is right if its disease is among what is found in it; precision counts
all that is found, and some sentences name a second disease. Settings were chosen on BC5CDR train; what is shown is dev.
Intervals are 95 % bootstrap intervals over documents. Embedding is tried where its model is on this machine, over names
of diseases only.

clew bench linking --quick --json linking.json
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from platformdirs import user_cache_path

import clew
from benchmarks.graphs.mesh import mesh_graph
from benchmarks.linking.corpora import DATA, Gold, disease_ontology, read_bc5cdr, read_biomixqa
from benchmarks.linking.trials import timing_rows, typo_rows
from benchmarks.report import claim_table, environment
from clew.errors import ClewError, MissingModel
from clew.evaluate.report.tables import markdown_table
from clew.evaluate.statistics import bootstrap_sums
from clew.graph import read_entities
from clew.link import STAGES as STAGE_ORDER
from clew.link import Candidate, Linker, build_vectors, open_or_build
from clew.link.abbreviations import find_abbreviations
from clew.progress import Progress, silent

__all__ = ["run", "show"]

SEED = 3
Answer = Callable[[Gold], list[Candidate]]
STAGES = ("exact name", "synonym", "normalised", "fuzzy", "embedding")
TYPOS = 1000
RESAMPLES = 1000
TOP_1, LINK_MS, DETECT_MB = 0.95, 2.0, 1.0


def run(*, quick: bool = False, progress: Progress = silent) -> dict[str, Any]:
    """Measure everything; `quick` takes a fifth of the documents."""
    if not DATA.is_dir():
        raise ClewError(f"the data sets are not at {DATA}: this benchmark reads them in place")
    encoder = _encoder()
    folder = user_cache_path("clew") / "benchmarks"
    rows: list[dict[str, Any]] = []
    mesh = _opened(mesh_graph(progress=progress), encoder, progress, types=["Disease"])
    gold = read_bc5cdr(DATA / "bc5cdr" / "cdr_dev.pubtator.gz")
    rows += _corpus_rows("BC5CDR dev", mesh, _part(gold, quick), encoder, progress)
    ontology = _opened(disease_ontology(folder / "doid.clew"), encoder, progress)
    rows += _corpus_rows("BiomixQA", ontology, read_biomixqa(DATA / "biomixqa", ontology.engine), encoder, progress)
    hpo_path = folder / "hpo.clew"
    if not (hpo_path / "CURRENT").is_file():
        clew.build("hpo", out=hpo_path, overwrite=True)
    hpo = Linker(clew.open(hpo_path), progress=progress)
    typos = typo_rows(hpo, count=TYPOS // 5 if quick else TYPOS, progress=progress)
    timings = timing_rows(hpo, repeats=3 if quick else 7, progress=progress)
    link_ms = next(row["ms"] for row in timings if row["what"] == "mix")
    detect_mb = next(row["cpu_mb_s"] for row in timings if "mb_s" in row)
    claims = [
        _claim("misspelt HPO names, top-1", typos[0]["top_1"], at_least=TOP_1),
        _claim("median link time on HPO, ms", link_ms, at_most=LINK_MS),
        _claim("detection on HPO, MB a second of one processor", detect_mb, at_least=DETECT_MB),
    ]
    return {
        "benchmark": "linking",
        **environment(),
        "quick": quick,
        "encoder": None if encoder is None else encoder.identity,
        "rows": rows,
        "typos": typos,
        "timings": timings,
        "claims": claims,
    }


def show(report: Mapping[str, Any]) -> str:
    """The figures as Markdown tables."""
    parts = []
    for corpus in dict.fromkeys(row["corpus"] for row in report["rows"]):
        rows = [row for row in report["rows"] if row["corpus"] == corpus]
        parts.append(f"### {corpus}: {rows[0]['mentions']:,} mentions, {rows[0]['covered']:.1%} of them in the graph")
        header = ["up to stage", "abbreviations", "type", "precision", "recall", "right of decided at this stage"]
        parts.append(markdown_table(header, map(_corpus_cells, rows)))
    header = ["edit", "names", "top-1", "accepted and right", "another real name"]
    parts += ["### one edit in an HPO name", markdown_table(header, map(_typo_cells, report["typos"]))]
    parts += ["### time", "\n".join(f"- {row['what']}: {_speed(row)}" for row in report["timings"])]
    parts.append(claim_table(report["claims"]))
    return "\n\n".join(parts)


def _corpus_cells(row: Mapping[str, Any]) -> list[str]:
    alone = f"{row['alone']['right']:,} of {row['alone']['answered']:,}"
    expanded = "expanded" if row["abbreviations"] else "as they are"
    return [row["stage"], expanded, row["type"], _interval(row["precision"]), _interval(row["recall"]), alone]


def _typo_cells(row: Mapping[str, Any]) -> list[str]:
    shares = (f"{row[name]:.1%}" for name in ("top_1", "accepted"))
    return [row["edit"], f"{row['names']:,}", *shares, str(row["collisions"])]


def _speed(row: Mapping[str, Any]) -> str:
    if "ms" in row:
        return f"{row['ms']:.3f} ms" + (f" ({row['cpu_ms']:.3f} ms of processor time)" if "cpu_ms" in row else "")
    return f"{row['mb_s']:.2f} MB a second ({row['cpu_mb_s']:.2f} MB a second of processor time)"


# precision and recall ---------------------------------------------------------------------------------------------


def _corpus_rows(
    corpus: str, linker: Linker, gold: Sequence[Gold], encoder: Any, progress: Progress
) -> list[dict[str, Any]]:
    ids = set(read_entities(linker.engine, ("id",))["id"].to_pylist())
    covered = sum(bool(each.ids & ids) for each in gold) / len(gold)
    stages = STAGES if encoder is not None else STAGES[:-1]
    sentences = all(each.type is None for each in gold)
    ways = [(stage, False, True) for stage in stages]
    ways += [] if sentences else [*((stage, True, True) for stage in stages), (stages[-1], True, False)]
    rows = []
    for at, (stage, expand, typed) in enumerate(ways):
        progress(f"linking {corpus}", at, len(ways))
        answer = _answer_sentence(linker, stage) if sentences else _answer_mention(linker, stage, expand, typed)
        row = {"corpus": corpus, "mentions": len(gold), "covered": covered, "stage": stage, "abbreviations": expand}
        row["type"] = "" if sentences else "asked for" if typed else "not said"
        rows.append({**row, **_score(gold, answer, stage)})
    return rows


def _answer_mention(linker: Linker, stage: str, expand: bool, typed: bool) -> Answer:
    known: dict[tuple[str, str | None, str | None], list[Candidate]] = {}

    def answer(gold: Gold) -> list[Candidate]:
        long_form = _long_forms(gold.text).get(gold.mention) if expand else None
        asked = (gold.mention, gold.type if typed else None, long_form)
        if asked not in known:
            best = linker.link(asked[0], type=asked[1], long_form=long_form, last_stage=stage).best
            known[asked] = [] if best is None else [best]
        return known[asked]

    return answer


def _answer_sentence(linker: Linker, stage: str) -> Answer:
    """Every entity that a sentence mentions; where it mentions none, what the whole sentence is linked to."""

    def answer(gold: Gold) -> list[Candidate]:
        bests = {best.id: best for mention in linker.detect(gold.mention, marks=False) if (best := mention.linked.best)}
        found = [best for best in bests.values() if STAGE_ORDER.index(best.stage) <= STAGE_ORDER.index(stage)]
        if not found and (best := linker.link(gold.mention, last_stage=stage).best):
            found = [best]
        return found

    return answer


@lru_cache(maxsize=8)
def _long_forms(text: str) -> dict[str, str]:
    return {each.short: each.long for each in find_abbreviations(text)}


def _score(gold: Sequence[Gold], answer: Answer, stage: str) -> dict[str, Any]:
    documents = {name: at for at, name in enumerate(dict.fromkeys(each.document for each in gold))}
    counts = np.zeros((len(documents), 3))  # mentions, answers, right
    alone = {"answered": 0, "right": 0}
    for each in gold:
        answers = answer(each)
        right = [best for best in answers if best.id in each.ids]
        counts[documents[each.document]] += (1, len(answers), bool(right))
        alone["answered"] += sum(best.stage == stage for best in answers)
        alone["right"] += any(best.stage == stage for best in right)
    _, answered, right = counts.sum(axis=0)
    precision, recall = bootstrap_sums(counts, _shares, seed=SEED, resamples=RESAMPLES)
    return {
        "alone": alone,
        "answered": int(answered),
        "right": int(right),
        "precision": [round(each, 4) for each in (precision.mean, precision.low, precision.high)],
        "recall": [round(each, 4) for each in (recall.mean, recall.low, recall.high)],
    }


def _shares(sums: np.ndarray) -> np.ndarray:
    """Precision and recall of sums of mentions, answers and right answers."""
    return np.column_stack([sums[:, 2] / np.maximum(sums[:, 1], 1), sums[:, 2] / sums[:, 0]])


# shared -----------------------------------------------------------------------------------------------------------


def _encoder() -> Any:
    """The default encoder, or None where its model is not on this machine."""
    from clew.embed import open_encoder

    try:
        return open_encoder()
    except MissingModel:
        return None


def _opened(path: Path, encoder: Any, progress: Progress, *, types: Iterable[str] | None = None) -> Linker:
    graph = clew.open(path)
    open_or_build(graph, progress=progress)
    if encoder is not None:
        build_vectors(graph, encoder, types=types, progress=progress)
    return Linker(graph, encoder=encoder)


def _part(gold: Sequence[Gold], quick: bool) -> list[Gold]:
    """All, or the documents of every fifth."""
    documents = {name: at for at, name in enumerate(dict.fromkeys(each.document for each in gold))}
    return [each for each in gold if not quick or documents[each.document] % 5 == 0]


def _claim(
    claim: str, measured: float, *, at_least: float | None = None, at_most: float | None = None
) -> dict[str, Any]:
    if at_least is not None:
        return {"claim": claim, "at_least": at_least, "measured": round(measured, 4), "holds": measured >= at_least}
    assert at_most is not None
    return {"claim": claim, "at_most": at_most, "measured": round(measured, 4), "holds": measured <= at_most}


def _interval(values: Sequence[float]) -> str:
    value, low, high = values
    return f"{value:.1%} [{low:.1%}, {high:.1%}]"
