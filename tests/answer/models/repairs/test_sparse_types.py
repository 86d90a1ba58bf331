"""Written queries over a graph that states the type of some entities only, and of places that lie in each other."""

from collections.abc import Iterator

import pytest

from askers import asker_of_csv, found_by_query
from clew.answer import Asker
from clew.answer.kept import composer_of

ENTITIES = """id,name,type,founded,hall.seats,nationality,seat
norway,Norway,country,,,,
vest,Vestland,,,,,
oslo,Oslo,town,,,,
bergen,Bergen,,,,,
ann,Ann Lee,person,,,Norwegian,
bob,Bob Ray,,,,Danish,
cleo,Cleo Dahl,person,,,Danish,
acme,Acme,company,1890,,,Oslo
bolt,Bolt,,1880,,,
crest,Crest,company,1950,,,Fife
drum,The Drum,,,900,,
fife,The Fife,,,1200,,
gull,Gull,container ship,,,,
hare,Hare,ferry,,,,
isle,Isle,,,,,
"""
STATED = """subject,relation,object
oslo,geo__place__containedby,norway
vest,geo__place__containedby,norway
bergen,geo__place__containedby,vest
ann,born_in,oslo
bob,born_in,bergen
cleo,taught,ann
bob,taught,cleo
gull,flag,norway
hare,flag,norway
isle,flag,norway
drum,stands_in,bergen
fife,stands_in,oslo
"""


@pytest.fixture(scope="module")
def coast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    with asker_of_csv(tmp_path_factory.mktemp("coast"), STATED, ENTITIES) as asker:
        yield asker


def test_a_name_without_a_type_is_what_its_variable_says(coast: Asker) -> None:
    written = "MATCH (person {id: $entity1})-[:TAUGHT]->(person2) RETURN person2"
    assert found_by_query(coast, "Whom did Bob Ray teach?", written) == {"Cleo Dahl"}


def test_what_has_a_property_of_one_type_alone_is_of_that_type(coast: Asker) -> None:
    written = "MATCH (company) WHERE company.founded < 1900 RETURN company"
    assert found_by_query(coast, "Which companies were founded before 1900?", written) == {"Acme", "Bolt"}


def test_born_in_a_country_is_born_in_what_lies_in_it(coast: Asker) -> None:
    written = "MATCH (person)-[:BORN_IN]->(town {id: $country1}) RETURN person"
    assert found_by_query(coast, "Who was born in Norway?", written) == {"Ann Lee", "Bob Ray"}
    nobody = "MATCH (person) WHERE NOT EXISTS { MATCH (person)-[:BORN_IN]->(town {id: $country1}) } RETURN person"
    assert found_by_query(coast, "Which people were not born in Norway?", nobody) == {"Cleo Dahl"}


def test_a_step_between_places_goes_on_where_none_of_the_type_lies_there_directly(coast: Asker) -> None:
    written = "MATCH (entity)-[:STANDS_IN]->(town)-[:GEO_PLACE_CONTAINEDBY]->(country {id: $country1}) RETURN entity"
    assert found_by_query(coast, "What stands in Norway?", written) == {"The Drum", "The Fife"}


def test_a_place_that_things_lead_to_directly_is_meant_itself(coast: Asker) -> None:
    written = "MATCH (ferry)-[:FLAG]->(country {id: $country1}) RETURN ferry"
    assert found_by_query(coast, "Which ferries fly the flag of Norway?", written) == {"Hare"}


def test_the_last_word_of_a_type_alone_leaves_it_open(coast: Asker) -> None:
    written = "MATCH (containership)-[:FLAG]->(country {id: $country1}) RETURN containership"
    assert found_by_query(coast, "Which ships fly the flag of Norway?", written) == {"Gull", "Hare", "Isle"}
    assert found_by_query(coast, "Which container ships fly the flag of Norway?", written) == {"Gull"}


def test_columns_with_dots_in_their_names_hold_numbers(coast: Asker) -> None:
    written = "MATCH (entity) WHERE entity.hall_seats > 1000 RETURN entity"
    assert found_by_query(coast, "What has over 1000 seats?", written) == {"The Fife"}
    assert "hall_seats (900)" in str(composer_of(coast.resources).shown)


def test_a_place_is_the_nationality_of_its_people(coast: Asker) -> None:
    written = "MATCH (person) WHERE person.nationality = 'Denmark' RETURN person"
    assert found_by_query(coast, "Which people are Danish?", written) == {"Bob Ray", "Cleo Dahl"}


def test_a_value_that_is_taken_for_part_of_a_name(coast: Asker) -> None:
    written = "MATCH (company) WHERE company.seat = $entity1 RETURN company"
    assert found_by_query(coast, "Which companies have their seat in Fife?", written) == {"Crest"}
