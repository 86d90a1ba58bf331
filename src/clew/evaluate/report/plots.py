"""The plots of a report as SVG elements; their colours are the page's, so they follow light and dark."""

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

from clew.evaluate.metrics import PHASES
from clew.evaluate.report.run import Figure, Level, Run
from clew.evaluate.report.words import PHASE_NAMES, html, interval, percent, seconds, shorten

__all__ = ["draw_accuracy", "draw_latency", "draw_shares"]

WIDTH, LEFT, RIGHT = 400.0, 106.0, 276.0  # names stand left of LEFT, figures right of RIGHT
SPAN = RIGHT - LEFT
BAR, ROW = 13.0, 54.0
HILL, HILL_ROW = 30.0, 48.0
BINS_IN_A_DECADE = 8
SVG = "http://www.w3.org/2000/svg"
STANDALONE = "text{font:12px sans-serif;fill:#1b1f24}.name{font-weight:600}.tick{fill:#55606b}.result{fill:#4a86c5}"
FLOOR, CEILING = -4, 4  # powers of ten of a second: what lies outside is drawn at the end of the axis


def draw_accuracy(levels: Sequence[Level]) -> str:
    """Bars of result match and query match by level, with their intervals."""
    top, bottom = 8.0, 8.0 + ROW * len(levels)
    parts = [
        _grid(LEFT + SPAN * mark / 100, top, bottom, "" if mark % 50 else f"{mark} %") for mark in (0, 25, 50, 75, 100)
    ]
    for at, level in enumerate(levels):
        y = top + ROW * at + 9
        parts.append(_name(level["level"], f"n = {level['n']:,}", y + 15))
        parts += _bar(level["measures"]["result_match"], y, "result")
        parts += _bar(level["measures"]["query_match"], y + BAR + 6, "query")
    said = "; ".join(
        f"{level['level']}: {percent(level['measures']['result_match']['mean'])} result match, "
        f"{percent(level['measures']['query_match']['mean'])} query match"
        for level in levels
    )
    return _picture("accuracy", "Accuracy by level with 95 % intervals", said, bottom + 24, parts)


def draw_shares(title: str, groups: Mapping[str, Mapping[str, float]]) -> str:
    """Bars of shares by group as an SVG file of its own, in colours of its own."""
    top = 30.0
    parts, y = [f'<text class="name" x="8" y="18">{html(title)}</text>'], top
    for name, shares in groups.items():
        parts.append(_name(name, "", y + 11))
        for label, share in shares.items():
            y += BAR + 4
            parts += [
                f'<text class="tick" x="{LEFT - 10}" y="{y + 10}" text-anchor="end">{html(label)}</text>',
                f'<rect class="result" x="{LEFT}" y="{y}" width="{SPAN * share:.1f}" height="{BAR}" rx="2"/>',
                f'<text class="figure" x="{LEFT + SPAN * share + 6:.1f}" y="{y + 10}">{percent(share)}</text>',
            ]
        y += BAR + 16
    said = "; ".join(
        f"{name}: {', '.join(f'{k} {percent(v)}' for k, v in each.items())}" for name, each in groups.items()
    )
    style = f'<style>{STANDALONE}</style><rect width="100%" height="100%" fill="#fff"/>'
    return _picture("shares", title, said, y, [style, *parts]).replace("<svg ", f'<svg xmlns="{SVG}" ', 1)


def _bar(figure: Figure, y: float, kind: str) -> list[str]:
    middle = y + BAR / 2
    end, low, high = (LEFT + SPAN * each for each in (figure["mean"], figure["low"], figure["high"]))
    ends = "".join(f"M{x:.1f} {middle - 4}v8" for x in (low, high))
    return [
        f'<rect class="{kind}" x="{LEFT}" y="{y}" width="{end - LEFT:.1f}" height="{BAR}" rx="2"/>',
        f'<path class="whisker" d="M{low:.1f} {middle}H{high:.1f}{ends}"/>',
        f'<text class="figure" x="{RIGHT + 12}" y="{middle + 4}">{percent(figure["mean"])}'
        f'<tspan class="ends" dx="4">{interval(figure, digits=0)}</tspan></text>',
    ]


