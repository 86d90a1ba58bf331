"""Phrases of questions and the parts of a schema that they mean."""

from pathlib import Path
from typing import Any

import pytest

from clew.answer.hearing.linking import (
    RELATION,
    TYPE,
    LinkedQuestion,
    SchemaItem,
    kind_of_name,
    schema_items,
    written_out,
)
from clew.answer.hearing.parser import find_sketch_parser
from clew.answer.kept import schema_of, vocabulary_of
from clew.answer.names.meanings import Meaning
from clew.answer.resources import Resources
from clew.answer.sketch.sketch import split_words
from clew.errors import Timeout

ITEMS = [
    SchemaItem(TYPE, "grant", "", "grant"),
    SchemaItem(TYPE, "funder", "", "funder"),
    SchemaItem(TYPE, "instrument", "", "instrument"),
    SchemaItem(RELATION, "AWARDED_BY", "", "grant awarded by funder"),
    SchemaItem(RELATION, "HELD_BY", "", "grant held by person"),
    SchemaItem(RELATION, "OWNS", "", "group owns instrument"),
    SchemaItem(2, "instrument", "price_eur", "instrument price number"),
    SchemaItem(2, "instrument", "purchase_year", "instrument purchase year"),
]


def read(question: str, name: str, type: str, items: list[SchemaItem] = ITEMS) -> tuple[LinkedQuestion, list[str]]:
    parser = find_sketch_parser()
    assert parser is not None
    at = question.index(name)
    words = split_words(question, [(at, at + len(name))])
    return parser.linker.read(words, [type], items), [word.text for word in words]


@pytest.mark.parametrize(
    ("question", "name", "type", "phrase", "meant"),
    [
        ("Who put up the money for BREAKFIX?", "BREAKFIX", "grant", "put up the money", ("AWARDED_BY", "")),
        ("Which machines belong to the Proteomics Core?", "Proteomics Core", "group", "belong to", ("OWNS", "")),
        ("How much did we pay for the Krios?", "Krios", "instrument", "pay", ("instrument", "price_eur")),
    ],
)
def test_words_that_no_list_has_mean_a_part_of_the_schema(
    question: str, name: str, type: str, phrase: str, meant: tuple[str, str]
) -> None:
    linked, words = read(question, name, type)
    first = next(at for at in range(len(words)) if words[at : at + len(phrase.split())] == phrase.split())
    assert linked.meant(range(first, first + len(phrase.split()))).likeliest() == meant


def test_shares_of_all_parts_and_of_none_are_one_and_the_order_of_parts_does_not_matter() -> None:
    linked, words = read("Who put up the money for BREAKFIX?", "BREAKFIX", "grant")
    turned, _ = read("Who put up the money for BREAKFIX?", "BREAKFIX", "grant", ITEMS[::-1])
    for at in range(len(words)):
        one, other = linked.meant([at]), turned.meant([at])
        shares: list[Any] = [one.types, one.relations, one.attributes, one.columns]
        assert sum(sum(each.values()) for each in shares) + one.none == pytest.approx(1, abs=1e-5)
        assert one.none == pytest.approx(other.none, abs=0.05)


def test_more_parts_than_fit_at_once_are_read_in_turn() -> None:
    many = [*ITEMS, *(SchemaItem(RELATION, f"R{n}", "", f"tram stops at stop {n}") for n in range(70))]
    linked, words = read("Who put up the money for BREAKFIX?", "BREAKFIX", "grant", many)
    assert linked.meant([words.index("money")]).likeliest() == ("AWARDED_BY", "")


def test_a_question_is_linked_in_time() -> None:
    parser = find_sketch_parser()
    assert parser is not None
    many = [*ITEMS, *(SchemaItem(RELATION, f"R{n}", "", f"tram stops at stop {n}") for n in range(70))]
    checked: list[int] = []

    def check() -> None:
        checked.append(1)
        if len(checked) == 2:
            raise Timeout("no time left")

    with pytest.raises(Timeout):
        parser.linker.link(split_words("Who put up the money?", []), [], many, check=check)
    assert len(checked) == 2


def test_abbreviations_are_written_out_as_the_question_says_them() -> None:
    words = split_words("Which estates have an importer?", [])
    items = [SchemaItem(TYPE, "EST", "", "est"), SchemaItem(RELATION, "IMP", "", "wine imp imp")]
    assert [each.text for each in written_out(items, words)] == ["estates", "wine importer importer"]


def test_the_parts_of_a_schema_are_types_relations_attributes_and_columns(hpo: Path) -> None:
    with Resources(hpo) as resources:
        items = schema_items(schema_of(resources), vocabulary_of(resources).attributes)
    assert "gene associated with disease" in [each.text for each in items]
    assert {each.kind for each in items} >= {TYPE, RELATION}


def test_names_of_relations_say_what_entities_without_a_type_are() -> None:
    item = SchemaItem(RELATION, "FLAG", "", "ship flag state country", "vessel__ship__flag_state")
    name = Meaning("Entity", ("m.1",), "Ever Given", 1.0, "exact")
    assert kind_of_name(name, [item], lambda meaning, relation, subject: True) == "ship"
    assert kind_of_name(name, [item], lambda meaning, relation, subject: False) == "Entity"
