"""Drawings: nothing overlaps, nothing is lost, and no name can break out of its place."""

import json
import random
import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.app.drawing import DrawnEntity, DrawnTriple, Scene, Statement, page, scene_of_paths, svg, write_drawing
from clew.app.drawing.layout import NAME_SIZE, lay_out
from clew.app.drawing.links import link
from clew.app.drawing.ordering import crossings, level, order_columns
from clew.app.drawing.svg import MARGIN
from clew.app.drawing.text import text_width, wrap
from clew.errors import InputError
from effort import examples

SVG = "{http://www.w3.org/2000/svg}"
NASTY = "</script><b>&amp; \"q\" 'q' \n\t\x00\x1b ]]> 手🖐 \u202e \ufffe"


def scene_from(columns: list[int], joins: list[tuple[int, int]], *, name: str = "An entity") -> Scene:
    entities = [
        DrawnEntity(f"E:{at}", f"{name} {at}", f"Type {column % 3}", column) for at, column in enumerate(columns)
    ]
    triples = [DrawnTriple(f"E:{a}", "joins_with", f"E:{b}", (Statement("S", ("PMID:1",)),)) for a, b in joins]
    return Scene("Title", "Description", tuple(entities), tuple(triples), ("Credit",))


def random_scene(seed: int) -> Scene:
    chance = random.Random(seed)
    columns = [0] + [chance.randrange(1, 5) for _ in range(chance.randrange(1, 25))] + [5]
    joins = [(chance.randrange(len(columns)), chance.randrange(len(columns))) for _ in range(2 * len(columns))]
    return scene_from(
        columns, joins, name=chance.choice(["A", "A name of several words that must be broken", "手指" * 20])
    )


@pytest.mark.parametrize("seed", range(40))
def test_nothing_overlaps(seed: int) -> None:
    layout = lay_out(random_scene(seed))
    areas = [box.area for box in layout.boxes] + [line.label for line in layout.lines if line.label]
    for at, one in enumerate(areas):
        assert not any(one.overlaps(other) for other in areas[at + 1 :])
        assert one.x >= 0
        assert one.y >= -MARGIN / 2
        assert one.right <= layout.width + 1e-9
        assert one.bottom <= layout.height + 1e-9


@pytest.mark.parametrize("seed", range(40))
def test_lines_meet_their_boxes(seed: int) -> None:
    layout = lay_out(random_scene(seed))
    areas = {box.entity.id: box.area for box in layout.boxes}
    for line in layout.lines:
        ends = [line.curves[0][0], line.curves[-1][3]]
        if line.arrow_at_start:
            ends.reverse()
        for id, (x, y) in zip((line.triple.subject, line.triple.object), ends, strict=True):
            assert x in (areas[id].x, areas[id].right), "a line ends at a side of its box"
            assert areas[id].y <= y <= areas[id].bottom
        for before, after in pairwise(line.curves):
            assert before[3] == after[0], "a line has no holes"


def test_most_labels_find_a_place() -> None:
    lines = [line for seed in range(40) for line in lay_out(random_scene(seed)).lines]
    assert sum(line.label is not None for line in lines) > 0.9 * len(lines)


def test_parallel_triples_are_drawn_apart() -> None:
    layout = lay_out(scene_from([0, 1], [(0, 1), (0, 1), (1, 0)]))
    assert len({line.curves[0][0] for line in layout.lines}) == 3
    assert [line.arrow_at_start for line in layout.lines] == [False, False, True]
    assert all(line.label is not None for line in layout.lines)


def test_ordering_untangles_what_can_be_untangled() -> None:
    columns = [["a", "b", "c"], ["x", "y", "z"]]
    joins = [("a", "z"), ("b", "y"), ("c", "x")]
    assert crossings(columns, joins) == 3
    ordered = order_columns(columns, joins)
    assert crossings(ordered, joins) == 0
    assert [sorted(column) for column in ordered] == columns


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=15),
    st.lists(st.floats(5, 80), min_size=12, max_size=12),
)
def test_level_keeps_order_and_gaps(joins: list[tuple[int, int]], sizes: list[float]) -> None:
    columns = [[f"a{at}" for at in range(6)], [f"b{at}" for at in range(6)]]
    heights = dict(zip(columns[0] + columns[1], sizes, strict=True))
    middle = level(columns, [(f"a{a}", f"b{b}") for a, b in joins], heights, 10.0)
    for column in columns:
        for above, below in pairwise(column):
            assert middle[below] - middle[above] >= (heights[above] + heights[below]) / 2 + 10 - 1e-6


def test_a_single_line_is_level() -> None:
    layout = lay_out(scene_from([0, 1, 2], [(0, 1), (1, 2)]))
    assert len({box.area.middle for box in layout.boxes}) == 1


@settings(max_examples=examples(200))
@given(st.text(max_size=80), st.integers(1, 4))
def test_wrapped_text_fits_and_loses_nothing_silently(text: str, lines: int) -> None:
    made = wrap(text, 120.0, NAME_SIZE, lines=lines)
    assert 1 <= len(made) <= lines
    assert all(text_width(line, NAME_SIZE) <= 120.0 or len(line) <= 1 for line in made)
    if not made[-1].endswith("…"):
        assert "".join("".join(made).split()) == "".join(wrap(text, 1e9, NAME_SIZE, lines=1)[0].split())


