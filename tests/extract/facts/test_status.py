"""Statements that a sentence denies, asks or plans are told from those it makes."""

import pytest

from clew.extract.facts.status import DENIED, GIVEN, SPECULATIVE, STATED, status_of


def status(sentence: str, one: str, other: str, *, relation: str = "") -> str:
    spans = [(sentence.index(each), sentence.index(each) + len(each)) for each in (one, other)]
    return status_of(sentence, spans[0], spans[1], relation=relation)


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
        ("The effect of cimetidine on maldigestion in cystic fibrosis.", "cimetidine", "cystic fibrosis", SPECULATIVE),
        ("The effect of cimetidine on maldigestion was large.", "cimetidine", "maldigestion", STATED),
        ("Minoxidil compared with finasteride for alopecia", "finasteride", "alopecia", SPECULATIVE),
        ("Gout occurred in 9 % on aspirin compared with 2 % on statins.", "Gout", "aspirin", STATED),
        ("Vitamin D in chronic fatigue: a trial without benefit", "Vitamin D", "chronic fatigue", DENIED),
        ("Death in ovarian cancer by a Caspase 8-independent way.", "Caspase 8", "ovarian cancer", DENIED),
        ("Hypotension was 25% for aspirin and 29% for control (p = 0.8).", "Hypotension", "aspirin", DENIED),
        ("Hypotension was 25% for aspirin and 9% for control (p = 0.01).", "Hypotension", "aspirin", STATED),
        ("Null genotypes of GSTT1 in cancer presented no association.", "GSTT1", "cancer", DENIED),
        ("A comparative trial of ampicillin and colistin in typhoid.", "colistin", "typhoid", SPECULATIVE),
        ("Primary endpoints were efficacy of aspirin in gout.", "aspirin", "gout", SPECULATIVE),
        ("A phase III study designed to establish aspirin in gout.", "aspirin", "gout", SPECULATIVE),
        ("Claims that metformin slows dementia rest on cohorts.", "metformin", "dementia", SPECULATIVE),
    ],
)
def test_what_a_sentence_does_with_a_relation(sentence: str, one: str, other: str, expected: str) -> None:
    assert status(sentence, one, other) == expected
    assert status(sentence, other, one) == expected


@pytest.mark.parametrize(
    ("sentence", "drug", "disease", "expected"),
    [
        ("We assigned 124 adults with renal failure to naltrexone.", "naltrexone", "renal failure", GIVEN),
        ("A woman with hypothyroidism had been prescribed cinnarizine.", "cinnarizine", "hypothyroidism", GIVEN),
        ("He was also on fingolimod for his sclerosis.", "fingolimod", "sclerosis", GIVEN),
        ("Azathioprine, prescribed for Crohn disease, was paused.", "Azathioprine", "Crohn disease", GIVEN),
        ("Patients with hypertension were treated with losartan.", "losartan", "hypertension", STATED),
        ("In patients with gout colchicine shortened attacks.", "colchicine", "gout", STATED),
        ("Losartan is used for hypertension.", "Losartan", "hypertension", STATED),
        ("Valacyclovir kept them free of zoster.", "Valacyclovir", "zoster", STATED),
        ("Patients with gout did not take aspirin.", "aspirin", "gout", DENIED),
        ("Methyladenosine is a therapeutic target in gout.", "Methyladenosine", "gout", SPECULATIVE),
    ],
)
def test_a_drug_that_is_only_given_is_not_said_to_help(sentence: str, drug: str, disease: str, expected: str) -> None:
    assert status(sentence, drug, disease, relation="treats") == expected


def test_only_treatment_can_be_given() -> None:
    assert status("Women with gout took aspirin.", "aspirin", "gout") == STATED


def test_cells_of_a_disease_are_a_setting() -> None:
    sentence = "RBFOX2 mediates splicing in hepatoma cells."
    assert status(sentence, "RBFOX2", "hepatoma", relation="associated_with") == GIVEN
    assert status(sentence.replace("cells", "tissue"), "RBFOX2", "hepatoma", relation="associated_with") == STATED
