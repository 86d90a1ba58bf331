"""Sketches as people write them, as symbols, and back."""

from pathlib import Path

import pytest
from benchmarks.questions.training.notation import Unreadable, read_line

from clew.answer.hearing.symbols import FIRST, SYMBOLS, allowed, follow, from_symbols, to_symbols
from clew.answer.sketch.sketch import Word, show

WRITTEN = Path(__file__).parents[3] / "benchmarks" / "questions" / "sketches"


def name_of(symbol: int, words: list[Word]) -> str:
    if symbol < FIRST:
        return SYMBOLS[symbol]
    return "word" if words[symbol - FIRST].name is None else "name"


@pytest.mark.parametrize("path", sorted(WRITTEN.glob("*/*.txt")), ids=lambda path: path.stem)
def test_every_written_sketch_is_a_row_of_symbols_and_back(path: Path) -> None:
    lines = [line for line in path.read_text("utf-8").splitlines() if " => " in line and not line.startswith("#")]
    unreadable = 0
    for line in lines[::7]:
        try:
            _, words, sketch = read_line(line)
        except Unreadable:
            unreadable += 1
            continue
        symbols = to_symbols(sketch)
        assert show(from_symbols(symbols, words), words) == show(sketch, words)
        kind, written = "", ""
        for symbol in symbols[1:]:
            said = name_of(symbol, words)
            assert said in allowed(kind, written), f"{said} after {kind} {written}: {line}"
            kind, written = follow(kind, written, said)
    assert unreadable <= 0.05 * len(lines[::7]) + 1


def test_a_line_says_what_it_says() -> None:
    text, words, sketch = read_line(
        "Which drugs given for [migraine] never cause [nausea]? => "
        "list x; x:drugs; x <given for> [migraine]; not x <cause> [nausea]"
    )
    assert text == "Which drugs given for migraine never cause nausea?"
    assert [word.text for word in words if word.name is not None] == ["migraine", "nausea"]
    assert sketch.mode == "list"
    assert [(each.kind, each.denied) for each in sketch.statements] == [("kind", 0), ("fact", 0), ("fact", 1)]
    assert [words[at].text for at in sketch.statements[1].words] == ["given", "for"]


@pytest.mark.parametrize(
    "line", ["Who? => list x; x <paints> [Ann]", "Who is it => tell x", "Who wrote [A] => list x; x <sang> [A]"]
)
def test_what_is_not_said_is_refused(line: str) -> None:
    with pytest.raises(Unreadable):
        read_line(line)
