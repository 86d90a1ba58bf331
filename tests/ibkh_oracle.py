"""A slow and obvious reader of iBKH's files of links, as the paper names them: row by row with the csv module."""

import csv
import re
from collections import Counter
from pathlib import Path

__all__ = ["RELATION_OF", "Assertion", "read_slowly"]

Assertion = tuple[str, str, str, str]  # subject, relation, object, source
RELATION_OF = {
    "Di_Sy_res.csv": {"Present": "has_symptom"},
    "di_di_res.csv": {"is_a": "is_a", "Resemble": "resembles"},
    "D_Di_res.csv": {
        "Treats": "treats", "Palliates": "palliates", "Associate": "associated_with",
        "alleviates": "alleviates_reduces", "treatment/therapy": "treatment_therapy",
        "inhibits cell growth": "inhibits_cell_growth",
        "biomarkers": "has_biomarker", "prevents/suppresses": "prevents_suppresses",
        "role in disease pathogenesis": "role_in_pathogenesis",
    },
    "D_SE_res.csv": {None: "causes"},
    "D_D_res.csv": {"Interaction": "interacts_with", "Resemble": "resembles"},
    "D_Pwy_res.csv": {None: "associated_with"},
    "Di_Pwy_res.csv": {None: "associated_with"},
}  # fmt: skip
YES = ("1", "1.0", "true", "True", "yes")


def read_slowly(folder: Path) -> Counter[Assertion]:
    """All assertions, row by row with the csv module."""
    found: Counter[Assertion] = Counter()
    for name, relations in RELATION_OF.items():
        with open(folder / name, encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                subject, object_, *_ = row.values()
                sources = {part.strip() for part in re.split(r"[;|]", row.get("Source") or "")} - {""}
                for column, relation in relations.items():
                    if column is None or row[column] in YES:
                        found.update((subject, relation, object_, source) for source in sources or {"iBKH"})
    return found
