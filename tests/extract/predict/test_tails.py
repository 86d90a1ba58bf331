"""Predictions and tails of the toy run: from arrays of another machine, with a helper model, and after a crash."""

from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clew.errors import InputError
from clew.extract.chains.graphs import SLOTS
from clew.extract.mentions.heads import read_heads
from clew.extract.predict import tails as tails_stage
from clew.extract.predict.predictions import part_of, prepare_predictions, read_predictions
from clew.extract.predict.queries import read_queries
from clew.extract.predict.query_arrays import read_query_arrays
from clew.extract.predict.tails import TAILS, DecoderSettings, prepare_tails, read_tails
from clew.extract.run.status import run_status
from clew.extract.sequences.vocabulary import open_vocabulary
from clew.lm import Request
from clew.lm.clients.scripted import Scripted
from clew.traverse import open as open_graph


@pytest.fixture
def run(toy_run: Path, tmp_path: Path) -> Path:
    """A copy of the toy run, to be changed."""
    return copytree(toy_run, tmp_path / "run")


def arrays(run: Path) -> tuple[np.ndarray, np.ndarray]:
    table = read_predictions(run)
    columns = (table[name].combine_chunks().flatten().to_numpy() for name in ("tokens", "log_probs"))
    return tuple(column.reshape(table.num_rows, SLOTS, -1) for column in columns)  # type: ignore[return-value]


def test_predictions_are_the_models_best(toy_run: Path) -> None:
    tokens, log_probs = arrays(toy_run)
    assert (np.diff(log_probs.astype(np.float32), axis=2) <= 0).all()
    assert (log_probs <= 0).all()
    assert all(len(set(row.tolist())) == len(row) for row in tokens[:50].reshape(-1, tokens.shape[2]))


def test_where_only_mentions_were_weighed_tails_are_mentions(run: Path) -> None:
    counts = prepare_predictions(run, model=run / "model", k=0, device="cpu")
    assert counts["tokens of a slot"] == 0
    prepare_tails(run, open_graph(run / "seed.clew"), settings=DecoderSettings(none=False))
    table = read_tails(run)
    assert set(table["decoder"].to_pylist()) == {"mention"}
    heads, asked = read_heads(run), read_queries(run)[0]
    assert table.num_rows == counts["mentions scored"] == sum(map(len, asked["mentions"].to_pylist()))
    for row in table.slice(0, 200).to_pylist():
        assert row["mention"] in asked["mentions"][row["query"]].as_py()
        assert heads["text"][row["mention"]].as_py().lower() == row["tail"]
        assert heads["sequence"][row["mention"]].as_py() == row["sequence"]


def test_a_query_that_is_answered_with_none_has_no_tail(run: Path) -> None:
    weights = read_predictions(run)["scores"].to_pylist()
    lengths = np.subtract(*(read_heads(run)[name].to_numpy() for name in ("last", "first")))
    mentions = read_queries(run)[0]["mentions"].to_pylist()
    unanswered = {
        query
        for query, (weighed, heads) in enumerate(zip(weights, mentions, strict=True))
        if heads and weighed[0] / 2 >= max(w / min(lengths[h] + 1, 7) for w, h in zip(weighed[1:], heads, strict=True))
    }
    assert len(unanswered) > 50
    assert unanswered.isdisjoint(read_tails(run)["query"].to_pylist())


def test_a_part_of_the_queries_is_about_the_same_heads(toy_run: Path) -> None:
    queries = read_query_arrays(toy_run / "queries")
    part = part_of(queries, 100, 140)
    for row in range(40):
        start, end = (q.offsets[q.sequence[at]] for q, at in ((queries, 100 + row), (part, row)))
        whole = queries.roots[start + queries.first[100 + row] : start + queries.last[100 + row]]
        assert part.roots[end + part.first[row] : end + part.last[row]].tolist() == whole.tolist()
        assert part.relation[row] == queries.relation[100 + row]


def test_too_few_tokens_are_refused(run: Path) -> None:
    with pytest.raises(InputError, match="a word and an end"):
        prepare_predictions(run, model=run / "model", k=1)


