"""What is offered, how near it is to a sequence (against a naive version), and what each head keeps."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.embed.encoders.hashed import HashedEncoder
from clew.errors import InputError
from clew.extract.seed.candidate_triples import CandidateTriples, collect_candidate_triples, short_tails
from clew.extract.seed.selection import Context, SelectionSettings, select_triples
from clew.extract.seed.word_similarity import WordSimilarity
from clew.graph import read_entities
from clew.traverse import GraphEngine
from extract.seeds import make_seed
from extract.vocabularies import make_vocabulary

TEXTS = ("Aspirin caused hemorrhage and a gastric ulcer.", "Fever fell after aspirin.", "Nothing here.")
HEADS = ((0, "C:1", "Aspirin"), (0, "D:1", "hemorrhage"), (0, "D:2", "gastric ulcer"), (1, "D:5", "Fever"),
         (1, "C:1", None))  # fmt: skip


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> GraphEngine:
    return make_seed(tmp_path_factory.mktemp("selection"))


def context_of(graph: GraphEngine) -> Context:
    numbers = read_entities(graph, ("id",))["id"].to_pylist()
    sequence, entity, written = zip(*HEADS, strict=True)
    return Context(np.array(sequence), np.array([numbers.index(each) for each in entity]), TEXTS, written)


def triples_of(offered: CandidateTriples, graph: GraphEngine) -> set[tuple[str, str, str]]:
    ids = read_entities(graph, ("id",))["id"].to_pylist()
    rows = zip(offered.subject.tolist(), offered.relation.tolist(), offered.object.tolist(), strict=True)
    return {(ids[s], offered.relations[r], ids[o]) for s, r, o in rows}


def test_inverse_triples_are_offered_only_where_the_relation_names_its_inverse(graph: GraphEngine) -> None:
    offered = triples_of(collect_candidate_triples(graph, fewest=1), graph)
    assert ("D:1", "induced_by", "C:1") in offered
    assert ("C:1", "induces", "D:1") in offered
    assert not any(subject == "C:3" and object_ == "C:1" for subject, _, object_ in offered)


def test_rare_relations_and_triples_left_out_are_not_offered(graph: GraphEngine) -> None:
    offered = collect_candidate_triples(graph, fewest=2)
    assert set(offered.relations) == {"is_a", "induces", "induced_by"}
    assert offered.dropped == {"treats": 1, "treated_by": 1, "associated_with": 1}
    without = collect_candidate_triples(graph, without=np.unique(offered.triple), fewest=1)
    assert set(without.relations) == {"treats", "treated_by", "associated_with"}


def test_tails_of_more_than_seven_tokens_are_not_short(graph: GraphEngine) -> None:
    short = short_tails(graph, collect_candidate_triples(graph, fewest=1), make_vocabulary())
    names = read_entities(graph, ("name",))["name"].to_pylist()
    assert short[names.index("fever")]
    assert not short[names.index("gastric ulcer")]  # letter by letter in that vocabulary


@given(st.data())
def test_similarity_is_the_cosine_of_sets_of_weighted_words(data: st.DataObject) -> None:
    word = st.sampled_from(("alpha", "beta", "gamma", "delta"))
    texts = st.lists(word, min_size=1, max_size=3, unique=True).map(" ".join)
    names = data.draw(st.lists(texts, min_size=2, max_size=4))
    passages = data.draw(st.lists(texts, min_size=1, max_size=3))
    linked = [data.draw(st.sets(st.integers(0, len(names) - 1))) for _ in passages]
    similarity = WordSimilarity(names, ("has_epsilon",), passages, linked)
    contents = [{*name.split(), f"#{at}"} for at, name in enumerate(names)]
    sequences = [
        {*text.split(), *(f"#{each}" for each in entities)} for text, entities in zip(passages, linked, strict=True)
    ]
    known = {word for name in names for word in name.split()}
    sequences = [{word for word in words if word in known or word.startswith("#")} for words in sequences]
    seen = Counter(word for words in sequences for word in words)

    def squared(words: set[str]) -> float:
        return sum(float(np.log1p(len(passages) / (1 + seen[word]))) ** 2 for word in words)

    others = np.arange(1, len(names))
    for number, words in enumerate(sequences):
        scores, told = similarity.score(number, 0, np.zeros(len(others), np.int64), others)
        for at, other in enumerate(others):
            triple = contents[0] | contents[other] | {"has", "epsilon"}
            whole = squared(triple) * squared(words)
            expected = squared(triple & words) / np.sqrt(whole) if whole else 0.0
            assert scores[at] == pytest.approx(expected, abs=1e-5)
            tail = {word for word in contents[other] - contents[0] if not word.startswith("#")}
            share = squared(tail & words) / squared(tail) if tail else 0.0
            assert told[at] == pytest.approx(1.0 if f"#{other}" in words else share, abs=1e-5)


@pytest.mark.parametrize("encoder", [None, HashedEncoder()])
def test_heads_keep_triples_whose_tail_is_in_the_sequence(graph: GraphEngine, encoder: HashedEncoder | None) -> None:
    table, counts = select_triples(
        context_of(graph),
        collect_candidate_triples(graph, fewest=1),
        graph,
        settings=SelectionSettings(fewest=1, tails="name"),
        encoder=encoder,
    )
    rows = {tuple(row[name] for name in ("head", "relation", "object", "tail")) for row in table.to_pylist()}
    assert rows == {
        (0, "induces", "D:1", "bleeding"),
        (0, "induces", "D:2", "gastric ulcer"),
        (1, "induced_by", "C:1", "aspirin"),
        (2, "induced_by", "C:1", "aspirin"),
        (3, "treated_by", "C:1", "aspirin"),
        (4, "treats", "D:5", "fever"),
    }  # not gastric ulcer is_a ulcer: of its tail the sequence says nothing that its head does not
    assert counts["matches"] == len(rows)
    best: dict[int, float] = {}
    for row in table.to_pylist():
        assert best.setdefault(row["head"], row["score"]) >= row["score"]


def test_tails_may_be_worded_as_the_sequence_does_but_not_by_abbreviations(graph: GraphEngine) -> None:
    table, _ = select_triples(
        context_of(graph), collect_candidate_triples(graph, fewest=1), graph, settings=SelectionSettings(fewest=1)
    )
    tails = {(row["head"], row["object"]): row["tail"] for row in table.to_pylist()}
    assert tails[0, "D:1"] == "hemorrhage"
    assert tails[3, "C:1"] == "aspirin"


def test_a_head_keeps_no_more_than_it_may_and_rare_relations_go(graph: GraphEngine) -> None:
    offered = collect_candidate_triples(graph, fewest=1)
    table, counts = select_triples(
        context_of(graph), offered, graph, settings=SelectionSettings(most=1, compared=1, fewest=2)
    )
    heads = table["head"].to_pylist()
    assert len(heads) == len(set(heads))
    assert counts["relation too rare after: treats"] == 1
    assert table["relation"].to_pylist() == ["induced_by", "induced_by"]


def test_odd_settings_are_refused() -> None:
    with pytest.raises(InputError, match="mention"):
        SelectionSettings(tails="letters")
    with pytest.raises(InputError):
        SelectionSettings(most=0)
