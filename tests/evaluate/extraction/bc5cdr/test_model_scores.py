"""Fine-tuning: scores are those of prediction, documents are learnt by heart, a fold teaches its model nothing."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

from clew.errors import InputError
from clew.evaluate.extraction.bc5cdr.abstracts import Abstract
from clew.evaluate.extraction.bc5cdr.examples import FOLDS, fold_of, write_scoring
from clew.evaluate.extraction.bc5cdr.model_scores import finetune_and_score, score_candidates
from clew.evaluate.extraction.bc5cdr.questions import ask_about
from clew.extract.chains.graphs import count_tokens
from clew.extract.model.config import make_config
from clew.extract.model.graphmert import GraphMert
from clew.extract.model.storage import SavedModel, read_model, write_model
from clew.extract.predict.predictor import Predictor
from clew.extract.ranking.batches import Examples, read_examples
from clew.extract.ranking.finetuning import finetune, score_rows
from clew.extract.ranking.settings import LOSSES, RankingSettings

RELATIONS = ("treats", "induces")


QUICK = RankingSettings(epochs=1, together=True, tokens=4096)


@pytest.fixture(scope="module")
def model(tokenizer: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained tiny model."""
    torch.manual_seed(0)
    said = tokenizer.read_text("utf-8")
    config = make_config("tiny", vocabulary=count_tokens(said), relations=len(RELATIONS))
    path = tmp_path_factory.mktemp("model") / "model"
    write_model(path, SavedModel(GraphMert(config), config, said, RELATIONS, {}), identity={"test": True})
    return path


