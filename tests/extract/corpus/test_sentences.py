"""Sentences of a passage: where they end, that nothing is lost, and that length costs no more than its share."""

import gzip
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.extract.corpus.boilerplate import is_boilerplate, skip_section_word
from clew.extract.corpus.cues import flag_sentence
from clew.extract.corpus.language import is_english, is_foreign
from clew.extract.corpus.sentences import LONGEST_SENTENCE, split_passage


def split(text: str, *, longest: int = LONGEST_SENTENCE) -> list[str]:
    return [text[start:end] for start, end in split_passage(text, 0, len(text), longest=longest)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["Colchicine helps.", "It is old."],
        ["A dose of 2.5 mg (Fig. 1) was given i.v. to E. coli, e.g. strain K12.", "It grew."],
        ["Levels rose vs. baseline (P less than .05).", "Then they fell."],
        ["Staphylococcus spp. were found by Dr. Li et al. (2010) in St. Louis.", "They grew."],
        ["The U.S. Food and Drug Administration agreed.", "We did not."],
        ["It needs vitamin C.", "The dose is small."],
        ["Uptake took 1.5 s.", "Kinetic parameters were found."],
        ["It was bound to DNA.", "p53 rose.", "mRNA fell."],
        ["They were in group 2.", "Patients came."],
        ["We found: 1. Gout hurts; 2. Colchicine helps.", "So it is used."],
        ["Is it so?", "Yes!", "Perhaps..."],
        ["(See Fig. 2.)", "Then it ended."],
        ["It was published in Biochim. Biophys. Acta 12 by J. S. Smith.", "Nobody read it."],
        ["No. 5 was lost.", "The answer was no.", "Rats died."],
    ],
)
def test_sentences_end_where_they_end(sentences: list[str]) -> None:
    assert split(" ".join(sentences)) == sentences


def test_a_forgotten_space_is_no_reason_to_go_on() -> None:
    assert split("It was treated.The patients died.") == ["It was treated.", "The patients died."]
    assert split("We used www.Example and Na.Cl here.") == ["We used www.Example and Na.Cl here."]


@given(st.text(st.sampled_from("aB1 .!?()\"'\n:;-é"), max_size=300), st.integers(1, 40))
def test_every_word_is_in_one_sentence_and_none_is_too_long(text: str, longest: int) -> None:
    spans = list(split_passage(text, 0, len(text), longest=longest))
    at = 0
    for start, end in spans:
        assert text[at:start].strip() == ""
        assert 0 < end - start <= longest
        assert text[start:end] == text[start:end].strip()
        at = end
    assert text[at:].strip() == ""


def test_only_the_passage_is_looked_at() -> None:
    text = "One. Two. Three."
    assert [text[a:b] for a, b in split_passage(text, 5, 9)] == ["Two."]


@pytest.mark.parametrize("piece", ["aspirin ", "x", "A. ", ". ", "... ", "(", "1. "])
def test_ten_times_the_text_takes_about_ten_times_as_long(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        best = float("inf")
        for _ in range(3):
            started = time.process_time()
            for _ in split_passage(text, 0, len(text)):
                pass
            best = min(best, time.process_time() - started)
        return best

    assert seconds(200_000) < 60 * seconds(20_000) + 0.05  # a hundred times if it were quadratic


def test_no_gold_mention_is_cut_in_two(data: Path) -> None:
    crossing, mentions = 0, 0
    text, spans = "", []
    with gzip.open(data / "bc5cdr" / "cdr_train.pubtator.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            if "|t|" in line[:20]:
                text = line.split("|", 2)[2].rstrip("\n")
                spans = list(split_passage(text, 0, len(text)))
            elif "|a|" in line[:20]:
                start = len(text) + 1
                text += " " + line.split("|", 2)[2].rstrip("\n")
                spans += split_passage(text, start, len(text))
            elif len(fields := line.split("\t")) >= 6:
                first, last = int(fields[1]), int(fields[2])
                mentions += 1
                crossing += not any(start <= first and last <= end for start, end in spans)
    assert mentions > 9000
    assert crossing == 0


@pytest.mark.parametrize(
    ("sentence", "rest"),
    [
        ("BACKGROUND: Gout hurts.", "Gout hurts."),
        ("Results. Gout hurts.", "Gout hurts."),
        ("MATERIALS AND METHODS We asked.", "We asked."),
        ("Abstract", ""),
        ("Conclusions - Gout hurts.", "Gout hurts."),
        ("Results show that gout hurts.", "Results show that gout hurts."),
        ("Methods of care differ.", "Methods of care differ."),
    ],
)
def test_section_words_are_skipped(sentence: str, rest: str) -> None:
    start, end = skip_section_word(sentence, (0, len(sentence)))
    assert sentence[start:end] == rest


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("© 2012 The Authors.", True),
        ("Copyright (c) 2004 Elsevier.", True),
        ("This article is protected by copyright.", True),
        ("(ABSTRACT TRUNCATED AT 250 WORDS)", True),
        ("The Journal of Pathology published by John Wiley & Sons Ltd.", True),
        ("12.5 (3-4)", True),
        ("Gout hurts.", False),
        ("Vitamin C treats scurvy (c).", False),
        ("Funding of hospitals differs.", False),
    ],
)
def test_boilerplate(sentence: str, expected: bool) -> None:
    assert is_boilerplate(sentence) is expected


@pytest.mark.parametrize(
    ("sentence", "negated", "speculative", "animal"),
    [
        ("Aspirin prevents stroke.", False, False, False),
        ("Aspirin had no effect on stroke.", True, False, False),
        ("Aspirin did not prevent stroke. In 3 of 4.", True, False, False),
        ("Not only aspirin prevents stroke.", False, False, False),
        ("Inhibition of NO synthase raises blood pressure.", False, False, False),
        ("NO EFFECT WAS SEEN.", True, False, False),
        ("Gram-negative bacteria cause sepsis.", False, False, False),
        ("Aspirin may prevent stroke.", False, True, False),
        ("Patients were seen in May.", False, False, False),
        ("Does aspirin prevent stroke?", False, True, False),
        ("These results suggest a role of aspirin.", False, True, False),
        ("Rats were given aspirin.", False, False, True),
        ("Rats and patients were given aspirin.", False, False, False),
        ("Migrating patients had a rate of 5.", False, False, False),
    ],
)
def test_flags(sentence: str, negated: bool, speculative: bool, animal: bool) -> None:
    found = flag_sentence(sentence)
    assert (found.negated, found.speculative, found.animal) == (negated, speculative, animal)


def test_languages_are_told_apart() -> None:
    german = "Die Behandlung der Gicht mit Colchicin wurde bei den Patienten in der Klinik untersucht und beschrieben."
    english = "The treatment of gout with colchicine was studied in the patients of the clinic and is described here."
    assert is_english(english)
    assert not is_english(german)
    assert not is_english(german, stated="ger")
    assert not is_english("痛风患者接受秋水仙碱治疗。")
    assert is_english(english + " " + german)  # two languages side by side: sentences decide
    assert is_foreign(german)
    assert not is_foreign(english)
    assert not is_foreign("Mycobacterium tuberculosis complex strains.")
    assert is_english("Familial Mediterranean fever", stated="eng")


@settings(max_examples=50)
@given(st.text(max_size=200))
def test_no_text_is_too_odd_to_judge(text: str) -> None:
    is_english(text)
    is_foreign(text)
    is_boilerplate(text)
    flag_sentence(text)
    start, end = skip_section_word(text, (0, len(text)))
    assert 0 <= start <= end == len(text)
