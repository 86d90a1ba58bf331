"""An error as one line on stderr, and with its traceback where CLEW_DEBUG is set."""

import os
import sys

from clew.app.cli.terminal.output import one_line
from clew.errors import ClewError

__all__ = ["print_failure"]


def print_failure(error: Exception, message: str | None = None) -> None:
    """Print what went wrong: in the words of the command line, or as the fault of Clew that it is."""
    if os.environ.get("CLEW_DEBUG"):
        import traceback

        traceback.print_exception(error)
    print(f"clew: error: {one_line(_described(error) if message is None else message)}", file=sys.stderr)


def _described(error: Exception) -> str:
    if isinstance(error, ClewError):
        from clew.app.cli.terminal.spelling import as_options

        return as_options(str(error))
    if isinstance(error, OSError):
        return str(error)
    return f"unexpected {type(error).__name__}: {error} (run with CLEW_DEBUG=1 for the traceback)"
