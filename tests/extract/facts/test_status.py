"""Statements that a sentence denies, asks or plans are told from those it makes."""

import pytest

from clew.extract.facts.status import DENIED, SPECULATIVE, STATED, status_of


def status(sentence: str, one: str, other: str) -> str:
    spans = [(sentence.index(each), sentence.index(each) + len(each)) for each in (one, other)]
    return status_of(sentence, spans[0], spans[1])


@pytest.mark.parametrize(
    ("sentence", "one", "other", "expected"),
    [
        ("Cisplatin caused deafness in two patients.", "Cisplatin", "deafness", STATED),
        ("No protective effect of folic acid was found on heart defects.", "folic acid", "heart defects", DENIED),
        ("Phenobarbital failed to alter hyperbilirubinemia.", "Phenobarbital", "hyperbilirubinemia", DENIED),
        ("We explored whether statins improve stroke.", "statins", "stroke", SPECULATIVE),
        ("The aim was to study bezafibrate in colon cancer.", "bezafibrate", "colon cancer", SPECULATIVE),
        ("Does uric acid raise the risk of gout?", "uric acid", "gout", SPECULATIVE),
        ("Mutation screening of KCNE2 was done in atrial fibrillation.", "KCNE2", "atrial fibrillation", SPECULATIVE),
        ("The hypothesis was tested in mice with kainic acid-induced seizures.", "kainic acid", "seizures", STATED),
        ("These data suggest that STAT5 reduces obesity.", "STAT5", "obesity", STATED),
        ("Aspirin prevented stroke, which heparin did not.", "Aspirin", "stroke", STATED),
        ("Aspirin prevented stroke, which heparin did not.", "stroke", "heparin", DENIED),
        ("Variants of SFRP4 left the risk of fibrosis unchanged.", "SFRP4", "fibrosis", DENIED),
        ("Not only aspirin but also heparin prevented stroke.", "heparin", "stroke", STATED),
    ],
)
def test_what_a_sentence_does_with_a_relation(sentence: str, one: str, other: str, expected: str) -> None:
    assert status(sentence, one, other) == expected
    assert status(sentence, other, one) == expected
