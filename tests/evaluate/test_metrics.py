"""Measures by hand on small rankings, and what must hold for every ranking."""

from dataclasses import asdict
from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.errors import InputError
from clew.evaluate.metrics import (
    CUTS,
    MEASURES,
    PHASES,
    POOLED,
    Given,
    GoldSet,
    GoldTop,
    GoldValue,
    ItemScore,
    Seconds,
    average_precision,
    capped_recall_at,
    compare_runs,
    count_hits,
    f1_at,
    hits_at,
    measure,
    ndcg_at,
    precision_at,
    recall_at,
    reciprocal_rank,
    same_value,
    score,
    set_match,
    summarise,
    top_match,
)

AT = (precision_at, recall_at, capped_recall_at, f1_at, hits_at, ndcg_at)
RANKED, GOLD = ["x", "a", "b", "y", "c"], {"a", "b", "c", "d"}  # hits in the places 2, 3 and 5; d is not found

ids = st.text("abcdefghij", min_size=1, max_size=1)
rankings = st.lists(ids, max_size=15)
golds = st.frozensets(ids, min_size=1)


def listed(*ids: str) -> Given:
    return Given(tuple((id, None) for id in ids))


def right_or_wrong(*answers: str, level: str = "simple") -> list[ItemScore]:
    """Scores by a letter each: right, wrong, abstained or failed."""
    made = {
        "r": listed("a"),
        "w": listed("z"),
        "a": Given(abstained=True),
        "f": Given(failed=True),
    }
    return [score(f"{level}-{at}", level, made[answer], [GoldSet(frozenset("a"))]) for at, answer in enumerate(answers)]


# rankings -----------------------------------------------------------------------------------------------------------


def test_measures_worked_out_by_hand():
    assert [count_hits(RANKED, GOLD, k) for k in (1, 2, 3, 5, 9)] == [0, 1, 2, 3, 3]
    assert precision_at(RANKED, GOLD, 3) == 2 / 3
    assert precision_at(RANKED, GOLD, 10) == 3 / 10  # places that are not filled count
    assert recall_at(RANKED, GOLD, 3) == 2 / 4
    assert capped_recall_at(RANKED, GOLD, 3) == 2 / 3
    assert capped_recall_at(RANKED, GOLD, 10) == 3 / 4
    assert f1_at(RANKED, GOLD, 3) == pytest.approx(2 * (2 / 3) * (1 / 2) / (2 / 3 + 1 / 2))
    assert [hits_at(RANKED, GOLD, k) for k in (1, 2)] == [0, 1]
    assert reciprocal_rank(RANKED, GOLD) == 1 / 2
    assert average_precision(RANKED, GOLD) == pytest.approx((1 / 2 + 2 / 3 + 3 / 5) / 4)
    ideal = 1 + 1 / log2(3) + 1 / log2(4) + 1 / log2(5)
    assert ndcg_at(RANKED, GOLD, 5) == pytest.approx((1 / log2(3) + 1 / log2(4) + 1 / log2(6)) / ideal)


def test_whole_list_measures_worked_out_by_hand():
    found = measure(RANKED, GOLD)
    assert (found["precision"], found["recall"]) == (3 / 5, 3 / 4)
    assert found["f1"] == pytest.approx(2 * 3 / (5 + 4))
    assert tuple(found) == MEASURES


def test_measures_by_name_are_the_functions():
    found = measure(RANKED, GOLD)
    for k in CUTS:
        for function in AT:
            assert found[f"{function.__name__.removesuffix('_at')}@{k}"] == function(RANKED, GOLD, k)


def test_a_repeat_holds_a_place_and_hits_once():
    assert count_hits(["a", "a", "b"], {"a", "b"}, 2) == 1
    assert average_precision(["a", "a", "b"], {"a", "b"}) == pytest.approx((1 + 2 / 3) / 2)


@pytest.mark.parametrize(("ranked", "expected"), [([], 1.0), (["a"], 0.0)])
def test_an_empty_gold_wants_an_empty_answer(ranked, expected):
    assert set(measure(ranked, set()).values()) == {expected}


