"""The parser that comes with Clew, on questions it has not learned from."""

from pathlib import Path

from benchmarks.questions.training.notation import read_file

from clew.answer.hearing.parser import find_sketch_parser
from clew.answer.sketch.sketch import show

HELD = Path(__file__).parents[3] / "benchmarks" / "questions" / "sketches" / "held"


def test_many_held_out_sketches_are_written_as_their_writer_did() -> None:
    parser = find_sketch_parser()
    assert parser is not None
    right = near = tried = 0
    for path in sorted(HELD.glob("*.txt")):
        for text, words, sketch in list(read_file(path))[::20]:
            names = [(word.start, word.end) for word in words if word.name is not None]
            _, written = parser.parse(text, names)
            said = [show(each.sketch, words) for each in written]
            tried += 1
            right += said[:1] == [show(sketch, words)]
            near += show(sketch, words) in said
    assert tried > 20
    assert right >= 0.3 * tried  # 12 of 28 when it was trained
    assert near >= 0.45 * tried


def test_odd_texts_are_no_trouble() -> None:
    parser = find_sketch_parser()
    assert parser is not None
    for text in ("", " ", "?", "\u200b\ud83e\uddec" * 3, "a " * 400, "which " * 20, "\x00", "[x] => list y"):
        parser.parse(text.encode("utf-16", "surrogatepass").decode("utf-16"), [])