def test_tails_are_made_of_predicted_tokens(toy_run: Path) -> None:
    vocabulary = open_vocabulary(toy_run / "sequences" / "tokenizer.json")
    tokens, _ = arrays(toy_run)
    table = read_tails(toy_run)
    assert table.schema.equals(TAILS)
    rows = [row for row in table.slice(0, 400).to_pylist() if row["decoder"] != "mention"]
    assert len(rows) > 50
    for row, cut in zip(rows, vocabulary.encode(row["tail"] for row in rows), strict=True):
        assert len(cut) == row["length"]
        for slot, token in enumerate(cut):
            assert token in tokens[row["query"], slot]
    same = [row for row in table.to_pylist() if row["query"] == rows[0]["query"]]
    ranks, scores = [row["rank"] for row in same], [row["confidence"] for row in same]
    assert ranks == list(range(len(ranks)))
    assert scores == sorted(scores, reverse=True)


def test_a_crash_loses_no_finished_part(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tails_stage, "PART_QUERIES", 300)
    graph, settings = open_graph(run / "seed.clew"), DecoderSettings(most=2)
    made: list[int] = []
    real: Callable[..., object] = tails_stage._TailFinder.find

    def make(work: object, block: pa.Table, start: int) -> object:
        if len(made) == 2:
            made.append(-1)
            raise KeyboardInterrupt
        made.append(start)
        return real(work, block, start)

    monkeypatch.setattr(tails_stage._TailFinder, "find", make)
    with pytest.raises(KeyboardInterrupt):
        prepare_tails(run, graph, settings=settings)
    assert {each.stage.name: each.state for each in run_status(run)}["tails"] == "finished"  # the old ones still stand
    counts = prepare_tails(run, graph, settings=settings)
    assert made == [0, 300, -1, *range(600, counts["queries"], 300)]
    assert read_tails(run)["query"].to_pylist() == sorted(read_tails(run)["query"].to_pylist())
    assert not (run / ".tails.parts").exists()


def test_a_helper_forms_tails_of_the_tokens_it_is_shown(run: Path) -> None:
    graph = open_graph(run / "seed.clew")
    table = read_predictions(run)
    few = table.slice(0, 4)
    pq.write_table(few, run / "predictions" / "predictions.parquet")
    _reseal(run / "predictions")

    def answer(request: Request) -> str:
        shown = next(line for line in request.messages[0].content.splitlines() if line.startswith("Words"))
        words = [word for word in shown.split(": ")[1].split() if word.isalpha()]
        return f"{words[0]}\nunheardof"

    counts = prepare_tails(
        run, graph, settings=DecoderSettings(mention=0.0, none=False), helper=Scripted(answer, name="echo")
    )
    rows = read_tails(run).to_pylist()
    assert [row["decoder"] for row in rows] == ["echo"] * 4
    assert counts["helper: formed"] == 8
    assert counts["helper: out of vocabulary"] == 4
    assert counts["tails"] == 4


def _reseal(stage: Path) -> None:
    """Seal a stage again after a change to its files."""
    import json

    from clew.sealed import new_sealed

    identity = json.loads((stage / "seal.json").read_text("utf-8"))["identity"]
    files = {file.name: file.read_bytes() for file in stage.iterdir() if file.name != "seal.json"}
    with new_sealed(stage, identity, what="predictions") as directory:
        for name, content in files.items():
            (directory / name).write_bytes(content)


def test_blocks_of_documents_give_the_same_triples(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from clew.extract.filter import tails as tail_filters
    from clew.extract.filter.tails import FilterSettings
    from clew.extract.filter.triples import prepare_triples, read_triples

    graph, settings = open_graph(run / "seed.clew"), FilterSettings(beta=0.0, most=2, confidence=0.2)
    whole = prepare_triples(run, graph, model="m", settings=settings)
    together = read_triples(run)
    monkeypatch.setattr(tail_filters, "BLOCK_ROWS", 700)
    parts: list[int] = []
    real = tail_filters.filter_triples
    monkeypatch.setattr(
        tail_filters,
        "filter_triples",
        lambda *given, **named: (parts.append(given[0].table.num_rows), real(*given, **named)),
    )
    again = prepare_triples(run, graph, model="m", settings=FilterSettings(beta=0.0, most=2, confidence=0.2, sample=9))
    assert len(parts) > 5
    assert again == whole
    assert read_triples(run).equals(together)
    assert not list(run.glob(".*.parts"))
