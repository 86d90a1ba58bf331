"""Conditions on assertions: a triple passes if one single assertion meets them all."""

from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import clew
from clew import Where
from clew.errors import InputError, UnknownName
from clew.graph import Assertion, Source

TYPES = {
    "evidence": pa.list_(pa.string()),
    "valid_from": pa.date32(),
    "valid_to": pa.date32(),
    "confidence": pa.float64(),
    "negated": pa.bool_(),
}
CURATED = {"agent_type": "manual_agent", "knowledge_level": "knowledge_assertion"}


def passing(
    tmp_path: Path, where: Where, *triples: list[dict[str, Any]], sources: tuple[Source, ...] = ()
) -> list[int]:
    """Which of some triples pass, each given by what its assertions say."""
    rows = [
        {"subject": "a", "relation": "r", "object": f"b{number}", **said}
        for number, statements in enumerate(triples)
        for said in statements
    ]
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: pa.array([row.get(name) for row in rows], TYPES.get(name, pa.string())) for name in names}
    graph = clew.build(pa.table(columns), sources=sources, out=tmp_path / "g.clew", overwrite=True)._graph
    mask = graph.assertions.passing(where)
    ids = graph.entities["id"].to_pylist()
    return sorted(int(ids[graph.forward.end[at]][1:]) for at in range(graph.triple_count) if mask[at])


class TestOneSingleAssertion:
    def test_two_that_meet_half_each_do_not_pass(self, tmp_path: Path) -> None:
        halves = [{"source": "S", **CURATED}, {"source": "T", "confidence": 0.9}]
        whole = [{"source": "T"}, {"source": "S", **CURATED, "confidence": 0.9}]
        assert passing(tmp_path, Where(layer="curated", min_confidence=0.5), halves, whole) == [1]

    @pytest.mark.parametrize(
        "where",
        [
            Where(sources="S", qualifiers={"onset": "late"}),
            Where(sources="S", as_of="2020-01-01"),
            Where(layer="no-extracted", qualifiers={"onset": "late"}),
            Where(min_confidence=0.5, as_of="2020-01-01"),
        ],
    )
    def test_for_any_two_conditions(self, tmp_path: Path, where: Where) -> None:
        first = {"source": "S", "agent_type": "manual_agent", "confidence": 0.9, "valid_to": date(2019, 1, 1)}
        second = {"source": "T", "agent_type": "text_mining_agent", "qualifier:onset": "late", "confidence": 0.1}
        both = {**first, "qualifier:onset": "late", "valid_to": None}
        assert passing(tmp_path, where, [first, second], [both]) == [1]

    def test_a_negated_statement_cannot_lend_its_source(self, tmp_path: Path) -> None:
        contested = [{"source": "S", "negated": True}, {"source": "T", "negated": False}]
        assert passing(tmp_path, Where(sources="S"), contested) == []
        assert passing(tmp_path, Where(sources="T"), contested) == [0]
        assert passing(tmp_path, Where(sources="S", negated=True), contested) == [0]


class TestEachCondition:
    def test_none_is_met_by_all_but_negated_statements(self, tmp_path: Path) -> None:
        triples = [{"source": "S"}], [{"negated": True}], [{"negated": True}, {"negated": None}]
        assert passing(tmp_path, Where(), *triples) == [0, 2]
        assert passing(tmp_path, Where(negated=True), *triples) == [0, 1, 2]

    @pytest.mark.parametrize(
        ("day", "expected"),
        [("2020-05-01", [0, 1, 3]), ("2020-05-31", [0, 1, 3]), ("2020-04-30", [1, 3]), ("2020-06-01", [0, 3])],
    )
    def test_as_of_includes_both_days_and_absent_bounds_are_open(
        self, tmp_path: Path, day: str, expected: list[int]
    ) -> None:
        start, end = date(2020, 5, 1), date(2020, 5, 31)
        triples = [{"valid_from": start}], [{"valid_to": end}], [{"valid_from": date(2021, 1, 1)}], [{"source": "S"}]
        assert passing(tmp_path, Where(as_of=day), *triples) == expected
        assert passing(tmp_path, Where(as_of=date.fromisoformat(day)), *triples) == expected

    @pytest.mark.parametrize(("least", "expected"), [(0.0, [0, 1]), (0.5, [0, 1]), (0.51, [1]), (1.0, [])])
    def test_an_unstated_confidence_is_never_enough(self, tmp_path: Path, least: float, expected: list[int]) -> None:
        triples = [{"confidence": 0.5}], [{"confidence": 0.75}], [{"confidence": None}]
        assert passing(tmp_path, Where(min_confidence=least), *triples) == expected

    def test_a_graph_without_any_confidence(self, tmp_path: Path) -> None:
        assert passing(tmp_path, Where(min_confidence=0.0), [{"source": "S"}]) == []

    def test_qualifiers_are_exact_and_all_of_them(self, tmp_path: Path) -> None:
        triples = (
            [{"qualifier:onset": "late", "qualifier:sex": "f"}],
            [{"qualifier:onset": "later"}],
            [{"qualifier:onset": "late"}],
        )
        assert passing(tmp_path, Where(qualifiers={"onset": "late"}), *triples) == [0, 2]
        assert passing(tmp_path, Where(qualifiers={"onset": "late", "sex": "f"}), *triples) == [0]
        with pytest.raises(UnknownName, match="no qualifier 'frequency'; known: onset, sex"):
            passing(tmp_path, Where(qualifiers={"frequency": "rare"}), *triples)


