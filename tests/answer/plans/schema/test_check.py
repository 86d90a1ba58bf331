"""Plans against a schema: slips with one reading are repaired and said, the rest is refused with the reason."""

import pytest

from clew.answer.plans.canonical import same
from clew.answer.plans.cypher.read import read_plan
from clew.answer.plans.schema.check import Checked, check_plan
from clew.errors import QueryError
from clew.store.cypher import parse
from clew.store.layout import Label, LabelPair, Property, Relationship, StoreSchema


def relationship(name: str, *ends: tuple[str, str], symmetric: bool = False) -> Relationship:
    return Relationship(
        name=name,
        relation=name.lower(),
        number=0,
        negated_only=False,
        negated=False,
        symmetric=symmetric,
        ends=tuple(LabelPair(subject, object_, 1) for subject, object_ in ends),
        properties=(Property("source", "strings", "source"),),
    )


SCHEMA = StoreSchema(
    "snapshot",
    tuple(Label(name, name, 1) for name in ("Gene", "Disease", "Phenotype", "Phenotope")),
    (Property("synonyms", "strings", "synonyms"),),
    (
        relationship("ASSOCIATED_WITH", ("Gene", "Disease")),
        relationship("HAS_PHENOTYPE", ("Disease", "Phenotype")),
        relationship("IS_A", ("Phenotype", "Phenotype")),
        relationship("INTERACTS_WITH", ("Gene", "Gene"), ("Gene", "Disease"), symmetric=True),
    ),
)


def checked(text: str) -> Checked:
    return check_plan(read_plan(parse(text)), SCHEMA, other_names={"ASSOCIATED_WITH": ["causes", "linked to"]})


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (g:Gene)-[:ASSOCIATED_WITH]->(d:Disease) RETURN g",
        "MATCH (g)-[:ASSOCIATED_WITH]->(d) RETURN g.synonyms",
        "MATCH (d:Disease)-[:HAS_PHENOTYPE]->(:Phenotype)-[:IS_A*0..20]->(p:Phenotype) RETURN d",
        "MATCH (d:Disease)-[:INTERACTS_WITH]->(g:Gene) RETURN d",
        "MATCH (d:Disease)-[:ASSOCIATED_WITH]-(g:Gene) RETURN d",
        "MATCH (g)-->(d) RETURN g",
        "MATCH (g)-[r:ASSOCIATED_WITH]->(d) WHERE r.source = 'x' RETURN g ORDER BY g.name",
    ],
)
def test_a_plan_that_fits_stays_as_it_is(text: str) -> None:
    found = checked(text)
    assert found.repairs == ()
    assert found.plan == read_plan(parse(text))


@pytest.mark.parametrize(
    ("text", "meant", "said"),
    [
        ("MATCH (g:gene) RETURN g", "MATCH (g:Gene) RETURN g", "label gene read as Gene"),
        ("MATCH (g:Genes) RETURN g", "MATCH (g:Gene) RETURN g", "label Genes read as Gene"),
        (
            "MATCH (g:Gene)-[:associatedWith]->(d) RETURN g",
            "MATCH (g:Gene)-[:ASSOCIATED_WITH]->(d) RETURN g",
            "relationship associatedWith read as ASSOCIATED_WITH",
        ),
        (
            "MATCH (g:Gene)-[:CAUSES]->(d) RETURN g",
            "MATCH (g:Gene)-[:ASSOCIATED_WITH]->(d) RETURN g",
            "relationship CAUSES read as ASSOCIATED_WITH",
        ),
        (
            "MATCH (d:Disease)-[:ASSOCIATED_WITH]->(g:Gene) RETURN g",
            "MATCH (d:Disease)<-[:ASSOCIATED_WITH]-(g:Gene) RETURN g",
            "ASSOCIATED_WITH turned round",
        ),
        ("MATCH (g:Gene) RETURN g.synonym", "MATCH (g:Gene) RETURN g.synonyms", "property synonym read as synonyms"),
        (
            "MATCH (g:Gene) WHERE g.Name = 'x' RETURN g",
            "MATCH (g:Gene) WHERE g.name = 'x' RETURN g",
            "property Name read as name",
        ),
    ],
)
def test_slips_with_one_reading_are_repaired_and_said(text: str, meant: str, said: str) -> None:
    found = checked(text)
    assert same(found.plan, read_plan(parse(meant)))
    assert found.repairs == (said,)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("MATCH (x:Drug) RETURN x", "no label Drug: it has Gene, Disease, Phenotype, Phenotope"),
        ("MATCH (x:Phenotpe) RETURN x", "no label Phenotpe: Phenot[yo]pe or Phenot[yo]pe"),
        ("MATCH (x:Gene)-[:TREATS]->(y) RETURN x", "no relationship TREATS"),
        ("MATCH (x:Gene)-[:HAS_PHENOTYPE]->(y:Phenotype) RETURN x", "does not join Gene and Phenotype: Disease →"),
        ("MATCH (x:Gene) WHERE x.weight > 1 RETURN x", "no property weight"),
        ("MATCH (x:Drug)-[:TREATS]->(y) RETURN x", "no label Drug.*; the graph has no relationship TREATS"),
    ],
)
def test_everything_else_is_refused_with_the_reason(text: str, says: str) -> None:
    with pytest.raises(QueryError, match=says) as caught:
        checked(text)
    assert "\n" not in str(caught.value)
