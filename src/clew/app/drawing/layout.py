"""Layered layout: boxes in columns, lines between them, without overlaps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from clew.app.drawing.ordering import Chain, Key, level, order_columns
from clew.app.drawing.routing import LABEL_SIZE, Line, Rectangle, label_words, route, with_labels
from clew.app.drawing.scene import DrawnEntity, DrawnTriple, Scene
from clew.app.drawing.text import text_width, wrap

__all__ = ["ID_SIZE", "LINE_HEIGHT", "NAME_SIZE", "PADDING", "Box", "Layout", "lay_out"]

NAME_SIZE, ID_SIZE = 13.0, 10.5
NAME_LINES, LINE_HEIGHT = 3, 17.0
NAME_WIDTH, ID_WIDTH = 210.0, 240.0  # the maximum width of a line of a name or an id
PADDING, GAP = 11.0, 18.0
SLOT = 14.0  # height reserved for a line that passes through a column
LEAST_GAP, LABEL_ROOM = 120.0, 120.0  # between columns


@dataclass(frozen=True, slots=True)
class Box:
    """An entity with its lines of text."""

    entity: DrawnEntity
    name: tuple[str, ...]
    id: str
    area: Rectangle


@dataclass(frozen=True, slots=True)
class Layout:
    """A complete drawing, from (0, 0) to (width, height)."""

    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    width: float
    height: float


def lay_out(scene: Scene) -> Layout:
    """Lay out a scene; empty columns are removed."""
    used = sorted({entity.column for entity in scene.entities})
    column = {entity.id: used.index(entity.column) for entity in scene.entities}
    chains = [_chain(at, triple, column) for at, triple in enumerate(scene.triples)]
    columns: list[list[Key]] = [[] for _ in used]
    for entity in scene.entities:
        columns[column[entity.id]].append(entity.id)
    for chain in chains:
        for slot in chain.slots:
            columns[slot[1]].append(slot)
    joins = [pair for chain in chains if column[chain.first] < column[chain.last] for pair in pairwise(chain.keys)]
    columns = order_columns(columns, joins)

    names = {
        each.id: tuple(wrap(each.name, NAME_WIDTH, NAME_SIZE, lines=NAME_LINES, bold=True)) for each in scene.entities
    }
    ids = {each.id: wrap(each.id, ID_WIDTH, ID_SIZE, lines=1)[0] for each in scene.entities}
    heights: dict[Key, float] = {key: SLOT for keys in columns for key in keys}
    heights |= {key: len(lines) * LINE_HEIGHT + ID_SIZE + 4 + 2 * PADDING for key, lines in names.items()}
    middle = level(columns, joins, heights, GAP)
    borders = _column_sides(scene.triples, column, columns, names, ids)
    areas = {}
    for each in scene.entities:
        left, right = borders[column[each.id]]
        areas[each.id] = Rectangle(left, middle[each.id] - heights[each.id] / 2, right - left, heights[each.id])
    boxes = tuple(Box(each, names[each.id], ids[each.id], areas[each.id]) for each in scene.entities)
    lines = with_labels(route(scene.triples, chains, areas, middle, borders), areas.values())
    return Layout(boxes, tuple(lines), *_extent(boxes, lines))


def _chain(at: int, triple: DrawnTriple, column: Mapping[str, int]) -> Chain:
    left, right = sorted((triple.subject, triple.object), key=lambda id: column[id])
    return Chain(left, tuple((at, between) for between in range(column[left] + 1, column[right])), right)


def _column_sides(
    triples: Sequence[DrawnTriple],
    column: Mapping[str, int],
    columns: Sequence[Sequence[Key]],
    names: Mapping[str, Sequence[str]],
    ids: Mapping[str, str],
) -> list[tuple[float, float]]:
    """The left and right side of each column, with space between columns for the longest label."""
    borders = []
    x = 0.0
    for at, keys in enumerate(columns):
        widest = max(
            max(*(text_width(line, NAME_SIZE, bold=True) for line in names[key]), text_width(ids[key], ID_SIZE))
            for key in keys
            if isinstance(key, str)
        )
        borders.append((x, x + widest + 2 * PADDING + 6))
        leaving = [t.relation for t in triples if at in range(*_span(t, column))]
        room = max((text_width(label_words(relation), LABEL_SIZE) for relation in leaving), default=0.0)
        x = borders[-1][1] + max(LEAST_GAP, room + LABEL_ROOM)
    return borders


def _span(triple: DrawnTriple, column: Mapping[str, int]) -> tuple[int, int]:
    """The columns that a line leaves to the right; a line within one column counts as leaving it."""
    left, right = sorted((column[triple.subject], column[triple.object]))
    return left, max(right, left + 1)


def _extent(boxes: Sequence[Box], lines: Sequence[Line]) -> tuple[float, float]:
    """The width and height of the drawing."""
    areas = [box.area for box in boxes] + [line.label for line in lines if line.label is not None]
    points = [point for line in lines for curve in line.curves for point in curve]
    width = max([area.right for area in areas] + [x for x, _ in points], default=0.0)
    height = max([area.bottom for area in areas] + [y for _, y in points], default=0.0)
    return width, height