@pytest.mark.parametrize("function", AT)
def test_no_places_is_an_error(function):
    with pytest.raises(InputError, match="first 0 places"):
        function(RANKED, GOLD, 0)


@settings(deadline=None)
@given(rankings, golds, st.integers(1, 20))
def test_precision_by_places_is_hits(ranked, gold, k):
    hits = len(set(ranked[:k]) & gold)
    assert round(precision_at(ranked, gold, k) * k, 9) == hits
    assert round(recall_at(ranked, gold, k) * len(gold), 9) == hits
    assert hits_at(ranked, gold, k) == (hits > 0)


@settings(deadline=None)
@given(rankings, st.frozensets(ids), st.integers(1, 20))
def test_measures_stay_between_0_and_1(ranked, gold, k):
    for value in (*(function(ranked, gold, k) for function in AT), *measure(ranked, gold).values()):
        assert 0 <= value <= 1 + 1e-12


@settings(deadline=None)
@given(golds, st.randoms(), st.integers(1, 20))
def test_a_perfect_ranking_is_perfect_whatever_its_order(gold, random, k):
    ranked = random.sample(sorted(gold), len(gold))
    found = measure(ranked, gold)
    for name in ("precision", "recall", "f1", "reciprocal_rank", "average_precision"):
        assert found[name] == pytest.approx(1)
    for function in (capped_recall_at, hits_at, ndcg_at):
        assert function(ranked, gold, k) == pytest.approx(1)
    assert precision_at(ranked, gold, k) == min(k, len(gold)) / k
    assert recall_at(ranked, gold, k) == min(k, len(gold)) / len(gold)


@settings(deadline=None)
@given(rankings, golds)
def test_moving_a_hit_up_never_lowers_a_measure(ranked, gold):
    before = measure(ranked, gold)
    for at in range(1, len(ranked)):
        if ranked[at] in gold and ranked[at - 1] not in gold:
            moved = [*ranked[: at - 1], ranked[at], ranked[at - 1], *ranked[at + 1 :]]
            after = measure(moved, gold)
            assert all(after[name] >= before[name] - 1e-12 for name in MEASURES)


# right or wrong -----------------------------------------------------------------------------------------------------


def test_sets_match_in_any_order():
    assert set_match(["b", "a"], {"a", "b"})
    assert not set_match(["a"], {"a", "b"})
    assert not set_match(["a", "b", "c"], {"a", "b"})
    assert set_match([], set())


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (3, 3, True),
        (3, 4, False),
        (3, 3.0, True),
        (0.1 + 0.2, 0.3, True),
        (0.3, 0.31, False),
        (10**17, 10**17 + 1, False),  # whole numbers leave no room for rounding
        (True, True, True),
        (True, False, False),
        (True, 1, False),
        (0, False, False),
        (float("nan"), float("nan"), False),
    ],
)
def test_values(one, other, same):
    assert same_value(one, other) is same
    assert same_value(other, one) is same


TIED = (("a", 9.0), ("b", 7.0), ("c", 7.0), ("d", 7.0), ("e", 2.0))


@pytest.mark.parametrize(
    ("ids", "right"),
    [
        ("abc", True),
        ("adb", True),  # b, c and d are tied for two places
        ("bac", False),  # out of order
        ("ab", False),
        ("abcd", False),
        ("abe", False),
        ("abb", False),
        ("abz", False),
    ],
)
def test_top_three_with_ties(ids, right):
    numbers = dict(TIED)
    assert top_match([(id, numbers.get(id)) for id in ids], TIED, 3) is right
    assert top_match([(id, None) for id in ids], TIED, 3) is right


def test_top_items_must_carry_their_own_numbers():
    assert not top_match([("a", 8.0), ("b", 7.0)], TIED, 2)


def test_all_that_are_tied_for_first():
    assert top_match([("b", 7), ("c", 7)], (("b", 7.0), ("c", 7.0)), 1)
    assert not top_match([("a", 9), ("b", 7)], TIED, 1)


def test_least_first():
    assert top_match([("e", 2), ("c", 7)], TIED, 2, least=True)
    assert not top_match([("a", 9), ("b", 7)], TIED, 2, least=True)


