"""Tables of rows with a model from the journals of their runs, finished or not.

`python -m benchmarks.contexts.model_rows FOLDER --json FILE`: FOLDER has the files that `clew eval mcq` and `clew eval
paths` wrote with --out, or that `benchmarks.contexts.model_requests` read, named SET.ROW.jsonl; right answers come from
sample.tsv. Rows are compared on the questions that all rows of a table have answered, which is a stratified beginning
of the set. Reports of two rounds and of judged summaries in FOLDER are added, and how often each letter was the
likeliest.
"""

import argparse
import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from clew.answer.strategies.adaptive import STAGES
from clew.evaluate.paths.run import MEASURES
from clew.evaluate.statistics import bootstrap_mean, permutation_test

__all__ = ["compare_rows", "count_letters", "read_journals"]

REPORTS = {"rounds": ("baseline", "rounds", "ranker"), "quality": ("judge", "patients", "rows")}
RESPONSES = "responses.jsonl"  # of `benchmarks.contexts.batch`
BASELINE = "no-context"
READING = (BASELINE, *("prior-only", "rag", "rag-json", "rag-prior", "rag-json-prior", "vector-rag", "local"))
ADAPTIVE = (BASELINE, "adaptive", *(f"adaptive without {stage}" for stage in STAGES))
TOG, TOG_7 = "tog, model", "tog, model, 7 calls"
TABLES = {  # name → the set and the rows, the baseline first
    "hpo": ("hpo", READING),
    "hpo, adaptive": ("hpo", ADAPTIVE),
    "hetionet": ("hetionet", READING),
    "hetionet, adaptive": ("hetionet", ADAPTIVE),
    "biomixqa": ("biomixqa", READING),
    "biomixqa, adaptive": ("biomixqa", ADAPTIVE),
    "biomixqa, statements": ("statements", (BASELINE, "rag")),
    "fb15k237": ("paths", (TOG, "names, model", "single relations, model", "tog", "names", "single relations")),
    "fb15k237, equal calls": ("paths", (TOG_7, "names, model", "tog, 7 calls", "names")),
}
SAMPLED = {"statements": "biomixqa-statements", "paths": "fb15k237"}  # a set → its name in sample.tsv
Answers = dict[str, dict[str, dict[str, Any]]]  # row → question → what the journal says


def read_journals(folder: Path, set: str) -> Answers:
    """The answers of every row of a set."""
    found: Answers = {}
    for path in sorted(folder.glob(f"{set}.*.jsonl")):
        for line in path.read_text("utf-8").splitlines()[1:]:
            record = json.loads(line)
            found.setdefault(record["row"], {})[record["id"]] = record
    return found


def compare_rows(
    answers: Answers, sample: Sequence[Mapping[str, str]], *, baseline: str, measures: Sequence[str]
) -> dict[str, Any]:
    """Each row on its own questions and on those of all rows, there with the gain over the baseline."""
    gold = {each["id"]: each for each in sample}
    shared = [id for id in gold if all(id in own for own in answers.values())]
    rows = []
    for row, own in answers.items():
        asked = [id for id in gold if id in own]
        described: dict[str, Any] = {"row": row, "n": len(asked)}
        for measure in measures:
            alone, first, second = (
                [_value(source[id], gold[id], measure) for id in ids]
                for source, ids in ((own, asked), (answers[baseline], shared), (own, shared))
            )
            described[measure] = {
                "own": _rounded(bootstrap_mean(alone)),
                "shared": _rounded(bootstrap_mean(second)),
                "gain": _rounded(bootstrap_mean([b - a for a, b in zip(first, second, strict=True)])),
                "p": round(permutation_test(first, second).p, 4),
            }
        if measures == ("right",):
            described["abstained"] = round(sum(own[id]["option"] is None for id in shared) / len(shared), 4)
        for cost in ("calls", "tokens", "seconds"):
            described[cost] = round(sum(own[id][cost] for id in shared) / len(shared), 2)
        rows.append(described)
    kinds = Counter(gold[id]["kind"] if gold[id]["gold"] else "no right option" for id in shared)
    return {"baseline": baseline, "shared": len(shared), "kinds": dict(kinds), "rows": rows}


def count_letters(responses: Path) -> dict[str, dict[str, int]]:
    """Number of continuations → how often each was the likeliest, "A" for the first."""
    counts: dict[str, Counter[str]] = {}
    for line in responses.read_text("utf-8").splitlines():
        if scores := json.loads(line)["scores"]:
            counts.setdefault(str(len(scores)), Counter())[ascii_uppercase[scores.index(max(scores))]] += 1
    return {n: dict(sorted(each.items())) for n, each in sorted(counts.items())}


def _value(record: Mapping[str, Any], question: Mapping[str, str], measure: str) -> float:
    return float((record["option"] or "") == question["gold"] if measure == "right" else record[measure])


def _rounded(interval: Any) -> list[float]:
    return [round(value, 4) for value in (interval.mean, interval.low, interval.high)]


def main() -> None:
    """Print the tables, and write them as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with Path(__file__).with_name("sample.tsv").open(encoding="utf-8", newline="") as file:
        listed = list(csv.DictReader(file, delimiter="\t"))
    tables: dict[str, Any] = {}
    for name, (set, rows) in TABLES.items():
        known = read_journals(given.folder, set)
        answers = {row: known[row] for row in rows if row in known}
        sample = [each for each in listed if each["set"] == SAMPLED.get(set, set)]
        measures = MEASURES if set == "paths" else ("right",)
        tables[name] = table = compare_rows(answers, sample, baseline=rows[0], measures=measures)
        print(f"\n{name}: {table['shared']} questions of all rows, {table['kinds']}")
        for row in table["rows"]:
            print(row["row"], row["n"], {measure: row[measure] for measure in measures}, row["calls"], row["tokens"])
    for name, keys in REPORTS.items():
        if (path := given.folder / f"{name}.json").exists():
            report = json.loads(path.read_text("utf-8"))
            tables[name] = {key: report[key] for key in keys}
    if (path := given.folder / RESPONSES).exists():
        tables["likeliest"] = count_letters(path)
        print(f"\nlikeliest letters by number of letters: {tables['likeliest']}")
    if given.json is not None:
        given.json.write_text(json.dumps(tables, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
