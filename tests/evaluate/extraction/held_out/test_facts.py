"""Held-out facts: ranks with other true tails passed over, halves apart, and the baselines that need no model."""

from pathlib import Path

import pyarrow as pa
import pytest

from clew.errors import InputError
from clew.evaluate.extraction.held_out.baselines import rank_by_distance, rank_by_relation
from clew.evaluate.extraction.held_out.facts import (
    Fact,
    link_tails,
    linker_of,
    rank_of,
    read_facts,
    score_facts,
    true_tails,
)
from clew.extract.seed.candidate_triples import collect_candidate_triples
from clew.extract.seed.signatures import Signatures
from clew.link import Linker
from clew.traverse import open

SEEN = Fact(0, 7, "C:1", "induces", "D:1", False)
AGAIN = Fact(3, 8, "C:1", "induces", "D:1", False)
UNSEEN = Fact(5, 8, "C:2", "induces", "D:2", True)
TRUE = {("C:1", "induces"): {"D:1", "D:9"}, ("C:2", "induces"): {"D:2"}}


@pytest.mark.parametrize(
    ("ranked", "rank"),
    [
        (["D:1"], 1),
        (["D:9", "D:1"], 1),  # another true tail is passed over
        (["D:3", "D:3", "D:1"], 2),  # a repeat takes no place
        ([None, None, "D:1"], 3),  # what links to nothing does
        (["D:3"], None),
        ([], None),
    ],
)
def test_ranks(ranked: list[str | None], rank: int | None) -> None:
    assert rank_of("D:1", ranked, TRUE["C:1", "induces"]) == rank


def test_halves_stand_apart_and_pairs_count_once() -> None:
    ranked = {SEEN: ["D:1"], AGAIN: ["D:3", "D:1"], UNSEEN: [None] * 20 + ["D:2"]}
    scores = {score.half: score for score in score_facts("model", [SEEN, AGAIN, UNSEEN], ranked, TRUE)}
    assert scores["head seen"].first.mean == 0.5
    assert scores["head seen"].reciprocal.mean == 0.75
    assert scores["head unseen"].recall.mean == 0.0  # it stands in place 21
    assert scores["all"].recall.mean == 0.5  # two pairs, whatever the number of their sequences
    assert (scores["all"].facts, scores["all"].asked, scores["all"].first.n) == (3, 3, 2)


def test_a_fact_without_tails_is_missed_and_a_half_without_facts_left_out() -> None:
    scores = score_facts("model", [SEEN], {}, TRUE)
    assert [(score.half, score.asked, score.recall.mean) for score in scores] == [
        ("all", 0, 0.0),
        ("head seen", 0, 0.0),
    ]
    with pytest.raises(InputError, match="no facts"):
        score_facts("model", [], {}, TRUE)


def test_facts_are_read_from_a_run(tmp_path: Path) -> None:
    rows = pa.table(
        {
            "sequence": [7],
            "head": [0],
            "subject": ["C:1"],
            "relation": ["induces"],
            "object": ["D:1"],
            "tail": ["pain"],
            "unseen": [False],
        }
    )
    assert read_facts(rows) == [SEEN]
    with pytest.raises(InputError, match="unseen"):
        read_facts(rows.drop(["unseen"]))


def test_true_tails_and_links_come_from_the_seed(hpo: Path) -> None:
    graph = open(hpo)
    signatures = Signatures.of_schema(graph.schema)
    offered = collect_candidate_triples(graph)
    marfan = "OMIM:154700"
    fact = Fact(0, 0, marfan, "has_phenotype", "HP:0001166", False)
    known = true_tails(graph, offered, [fact])[marfan, "has_phenotype"]
    assert "HP:0001166" in known  # arachnodactyly
    assert len(known) > 20
    link = linker_of(Linker(graph), signatures)
    tails = [("ectopia lentis", None), ("arachnodactyly", None), ("no such thing", None), ("the long fingers", "HP:9")]
    ranked = link_tails([fact], {(0, "has_phenotype"): tails}, link)
    assert ranked[fact][1:] == ["HP:0001166", None, "HP:9"]  # a mention is what it names
    assert rank_of(fact.object, ranked[fact], known) == 1
    assert link("arachnodactyly", "is_a") in ("HP:0001166", None)


def test_the_commonest_tails_of_the_relation_come_first() -> None:
    injected = pa.table(
        {"relation": ["induces"] * 4 + ["treats"] * 3, "object": ["D:2", "D:1", "D:1", "D:3", "D:8", "D:8", "D:8"]}
    )
    ranked = rank_by_relation([SEEN, UNSEEN], injected)
    assert ranked[SEEN] == ranked[UNSEEN]
    assert ranked[SEEN][0] == "D:1"
    assert set(ranked[SEEN]) == {"D:1", "D:2", "D:3"}


def test_the_nearest_mention_of_the_right_type_comes_first() -> None:
    heads = pa.table(
        {
            "head": [0, 1, 2, 3, 4, 5, 6],
            "sequence": [7, 7, 7, 7, 7, 8, 7],
            "first": [10, 30, 2, 14, 12, 11, 31],
            "last": [12, 31, 4, 15, 13, 12, 32],
            "entity": ["C:1", "D:1", "D:3", None, "G:1", "D:5", "D:1"],
            "type": ["Drug", "Disease", "Disease", None, "Gene", "Disease", "Disease"],
        }
    )
    signatures = Signatures({"induces": {("Drug", "Disease"): 5}})
    assert rank_by_distance([SEEN], heads, signatures)[SEEN] == ["D:3", "D:1"]
    lost = Fact(99, 7, "C:1", "induces", "D:1", False)
    assert rank_by_distance([lost], heads, signatures)[lost] == []
