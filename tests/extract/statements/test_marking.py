"""Marked documents: markers around mentions, candidate pairs, labels, and what no longer fits."""

from pathlib import Path

import numpy as np
import pytest

from clew.errors import InputError
from clew.extract.statements.examples import ENTITY_TYPES, load_examples, save_examples
from clew.extract.statements.gold import CORPORA, GoldDocument, Mention
from clew.extract.statements.marking import Marker
from statement_corpora import DRUGS, ILLS, WORDS

VOCABULARY = [*WORDS, *DRUGS, *ILLS]
CHEMICAL = len(VOCABULARY) + 2 * ENTITY_TYPES.index("chemical")
DISEASE = len(VOCABULARY) + 2 * ENTITY_TYPES.index("disease")
TEXT = "aspirin caused gout . Aspirin and heparin were seen with fever ."
NAMES = ("aspirin", "gout", "aspirin", "heparin", "fever")
KINDS = ("chemical", "disease", "chemical", "chemical", "disease")


def mentions() -> list[Mention]:
    found, at = [], 0
    for name, kind in zip(NAMES, KINDS, strict=True):
        at = TEXT.lower().index(name, at)
        found.append(Mention(at, at + len(name), kind, (name,)))
        at += len(name)
    return found


def marker(start: Path, positions: int = 64) -> Marker:
    return Marker.open(start / "tokenizer.json", vocabulary=len(VOCABULARY), positions=positions)


def test_every_mention_stands_between_the_markers_of_its_type(start: Path) -> None:
    marked = marker(start).mark(TEXT, mentions())
    names = {CHEMICAL: "<C>", CHEMICAL + 1: "</C>", DISEASE: "<D>", DISEASE + 1: "</D>"}
    read = [names[token] if token in names else VOCABULARY[token] for token in marked.tokens]
    assert " ".join(read) == (
        "[CLS] <C> aspirin </C> caused <D> gout </D> . <C> aspirin </C> and <C> heparin </C> were seen with"
        " <D> fever </D> . [SEP]"
    )
    assert [marked.tokens[place] for place in marked.openings] == [CHEMICAL, DISEASE, CHEMICAL, CHEMICAL, DISEASE]
    assert marked.entities == ("aspirin", "gout", "heparin", "fever")
    assert marked.membership.tolist() == [[1, 0, 1, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]]


def test_the_order_of_the_mentions_does_not_matter(start: Path) -> None:
    one, other = marker(start).mark(TEXT, mentions()), marker(start).mark(TEXT, mentions()[::-1])
    assert one.tokens.tolist() == other.tokens.tolist()
    assert one.openings.tolist() == other.openings.tolist()
    assert one.entities == other.entities


def test_pairs_are_of_the_wanted_types_with_the_chemical_first(start: Path) -> None:
    marked = marker(start).mark(TEXT, mentions(), types={("chemical", "disease")})
    pairs = {(marked.entities[one], marked.entities[other]) for one, other in marked.pairs}
    assert pairs == {("aspirin", "gout"), ("aspirin", "fever"), ("heparin", "gout"), ("heparin", "fever")}
    together = marker(start).mark(TEXT, mentions(), types={("chemical", "chemical")})
    assert [tuple(together.entities[each] for each in pair) for pair in together.pairs] == [("aspirin", "heparin")]


def test_features_count_mentions_and_shared_sentences(start: Path) -> None:
    marked = marker(start).mark(TEXT, mentions(), types={("chemical", "disease")})
    named = {
        tuple(marked.entities[each] for each in pair): row
        for pair, row in zip(marked.pairs, marked.features, strict=True)
    }
    assert named["aspirin", "gout"][:5].tolist() == pytest.approx([np.log(3), np.log(2), 1, 1, np.log(2)])
    assert named["heparin", "gout"][:5].tolist() == pytest.approx([np.log(2), np.log(2), 0, 1, 0])
    assert named["aspirin", "gout"][5] < named["heparin", "gout"][5]


def test_nested_mentions_keep_their_markers_apart(start: Path) -> None:
    nested = [Mention(0, 14, "chemical", ("a",)), Mention(8, 14, "disease", ("b",))]
    marked = marker(start).mark("aspirin caused gout", nested)
    read = [int(token) for token in marked.tokens[1:7]]
    assert read == [
        CHEMICAL,
        VOCABULARY.index("aspirin"),
        DISEASE,
        VOCABULARY.index("caused"),
        *sorted((CHEMICAL + 1, DISEASE + 1)),
    ]


def test_mentions_beyond_the_last_position_are_counted(start: Path) -> None:
    marked = marker(start, positions=12).mark(TEXT, mentions())
    assert len(marked.tokens) == 12
    assert marked.cut == 2
    assert marked.entities == ("aspirin", "gout")
    assert max(marked.openings) < 11


def test_labels_find_the_pair_in_either_order_and_take_the_first_relation(start: Path) -> None:
    stated = frozenset({("positive_correlation", "gout", "aspirin"), ("association", "aspirin", "gout")})
    example = marker(start).mark_gold(GoldDocument("1", "biored", TEXT, tuple(mentions()), stated))
    names = [tuple(example.marked.entities[each] for each in pair) for pair in example.marked.pairs]
    assert example.labels[names.index(("aspirin", "gout"))] == 1 + list(CORPORA["biored"].relations).index(
        "Association"
    )
    assert (example.labels > 0).sum() == 1


def test_a_document_without_mentions_has_no_pairs(start: Path) -> None:
    marked = marker(start).mark("fever was seen .", [])
    assert marked.pairs.shape == (0, 2)
    assert len(marked.tokens) == 6


def test_a_file_that_is_no_tokenizer_is_named(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError, match="not a tokenizer"):
        Marker.open(tmp_path / "tokenizer.json", vocabulary=9, positions=9)


def test_examples_are_read_back_as_they_were(start: Path, tmp_path: Path) -> None:
    stated = frozenset({("association", "aspirin", "gout"), ("binds", "aspirin", "elsewhere")})
    full = marker(start).mark_gold(GoldDocument("1", "biored", TEXT, tuple(mentions()), stated))
    empty = marker(start).mark_gold(GoldDocument("2", "bc5cdr", "fever was seen .", (), frozenset()))
    assert full.missed == 1
    save_examples(tmp_path / "two.npz", [full, empty, full])
    for saved, read in zip([full, empty, full], load_examples(tmp_path / "two.npz"), strict=True):
        assert (read.document, read.corpus, read.missed) == (saved.document, saved.corpus, saved.missed)
        assert (read.marked.entities, read.marked.types) == (saved.marked.entities, saved.marked.types)
        assert np.array_equal(read.labels, saved.labels)
        for name in ("tokens", "openings", "membership", "pairs", "features"):
            one, other = getattr(read.marked, name), getattr(saved.marked, name)
            assert one.dtype == other.dtype
            assert np.array_equal(one, other)
    (tmp_path / "two.npz").write_bytes(b"PK")
    with pytest.raises(InputError, match="marked documents"):
        load_examples(tmp_path / "two.npz")
