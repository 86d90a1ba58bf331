"""Gathered rows: the first description counts, synonyms add up, and nothing empty becomes a cell."""

from benchmarks.graphs.unseen.tables import Tables, slug


def test_an_entity_is_described_by_the_first_who_names_it() -> None:
    tables = Tables()
    tables.entity("a", "Ada", "person", ["Ada", "", "A. L."], properties={"born": 1815, "died": None})
    tables.entity("a", "Ada Lovelace", "writer", ["Lovelace", "A. L."], properties={"born": 1816})
    expected = {"id": "a", "name": "Ada", "type": "person", "born": "1815", "synonyms": "A. L.|Lovelace"}
    assert tables.entity_rows() == [expected]


def test_a_separator_inside_a_synonym_splits_nothing() -> None:
    tables = Tables()
    tables.entity("a", "Ada", "person", ["x|y"])
    assert tables.entity_rows()[0]["synonyms"] == "x/y"


def test_statements_are_qualified_by_what_is_no_source() -> None:
    tables = Tables()
    tables.triple("a", "targets", "b", statement={"source": "S", "action": "inhibitor", "evidence": ""})
    tables.triple("a", "targets", "b", statement={"source": "T"})
    tables.triple("b", "is_a", "c")
    assert tables.triple_table().to_pylist() == [
        {"subject": "a", "relation": "targets", "object": "b", "source": "S", "qualifier:action": "inhibitor"},
        {"subject": "b", "relation": "is_a", "object": "c", "source": None, "qualifier:action": None},
    ]


def test_zero_is_a_value() -> None:
    tables = Tables()
    tables.triple("a", "rushed_in", "g", statement={"yards": 0})
    assert tables.triple_rows()[0]["yards"] == "0"


def test_slugs_are_plain() -> None:
    assert slug("São Tomé & Príncipe") == "sao_tome_principe"
    assert slug("Bob 'The' Builder!", "-") == "bob-the-builder"
