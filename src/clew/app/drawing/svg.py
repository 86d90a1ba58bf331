"""The drawing as a self-contained SVG with a legend, a title for every element, and colours that print."""

from collections.abc import Mapping, Sequence

from clew.app.drawing.layout import ID_SIZE, LINE_HEIGHT, NAME_SIZE, PADDING, Box, lay_out
from clew.app.drawing.routing import Curve, Line, Point
from clew.app.drawing.scene import Scene
from clew.app.drawing.text import attributes, text_width, wrap, xml

__all__ = ["colours_of_types", "svg"]

MARGIN = 30.0
TITLE_SIZE, LEGEND_SIZE, CREDIT_SIZE = 20.0, 12.0, 10.0
LEAST_WIDTH = 620.0
ARROW, ARROW_HALF = 9.0, 4.5
PALETTE = (  # line and solid fill, tint; every line colour has at least 4.5:1 against white
    ("#1d4e89", "#e9f1fa"),
    ("#a23b2a", "#fcefeb"),
    ("#1f6f50", "#e8f5ee"),
    ("#6b3fa0", "#f3edfa"),
    ("#8a5a00", "#fcf3e0"),
    ("#0f6b7a", "#e5f4f7"),
    ("#9c2f6b", "#fbeaf3"),
    ("#4d5a1f", "#f2f5e3"),
)
STYLE = """
text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; fill: #1b1f24 }
.line { fill: none; stroke: #8a95a1; stroke-width: 1.5 }
.hit-area { fill: none; stroke: #000; stroke-opacity: 0; stroke-width: 14 }
.arrow { fill: #66717d }
.label-background { fill: #fff }
.label { font-size: 10.5px; fill: #3d4852 }
.name { font-size: 13px; font-weight: 600 }
.id { font-size: 10.5px; fill: #55606b }
.credit { fill: #55606b }
.end .name, .end .id { fill: #fff }
.triple, .entity { cursor: pointer; outline: none }
.chosen .line, .triple:hover .line, .triple:focus .line { stroke: #1b1f24; stroke-width: 2.5 }
.chosen .arrow, .triple:hover .arrow, .triple:focus .arrow { fill: #1b1f24 }
.chosen .label, .triple:hover .label { fill: #000 }
.chosen rect, .entity:hover rect, .entity:focus rect { stroke-width: 3.5 }
"""


def svg(scene: Scene, *, alone: bool = True) -> str:
    """The scene as one SVG element; `alone` adds the title, legend and credits, which an HTML page shows itself."""
    layout, colours = lay_out(scene), colours_of_types(scene)
    width = max(layout.width, LEAST_WIDTH) + 2 * MARGIN
    title = wrap(scene.title, width - 2 * MARGIN, TITLE_SIZE, lines=3, bold=True) if alone else []
    credits = _credits(scene, width - 2 * MARGIN) if alone else []
    legend, legend_height = _legend(colours, width - 2 * MARGIN) if alone else ([], 0.0)
    legend_top = MARGIN + len(title) * TITLE_SIZE * 1.35 + (6 if title else 0)
    top = legend_top + legend_height + (MARGIN if alone else 0)
    bottom = top + layout.height + MARGIN
    height = bottom + len(credits) * CREDIT_SIZE * 1.5 + (MARGIN * 0.6 if credits else 0)
    whole = attributes(
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=round(width),
        height=round(height),
        role="img" if alone else "group",
        aria_labelledby="drawing-title drawing-description",
    )
    return "\n".join(
        [
            f"<svg{whole}>",
            f'<title id="drawing-title">{xml(scene.title)}</title>',
            f'<desc id="drawing-description">{xml(scene.description)}</desc>',
            f"<style>{STYLE}</style>",
            f"<rect{attributes(width=round(width), height=round(height), fill='#ffffff')}/>",
            *_paragraph(title, MARGIN, MARGIN + TITLE_SIZE * 0.75, TITLE_SIZE, font_weight="700"),
            f"<g{_moved(MARGIN, legend_top)}>{''.join(legend)}</g>",
            f"<g{_moved((width - layout.width) / 2, top)}>",
            *(_line(at, line, scene) for at, line in enumerate(layout.lines)),
            *(_label(at, line) for at, line in enumerate(layout.lines)),
            *(_box(at, box, *colours[box.entity.type]) for at, box in enumerate(layout.boxes)),
            "</g>",
            *_paragraph(credits, MARGIN, bottom + CREDIT_SIZE, CREDIT_SIZE, class_="credit"),
            "</svg>",
        ]
    )


def colours_of_types(scene: Scene) -> dict[str, tuple[str, str]]:
    """A colour and a tint for each type, in order of appearance from left to right."""
    met = dict.fromkeys(entity.type for entity in sorted(scene.entities, key=lambda entity: entity.column))
    return {each: PALETTE[at % len(PALETTE)] for at, each in enumerate(met)}


def _credits(scene: Scene, width: float) -> list[str]:
    return [line for each in scene.credits for line in wrap(each, width, CREDIT_SIZE, lines=6)]


