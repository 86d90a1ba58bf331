"""The searches over relations: exact candidates, bounded calls, chains that are really in the graph."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.answer.super_relations.chains import trace_back
from clew.answer.super_relations.model_scorer import ModelJudge, ModelScorer, letter_scores, read_grades
from clew.answer.super_relations.scorers import Candidate, RandomScorer, WordScorer
from clew.answer.super_relations.search import Found, SearchLimits, SearchTask, search_super_relations
from clew.answer.super_relations.steps import Allowed, steps_from
from clew.answer.super_relations.tog import search_tog
from clew.errors import InputError
from clew.graph.super_relations import group_by_names, group_singly
from clew.lm import Completion, Metered, TokenLogprob, Usage
from clew.lm.clients.scripted import Scripted


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> clew.GraphEngine:
    """Thirty people and ten films, many relations in three groups."""
    rows = []
    for at in range(30):
        rows += [
            (f"p{at}", "film.actor.film", f"f{at % 10}"),
            (f"p{at}", "film.actor.award", f"a{at % 4}"),
            (f"p{at}", "people.person.born_in", f"c{at % 7}"),
            (f"f{at % 10}", "film.film.genre", f"g{at % 3}"),
            (f"f{at % 10}", "film.film.country", f"c{at % 5}"),
            (f"p{at}", "people.person.friend", f"p{(at * 7 + 1) % 30}"),
        ]
    columns = zip(*sorted(set(rows)), strict=True)
    table = pa.table(dict(zip(("subject", "relation", "object"), columns, strict=True)))
    return clew.build(table, out=tmp_path_factory.mktemp("films") / "films.clew")


def task(graph: clew.GraphEngine, topic: str, **limits: int) -> SearchTask:
    return SearchTask(
        graph, "the genre of the film of the actor", graph.lookup([topic]), WordScorer(), SearchLimits(**limits)
    )


def reached(graph: clew.GraphEngine, found: Found) -> None:
    """Every chain leads where it says: step by step, by the engine alone; and every traced path is one."""
    names = [relation.name for relation in graph.schema.relations]
    for chain in found.chains():
        ends = chain.start
        for number, forward in chain.relations:
            ends = graph.hop(ends, 1, relations=names[number], direction="out" if forward else "in").ids
        assert np.isin(chain.ends, ends).all()
        for entity, numbers in trace_back(chain, chain.ends.tolist()).items():
            triples = list(graph.numbered(sorted(numbers)))
            assert len(numbers) == len(chain.relations)
            assert graph.describe([entity])["id"][0].as_py() in {end for t in triples for end in (t.subject, t.object)}


def test_candidates_are_exactly_what_leaves_the_frontier(films: clew.GraphEngine) -> None:
    steps = steps_from(films, films.lookup(["f1"]), Allowed())
    names = [relation.name for relation in films.schema.relations]
    seen = {(names[r], bool(f)) for r, f in zip(steps.relation, steps.forward, strict=True)}
    assert seen == {("film.actor.film", False), ("film.film.genre", True), ("film.film.country", True)}
    only = steps_from(films, films.lookup(["f1"]), Allowed(frozenset({"film.film.genre"})))
    assert set(only.relation.tolist()) == {names.index("film.film.genre")}


def test_the_chain_of_the_question_is_found(films: clew.GraphEngine) -> None:
    for groups in (group_by_names(films.schema), group_singly(films.schema)):
        found = search_super_relations(task(films, "p4", width=4, steps=2, paths=9), groups)
        names = [relation.name for relation in films.schema.relations]
        chains = [tuple(names[number] for number, _ in chain.relations) for chain in found.chains()]
        assert ("film.actor.film", "film.film.genre") in chains
        assert found.calls == 5
        reached(films, found)
    reached(films, search_tog(task(films, "p4")))


@settings(max_examples=25)
@given(st.integers(1, 5), st.integers(1, 4), st.integers(1, 4), st.integers(0, 29), st.sampled_from(["yes", "no"]))
def test_calls_are_at_most_2l_plus_1_whatever_n(films, width, steps, paths, topic, said) -> None:
    model = Metered(Scripted(lambda request: said if "yes or no" in request.messages[0].content else "B"))
    judge = ModelJudge(model, lambda entities: "names")
    asked = replace(
        task(films, f"p{topic}", width=width, steps=steps, paths=paths),
        scorer=ModelScorer(model, WordScorer()),
        judge=judge,
    )
    found = search_super_relations(asked, group_by_names(films.schema))
    chains = found.chains()
    judge.choose(asked.question, [(((chain.relations and "x", True),), chain.ends.tolist()) for chain in chains])
    assert model.usage.calls == found.calls <= 2 * steps + 1
    assert all(len(path.candidates) <= steps for path in found.paths)
    if said == "yes":
        assert found.calls == 3
    reached(films, found)


def test_scores_are_normalised_and_paths_ranked(films: clew.GraphEngine) -> None:
    found = search_super_relations(task(films, "p4", steps=1, paths=9), group_singly(films.schema))
    assert sum(path.score for path in found.paths) == pytest.approx(1.0)
    assert [path.score for path in found.paths] == sorted((path.score for path in found.paths), reverse=True)


def test_triples_and_calls_are_held_to_their_limits(films: clew.GraphEngine) -> None:
    free = search_super_relations(task(films, "p4"), group_by_names(films.schema))
    for most in (1, 7, 20):
        held = search_super_relations(task(films, "p4", triples=most), group_by_names(films.schema))
        assert held.triples <= most < free.triples
        assert held.truncated
        reached(films, held)
        cut = search_tog(task(films, "p4", calls=most))
        assert cut.calls <= most
    assert not free.truncated


def test_tog_counts_its_own_calls(films: clew.GraphEngine) -> None:
    """One to prune, one for each kept relation with two or more entities, one to go on; one to answer."""
    found = search_tog(task(films, "f1", width=3, steps=1))  # three relations: actors (3), genre (3), country (1)
    spread = [len(np.unique(each)) for each in found.read]
    assert found.calls == 1 + sum(size > 1 for size in spread) + 1 + 1
    assert sum(len(path.ends) for path in found.paths) <= 3


def test_random_scores_depend_on_seed_question_and_candidate_alone() -> None:
    one, two = Candidate("a", True, ("a",)), Candidate("b", True, ("b",))
    scores = RandomScorer().score("q", [one, two])
    assert (
        scores.tolist()
        == RandomScorer().score("q", [two, one])[::-1].tolist()
        != RandomScorer(1).score("q", [one, two]).tolist()
    )
    assert ((scores > 0) & (scores <= 1)).all()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A: 5\nB: 2.5\nC: 0", [1.0, 0.5, 0.0]),
        ("**A** - 9\nthe rest is useless", [1 / 3] * 3),
        ("B) 4", [0.0, 0.8, 0.0]),
        ("", [1 / 3] * 3),
    ],
)
def test_grades_are_read_from_ugly_texts(text: str, expected: list[float]) -> None:
    assert read_grades(text, 3).tolist() == pytest.approx(expected)


def test_letters_are_scored_by_their_probabilities() -> None:
    said = Completion(
        "B", "stop", Usage(), "m", (TokenLogprob("B", -0.5, (("B", -0.5), (" A", -1.5), ("C", -3.0), ("the", -1.0))),)
    )
    assert letter_scores(said, 2).tolist() == pytest.approx([np.exp(-1.5), np.exp(-0.5)])
    assert letter_scores(replace(said, logprobs=()), 3).tolist() == [0, 1, 0]
    assert letter_scores(None, 2).tolist() == [0.5, 0.5]


def test_limits_are_checked() -> None:
    for wrong, why in (
        ({"width": 0}, "width is 1 or more"),
        ({"steps": 99}, "at most 10 steps"),
        ({"paths": 2.5}, "whole number"),
    ):
        with pytest.raises(InputError, match=why):
            SearchLimits(**wrong)
