"""Text in a drawing: its width, line breaking, and escaping for XML."""

from html import escape
from unicodedata import category, east_asian_width

__all__ = ["attributes", "clean", "text_width", "wrap", "xml"]

NARROW = frozenset("iljtfr.,:;'|!()[]I /-")
WIDE = frozenset("mwMW@%—…")
ELLIPSIS = "…"
BOLD = 1.15  # how much wider bold letters are


def clean(text: str) -> str:
    """The text on one line, with characters that are illegal in XML replaced."""
    return "".join(c if _legal(c) else "\ufffd" for c in " ".join(text.split()))


def _legal(character: str) -> bool:
    code = ord(character)
    return code >= 0x20 and not 0x7F <= code < 0xA0 and not 0xD800 <= code < 0xE000 and code & 0xFFFE != 0xFFFE


def xml(text: str) -> str:
    """The text escaped for the content or an attribute of an element."""
    return escape(clean(text), quote=True)


def attributes(**values: str | float | None) -> str:
    """Attributes of an element, escaped; `class_` is class, other underscores become hyphens, None is omitted."""
    return "".join(
        f' {name.rstrip("_").replace("_", "-")}="{f"{value:g}" if isinstance(value, int | float) else xml(value)}"'
        for name, value in values.items()
        if value is not None
    )


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """The approximate width of a text in a sans-serif font, rather over- than underestimated."""
    return sum(map(_share, text)) * size * (BOLD if bold else 1.0)


def _share(character: str) -> float:
    if character in NARROW:
        return 0.4
    if character in WIDE:
        return 0.98
    if not character.isascii():
        if category(character) in ("Mn", "Me", "Cf"):
            return 0.0
        if east_asian_width(character) in "WF":
            return 1.05
    return 0.7 if character.isupper() else 0.6


def wrap(text: str, width: float, size: float, *, lines: int, bold: bool = False) -> list[str]:
    """The text in at most `lines` lines, broken between words if possible; excess text becomes an ellipsis."""

    def too_wide(line: str) -> bool:
        return text_width(line, size, bold=bold) > width

    words = clean(text).split(" ")
    made: list[str] = []
    while words and len(made) < lines:
        line = words.pop(0)
        while words and not too_wide(f"{line} {words[0]}"):
            line += f" {words.pop(0)}"
        if too_wide(line):  # a single long word: break inside it
            end = len(line) - 1
            while end > 1 and too_wide(line[:end]):
                end -= 1
            words.insert(0, line[end:])
            line = line[:end]
        made.append(line)
    if words:
        last = made[-1]
        while last and too_wide(last + ELLIPSIS):
            last = last[:-1]
        made[-1] = last.rstrip() + ELLIPSIS
    return made