class TestLayers:
    STATEMENTS = (
        {"agent_type": "manual_agent", "knowledge_level": "knowledge_assertion"},
        {"agent_type": "manual_validation_of_automated_agent", "knowledge_level": "logical_entailment"},
        {"agent_type": "manual_agent", "knowledge_level": "prediction"},
        {"agent_type": "automated_agent", "knowledge_level": "knowledge_assertion"},
        {"agent_type": "text_mining_agent", "knowledge_level": "knowledge_assertion"},
        {"agent_type": None, "knowledge_level": None},
        {"agent_type": "not_provided", "knowledge_level": "not_provided"},
        {"agent_type": "manual_agent", "knowledge_level": None},
    )

    @pytest.mark.parametrize(
        ("layer", "expected"), [("all", list(range(8))), ("curated", [0, 1]), ("no-extracted", [0, 1, 2, 3, 5, 6, 7])]
    )
    def test_by_agent_and_level(self, tmp_path: Path, layer: str, expected: list[int]) -> None:
        assert passing(tmp_path, Where(layer=layer), *([each] for each in self.STATEMENTS)) == expected

    def test_silence_is_curated_where_the_source_was_declared_so(self, tmp_path: Path) -> None:
        """Only silence: a source that says "automated" of a row is taken at its word."""
        triples = [[{"source": "S", **each}] for each in self.STATEMENTS]
        declared = (Source("S", curated=True),)
        assert passing(tmp_path, Where(layer="curated"), *triples, sources=declared) == [0, 1, 5, 6]
        others = (Source("S"), Source("T", curated=True))
        assert passing(tmp_path, Where(layer="curated"), *triples, sources=others) == [0, 1]

    def test_an_unknown_one_lists_the_known(self) -> None:
        with pytest.raises(UnknownName, match="no layer is called 'good': known: all, curated, no-extracted"):
            Where(layer="good")

    def test_a_day_that_is_none_is_refused(self) -> None:
        with pytest.raises(InputError, match="as_of= takes a day such as 2020-05-01, not 'soon'"):
            Where(as_of="soon")


class TestRecords:
    def test_an_assertion_is_what_was_stated(self, tmp_path: Path) -> None:
        said = {
            "source": "S",
            "source_version": "1",
            "license": "CC0",
            "retrieved_at": "2024-01-01T00:00:00",
            "document": "PMC:1",
            "evidence": ["PMID:1", "PMID:2"],
            "valid_from": date(2020, 1, 1),
            "valid_to": date(2021, 1, 1),
            "knowledge_level": "prediction",
            "agent_type": "automated_agent",
            "confidence": 0.5,
            "negated": True,
        }
        row = {"subject": "a", "relation": "r", "object": "b", **said, "qualifier:onset": "late"}
        table = pa.table({name: pa.array([value], TYPES.get(name, pa.string())) for name, value in row.items()})
        engine = clew.build(table, out=tmp_path / "g.clew")
        expected = {**said, "evidence": ("PMID:1", "PMID:2")}
        assert engine.assertions(0) == [Assertion(**expected, qualifiers={"onset": "late"})]  # type: ignore[arg-type]

    def test_a_bare_triple_has_one_empty_assertion(self, tmp_path: Path) -> None:
        table = pa.table({"subject": ["a"], "relation": ["r"], "object": ["b"]})
        engine = clew.build(table, out=tmp_path / "g.clew")
        assert engine.assertions(0) == [Assertion()]

    @pytest.mark.parametrize("number", [-1, 1, 10**30])
    def test_a_number_that_no_triple_has_is_refused(self, tmp_path: Path, number: int) -> None:
        table = pa.table({"subject": ["a"], "relation": ["r"], "object": ["b"]})
        engine = clew.build(table, out=tmp_path / "g.clew")
        with pytest.raises(InputError, match=f"no triple has the number {number}"):
            engine.assertions(number)

    def test_masks_are_shared_and_cannot_be_changed(self, tmp_path: Path) -> None:
        table = pa.table({"subject": ["a"], "relation": ["r"], "object": ["b"], "source": ["S"]})
        assertions = clew.build(table, out=tmp_path / "g.clew")._graph.assertions
        mask = assertions.passing(Where(sources=["S"]))
        assert assertions.passing(Where(sources={"S"})) is mask
        with pytest.raises(ValueError, match="read-only"):
            mask[0] = False