def draw_latency(run: Run) -> str:
    """A histogram of seconds for each phase on one logarithmic axis, with median and 95th percentile."""
    latency = run["summary"]["pooled"]["latency"]
    taken = _taken(run)
    low, high = _decades([each for values in taken.values() for each in values])
    top, bottom = 8.0, 8.0 + HILL_ROW * len(PHASES)
    parts = [
        _grid(_place(10.0**power, low, high), top, bottom, _tick(power, low, high))
        for power in range(low + 1, high + 1)
    ]
    least = "≤ " if any(each < 10.0**low for values in taken.values() for each in values) else ""
    parts.append(_grid(LEFT, top, bottom, least + _tick(low, low, high)))
    for at, phase in enumerate(PHASES):
        base = top + HILL_ROW * (at + 1) - 8
        parts.append(f'<line class="base" x1="{LEFT}" y1="{base}" x2="{RIGHT}" y2="{base}"/>')
        parts.append(_name(PHASE_NAMES[phase], "", base - 8))
        if phase not in latency or not any(taken[phase]):
            parts.append(f'<text class="ends" x="{RIGHT + 12}" y="{base - 8}">no time spent</text>')
            continue
        parts += _hill(taken[phase], base, low, high)
        times = latency[phase]
        for name, value, y in (("median", times["median"], base - 16), ("p95", times["p95"], base - 2)):
            x = _place(value, low, high)
            parts.append(f'<line class="{name}" x1="{x:.1f}" y1="{base}" x2="{x:.1f}" y2="{base - HILL - 4}"/>')
            parts.append(f'<text class="figure" x="{RIGHT + 58}" y="{y}">{seconds(value)}</text>')
            parts.append(f'<text class="ends" x="{RIGHT + 12}" y="{y}">{name}</text>')
    said = "; ".join(
        f"{PHASE_NAMES[phase]}: median {seconds(each['median'])}, 95th percentile {seconds(each['p95'])}"
        for phase, each in latency.items()
    )
    return _picture("latency", "How long questions took, by phase", said or "no times", bottom + 24, parts)


def _taken(run: Run) -> dict[str, list[float]]:
    """Seconds of every question that did not fail, by phase."""
    rows = [each["score"]["seconds"] for each in run["questions"] if not each["score"]["failed"]]
    taken = {phase: [row[phase] for row in rows] for phase in ("understanding", "execution", "text")}
    taken["items"] = [row["understanding"] + row["execution"] for row in rows]
    taken["total"] = [row["understanding"] + row["execution"] + row["text"] for row in rows]
    return taken


def _decades(values: Sequence[float]) -> tuple[int, int]:
    """The powers of ten around the values that are above zero."""
    real = [each for each in values if each > 0] or [0.1]
    low = min(max(floor(log10(min(real))), FLOOR), CEILING - 1)
    return low, max(min(ceil(log10(max(real))), CEILING), low + 1)


def _share(value: float, low: int, high: int) -> float:
    """Where a value stands between two powers of ten, within 0..1."""
    return min(max((log10(value) - low) / (high - low), 0.0), 1.0) if value > 0 else 0.0


def _place(value: float, low: int, high: int) -> float:
    return LEFT + SPAN * _share(value, low, high)


def _hill(values: Sequence[float], base: float, low: int, high: int) -> list[str]:
    bins = BINS_IN_A_DECADE * (high - low)
    counts = [0] * bins
    for value in values:
        counts[min(int(_share(value, low, high) * bins), bins - 1)] += 1
    width, most = SPAN / bins, max(counts)
    return [
        f'<rect class="hill" x="{LEFT + width * at + 0.5:.1f}" y="{base - HILL * count / most:.1f}" '
        f'width="{width - 1:.1f}" height="{HILL * count / most:.1f}"><title>{count:,} of {len(values):,}</title></rect>'
        for at, count in enumerate(counts)
        if count
    ]


def _tick(power: int, low: int, high: int) -> str:
    """A power of ten in short; every other one where there are many."""
    if high - low > 4 and (power - low) % 2:
        return ""
    return f"{10.0**power:g} s" if power >= -1 else f"{10.0 ** (power + 3):g} ms"


def _grid(x: float, top: float, bottom: float, words: str) -> str:
    line = f'<line class="grid" x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}"/>'
    return line + (
        f'<text class="tick" x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{words}</text>' if words else ""
    )


def _name(name: str, detail: str, y: float) -> str:
    shown = html(shorten(name, 13))
    below = f'<tspan class="ends" x="{LEFT - 10}" dy="15">{html(detail)}</tspan>' if detail else ""
    return f'<text class="name" x="{LEFT - 10}" y="{y}" text-anchor="end">{shown}{below}</text>'


def _picture(id: str, title: str, said: str, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH:g} {height:g}" role="img" aria-labelledby="{id}-title {id}-said">'
        f'<title id="{id}-title">{html(title)}</title><desc id="{id}-said">{html(said)}</desc>{"".join(parts)}</svg>'
    )
