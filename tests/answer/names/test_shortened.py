"""Parts of names in the place of names: only where one name alone has them, and they are written as names are."""

from pathlib import Path

import pytest

from clew.answer.lexicon.words import Words
from clew.answer.names.shortened import BY_PART, shortened
from clew.answer.reading.question import understand
from clew.link import Linker
from clew.store.layout import lay_out
from link.named_graphs import Entity, write

ENTITIES: list[Entity] = [
    ("B:1", "Fellside Brewery", "Brewery", [], []),
    ("B:2", "Harbour Street Brewery", "Brewery", [], []),
    ("B:3", "Harbour Lane Brewery", "Brewery", [], []),
    ("B:4", "Kestrel Works", "Brewery", [], []),
    ("B:5", "The Lantern Cellar", "Brewery", [], []),
    ("P:1", "Old Kestrel Inn", "Pub", [], []),
    ("P:2", "New Lantern House", "Pub", [], []),
    ("P:3", "Fox and Quill", "Pub", [], []),
    ("P:4", "AxB Arms", "Pub", [], []),
]


@pytest.fixture(scope="module")
def linker(tmp_path_factory: pytest.TempPathFactory) -> Linker:
    return Linker(write(ENTITIES, Path(tmp_path_factory.mktemp("short")) / "short.clew"))


@pytest.mark.parametrize(
    ("part", "found"),
    [
        ("Fellside", "B:1"),
        ("Harbour Street", "B:2"),
        ("Harbour", None),  # two begin so
        ("Brewery", None),  # three have it
        ("fellside", None),
        ("Harbour street", None),  # half of it in lower case
        ("Kestrel", "B:4"),  # one begins so, another has it in the middle
        ("Lantern", "B:5"),  # an article before it does not count
        ("Quill", "P:3"),  # nobody begins so
        ("Fox", None),  # too short
        ("Fell", None),  # not a whole word
        ("AxB Arms", "P:4"),
        ("A.B Arms", None),  # a dot is a dot
    ],
)
def test_a_part_of_one_name_alone(linker: Linker, part: str, found: str | None) -> None:
    text = f"What does {part} make?"
    anchor = shortened(text, 10, 10 + len(part), linker)
    if found is None:
        assert anchor is None
        return
    assert anchor is not None
    (meaning,) = anchor.meanings
    assert (anchor.start, anchor.end, anchor.text) == (10, 10 + len(part), part)
    assert (meaning.ids, meaning.score) == ((found,), BY_PART)
    assert repr(part) in meaning.reason


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Which pubs are near Fellside?", [("B:1",)]),
        ("Which pubs are near fellside?", []),
        ("Which pubs are near Harbour?", []),
        ("Which pubs are near Harbour Street and Kestrel?", [("B:2",), ("B:4",)]),
        ("Which pubs are near Fellside Brewery?", [("B:1",)]),
    ],
)
def test_questions_name_by_parts(linker: Linker, text: str, ids: list[tuple[str, ...]]) -> None:
    anchors = understand(text, linker, Words(lay_out(linker.engine))).anchors
    assert [anchor.meanings[0].ids for anchor in anchors] == ids
