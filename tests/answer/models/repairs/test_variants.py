"""What plans may mean that find nothing as they are written."""

from clew.answer.models.repairs.variants import variants
from clew.answer.plans.canonical import same
from clew.answer.plans.cypher.read import read_plan
from clew.answer.plans.plan import Plan
from clew.store.cypher import parse
from clew.store.layout import Label, LabelPair, Relationship, StoreSchema


def relationship(name: str, subject: str, object_: str) -> Relationship:
    return Relationship(name, name.lower(), 0, False, False, False, (LabelPair(subject, object_, 1),), ())


SCHEMA = StoreSchema(
    "",
    tuple(Label(name, name, 1) for name in ("Play", "Sponsor")),
    (),
    (relationship("FUNDED_BY", "Play", "Sponsor"), relationship("FOLLOWS", "Play", "Play")),
)


def plan(text: str) -> Plan:
    return read_plan(parse(text), {})


def test_a_bound_on_what_is_added_up_may_be_that_of_the_total() -> None:
    written = "MATCH (p:Play)-[r:FUNDED_BY]->(s:Sponsor) {}RETURN s, sum(r.q_amount) AS n ORDER BY n DESC LIMIT 1"
    (other,) = variants(plan(written.format("WHERE r.q_amount > 60000 ")), SCHEMA)
    assert other.measure is not None
    assert other.measure.bounds == ((">", 60000),)
    assert (other.required.conditions, other.sort, other.limit) == ((), (), None)
    assert not list(variants(plan(written.format("")), SCHEMA))
    assert not list(variants(plan(written.format("WHERE r.q_year > 2000 ")), SCHEMA))


def test_a_step_between_two_of_one_type_is_reversed() -> None:
    (other,) = variants(plan("MATCH (a:Play)-[:FOLLOWS]->(b:Play {id: 'x'}) RETURN a"), SCHEMA)
    (step,) = other.required.steps
    assert step.ends == ("b", "a")


def test_an_end_that_is_wanted_unstated_is_left_out() -> None:
    funded = "MATCH (b:Play {{id: 'x'}})-[r:FUNDED_BY]->(a:Sponsor) {}RETURN a"
    (other,) = variants(plan(funded.format("WHERE r.q_until IS NULL AND r.q_amount > 5 ")), SCHEMA)
    assert same(other, plan(funded.format("WHERE r.q_amount > 5 ")))
    assert not list(variants(plan(funded.format("WHERE r.q_until IS NOT NULL AND a.born IS NULL ")), SCHEMA))


def test_a_type_that_is_a_code_may_be_another() -> None:
    coded = StoreSchema("", (Label("JU", "JU", 1), Label("Play", "Play", 1)), (), (relationship("MRD", "JU", "Play"),))
    married = "MATCH (a{} {{id: 'x'}})-[:MRD]->(b:Play) RETURN b"
    (other,) = variants(plan(married.format(":JU")), coded)
    assert same(other, plan(married.format("")))


def test_places_between_two_places_need_not_be_there() -> None:
    nested = (relationship("LIES_IN", "Town", "County"), relationship("BASED_AT", "Firm", "Town"))
    places = StoreSchema("", tuple(Label(name, name, 1) for name in ("Firm", "Town", "Parish", "County")), (), nested)
    text = "MATCH (f:Firm)-[:BASED_AT]->(t:Town)-[:LIES_IN]->(p:Parish{})-[:LIES_IN]->(c:County {{id: 'x'}}) RETURN {}"
    (other,) = variants(plan(text.format("", "f")), places)
    assert same(other, plan("MATCH (f:Firm)-[:BASED_AT]->(t:Town)-[:LIES_IN*1..8]->(c:County {id: 'x'}) RETURN f"))
    assert not list(variants(plan(text.format("", "p")), places))  # the parish is asked for
    assert not list(variants(plan(text.format(" {id: 'y'}", "f")), places))
