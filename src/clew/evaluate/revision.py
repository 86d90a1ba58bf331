"""Which code gave a figure: the commit of the checkout that Clew runs from, else its version."""

import os
import subprocess
from pathlib import Path

from clew._version import __version__

__all__ = ["revision"]

PATIENCE = 5.0  # seconds for one question to git


def revision(package: Path | None = None) -> str:
    """The short commit, with + where files differ from it; the version where there is no checkout or no git.

    `package` is the folder of the package, by default the one this runs from.
    """
    folder = (package or Path(__file__).resolve().parents[1]).resolve()
    root = folder.parents[1]
    if not (root / ".git").exists() or folder != root / "src" / "clew":
        return __version__  # installed, perhaps inside somebody else's checkout
    commit = _ask_git(root, "rev-parse", "--short", "HEAD")
    if not commit:
        return __version__
    changes = _ask_git(root, "status", "--porcelain")
    return commit if changes == "" else f"{commit}+"


def _ask_git(root: Path, *arguments: str) -> str | None:
    """What git says about a folder; None where it cannot."""
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=True,
            env=surroundings,
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return done.stdout.strip()
