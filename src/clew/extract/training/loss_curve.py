"""The losses of a training as an SVG picture."""

from collections.abc import Mapping, Sequence
from math import ceil

__all__ = ["draw_losses"]

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720.0, 320.0, 52.0, 604.0, 16.0, 280.0
LINES = (
    ("masked roots", "root", "#3567a8"),
    ("span boundaries", "boundary", "#8a6fb3"),
    ("masked leaves", "leaf", "#c0562b"),
)


def draw_losses(history: Sequence[Mapping[str, float]]) -> str:
    """A line for each loss over the steps of `history` (rows with step, root, boundary, leaf)."""
    steps = max((row["step"] for row in history), default=1)
    top = max(1.0, ceil(max((row[key] for row in history for _, key, _ in LINES), default=1.0)))
    parts = [_grid(value, top) for value in range(int(top) + 1) if top <= 12 or value % 5 == 0]
    for number, (name, key, colour) in enumerate(LINES):
        points = " ".join(
            f"{LEFT + (RIGHT - LEFT) * row['step'] / steps:.1f},{BOTTOM - (BOTTOM - TOP) * row[key] / top:.1f}"
            for row in history
        )
        last = f" {history[-1][key]:.2f}" if history else ""
        y = TOP + 14 + 18 * number
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        parts.append(f'<text x="{RIGHT + 8}" y="{y}" fill="{colour}">{name}{last}</text>')
    parts.append(f'<text x="{RIGHT}" y="{BOTTOM + 18}" text-anchor="end" fill="#666">step {steps:,.0f}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" font-family="sans-serif"'
        f' font-size="12" role="img"><title>Losses (nats a token) by training step</title>{"".join(parts)}</svg>\n'
    )


def _grid(value: int, top: float) -> str:
    y = BOTTOM - (BOTTOM - TOP) * value / top
    return (
        f'<path d="M{LEFT} {y:.1f}H{RIGHT}" stroke="#ddd"/>'
        f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#666">{value}</text>'
    )