def test_more_places_than_rows():
    assert top_match([("a", 9.0), ("b", 7.0)], (("b", 7.0), ("a", 9.0)), 5)


@settings(deadline=None)
@given(st.dictionaries(ids, st.integers(0, 3), min_size=1), st.integers(1, 12), st.randoms())
def test_the_order_of_ties_does_not_matter(numbers, n, random):
    rows = [(id, float(number)) for id, number in numbers.items()]
    random.shuffle(rows)
    items = sorted(rows, key=lambda row: -row[1])[:n]
    assert top_match(items, rows[::-1], n)
    scored = score("q", "simple", Given(tuple(items)), [GoldTop(tuple(rows), n)])
    assert scored.result_match
    assert scored.measures["f1"] == scored.measures["average_precision"] == 1
    if len(items) > 1 and items[0][1] != items[-1][1]:
        assert not top_match(items[::-1], rows, n)


# questions ----------------------------------------------------------------------------------------------------------


def test_a_right_list_and_a_half_right_one():
    gold = [GoldSet(frozenset("ab"))]
    assert score("q", "simple", listed("b", "a"), gold).result_match
    half = score("q", "simple", listed("b", "z"), gold)
    assert not half.result_match
    assert half.measures["f1"] == 0.5
    assert half.reading == 0


def test_the_best_reading_counts_and_is_recorded():
    readings = [GoldSet(frozenset("a")), GoldSet(frozenset("abc")), GoldSet(frozenset("ab"))]
    assert score("q", "simple", listed("a", "b"), readings).reading == 2
    assert score("q", "simple", listed("a", "b"), readings).result_match
    assert score("q", "simple", listed("a", "b", "c", "d"), readings).reading == 1  # wrong, but nearest to that
    assert score("q", "simple", listed("z"), readings).reading is None
    assert score("q", "simple", listed("a"), [readings[0], readings[0]]).reading == 0


@settings(deadline=None)
@given(rankings, st.lists(st.frozensets(ids), min_size=1, max_size=4))
def test_no_reading_beats_the_one_that_counts(ranked, readings):
    scored = score("q", "simple", listed(*ranked), [GoldSet(each) for each in readings])
    assert scored.result_match == any(set(ranked) == each for each in readings)
    if not scored.result_match:
        assert scored.measures["f1"] == max(measure(ranked, each)["f1"] for each in readings)


@pytest.mark.parametrize("gold", [GoldSet(frozenset("a")), GoldSet(frozenset()), GoldValue(0), GoldTop((), 3)])
@pytest.mark.parametrize("nothing", [Given(abstained=True), Given(failed=True)])
def test_abstaining_and_failing_score_0_everywhere(gold, nothing):
    scored = score("q", "simple", nothing, [gold], query_match=True)
    assert not scored.result_match
    assert not scored.query_match
    assert set(scored.measures.values()) == {0.0}
    assert tuple(scored.measures) == MEASURES
    assert scored.reading is None
    assert not scored.answered


def test_an_empty_answer_is_right_where_the_gold_is_empty():
    assert score("q", "simple", Given(), [GoldSet(frozenset())]).result_match
    assert not score("q", "simple", Given(), [GoldSet(frozenset("a"))]).result_match
    assert not score("q", "simple", Given(value=0), [GoldSet(frozenset())]).result_match  # a number is no empty list


def test_values_count_as_a_list_of_one():
    right = score("q", "simple", Given(value=5), [GoldValue(4), GoldValue(5)])
    assert (right.result_match, right.reading) == (True, 1)
    assert right.measures == measure(["one"], {"one"})
    for wrong in (Given(value=4), Given(), listed("5"), Given(value=True)):
        scored = score("q", "simple", wrong, [GoldValue(5)])
        assert not scored.result_match
        assert set(scored.measures.values()) == {0.0}


