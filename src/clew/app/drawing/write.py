"""Write a scene to a file; the extension selects the format."""

from pathlib import Path

from clew.app.drawing.page import page
from clew.app.drawing.scene import Scene
from clew.app.drawing.svg import svg
from clew.errors import InputError
from clew.files import write_text

__all__ = ["check_drawing_name", "write_drawing"]

KINDS = {".html": page, ".svg": svg}


def check_drawing_name(path: str | Path) -> Path:
    """The path, if its extension is supported."""
    if Path(path).suffix.lower() not in KINDS:
        raise InputError(f"cannot draw to {str(path)!r}: the file name must end in {' or '.join(KINDS)}")
    return Path(path)


def write_drawing(scene: Scene, path: str | Path) -> Path:
    """Write an .html page or an .svg picture atomically."""
    checked = check_drawing_name(path)
    write_text(checked, KINDS[checked.suffix.lower()](scene) + "\n")
    return checked
