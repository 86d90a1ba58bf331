"""The entry point: commands, and the place where every failure becomes one line and an exit code.

0 success · 1 failure · 2 invalid input · 130 interrupted
"""

import io
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Annotated

import typer

from clew._version import __version__
from clew.app.cli.terminal.failures import print_failure
from clew.app.cli.terminal.groups import new_group, show_help
from clew.errors import ClewError, InputError

__all__ = ["COMMANDS", "application", "main"]

COMMANDS = {  # name: "module:function" below clew.app.cli, in the order of the help; `application` makes a group
    "demo": "demo:demo",
    "build": "graphs.build:build",
    "update": "graphs.update:update",
    "log": "graphs.history:log",
    "diff": "graphs.history:diff",
    "gc": "graphs.history:gc",
    "info": "graphs.look:info",
    "find": "graphs.look:find",
    "hop": "walk:hop",
    "paths": "paths:paths",
    "ask": "asking.ask:ask",
    "context": "asking.context:context",
    "diagnose": "asking.diagnose:diagnose",
    "words": "asking.words:words",
    "index": "graphs.index:index",
    "link": "asking.link:link",
    "cypher": "asking.cypher:cypher",
    "extract": "extraction.extract:application",
    "statements": "extraction.statements:application",
    "models": "models:models",
    "serve": "serve:serve",
    "mcp": "mcp:mcp",
    "export": "graphs.export:export",
    "doctor": "graphs.doctor:doctor",
    "eval": "evaluation.group:application",
    "bench": "bench:bench",
}
VERBOSE = ("-v", "--verbose")


def application(commands: Iterable[str] = COMMANDS) -> typer.Typer:
    """The command line with some of its commands; only their modules are imported."""
    app = new_group("clew", clew.__doc__ or "")
    app.callback(invoke_without_command=True)(clew)
    for name in commands:
        module, _, function = COMMANDS[name].partition(":")
        found = getattr(import_module(f"clew.app.cli.{module}"), function)
        if function == "application":
            app.add_typer(found(), name=name)
        else:
            app.command(name)(found)
    return app


def clew(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    verbose: Annotated[bool, typer.Option(*VERBOSE, help="Log to stderr.")] = False,
) -> None:
    """Build knowledge graphs, traverse them, and answer questions with the triples and sources behind every answer.

    \b
    Examples:
      clew demo
      clew build hpo --out hpo.clew
      clew paths hpo.clew FBN1 Arachnodactyly
    """
    if verbose:
        import logging

        logging.basicConfig(
            level=logging.DEBUG, stream=sys.stderr, format="%(relativeCreated)6d ms %(name)s: %(message)s"
        )
    if version:
        print(f"clew {__version__}")
        raise typer.Exit
    show_help(context)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line; returns the exit code and never raises for a failure."""
    if sys.stdout is None:  # closed by the caller
        sys.stdout = io.StringIO()
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        command = typer.main.get_command(application(_asked(given)))
        code = command.main(given, prog_name="clew", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BrokenPipeError:  # the reader of our output has closed the pipe
        _drop_output()
        return 1
    except Exception as error:
        return _failed(error)


def _asked(given: Sequence[str]) -> Iterable[str]:
    """The requested command alone, so that a fresh process imports no other; all of them if that is unclear."""
    first = next((each for each in given if each not in VERBOSE), None)
    return [first] if first in COMMANDS else COMMANDS


def _drop_output() -> None:
    """Point stdout at /dev/null, so that Python's final flush cannot fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _failed(error: Exception) -> int:
    """Print what went wrong in one line; returns the exit code."""
    describe = getattr(error, "format_message", None)  # typer's own errors: a wrong option, a missing argument
    usage = f"{describe()}{_hint(error)}" if callable(describe) else None
    if isinstance(error, OSError) and not isinstance(error, ClewError) and error.filename is None:
        _drop_output()
    print_failure(error, usage)
    return 2 if usage is not None or isinstance(error, InputError) else 1


def _hint(error: Exception) -> str:
    path = getattr(getattr(error, "ctx", None), "command_path", None)
    return f" (see {path} --help)" if path else ""


if __name__ == "__main__":
    sys.exit(main())
