"""Proteins are no drugs, and general words and materials of the laboratory are nothing that is stated about."""

import pytest

from clew.extract.facts.entity_types import statement_type


@pytest.mark.parametrize(
    ("name", "type_", "text", "expected"),
    [
        ("cisplatin", "Chemical", "cisplatin", "chemical"),
        ("Hydroxymethylglutaryl-CoA Reductase Inhibitors", "Chemical", "statins", "chemical"),
        ("Aromatase Inhibitors", "Chemical", "AIs", "chemical"),
        ("statin", "Chemical", "statin", "chemical"),
        ("Asparaginase", "Chemical", "asparaginase", "chemical"),
        ("Caspases", "Chemical", "caspase", "gene"),
        ("Interleukin-6", "Chemical", "IL-6", "gene"),
        ("Angiotensin-Converting Enzyme 2", "Chemical", "ACE2", "gene"),
        ("Angiotensin-Converting Enzyme Inhibitors", "Chemical", "ACE inhibitors", "chemical"),
        ("NF-kappa B", "Chemical", "NF-κB", "gene"),
        ("Receptors, G-Protein-Coupled", "Chemical", "GPCR", "gene"),
        ("Methemoglobin", "Chemical", "methemoglobin", "gene"),
        ("Tumor Necrosis Factor-alpha", "Chemical", "TNF-alpha", "gene"),
        ("Growth Differentiation Factor 15", "Chemical", "GDF15", "gene"),
        ("LPS with O-antigen", "Chemical", "endotoxin", "chemical"),
        ("Liposomes", "Chemical", "liposomes", None),
        ("Immunoglobulin G", "Chemical", "IgG", None),
        ("Codon", "Chemical", "codon", None),
        ("IGLL1", "Gene", "14.1", None),
        ("tumor grade 2, general grading system", "Phenotype", "grade II", None),
        ("gout", "Disease", "gout", "disease"),
        ("liver", "Anatomy", "liver", None),
    ],
)
def test_the_type_of_a_name(name: str, type_: str, text: str, expected: str | None) -> None:
    assert statement_type(name, type_, text) == expected
