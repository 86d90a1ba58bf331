"""A short symbol needs support in its document."""

from clew.extract.facts.support import supported_heads
from clew.extract.mentions.heads import Head

NAMES = {
    "G:SLN": ["SLN", "sarcolipin"],
    "G:AKT": ["AKT"],
    "G:KCNE1": ["KCNE1"],
    "G:P14": ["P14"],
    "D:AF": ["atrial fibrillation"],
    "D:ASC": ["ASC", "acute stress cardiomyopathy", "apical ballooning syndrome"],
    "D:CARP": ["carp", "papillomatosis, confluent and reticulated"],
    "D:GOUT": ["gout", "uric acid arthritis"],
}


def supported(text: str, *words: tuple[str, str, str], method: str = "exact name") -> list[str]:
    heads = [
        (Head(text.index(word), text.index(word) + len(word), word, entity, "", 1.0, method), type_)
        for word, entity, type_ in words
    ]
    return [head.text for head, _ in supported_heads(text, heads, lambda head: NAMES[head.entity or ""])]


def test_a_symbol_alone_is_left_out() -> None:
    assert supported("SLN biopsy in breast cancer.", ("SLN", "G:SLN", "gene")) == []
    assert supported("AF was seen in ten patients.", ("AF", "D:AF", "disease")) == []


def test_words_of_genes_beside_it_its_name_or_a_definition_support_it() -> None:
    assert supported("Expression of SLN was raised.", ("SLN", "G:SLN", "gene")) == ["SLN"]
    assert supported("SLN was raised; sarcolipin binds calcium.", ("SLN", "G:SLN", "gene")) == ["SLN"]
    assert supported("AF was seen; atrial rhythm was restored.", ("AF", "D:AF", "disease")) == ["AF"]
    assert supported("SLN biopsy.", ("SLN", "G:SLN", "gene"), method="abbreviation") == ["SLN"]


def test_a_list_with_a_supported_gene_supports_its_neighbours() -> None:
    far = "was found in one of the families that were seen here, while in all of the others"
    text = f"SLN and AKT {far} the SLN mutation was not."
    heads = (("SLN", "G:SLN", "gene"), ("AKT", "G:AKT", "gene"))
    assert supported(text, *heads) == []
    assert supported(text.replace("SLN and", "The genes SLN and"), *heads) == ["SLN", "AKT"]


def test_three_letters_and_a_digit_are_a_gene() -> None:
    assert supported("Cells with KCNE1 were seen.", ("KCNE1", "G:KCNE1", "gene")) == ["KCNE1"]
    assert supported("P14 was seen.", ("P14", "G:P14", "gene")) == []


def test_one_word_in_common_and_general_words_support_no_disease() -> None:
    assert supported("NLRP3, ASC and stress in the syndrome.", ("ASC", "D:ASC", "disease")) == []
    assert supported("ASC is a cardiomyopathy after stress.", ("ASC", "D:ASC", "disease")) == ["ASC"]


def test_initials_in_lower_case_are_no_name() -> None:
    assert supported("Black carp and gout.", ("carp", "D:CARP", "disease"), ("gout", "D:GOUT", "disease")) == ["gout"]
