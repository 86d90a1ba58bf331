"""Sketches grounded in a small graph: phrases find relations, nouns types, and what nothing fits is reported."""

import pytest
from benchmarks.questions.training.notation import read_line

from clew.answer import Asker
from clew.answer.kept import schema_of, vocabulary_of, words_of
from clew.answer.names.meanings import Anchor, Meaning
from clew.answer.runner import Runner
from clew.answer.sketch.build import Built, build
from clew.answer.sketch.ground import ground
from clew.answer.sketch.lexical import Lexical
from clew.answer.strategy import Question


def found(clinic: Asker, line: str) -> list[str] | bool | int | None:
    """What the best plan of a written sketch finds; None where nothing can be meant."""
    text, words, sketch = read_line(line)
    resources = clinic.resources
    anchors = []
    for word in words:
        if word.name is not None:
            named = [each for each in resources.engine.find(word.text) if each.score > 0.9]
            by_type: dict[str, list[str]] = {}
            for each in named:
                by_type.setdefault(each.type, []).append(each.id)
            meanings = tuple(Meaning(type, tuple(ids), word.text, 1.0, "name") for type, ids in by_type.items())
            anchors.append(Anchor(word.start, word.end, word.text, meanings))
    lexical = Lexical(schema_of(resources), words_of(resources), vocabulary_of(resources))
    grounded, _ = ground(sketch, words, anchors, lexical)
    for each in grounded:
        built = build(each, words, anchors, lexical)
        if isinstance(built, Built):
            outcome = Runner(resources, Question(text)).outcome(built.candidate)
            return sorted(item.id for item in outcome.items) if built.candidate.plan.asked else outcome.value
    return None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Which genes go with [Beals syndrome]? => list x; x:genes; x <go with> [Beals syndrome]", ["G:2"]),
        ("diseases that show [Arachnodactyly] => list x; x:diseases; x <show> [Arachnodactyly]", ["D:1", "D:2", "D:3"]),
        (
            "diseases with [Arachnodactyly] but not [Myopia] nor [Ectopia lentis] => list x; x:diseases; "
            "x <with> [Arachnodactyly]; not x <with> [Myopia]; not x <with> [Ectopia lentis]",
            ["D:2", "D:3"],
        ),
        (
            "genes associated with a disease with [Myopia] => list x; x:genes; x <associated with> y; y:disease; "
            "y <with> [Myopia]",
            ["G:3"],
        ),
        ("How many diseases have [Arachnodactyly]? => count x; x:diseases; x <have> [Arachnodactyly]", 3),
        ("Does [Beals syndrome] have [Myopia]? => yesno; [Beals syndrome] <have> [Myopia]", False),
        (
            "Which gene is associated with the most diseases? => "
            "list x; x:gene; x <associated with> y; y:diseases; most y",
            ["G:1"],
        ),
        (
            "genes associated with at least 2 diseases => list x; x:genes; x <associated with> y; y:diseases; #y >= 2",
            ["G:1"],
        ),
        (
            "diseases with [Myopia] or [Thoracic scoliosis] => list x; x:diseases; "
            "(x <with> [Myopia] or x <with> [Thoracic scoliosis])",
            ["D:3", "D:4"],
        ),
    ],
)
def test_what_a_sketch_finds(clinic: Asker, line: str, expected: object) -> None:
    assert found(clinic, line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "Who discovered [FBN1]? => list x; x <discovered> [FBN1]",
        "What is the price of [FBN1]? => value [FBN1].<price>",
        "Which genes repair [Myopia] in dogs? => list x; x:genes; x <repair> [Myopia] {<in> = dogs}",
    ],
)
def test_what_nothing_fits_has_no_plan(clinic: Asker, line: str) -> None:
    assert found(clinic, line) is None
