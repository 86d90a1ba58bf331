"""One identifier, however it is written."""

import pytest

from clew.link.names.curies import curie_key, local_part


@pytest.mark.parametrize(
    "text",
    [
        "MESH:D008382",
        "MeSH:D008382",
        "mesh_d008382",
        "MSH D008382",
        " mesh: D008382 ",
        "https://id.nlm.nih.gov/mesh/D008382",
        "http://example.org/MESH_D008382",
    ],
)
def test_spellings_of_one_id(text: str) -> None:
    assert curie_key(text) == "mesh:d008382"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("UMLS:C0024796", "UMLS_CUI:C0024796"),
        ("SNOMEDCT_US:19346006", "SCTID:19346006"),
        ("OMIM:154700", "MIM:154700"),
        ("ORPHA:558", "Orphanet:558"),
        ("DrugBank:DB00997", "drugbank_DB00997"),
        ("HP:0001250", "http://purl.obolibrary.org/obo/HP_0001250"),
    ],
)
def test_prefixes_with_several_names(one: str, other: str) -> None:
    assert curie_key(one) == curie_key(other) is not None


@pytest.mark.parametrize("text", ["Marfan syndrome", "", "FBN1", ":", "a:b:c", "12:"])
def test_what_is_no_id(text: str) -> None:
    assert curie_key(text) is None


def test_different_ids_stay_different() -> None:
    assert len({curie_key(each) for each in ("OMIM:1547", "ORPHA:1547", "OMIM:15470")}) == 3


def test_local_parts() -> None:
    assert local_part("MESH:D008382") == local_part("d008382") == "d008382"
    assert local_part("HP:12") is None
    assert local_part("X:Marfan") is None
