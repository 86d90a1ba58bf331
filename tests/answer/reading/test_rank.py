"""Ranking of plans: what speaks for one, and how a plan is put into words."""

from clew.answer import Asker
from clew.answer.kept import schema_paths_of, words_of
from clew.answer.reading.candidates import candidates
from clew.answer.reading.question import ParsedQuestion, understand
from clew.answer.reading.rank import Ranked, in_words, masked, rank


def ranked(asker: Asker, text: str) -> tuple[ParsedQuestion, list[Ranked]]:
    question = understand(text, asker.resources.linker, words_of(asker.resources))
    found = list(candidates(question, asker.resources.schema, schema_paths_of(asker.resources)))
    return question, rank(question, found, words_of(asker.resources))


def test_the_likeliest_comes_first_and_scores_are_the_sum_of_their_parts(clinic: Asker) -> None:
    _, plans = ranked(clinic, "Which genes explain ectopia lentis?")
    assert len(plans) == 2
    assert plans[0].score > plans[1].score
    assert all(abs(each.score - sum(each.parts.values())) < 1e-9 for each in plans)


def test_types_that_are_spoken_of_count(clinic: Asker) -> None:
    """Genes of diseases with ectopia lentis, and genes of the disease of that name, are told apart by one word."""
    _, plain = ranked(clinic, "Which genes explain ectopia lentis?")
    _, spoken = ranked(clinic, "Which genes explain diseases with ectopia lentis?")
    assert [len(each[0].candidate.relationships) for each in (plain, spoken)] == [1, 2]
    assert spoken[0].parts["mentioned"] > plain[0].parts["mentioned"]


def test_plans_in_words_have_types_or_names(clinic: Asker) -> None:
    question, plans = ranked(clinic, "How many genes are associated with Beals syndrome?")
    best = plans[0].candidate
    words = words_of(clinic.resources)
    assert in_words(best, words) == "how many genes are there such that gene associated with disease"
    named = in_words(best, words, names=True)
    assert named == "how many genes are there such that gene is associated with Beals syndrome"
    assert masked(question, best, words_of(clinic.resources)) == "How many genes are associated with a disease?"
