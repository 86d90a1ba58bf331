"""The folder that carries a trained model: weights in 8 bits, the seed graph by which heads are found, card, licences.

A model directory and the seed graph it was trained with go in; OUT/model and OUT/seed come out, each sealed, beside
README.md and LICENCES.md. A graph with statements that may not be redistributed is refused.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from clew.errors import InputError
from clew.extract.model.storage import NUMBERS, SavedModel, read_model, write_model
from clew.extract.packaging.licences import is_permissive
from clew.extract.packaging.locate import MODEL, SEED
from clew.extract.packaging.seed_tables import write_seed
from clew.extract.stage import seal_checksum
from clew.files import write_text
from clew.graph import GraphContents
from clew.graph.writers.blocks import assertion_blocks

__all__ = ["CARD", "LICENCES", "make_folder"]


CARD, LICENCES = "README.md", "LICENCES.md"


def make_folder(
    model: Path, graph: GraphContents, out: Path, *, numbers: str = "int8", card: Path | None = None
) -> dict[str, Any]:
    """Write the folder `out`; returns its counts and sizes.

    `numbers` is how weights are stored (int8, bfloat16 or float32); `card` is a README.md to be copied, by default one
    is written. Whatever else lies in `out` stays.
    """
    if numbers not in NUMBERS:
        raise InputError(f"weights are stored as {', '.join(NUMBERS)}, not {numbers!r}")
    saved = read_model(model)
    licences = _licences(graph, saved.relations)
    if refused := sorted(name for name, license_text in licences if not is_permissive(license_text)):
        raise InputError(f"{graph.snapshot} has statements of {', '.join(refused)}, which may not be redistributed")
    texts = [each for each in saved.training.get("licences") or () if ": " not in each]
    named = [*map(": ".join, licences), *(f"texts: {each}" for each in texts)]
    training: Mapping[str, Any] = {**saved.training, "licences": named}
    out.mkdir(parents=True, exist_ok=True)
    identity = {"model": out.name, "made_from": seal_checksum(model)}
    write_model(out / MODEL, replace(saved, training=training), identity=identity, kind=NUMBERS[numbers])
    counts = write_seed(graph, out / SEED, relations=saved.relations)
    write_text(out / CARD, card.read_text("utf-8") if card is not None else _card(out.name, saved, counts))
    write_text(out / LICENCES, _licence_page(out.name, named))
    size = {folder: sum(file.stat().st_size for file in (out / folder).iterdir()) for folder in (MODEL, SEED)}
    return {**counts, **{f"bytes of {folder}": size[folder] for folder in size}}


def _licences(graph: GraphContents, relations: Collection[str]) -> list[tuple[str, str]]:
    """The sources of the model's relations with their licences: a row's own, else that of its source."""
    kept = [each.name for each in graph.schema.relations if each.name in relations or each.inverse in relations]
    stated = pa.concat_tables(assertion_blocks(graph), promote_options="default")
    stated = stated.filter(pc.is_in(stated["relation"], pa.array(kept)))
    named = {each.name: each.license for each in graph.snapshot.sources}
    columns = [name for name in ("source", "license") if name in stated.column_names]
    found = set()
    for row in stated.group_by(columns).aggregate([]).to_pylist():
        source = row.get("source") or "unnamed source"
        found.add((source, row.get("license") or named.get(source) or "unknown"))
    return sorted(found)


def _card(name: str, saved: SavedModel, counts: Mapping[str, int]) -> str:
    config, training = saved.config, saved.training
    return (
        f"# {name}: a GraphMERT model for `clew extract`\n\n"
        f"```\nclew extract predict --model {name} --text abstract.txt\n```\n\n"
        f"{config.layers} layers, {config.width} wide, a vocabulary of {config.vocabulary:,}; trained for "
        f"{training.get('steps', 0):,} steps on {training.get('sequences', 0):,} sequences with "
        f"{training.get('leaves', 0):,} leaves. Its seed graph has {counts['entities']:,} entities and "
        f"{counts['triples']:,} triples.\n\n"
        f"Relations: {', '.join(saved.relations)}.\n\n"
        "How good it is has not been stated: measure it with `clew eval extraction` before relying on it. Sources and "
        f"licences: {LICENCES}.\n"
    )


def _licence_page(name: str, licences: Collection[str]) -> str:
    return f"# Sources of {name} and their licences\n\n" + "".join(f"- {each}\n" for each in licences)