def test_ties_at_the_cut_count_for_those_that_were_given():
    scored = score("q", "complex", listed("a", "d", "b"), [GoldTop(TIED, 3)])
    assert scored.result_match
    assert scored.measures["recall"] == scored.measures["precision"] == 1
    wrong = score("q", "complex", listed("a", "e", "d"), [GoldTop(TIED, 3)])
    assert not wrong.result_match
    assert wrong.measures["recall"] == pytest.approx(2 / 3)


def test_a_question_without_gold_is_an_error():
    with pytest.raises(InputError, match="q7 has no gold"):
        score("q7", "simple", listed("a"), [])


# runs ---------------------------------------------------------------------------------------------------------------


def test_summary_by_level_and_pooled():
    scores = right_or_wrong(*"rrrw", level="simple") + right_or_wrong(*"raf", level="complex")
    summary = summarise(scores, covered={"simple-0", "simple-1", "complex-0"})
    simple, complex = summary.levels
    assert [(each.level, each.n) for each in (simple, complex, summary.pooled)] == [
        ("simple", 4),
        ("complex", 3),
        (POOLED, 7),
    ]
    assert simple.measures["result_match"].mean == 0.75
    assert complex.measures["reciprocal_rank"].mean == pytest.approx(1 / 3)
    assert summary.pooled.measures["result_match"].mean == pytest.approx(4 / 7)
    assert (complex.abstention_rate, complex.failure_rate, complex.answered) == (1 / 3, 1 / 3, 1)
    assert complex.selective_accuracy.mean == 1
    assert summary.pooled.selective_accuracy.mean == 4 / 5
    assert (simple.coverage, complex.coverage, summary.pooled.coverage) == (1 / 2, 1 / 3, 3 / 7)


def test_nothing_answered_has_no_selective_accuracy():
    summary = summarise(right_or_wrong("a", "f"))
    assert summary.pooled.selective_accuracy is None
    assert summary.pooled.coverage is None


def test_latency_leaves_out_failures():
    gold = [GoldSet(frozenset("a"))]
    scores = [score(str(at), "simple", listed("a"), gold, seconds=Seconds(at, 0.5, 0.25)) for at in (1, 2, 3, 6)] + [
        score("f", "simple", Given(failed=True), gold)
    ]
    latency = summarise(scores).pooled.latency
    assert tuple(latency) == PHASES
    assert (latency["understanding"].mean, latency["understanding"].median) == (3, 2.5)
    assert latency["understanding"].deviation == pytest.approx((14 / 3) ** 0.5)
    assert latency["understanding"].p95 == pytest.approx(3 + 3 * 0.85)
    assert (latency["items"].median, latency["total"].median) == (3, 3.25)
    assert summarise(right_or_wrong("f")).pooled.latency == {}


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from("rwaf"), min_size=1, max_size=12))
def test_intervals_hold_their_means(answers):
    summary = summarise(right_or_wrong(*answers))
    assert summary == summarise(right_or_wrong(*answers))
    for each in summary.pooled.measures.values():
        assert 0 <= each.low <= each.mean <= each.high <= 1 + 1e-12
        assert each.n == len(answers)
    assert asdict(summary)["pooled"]["n"] == len(answers)


def test_no_scores_is_an_error():
    with pytest.raises(InputError, match="no scores"):
        summarise([])


def test_runs_are_paired_by_question_whatever_their_order():
    first, second = right_or_wrong(*"rrwwww"), right_or_wrong(*"rrrrrw")
    tests = compare_runs(first, second[::-1])
    assert tests["result_match"].difference == pytest.approx(1 / 2)
    assert (tests["result_match"].gained, tests["result_match"].lost) == (3, 0)
    assert tests["result_match"].p == 2 / 8
    assert tests["f1"].p == 2 / 8  # three differences of 1: two of the eight ways to sign them reach as far
    assert list(tests) == ["result_match", "query_match", "f1", "reciprocal_rank"]


def test_runs_over_other_questions_are_not_compared():
    with pytest.raises(InputError, match="simple-2"):
        compare_runs(right_or_wrong(*"rr"), right_or_wrong(*"rrr"))
    with pytest.raises(InputError, match="one score for each"):
        compare_runs(right_or_wrong("r") * 2, right_or_wrong("r") * 2)
