"""What the files of iBKH are called and what their columns mean: as in the paper (section IV.B) and as published.

Names are compared in plain form: small letters, brackets left out, all that is neither letter nor digit one underscore.
"treatment/therapy (including investigatory)" of the public files and "treatment/therapy" of the paper are both
treatment_therapy. Where the two differ by more than that, both names stand below.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from clew.graph.staging import Relation, Source

__all__ = [
    "IDENTIFIER_COLUMNS",
    "INFERRED",
    "LINKS",
    "NAME",
    "RELATIONS",
    "RESOURCES",
    "VOCABULARIES",
    "End",
    "Links",
    "Vocabulary",
    "is_index",
    "plain",
]

NAME = "iBKH"
INFERRED = "inferred_association"  # computed by CTD, not observed


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A file of entities of one type, each under its `primary` identifier."""

    stem: str  # of the file, plain
    type: str


@dataclass(frozen=True, slots=True)
class End:
    """One end of a file of links: the type of its entities, and what its column may be called."""

    type: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Links:
    """A file of links: `flags` gives the relation that a 1 in a column states.

    With `always`, the file may have no such column, and then each of its rows states that relation.
    """

    stems: tuple[str, ...]  # of the file, plain
    subject: End
    object: End
    flags: Mapping[str, str]
    always: str | None = None


VOCABULARIES = (
    Vocabulary("disease_vocab", "Disease"),
    Vocabulary("drug_vocab", "Drug"),
    Vocabulary("symptom_vocab", "Symptom"),
    Vocabulary("side_effect_vocab", "SideEffect"),
    Vocabulary("pathway_vocab", "Pathway"),
)

DISEASE, DRUG = End("Disease", ("disease",)), End("Drug", ("drug",))
SYMPTOM, PATHWAY = End("Symptom", ("symptom",)), End("Pathway", ("pathway",))
SIDE_EFFECT = End("SideEffect", ("side_effect", "sideeffect"))
ASSOCIATED = dict.fromkeys(("associate", "association", "associated_with"), "associated_with")
RESEMBLES = dict.fromkeys(("resemble", "resembles"), "resembles")
DRUG_DISEASE = {
    "treats": "treats",
    "palliates": "palliates",
    **ASSOCIATED,
    "alleviates": "alleviates_reduces",
    "alleviates_reduces": "alleviates_reduces",
    "treatment_therapy": "treatment_therapy",
    "inhibits_cell_growth": "inhibits_cell_growth",
    "biomarkers": "has_biomarker",
    "prevents_suppresses": "prevents_suppresses",
    "role_in_disease_pathogenesis": "role_in_pathogenesis",
    "effect": "has_effect_on",  # this and the next are in the public files only
    "inferred_relation": INFERRED,
}
LINKS = (
    Links(("di_sy_res", "di_s_res"), DISEASE, SYMPTOM, {"present": "has_symptom"}, always="has_symptom"),
    Links(
        ("di_di_res",), End("Disease", ("disease_1",)), End("Disease", ("disease_2",)), {"is_a": "is_a", **RESEMBLES}
    ),
    Links(("d_di_res",), DRUG, DISEASE, DRUG_DISEASE),
    Links(("d_se_res",), DRUG, SIDE_EFFECT, {"cause": "causes", "causes": "causes"}, always="causes"),
    Links(
        ("d_d_res",),
        End("Drug", ("drug_1",)),
        End("Drug", ("drug_2",)),
        {"interaction": "interacts_with", "interacts": "interacts_with", **RESEMBLES},
    ),
    Links(("d_pwy_res", "d_pw_res"), DRUG, PATHWAY, ASSOCIATED, always="associated_with"),
    Links(("di_pwy_res", "di_pw_res"), DISEASE, PATHWAY, ASSOCIATED, always="associated_with"),
)
SYMMETRIC, TRANSITIVE = ("interacts_with", "resembles"), ("is_a",)
RELATIONS = tuple(
    Relation(name, symmetric=name in SYMMETRIC, transitive=name in TRANSITIVE)
    for name in sorted({relation for links in LINKS for relation in links.flags.values()})
)

IDENTIFIER_COLUMNS = {  # the prefix of the identifiers in a column of a vocabulary
    "do_id": "DOID",
    "kegg_id": "KEGG",
    "umls_cui": "UMLS",
    "umls_id": "UMLS",
    "drugbank_id": "DrugBank",
    "pharmgkb_id": "PharmGKB",
    "mesh_id": "MESH",
    "idisk_id": "iDISK",
    "cid": "PUBCHEM.COMPOUND",
    "reactome_id": "Reactome",
    "go_id": "GO",
    "omim_id": "OMIM",
    "icd_10": "ICD10",
    "icd_9": "ICD9",
}

RESOURCES = {  # what iBKH was put together from, under the terms that each stated when this was written
    each.name: each
    for each in (
        Source(NAME, url="https://github.com/wcm-wanglab/iBKH"),
        Source("CTD", license="CTD terms of use", url="https://ctdbase.org"),
        Source("DrugBank", license="CC BY-NC 4.0", url="https://go.drugbank.com"),
        Source("Hetionet", license="CC0 1.0", url="https://het.io"),
        Source("KEGG", license="KEGG copyright and disclaimer", url="https://www.kegg.jp"),
        Source("PharmGKB", license="CC BY-SA 4.0", url="https://www.pharmgkb.org"),
        Source("Reactome", license="CC0 1.0", url="https://reactome.org"),
        Source("SIDER", license="CC BY-NC-SA 4.0", url="http://sideeffects.embl.de"),
    )
}


def plain(name: str) -> str:
    """A name of a file or column in the form in which names are compared.

    >>> plain("treatment/therapy (including investigatory)"), plain("Drug_1")
    ('treatment_therapy', 'drug_1')
    """
    return re.sub(r"[^a-z0-9]+", "_", re.sub(r"\(.*?\)", "", name).lower()).strip("_")


def is_index(name: str) -> bool:
    """Whether a column is the row numbers that pandas writes unless told not to."""
    return re.fullmatch(r"(unnamed_\d+)?", plain(name)) is not None
