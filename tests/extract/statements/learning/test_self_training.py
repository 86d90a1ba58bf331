"""Self-training: tags and mentions, texts marked by them, guesses learnt from, and a vocabulary trimmed."""

from pathlib import Path

import numpy as np
import torch

from clew.extract.statements.gold import CORPORA, Mention, read_training
from clew.extract.statements.learning.fitting import Settings, fit, start_model
from clew.extract.statements.learning.guesses import Text, guess, mark_text
from clew.extract.statements.learning.storage import TrainedModel
from clew.extract.statements.learning.tagging import (
    TaggedDocument,
    Tagger,
    TagSettings,
    _spans,
    find_mentions,
    fit_tagger,
    tags_of,
)
from clew.extract.statements.learning.trimming import trim_vocabulary
from clew.extract.statements.marking import Marker
from clew.extract.statements.pairing import TokenMention
from statement_corpora import DRUGS, ILLS, WORDS

VOCABULARY = [*WORDS, *DRUGS, *ILLS]
LAYOUT = {"begin": VOCABULARY.index("[CLS]"), "end": VOCABULARY.index("[SEP]")}


def test_tags_become_the_same_mentions_again() -> None:
    mentions = [(0, 2, "chemical"), (2, 3, "chemical"), (4, 5, "disease")]
    tags = tags_of(6, [TokenMention(*each, ("x",), 0) for each in mentions], "bc5cdr")
    assert list(_spans(tags, ("chemical", "disease"))) == mentions


def test_a_tagger_learns_the_mentions_of_its_documents(corpora: Path, start: Path) -> None:
    torch.manual_seed(0)
    marker = Marker.for_start(start)
    documents, wanted = [], []
    for gold in read_training(corpora):
        if gold.corpus == "bc5cdr":
            tokens, spans = marker.cut(gold.text)
            located = marker.locate(gold.text, gold.mentions, spans)
            documents.append(
                TaggedDocument(gold.id, gold.corpus, np.array(tokens), tags_of(len(tokens), located, "bc5cdr"))
            )
            wanted.append([(each.first, each.after, each.type) for each in located])
    settings = TagSettings(**LAYOUT, epochs=60, batch=4, rate=2e-3, head_rate=1e-2)
    tagger = Tagger(start_model(start).encoder)
    losses = fit_tagger(tagger, documents, settings)
    assert losses[-1] < 0.2 * losses[0]
    found = [
        [each for each in mentions if each[2] in ("chemical", "disease")]
        for mentions in find_mentions(tagger, [each.tokens for each in documents], settings)
    ]
    assert found == wanted


def test_an_abbreviation_in_brackets_is_the_same_entity(start: Path) -> None:
    tokens = np.array([20, 5, 21, 6, 22, 21])  # a name ( short ) and an illness, then the short form again
    text = Text(tokens, np.array([0]))
    mentions = [(0, 1, "chemical"), (2, 3, "chemical"), (4, 5, "disease"), (5, 6, "chemical")]
    layout = Marker.for_start(start).layout
    marked = mark_text(text, mentions, layout, brackets=(5, 6))
    assert (len(marked.entities), len(marked.pairs)) == (2, 1)
    assert len(mark_text(text, mentions, layout, brackets=(1, 2)).entities) == 3


def test_guesses_are_probabilities_and_can_be_learnt(corpora: Path, start: Path) -> None:
    torch.manual_seed(0)
    marker, teacher, student = Marker.for_start(start), start_model(start).eval(), start_model(start, dropout=0.0)
    documents = [marker.mark_gold(each).marked for each in read_training(corpora)]
    guessed = list(guess([teacher, teacher], documents, "cpu", batch=3))
    for each in guessed:
        assert np.allclose(each.shares[:, :2].sum(1), 1, atol=1e-5)
        kinds = [(each.marked.types[a], each.marked.types[b]) for a, b in each.marked.pairs[each.rows["bc5cdr"]]]
        assert set(kinds) <= CORPORA["bc5cdr"].pairs
    losses = fit(student, guessed, Settings(epochs=20, batch=4, rate=1e-3, head_rate=3e-3))
    again = next(iter(guess([student], documents[:1], "cpu")))
    assert losses[-1]["biored"] < losses[0]["biored"]
    assert np.abs(again.shares - guessed[0].shares).max() < 0.15


def test_a_trimmed_model_reads_the_same_words_the_same_way(trained: TrainedModel, tmp_path: Path) -> None:
    used = {VOCABULARY.index(word) for word in (*DRUGS, *ILLS, "caused", ".")}
    trimmed = trim_vocabulary(trained, used)
    assert trimmed.model.config.vocabulary < trained.model.config.vocabulary
    scores = []
    for number, each in enumerate((trained, trimmed)):
        path = tmp_path / f"{number}.json"
        path.write_text(each.tokenizer, "utf-8")
        config = each.model.config
        reader = Marker.open(path, vocabulary=config.vocabulary, positions=config.positions)
        text = f"{DRUGS[0]} caused {ILLS[0]} ."
        ill = text.index(ILLS[0])
        mentions = [
            Mention(0, len(DRUGS[0]), "chemical", ("a",)),
            Mention(ill, ill + len(ILLS[0]), "disease", ("b",)),
        ]
        marked = reader.mark(text, mentions)
        arrays = (marked.tokens[None], marked.openings, marked.membership, marked.pairs, marked.features)
        with torch.inference_mode():
            scores.append(each.model(*map(torch.from_numpy, arrays)))
    assert torch.allclose(scores[0], scores[1], atol=1e-6)
