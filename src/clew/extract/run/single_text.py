"""Triples from one text, with a trained model: the same stages as in a run, in a temporary directory."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from clew.embed import Encoder
from clew.errors import InputError
from clew.extract.corpus import Input, prepare_corpus
from clew.extract.filter.triples import prepare_triples, read_triples
from clew.extract.mentions.heads import prepare_heads
from clew.extract.predict.predictions import prepare_predictions
from clew.extract.predict.queries import prepare_queries
from clew.extract.predict.tails import prepare_tails
from clew.extract.run.pipeline import check_torch, model_name
from clew.extract.run.settings import RunSettings
from clew.extract.sequences.packing import SequenceSettings, prepare_sequences
from clew.lm import LanguageModel
from clew.progress import Progress, silent
from clew.traverse import GraphEngine

__all__ = ["extract_from_text"]

LICENCE = "unknown"


def extract_from_text(
    text: str,
    model: Path,
    graph: GraphEngine,
    *,
    settings: RunSettings,
    encoder: Encoder | None = None,
    helper: LanguageModel | None = None,
    device: str | None = None,
    progress: Progress = silent,
) -> tuple[pa.Table, dict[str, Any]]:
    """The triples of a text, as `assertions.SCHEMA` has them, and the counts of each stage."""
    check_torch()
    if not text.strip():
        raise InputError("the text is empty: give a file with a text, or write one to the standard input (--text -)")
    with TemporaryDirectory(prefix="clew-text-") as folder:
        source, run = Path(folder) / "text.txt", Path(folder) / "run"
        source.write_text(text, "utf-8")
        given = Input(source, source="text", license=LICENCE, format="text")
        counts: dict[str, Any] = {}
        counts["corpus"] = prepare_corpus([given], run, settings=settings.corpus).to_json()
        cut = SequenceSettings(tokenizer=str(model / "tokenizer.json"))
        counts["sequences"] = prepare_sequences(run, settings=cut)
        counts["heads"] = prepare_heads(run, graph, settings=settings.heads)
        if not counts["heads"].get("heads"):
            raise InputError(f"the text mentions no entity of {graph.snapshot}: give another seed graph (--seed-graph)")
        counts["queries"] = prepare_queries(run, graph, model=model, matching=settings.matching)
        counts["predictions"] = prepare_predictions(
            run, model=model, k=settings.tokens, device=device, progress=progress
        )
        counts["tails"] = prepare_tails(run, graph, settings=settings.decoder, helper=helper, progress=progress)
        counts["triples"] = prepare_triples(
            run,
            graph,
            model=model_name(model),
            settings=settings.filters,
            encoder=encoder,
            progress=progress,
        )
        return read_triples(run), counts
