"""A small graph in which names are ambiguous, with namesakes and subclasses, and the real small model."""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import clew
from askers import asker_of_rows
from clew.answer import Asker, CypherStrategy, Resources
from clew.errors import MissingModel
from clew.graph.staging import Relation
from clew.lm import LanguageModel, open_model
from clew.models import locate

ENTITIES = [
    ("G:1", "FBN1", "Gene"),
    ("G:2", "FBN2", "Gene"),
    ("G:3", "ADAMTSL4", "Gene"),
    ("D:1", "Marfan syndrome", "Disease"),
    ("D:2", "Marfan syndrome", "Disease"),
    ("D:3", "Beals syndrome", "Disease"),
    ("D:4", "Ectopia lentis", "Disease"),
    ("P:1", "Arachnodactyly", "Phenotype"),
    ("P:2", "Ectopia lentis", "Phenotype"),
    ("P:3", "Scoliosis", "Phenotype"),
    ("P:4", "Thoracic scoliosis", "Phenotype"),
    ("P:5", "Myopia", "Phenotype"),
    ("O:1", "Hospital", "Place"),
]
TRIPLES = [
    ("G:1", "associated_with", "D:1"),
    ("G:1", "associated_with", "D:2"),
    ("G:2", "associated_with", "D:3"),
    ("G:3", "associated_with", "D:4"),
    ("D:1", "has_phenotype", "P:1"),
    ("D:1", "has_phenotype", "P:2"),
    ("D:2", "has_phenotype", "P:1"),
    ("D:3", "has_phenotype", "P:1"),
    ("D:3", "has_phenotype", "P:4"),
    ("D:4", "has_phenotype", "P:5"),
    ("P:4", "is_a", "P:3"),
]


@pytest.fixture(scope="session")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    """Answers by words alone over a small graph."""
    folder = tmp_path_factory.mktemp("clinic")
    for name, columns, rows in (
        ("entities", ("id", "name", "type"), ENTITIES),
        ("triples", ("subject", "relation", "object"), TRIPLES),
    ):
        table = pa.table(dict(zip(columns, zip(*rows, strict=True), strict=True)))
        pq.write_table(table, folder / f"{name}.parquet")
    path = folder / "clinic.clew"
    clew.build(
        folder / "triples.parquet",
        entities=folder / "entities.parquet",
        relations=[Relation("is_a", transitive=True)],
        out=path,
    )
    asker = Asker(Resources(clew.open(path), encoder=None))
    yield asker
    asker.close()


@pytest.fixture(scope="session")
def small_model() -> Iterator[LanguageModel]:
    """SmolLM2; one thread, since two starve each other when tests run in parallel."""
    try:
        locate("smollm2")
    except MissingModel as error:
        pytest.fail(str(error), pytrace=False)
    with open_model("smollm2", threads=1, context=2048) as opened:
        yield opened


@pytest.fixture
def with_model(clinic: Asker):
    """The same asker with a model and settings of its own."""

    def make(model: LanguageModel, **settings: object) -> Asker:
        resources = Resources(clinic.resources.engine, store=clinic.resources.store, encoder=None, model=model)
        return Asker(resources, CypherStrategy(phrase=False, **settings))  # type: ignore[arg-type]

    return make


STAFF = [  # subject, type, relation, object, type, role, since
    ("Pavel Okafor", "Doctor", "works_on", "Osler Ward", "Ward", "consultant", "2011"),
    ("Rosa Petrov", "Nurse", "works_on", "Osler Ward", "Ward", "charge nurse", "2015"),
    ("Ines Roy", "Nurse", "works_on", "Osler Ward", "Ward", "staff nurse", "2019"),
    ("Hugo Brandt", "Doctor", "works_on", "Lister Ward", "Ward", "registrar", "2019"),
    ("Mia Lindgren", "Therapist", "works_on", "Lister Ward", "Ward", "physiotherapist", "2020"),
    ("Ada Weiss", "Patient", "attended_by", "Hugo Brandt", "Doctor", None, None),
    ("Noor Demir", "Patient", "attended_by", "Pavel Okafor", "Doctor", None, None),
    ("Tove Novak", "Patient", "attended_by", "Pavel Okafor", "Doctor", None, None),
    ("Osler Ward", "Ward", "belongs_to", "Cardiology", "Department", None, None),
    ("Pavel Okafor", "Doctor", "heads", "Cardiology", "Department", None, "2016"),
    ("Rosa Petrov", "Nurse", "supervises", "Ines Roy", "Nurse", None, None),
    ("Ada Weiss", "Patient", "exposed_to", "Smog", "Hazard", None, None),
    ("Tove Novak", "Patient", "exposed_to", "Pollution", "Hazard", None, None),
    ("Smog", "Hazard", "is_a", "Pollution", "Hazard", None, None),
]


@pytest.fixture(scope="session")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    """Staff of several types on two wards, with columns of statements and a hierarchy that is only called so."""
    folder = tmp_path_factory.mktemp("hospital")
    with asker_of_rows(folder, STAFF, "qualifier:role", "qualifier:since") as asker:
        yield asker
