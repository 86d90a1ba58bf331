"""Training data for models that diagnose: findings, and the diagnoses that the graph has at or within k hops, as chats.

One JSON object a line: {"messages": [system, user, assistant]}; the assistant's turn is the right diagnosis.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clew.answer import Resources
from clew.answer.diagnosis.connections import Reach, offer, reach_of
from clew.answer.diagnosis.diagnose import ranker_of
from clew.answer.diagnosis.ranking import Ranker
from clew.answer.diagnosis.relations import ProfileRelations
from clew.errors import InputError
from clew.evaluate.diagnosis.patients import Patient, PatientSettings, simulate_patients
from clew.evaluate.diagnosis.rounds import case_of
from clew.files import write_text
from clew.plurals import counted
from clew.progress import Progress, silent

__all__ = ["MODES", "write_training"]

MODES = ("at", "within")
SYSTEM = (
    "You name the diagnosis that explains a patient's findings best. Use the diagnoses that a knowledge graph suggests."
)


def write_training(
    resources: Resources,
    relations: ProfileRelations,
    out: Path,
    *,
    count: int,
    seed: int,
    k: int,
    mode: str,
    most: int = 20,
    settings: PatientSettings | None = None,
    progress: Progress = silent,
) -> int:
    """Write one chat for each simulated patient; returns for how many of them the right diagnosis is suggested."""
    if mode not in MODES:
        raise InputError(f"mode= is at (exactly k hops away) or within (up to k hops), not {mode!r}")
    if most < 1:
        raise InputError(f"most= is a number of diagnoses, 1 or more, not {most}")
    ranker = ranker_of(resources, relations)
    patients = simulate_patients(ranker.profiles, count=count, seed=seed, settings=settings)
    lines, suggested = [], 0
    for done, (record, found) in enumerate(_chats(resources, ranker, patients, k, mode, most), start=1):
        lines.append(json.dumps(record, ensure_ascii=False))
        suggested += found
        progress("writing chats", done, count)
    write_text(out, "\n".join(lines) + "\n")
    return suggested


def _chats(
    resources: Resources, ranker: Ranker, patients: list[Patient], k: int, mode: str, most: int
) -> Iterator[tuple[dict[str, Any], bool]]:
    profiles, engine = ranker.profiles, resources.engine
    for patient in patients:
        names = engine.describe(profiles.terms[[*patient.present, *patient.absent]])["name"]
        case = case_of(patient, profiles, names)
        reach = reach_of(engine, [entity for entity, _ in case.present], k=k)
        if mode == "at":
            chosen = reach.distance == k
            reach = Reach(reach.entities[chosen], reach.distance[chosen], k)
        gold = int(profiles.diagnoses[patient.gold])
        near = offer(reach, ranker, ranker.score(patient.present, patient.absent), k, most=most)
        described = engine.describe([gold, *near])["name"].to_pylist()
        where = f"{'At' if mode == 'at' else 'Within'} {counted(k, 'hop')} in the knowledge graph"
        listed = "; ".join(dict.fromkeys(described[1:])) or "none"
        yield (
            {
                "messages": [
                    {"role": "system", "content": SYSTEM},
                    {"role": "user", "content": f"{case.text}\n{where}: {listed}."},
                    {"role": "assistant", "content": described[0]},
                ]
            },
            gold in near,
        )