@pytest.fixture(scope="module")
def arrays(train: list[Abstract], tokenizer: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lessons")
    loaded = Tokenizer.from_file(str(tokenizer))
    shortest = sorted((each for each in train if each.induces), key=lambda each: len(each.text))
    write_scoring(folder / "scoring-train", ask_about(shortest[:5], loaded), 1, fold_of(5))
    write_scoring(folder / "scoring-dev", ask_about(shortest[5:7], loaded), 1, None)
    return folder


@pytest.fixture(scope="module")
def lessons(arrays: Path) -> Examples:
    return read_examples(arrays / "scoring-train")


def scored(model: GraphMert, lessons: Examples, *, together: bool = False) -> np.ndarray:
    scores = np.zeros(lessons.rows, np.float32)
    score_rows(model, lessons, np.arange(len(lessons)), scores, together=together)
    return scores


def test_scores_are_those_of_prediction(model: Path, arrays: Path, lessons: Examples) -> None:
    predictor = Predictor.open(model, device="cpu")
    expected = score_candidates(predictor, arrays / "scoring-train")
    found = scored(read_model(model).model, lessons)
    np.testing.assert_allclose(found, expected, atol=1e-4)
    assert (found < 0).all()
    assert len(np.unique(found.round(3))) > 20


def test_queries_of_one_sequence_can_be_asked_together(model: Path, lessons: Examples) -> None:
    packs = lessons.packs(np.arange(len(lessons)), together=True)
    assert sorted(np.concatenate(packs).tolist()) == list(range(len(lessons)))
    assert all(len(set(lessons.sequence[pack].tolist())) == 1 for pack in packs)
    assert len(packs) < len(lessons)
    opened = read_model(model).model
    alone, together = scored(opened, lessons), scored(opened, lessons, together=True)
    single = np.concatenate([pack for pack in packs if len(pack) == 1])
    rows = np.concatenate([np.arange(lessons.row_offsets[at], lessons.row_offsets[at + 1]) for at in single])
    np.testing.assert_allclose(alone[rows], together[rows], atol=1e-4)  # nothing else stood there
    assert np.abs(alone - together).max() > 5e-5


@pytest.mark.parametrize("loss", LOSSES)
def test_documents_are_learnt_by_heart(model: Path, lessons: Examples, loss: str) -> None:
    settings = RankingSettings(
        loss=loss, epochs=25, rate=5e-3, warm_up=3, tokens=2048, root_share=0.0, dropout=0.0, together=True
    )
    learnt = finetune(read_model(model), lessons, settings).model
    before, after = (scored(each, lessons, together=True) for each in (read_model(model).model, learnt))
    gold = (lessons.row_gold == 1) & ~lessons.bare[np.repeat(np.arange(len(lessons)), np.diff(lessons.row_offsets))]
    assert after[gold].mean() > before[gold].mean() + 5  # likelier than they were
    if loss != "name":
        assert _gold_share(after, lessons) > _gold_share(before, lessons) + 0.25  # and than the others


def _gold_share(scores: np.ndarray, lessons: Examples) -> float:
    """The share of gold tails among those of a query, weighed by token, on average over what can be learnt."""
    shares = []
    for query in lessons.learnable(without_fold=None):
        rows = slice(lessons.row_offsets[query], lessons.row_offsets[query + 1])
        by_token = scores[rows] / lessons.terms[lessons.row_tail[rows]]
        weights = np.exp(by_token - by_token.max())
        shares.append(weights[lessons.row_gold[rows] == 1].sum() / weights.sum())
    return float(np.mean(shares))


def test_gold_pairs_of_a_batch_are_those_of_the_corpus(lessons: Examples, train: list[Abstract]) -> None:
    shortest = sorted((each for each in train if each.induces), key=lambda each: len(each.text))[:5]
    packs = lessons.packs(lessons.learnable(without_fold=None), together=True)
    units = lessons.by_document(packs)
    assert len(units) == 5
    for unit in units:
        assert len({int(lessons.document[query]) for pack in unit for query in pack}) == 1
        asking = lessons.ask(unit)
        abstract = shortest[int(lessons.document[unit[0][0]])]
        assert 0 < asking.pair_gold.sum() <= len(abstract.induces)
        assert len(asking.pair_gold) <= len(abstract.pairs())
    (batch,) = lessons.batches(units, tokens=10**6)
    whole = lessons.ask(batch)
    assert whole.pair_document.max() == 4
    assert sum(int(lessons.ask(unit).pair_gold.sum()) for unit in units) == whole.pair_gold.sum()


def test_a_fold_teaches_nothing_to_the_model_that_scores_it(model: Path, arrays: Path, lessons: Examples) -> None:
    held = np.flatnonzero(lessons.fold == 0)
    assert set(lessons.learnable(without_fold=0)).isdisjoint(held)
    assert not lessons.bare[lessons.learnable(without_fold=None)].any()
    changed = {path.stem: np.load(path) for path in (arrays / "scoring-train").glob("*.npy")}
    rows = np.isin(changed["row_query"], held)
    changed["row_gold"][rows] = 1 - changed["row_gold"][rows]
    for fold, same in ((0, True), (1, False)):
        one, other = (
            scored(finetune(read_model(model), each, QUICK, without_fold=fold).model, lessons, together=True)
            for each in (lessons, Examples(changed))
        )
        assert np.allclose(one, other, atol=1e-3) == same


def test_scores_are_the_same_again(model: Path, arrays: Path) -> None:
    one, two = (finetune_and_score(model, arrays, arrays, QUICK, seeds=(3,), device="cpu") for _ in range(2))
    for part, first, second in zip(("train", "dev"), one, two, strict=True):
        np.testing.assert_allclose(first, second, atol=1e-3)
        assert (first < 0).all()
        assert len(first) == read_examples(arrays / f"scoring-{part}").rows
    train, _ = finetune_and_score(model, arrays, arrays, replace(QUICK, epochs=0), device="cpu")
    untouched = scored(read_model(model).model, read_examples(arrays / "scoring-train"), together=True)
    np.testing.assert_allclose(train, untouched, atol=1e-4)
    assert FOLDS == 5


def test_other_questions_are_scored_by_the_same_models(model: Path, arrays: Path, tmp_path: Path) -> None:
    """Questions of which nobody knows the gold, each fold by the model that did not learn from it."""
    other = tmp_path / "other"
    shutil.copytree(arrays, other)
    for part in ("train", "dev"):
        gold = other / f"scoring-{part}" / "row_gold.npy"
        np.save(gold, np.full_like(np.load(gold), -1))
    settings = replace(QUICK, rate=3e-3, warm_up=1)
    own, others = (finetune_and_score(model, arrays, each, settings, device="cpu") for each in (arrays, other))
    for one, two in zip(own, others, strict=True):
        np.testing.assert_allclose(one, two, atol=1e-3)
    untouched = scored(read_model(model).model, read_examples(arrays / "scoring-dev"), together=True)
    assert np.abs(others[1] - untouched).max() > 0.1


def test_settings_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no loss 'guess'"):
        RankingSettings(loss="guess")
    with pytest.raises(InputError, match="epochs"):
        RankingSettings(epochs=-1)
    with pytest.raises(InputError, match="make them again"):
        read_examples(tmp_path)
