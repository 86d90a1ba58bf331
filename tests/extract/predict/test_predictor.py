"""Prediction against the model asked one query at a time, and the beam against every phrase there is."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch

from clew.errors import InputError
from clew.extract.batches.batch import Batch, assemble
from clew.extract.batches.masking import Leaves
from clew.extract.chains.graphs import END, MASK, NONE, SLOTS
from clew.extract.model.config import make_config
from clew.extract.model.graphmert import GraphMert
from clew.extract.model.storage import SavedModel
from clew.extract.predict.predictor import Phrase, Predictor, Tails
from clew.extract.predict.query_arrays import Queries
from random_chains import make_chains, make_tokenizer

VOCABULARY = 10  # seven special tokens and three words


def make_predictor(vocabulary: int = 60, **switches: int) -> Predictor:
    torch.manual_seed(0)
    config = replace(make_config("tiny", vocabulary=vocabulary, relations=3), **switches)
    model = GraphMert(config).eval()
    with torch.no_grad():  # as if trained: words of unlike chance that depend on what is in sight
        model.heads.bias.normal_(std=2)
        for parameter in model.encoder.parameters():
            parameter.mul_(4)
    saved = SavedModel(model, config, make_tokenizer(vocabulary), ("a", "b", "c"), {})
    return Predictor(saved, device="cpu", batch_tokens=400)


def make_queries(vocabulary: int = 60, count: int = 9) -> Queries:
    chains = make_chains(8, seed=2, vocabulary=vocabulary, longest=40)
    order = np.random.default_rng(0).permutation(len(chains.leaf_sequence))[:count]
    return Queries(
        roots=chains.roots,
        offsets=chains.offsets,
        sequence=chains.leaf_sequence[order],
        first=chains.head_first[order],
        last=chains.head_last[order],
        relation=chains.leaf_relation[order],
        relations=chains.relations,
    )


def ask(predictor: Predictor, queries: Queries, query: int, shown: tuple[int, ...] = ()) -> np.ndarray:
    """Log probabilities (7, V) of one query, from a batch of its own."""
    sequence = queries.sequence[query]
    roots = queries.roots[queries.offsets[sequence] : queries.offsets[sequence + 1]].astype(np.int64)
    leaf = Leaves(
        sequence=np.array([0]),
        first=queries.first[query : query + 1].astype(np.int64),
        last=queries.last[query : query + 1].astype(np.int64),
        relation=queries.relation[query : query + 1].astype(np.int64),
        tokens=np.array([[*shown, *[MASK] * (SLOTS - len(shown))]]),
        slots=np.array([SLOTS]),
        targets=np.zeros((1, SLOTS), np.int64),
    )
    batch = Batch.unpack(assemble(roots, np.array([len(roots)]), leaf), torch.device("cpu"))
    with torch.inference_mode():
        return predictor.model.log_probabilities(batch, batch.leaf_index).numpy()


def test_the_likeliest_tokens_of_each_slot() -> None:
    predictor, queries = make_predictor(), make_queries()
    tokens, scores = predictor.top(queries, 5)
    assert tokens.shape == scores.shape == (9, SLOTS, 5)
    for query in range(9):
        alone = ask(predictor, queries, query)
        assert np.allclose(scores[query], np.sort(alone, axis=1)[:, :-6:-1], atol=1e-4)
        assert np.allclose(np.take_along_axis(alone, tokens[query].astype(int), 1), scores[query], atol=1e-4)


def some_tails(queries: Queries, seed: int = 0) -> Tails:
    random = np.random.default_rng(seed)
    query = random.permutation(np.repeat(np.arange(len(queries)), 3))
    length = random.integers(1, SLOTS + 1, len(query))
    tokens = np.where(np.arange(SLOTS) < length[:, None], random.integers(7, 60, (len(query), SLOTS)), 0)
    return Tails(query, tokens, length)


def test_scores_of_tails() -> None:
    predictor, queries = make_predictor(), make_queries()
    tails = some_tails(queries)
    scores = predictor.score_tails(queries, tails)
    for row, query in enumerate(tails.query):
        alone = ask(predictor, queries, int(query))
        wanted = [*tails.tokens[row, : tails.length[row]].tolist(), END][:SLOTS]
        assert scores[row] == pytest.approx(sum(alone[slot, token] for slot, token in enumerate(wanted)), abs=1e-3)


def test_scores_of_tails_from_left_to_right() -> None:
    predictor, queries = make_predictor(), make_queries()
    tails = some_tails(queries)
    scores = predictor.score_tails(queries, tails, left_to_right=True)
    for row, query in enumerate(tails.query):
        wanted = [*tails.tokens[row, : tails.length[row]].tolist(), END][:SLOTS]
        terms = [
            ask(predictor, queries, int(query), tuple(wanted[:slot]))[slot, token] for slot, token in enumerate(wanted)
        ]
        assert scores[row] == pytest.approx(sum(terms), abs=1e-3)
    assert not np.allclose(scores, predictor.score_tails(queries, tails), atol=1e-2)


def test_batches_do_not_change_what_is_found() -> None:
    predictor, queries = make_predictor(), make_queries()
    tails = some_tails(queries)
    small = predictor.score_tails(queries, tails)
    predictor.batch_tokens = 100_000
    assert np.allclose(predictor.score_tails(queries, tails), small, atol=1e-4)


def every_phrase(predictor: Predictor, queries: Queries, query: int, longest: int) -> list[Phrase]:
    """All tails up to a length with their log probabilities, best first."""
    words = range(NONE, VOCABULARY)
    found = []
    cache: dict[tuple[int, ...], np.ndarray] = {}
    for length in range(1, longest + 1):
        for tail in product(words, repeat=length):
            total = 0.0
            for slot, token in enumerate([*tail, END]):
                if tail[:slot] not in cache:
                    cache[tail[:slot]] = ask(predictor, queries, query, tail[:slot])
                total += float(cache[tail[:slot]][slot, token])
            found.append(Phrase(tail, total))
    return sorted(found, key=lambda phrase: -phrase.log_probability)


def test_a_wide_beam_finds_the_best_phrases() -> None:
    predictor, queries = make_predictor(VOCABULARY), make_queries(VOCABULARY, count=2)
    beams = predictor.beam(queries, width=80, k=200)
    for query, phrases in enumerate(beams):
        expected = every_phrase(predictor, queries, query, longest=3)[:10]
        found = {phrase.tokens: phrase.log_probability for phrase in phrases}
        for phrase in expected:
            assert found[phrase.tokens] == pytest.approx(phrase.log_probability, abs=1e-3)


def test_a_beam_is_sorted_distinct_and_scored_as_tails_are() -> None:
    predictor, queries = make_predictor(), make_queries()
    beams = predictor.beam(queries, width=4, k=3)
    assert len(beams) == 9
    rows = [(query, phrase) for query, phrases in enumerate(beams) for phrase in phrases]
    for phrases in beams:
        assert len(phrases) == 3
        assert len({phrase.tokens for phrase in phrases}) == 3
        scores = [phrase.log_probability for phrase in phrases]
        assert scores == sorted(scores, reverse=True)
        assert all(token >= NONE for phrase in phrases for token in phrase.tokens)
    tokens = np.zeros((len(rows), SLOTS), np.int64)
    for row, (_, phrase) in enumerate(rows):
        tokens[row, : len(phrase.tokens)] = phrase.tokens
    lengths = np.array([len(phrase.tokens) for _, phrase in rows])
    tails = Tails(np.array([query for query, _ in rows]), tokens, lengths)
    scores = predictor.score_tails(queries, tails, left_to_right=True)
    assert np.allclose(scores, [phrase.log_probability for _, phrase in rows], atol=1e-3)


def test_no_queries_give_nothing() -> None:
    predictor = make_predictor()
    none = replace(make_queries(), **dict.fromkeys(("sequence", "first", "last", "relation"), np.zeros(0, int)))
    assert predictor.top(none, 3)[0].shape == (0, SLOTS, 3)
    assert predictor.beam(none, width=2, k=2) == []
    tails = Tails(np.zeros(0, int), np.zeros((0, SLOTS), int), np.zeros(0, int))
    assert predictor.score_tails(none, tails).shape == (0,)


def test_tails_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InputError, match="expected"):
        Tails(np.zeros(2, int), np.zeros((2, 6), int), np.ones(2, int))
    with pytest.raises(InputError, match="1 to 7 tokens"):
        Tails(np.zeros(1, int), np.zeros((1, SLOTS), int), np.zeros(1, int))