def _moved(x: float, y: float) -> str:
    return attributes(transform=f"translate({x:g} {y:g})")


def _paragraph(lines: Sequence[str], x: float, y: float, size: float, **style: str) -> list[str]:
    step = size * (1.35 if size > LEGEND_SIZE else 1.5)
    return [
        f"<text{attributes(x=x, y=y + at * step, font_size=size, **style)}>{xml(line)}</text>"
        for at, line in enumerate(lines)
    ]


def _legend(colours: Mapping[str, tuple[str, str]], width: float) -> tuple[list[str], float]:
    """Swatches with the names of the types, in rows, and their total height."""
    made, x, y = [], 0.0, 0.0
    for name, (line, tint) in colours.items():
        words = wrap(name, min(width, 260.0), LEGEND_SIZE, lines=1)[0]
        room = 20 + text_width(words, LEGEND_SIZE) + 18
        if x and x + room > width:
            x, y = 0.0, y + 22
        made.append(
            f"<rect{attributes(x=x, y=y, width=13, height=13, rx=3, fill=tint, stroke=line, stroke_width=1.5)}/>"
        )
        made.append(f"<text{attributes(x=x + 20, y=y + 10.8, font_size=LEGEND_SIZE)}>{xml(words)}</text>")
        x += room
    return made, y + 14


def _box(at: int, box: Box, line: str, tint: str) -> str:
    """An entity; source and target are filled with the colour of their type."""
    area, entity = box.area, box.entity
    end = bool(entity.role)
    shape = attributes(
        x=area.x, y=area.y, width=area.width, height=area.height, rx=9, fill=line if end else tint, stroke=line,
        stroke_width=1.5,
    )  # fmt: skip
    group = attributes(class_="entity end" if end else "entity", data_entity=at, tabindex=0)
    x, y = area.x + PADDING + 3, area.y + PADDING + NAME_SIZE * 0.92
    words = [
        f"<text{attributes(class_='name', x=x, y=y + row * LINE_HEIGHT)}>{xml(text)}</text>"
        for row, text in enumerate(box.name)
    ]
    words.append(f"<text{attributes(class_='id', x=x, y=area.bottom - PADDING - ID_SIZE * 0.2)}>{xml(box.id)}</text>")
    about = f"{entity.name} ({entity.id}), {entity.type}" + (f", the {entity.role} of the paths" if end else "")
    return f"<g{group}><title>{xml(about)}</title><rect{shape}/>{''.join(words)}</g>"


def _line(at: int, line: Line, scene: Scene) -> str:
    """A line with its arrow, and a wider transparent one as a pointer target."""
    names = {entity.id: entity.name for entity in scene.entities}
    triple = line.triple
    words = [f"{names[triple.subject]} {triple.relation} {names[triple.object]}"]
    words += sorted({cited for each in triple.statements for cited in each.evidence})
    curves = list(line.curves)
    if line.arrow_at_start:
        tip, away = curves[0][0], curves[0][1]
        curves[0] = (_before(tip, away), *curves[0][1:])
    else:
        tip, away = curves[-1][3], curves[-1][2]
        curves[-1] = (*curves[-1][:3], _before(tip, away))
    path = _path(curves)
    group = attributes(class_="triple", data_triple=at, tabindex=0)
    return (
        f"<g{group}><title>{xml(' · '.join(words[:8]))}</title><path{attributes(class_='hit-area', d=path)}/>"
        f"<path{attributes(class_='line', d=path)}/><path{attributes(class_='arrow', d=_arrow(tip, away))}/></g>"
    )


def _label(at: int, line: Line) -> str:
    if line.label is None:
        return ""
    area = line.label
    back = attributes(class_="label-background", x=area.x, y=area.y + 1, width=area.width, height=area.height - 2, rx=4)
    where = attributes(class_="label", x=area.x + area.width / 2, y=area.middle + 3.6, text_anchor="middle")
    return f"<g{attributes(class_='triple', data_triple=at)}><rect{back}/><text{where}>{xml(line.words)}</text></g>"


def _path(curves: Sequence[Curve]) -> str:
    pieces = [f"M{curves[0][0][0]:.1f} {curves[0][0][1]:.1f}"]
    pieces += ["C" + " ".join(f"{x:.1f} {y:.1f}" for x, y in curve[1:]) for curve in curves]
    return "".join(pieces)


def _before(tip: Point, away: Point) -> Point:
    """The end of a line under its arrowhead."""
    return (tip[0] + (ARROW if away[0] > tip[0] else -ARROW) * 0.7, tip[1])


def _arrow(tip: Point, away: Point) -> str:
    back = tip[0] + (ARROW if away[0] > tip[0] else -ARROW)
    return f"M{tip[0]:.1f} {tip[1]:.1f}L{back:.1f} {tip[1] - ARROW_HALF:.1f}L{back:.1f} {tip[1] + ARROW_HALF:.1f}Z"
