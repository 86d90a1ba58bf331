"""What a phrase means among names that share letters with it."""

from pathlib import Path

import pyarrow as pa
import pytest

import clew
from clew.embed import open_encoder
from clew.errors import MissingModel
from clew.graph import Relation
from clew.link import Linker, Paraphrases
from link.named_graphs import Entity, write
from link.test_vectors import ENTITIES, WordEncoder


def paraphrases(graph: clew.Engine) -> Paraphrases:
    return Paraphrases(Linker(graph), WordEncoder())


def test_no_vectors_of_all_names_are_needed(tmp_path: Path) -> None:
    ((best, *_),) = paraphrases(write(ENTITIES, tmp_path / "g.clew")).nearest(["kidney failure"])
    assert (best.id, best.stage) == ("D:1002", "embedding")
    assert best.reason == "similar in meaning to 'Renal failure' (cosine 1.00)"


def test_types_are_kept_to(tmp_path: Path) -> None:
    found = paraphrases(write(ENTITIES, tmp_path / "g.clew")).nearest(["kidney failure"], types=("Phenotype",))
    assert [[each.id for each in listed] for listed in found] == [["P:1001"]]


def test_a_name_that_says_more_is_less_likely(tmp_path: Path) -> None:
    entities: list[Entity] = [
        ("D:1", "Renal failure", "Disease", [], []),
        ("D:2", "Renal failure acute", "Disease", [], []),
    ]
    ((first, second),) = paraphrases(write(entities, tmp_path / "g.clew")).nearest(["kidney failure"])
    assert (first.id, second.id) == ("D:1", "D:2")
    assert first.score > second.score


def test_of_two_kinds_the_more_general_is_meant(tmp_path: Path) -> None:
    entities = pa.table(
        {
            "id": ["P:1", "P:2"],
            "name": ["Ptosis", "Bilateral ptosis"],
            "type": ["Phenotype", "Phenotype"],
            "synonyms": pa.array(
                [["kidney failure attack"], ["kidney kidney failure failure one attack"]], pa.list_(pa.string())
            ),
        }
    )
    triples = pa.table({"subject": ["P:2"], "relation": ["is_a"], "object": ["P:1"]})
    for transitive, first in ((True, "P:1"), (False, "P:2")):
        out = tmp_path / f"{transitive}.clew"
        clew.build(triples, entities=entities, relations=[Relation("is_a", transitive=transitive)], out=out)
        ((best, *_),) = paraphrases(clew.open(out)).nearest(["kidney failure"])
        assert best.id == first


def test_real_meanings(hpo: Path) -> None:
    try:
        encoder = open_encoder()
    except MissingModel as reason:
        pytest.fail(str(reason), pytrace=False)
    found = Paraphrases(Linker(clew.open(hpo)), encoder)
    meant = {
        "enlarged spleen": "Splenomegaly",
        "drooping eyelids": "Ptosis",
        "short height": "Short stature",
        "trouble swallowing": "Dysphagia",
        "skin turn yellow": "Jaundice",
    }
    assert {phrase: found.nearest([phrase])[0][0].name for phrase in meant} == meant
