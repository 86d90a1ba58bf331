"""Wheels as archives: reading a damaged one is a `ModelError`."""

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clew.errors import ClewError, ModelError

__all__ = ["open_wheel"]


@contextmanager
def open_wheel(path: Path) -> Iterator[zipfile.ZipFile]:
    """The archive; damage shows when it is opened or when a member is read."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except ClewError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        RuntimeError,
    ) as error:  # encrypted, or an unknown method
        raise ModelError(f"{path.name} is not a complete wheel ({error}): run the command again") from error
