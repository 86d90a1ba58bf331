"""Lines between boxes as smooth curves, each with a free position for its label."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from clew.app.drawing.ordering import Chain, Key
from clew.app.drawing.scene import DrawnTriple
from clew.app.drawing.text import text_width, wrap

__all__ = ["LABEL_SIZE", "Curve", "Line", "Point", "Rectangle", "label_words", "route", "with_labels"]

LABEL_SIZE, LABEL_HEIGHT, LABEL_PADDING = 10.5, 14.0, 4.0
LONGEST_LABEL = 220.0
RUN_ENDS = 22.0  # horizontal margin on both sides of a label
PLACES = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.2, 0.8, 0.14, 0.86)  # along a curve, where a label may be placed
PORT_GAP = 14.0  # between lines at the side of a box, if there is room
PORT_SHARE = 0.7  # share of a box's side that lines may use
BULGE = 46.0  # of a line between two entities of one column

Point = tuple[float, float]
Curve = tuple[Point, Point, Point, Point]  # a cubic Bézier curve


@dataclass(frozen=True, slots=True)
class Rectangle:
    """An area of the drawing."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    @property
    def middle(self) -> float:
        return self.y + self.height / 2

    def overlaps(self, other: "Rectangle") -> bool:
        return self.x < other.right and other.x < self.right and self.y < other.bottom and other.y < self.bottom


@dataclass(frozen=True, slots=True)
class Line:
    """A triple as curves; `label` is the area of its relation's name, None if no area is free."""

    triple: DrawnTriple
    curves: tuple[Curve, ...]
    labelled: int  # index of the curve for the label
    arrow_at_start: bool  # the curves go from the object to the subject
    words: str
    label: Rectangle | None = None


def route(
    triples: Sequence[DrawnTriple],
    chains: Sequence[Chain],
    areas: Mapping[str, Rectangle],
    middle: Mapping[Key, float],
    borders: Sequence[tuple[float, float]],
) -> list[Line]:
    """Route a line for each triple through the boxes and slots of its chain; `borders` are the sides of the columns."""
    ports = _ports(chains, areas, middle)
    company = Counter(key for chain in chains for key in ((chain.first, "right"), (chain.last, "left")))
    lines = []
    for at, (triple, chain) in enumerate(zip(triples, chains, strict=True)):
        first, last, words = areas[chain.first], areas[chain.last], label_words(triple.relation)
        run = text_width(words, LABEL_SIZE) + 2 * LABEL_PADDING + RUN_ENDS
        if chain.first == chain.last:
            curves, labelled = [_loop(first)], 0
        elif first.x == last.x:
            curves, labelled = [_bow((first.right, ports[at, 0]), (last.right, ports[at, 1]))], 0
        else:
            points = [(first.right, ports[at, 0])]
            for slot in chain.slots:
                points += [(border, middle[slot]) for border in borders[slot[1]]]
            points.append((last.x, ports[at, 1]))
            at_start = company[chain.first, "right"] < company[chain.last, "left"]
            curves, labelled = _run_in(points, run, at_start=at_start)
        to_first = triple.object == chain.first != chain.last
        lines.append(Line(triple, tuple(curves), labelled, to_first, words))
    return lines


def label_words(relation: str) -> str:
    """The name of a relation as shown on a line."""
    return wrap(relation, LONGEST_LABEL, LABEL_SIZE, lines=1)[0]


def _ports(
    chains: Sequence[Chain], areas: Mapping[str, Rectangle], middle: Mapping[Key, float]
) -> dict[tuple[int, int], float]:
    """The height at which each line leaves (0) and enters (1) its boxes: evenly spaced, ordered by the other end.

    If there are too many, all share one point, and only lines between the same two boxes are kept apart.
    """
    sides: dict[tuple[str, str], list[tuple[float, str, int, int]]] = {}
    for at, chain in enumerate(chains):
        met = "right" if areas[chain.first].x == areas[chain.last].x else "left"
        sides.setdefault((chain.first, "right"), []).append((middle[chain.keys[1]], chain.last, at, 0))
        sides.setdefault((chain.last, met), []).append((middle[chain.keys[-2]], chain.first, at, 1))
    ports: dict[tuple[int, int], float] = {}
    for (id, _), lines in sides.items():
        area, ordered = areas[id], sorted(lines)
        if (len(lines) - 1) * PORT_GAP <= area.height * PORT_SHARE:
            groups = [ordered]
        else:
            groups = [[line for line in ordered if line[1] == other] for other in {line[1] for line in ordered}]
        for group in groups:
            gap = min(PORT_GAP, area.height * PORT_SHARE / max(1, len(group) - 1))
            for place, (_, _, at, end) in enumerate(group):
                ports[at, end] = area.middle + (place - (len(group) - 1) / 2) * gap
    return ports


def _run_in(points: Sequence[Point], run: float, *, at_start: bool) -> tuple[list[Curve], int]:
    """Curves through the points, and the index of the horizontal one, next to a box, for the label."""
    if at_start:
        start = (points[0][0] + run, points[0][1])
        return [_smooth(a, b) for a, b in pairwise([points[0], start, *points[1:]])], 0
    end = (points[-1][0] - run, points[-1][1])
    return [_smooth(a, b) for a, b in pairwise([*points[:-1], end, points[-1]])], len(points) - 1


def _smooth(start: Point, end: Point) -> Curve:
    reach = (end[0] - start[0]) / 2
    return start, (start[0] + reach, start[1]), (end[0] - reach, end[1]), end


def _bow(start: Point, end: Point) -> Curve:
    """A curve between two boxes of one column, bent to the right."""
    out = max(start[0], end[0]) + BULGE
    return start, (out, start[1]), (out, end[1]), end


def _loop(area: Rectangle) -> Curve:
    """A loop at the right side of a box."""
    return (
        (area.right, area.middle - 6),
        (area.right + BULGE, area.middle - 26),
        (area.right + BULGE, area.middle + 26),
        (area.right, area.middle + 6),
    )


# ---- labels


def with_labels(lines: Sequence[Line], taken: Iterable[Rectangle]) -> list[Line]:
    """The lines with label areas that overlap neither boxes nor each other; None if no area is free."""
    full = list(taken)
    made = []
    for line in lines:
        label = next((area for area in _candidates(line) if not any(map(area.overlaps, full))), None)
        if label is not None:
            full.append(label)
        made.append(replace(line, label=label))
    return made


def _candidates(line: Line) -> Iterable[Rectangle]:
    """Label positions along a line, first on the curve meant for the label."""
    width = text_width(line.words, LABEL_SIZE) + 2 * LABEL_PADDING
    others = [curve for at, curve in enumerate(line.curves) if at != line.labelled]
    for curve in (line.curves[line.labelled], *others):
        for share in PLACES:
            x, y = _point(curve, share)
            yield Rectangle(x - width / 2, y - LABEL_HEIGHT / 2, width, LABEL_HEIGHT)


def _point(curve: Curve, share: float) -> Point:
    a, b, c, d = (1 - share) ** 3, 3 * share * (1 - share) ** 2, 3 * share**2 * (1 - share), share**3
    x, y = (a * curve[0][at] + b * curve[1][at] + c * curve[2][at] + d * curve[3][at] for at in (0, 1))
    return x, y