def test_svg_is_xml_whatever_the_names() -> None:
    scene = Scene(
        NASTY, NASTY,
        (DrawnEntity(NASTY + "1", NASTY, NASTY, 0, "source"), DrawnEntity("b", NASTY * 20, "t", 1, "target")),
        (DrawnTriple(NASTY + "1", NASTY, "b", (Statement(NASTY, (NASTY,), ((NASTY, NASTY),)),)),),
        (NASTY,),
    )  # fmt: skip
    root = ElementTree.fromstring(svg(scene))
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text.startswith("</script><b>&amp; \"q\" 'q' ")
    assert root.find(f"{SVG}desc") is not None
    assert len(root.findall(f".//{SVG}g[@class='entity end']")) == 2
    names = ["".join(text.itertext()) for text in root.findall(f".//{SVG}g[@data-entity='0']/{SVG}text")]
    assert any("</script>" in name for name in names)
    assert not root.findall(f".//{SVG}b")


class Reader(HTMLParser):
    """Collects what a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.scripts: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._inside = tag
        self.addresses += [value or "" for name, value in attributes if name in ("src", "href", "data", "action")]

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


def test_a_page_holds_everything_and_lets_nothing_out() -> None:
    statement = Statement(NASTY, ("PMID:7", "javascript:alert(1)", 'https://example.org/?a=1&b="<'), ((NASTY, NASTY),))
    scene = Scene(
        NASTY, NASTY, (DrawnEntity("a", NASTY, "t", 0), DrawnEntity("b", "B", "t", 1)),
        (DrawnTriple("a", NASTY, "b", (statement,)),), (NASTY,),
    )  # fmt: skip
    html = page(scene)
    reader = read(html)
    assert len(reader.scripts) == 2, "no name ended a script early"
    assert "b" not in reader.tags
    assert "link" not in reader.tags
    assert "img" not in reader.tags
    assert reader.addresses == ["https://pubmed.ncbi.nlm.nih.gov/7/", 'https://example.org/?a=1&b="<']
    data = json.loads(reader.scripts[0])
    cited = data["triples"][0]["statements"][0]["evidence"]
    assert [each["link"] for each in cited] == [
        "https://pubmed.ncbi.nlm.nih.gov/7/",
        None,
        'https://example.org/?a=1&b="<',
    ]
    assert cited[1]["text"] == "javascript:alert(1)"
    assert data["entities"][0]["name"].startswith("</script><b>&amp; \"q\" 'q' ")
    assert "default-src 'none'" in html
    assert not re.search(r"@import|url\(", html)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("PMID:123", "https://pubmed.ncbi.nlm.nih.gov/123/"),
        ("PMID:1 2/../x?", "https://pubmed.ncbi.nlm.nih.gov/1%202/../x%3F/"),
        ("https://example.org/x", "https://example.org/x"),
        ("http:/nowhere", None),
        ("javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("https://[", None),
        ("UNKNOWN:1", None),
        ("", None),
    ],
)
def test_links_lead_to_the_web_only(text: str, address: str | None) -> None:
    assert link(text) == address


def test_the_paths_of_a_graph(graph: Path, tmp_path: Path) -> None:
    engine = clew.open(graph)
    paths = list(engine.paths("FBN1", "P:1", 3))
    scene = scene_of_paths(engine, "G:1", "P:1", paths, title="t", description="d")
    columns = {entity.id: entity.column for entity in scene.entities}
    assert columns["G:1"] == 0
    assert columns["P:1"] == 3, "one path is three hops long, the target stands last"
    assert columns["D:1"] < columns["D:3"], "where it can be, every line leads right"
    assert {entity.id: entity.role for entity in scene.entities if entity.role} == {"G:1": "source", "P:1": "target"}
    assert len(scene.triples) == len({number for path in paths for number in path.numbers})
    statements = next(t for t in scene.triples if (t.subject, t.object) == ("D:1", "P:1")).statements
    assert {statement.evidence for statement in statements} == {("PMID:13",), ("PMID:14", "javascript:alert(1)")}
    assert ("frequency", "Same (P:3)") in statements[0].details + statements[1].details
    written = write_drawing(scene, tmp_path / "drawing.svg")
    drawn = ElementTree.parse(written).getroot()
    assert len(drawn.findall(f".//{SVG}g[@data-entity]")) == len(scene.entities)
    assert len(drawn.findall(f".//{SVG}path[@class='line']")) == len(scene.triples)
    with pytest.raises(InputError, match=r"end in \.html or \.svg"):
        write_drawing(scene, tmp_path / "drawing.png")


def test_paths_that_go_round_are_placed_by_distance(graph: Path) -> None:
    engine = clew.open(graph)
    paths = list(engine.paths("FBN1", "D:3", 4, kind="walks", direction="both"))
    scene = scene_of_paths(engine, "G:1", "D:3", paths, title="t", description="d")
    columns = {entity.id: entity.column for entity in scene.entities}
    assert columns["D:1"] == 1
    assert columns["D:3"] == max(columns.values())
    ElementTree.fromstring(svg(scene))


def test_no_paths_is_a_drawing_of_two_entities(graph: Path) -> None:
    engine = clew.open(graph)
    scene = scene_of_paths(engine, "P:1", "G:1", [], title="t", description="d")
    assert [entity.column for entity in scene.entities] == [0, 1]
    assert len(ElementTree.fromstring(svg(scene)).findall(f".//{SVG}g[@data-entity]")) == 2
