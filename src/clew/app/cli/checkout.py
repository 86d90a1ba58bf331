"""Modules of the source checkout that are not part of the installed package, such as benchmarks."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from clew.errors import ClewError

__all__ = ["load_from_checkout"]


def load_from_checkout(module: str, *, what: str, remedy: str = "run it in a source checkout of Clew") -> Any:
    """Import a module of the checkout this package runs from, or of the current directory.

    `what` needs it; `remedy` is what to do where there is no checkout.
    """
    import clew

    file = module.replace(".", "/") + ".py"
    places = [Path(clew.__file__).resolve().parents[2], Path.cwd()]
    root = next((place for place in places if (place / file).is_file()), None)
    if root is None:
        looked = " and ".join(dict.fromkeys(map(str, places)))
        raise ClewError(f"{what} is not part of the installed package: {remedy} (looked for {file} in {looked})")
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ClewError(f"{what} needs the library {error.name!r}: pip install 'clew[bench]'") from error
