"""Options of a command made from the fields of `RunOptions`, so that each is declared once, where its setting is."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import Field, fields
from typing import Annotated, Any

import typer

from clew.extract.run.options import RunOptions, flag_of

__all__ = ["take_run_options"]

ARGUMENT = "inputs"
OPTIONS = "options"  # the parameter of a command that receives them


def take_run_options(command: Callable[..., None], *, phases: Sequence[str]) -> Callable[..., None]:
    """The command with an option for each field of `RunOptions` that one of the phases takes.

    It is called with a `RunOptions` as `options`, and with its own parameters as they are.
    """
    taken = [each for each in fields(RunOptions) if set(phases) & set(each.metadata["commands"])]

    def run(**given: Any) -> None:
        chosen = {each.name: _as_tuple(given.pop(each.name)) for each in taken}
        command(options=RunOptions(**chosen), **given)

    own = [each for each in inspect.signature(command).parameters.values() if each.name != OPTIONS]
    arguments = [each for each in own if each.name == "run"]
    options = [each for each in own if each.name != "run"]
    made = [_parameter(each) for each in taken]
    ordered = [
        *arguments,
        *(each for each in made if each.name == ARGUMENT),
        *(each for each in made if each.name != ARGUMENT),
        *options,
    ]
    keyword = inspect.Parameter.KEYWORD_ONLY
    run.__signature__ = inspect.Signature([each.replace(kind=keyword) for each in ordered])  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in ordered}
    run.__doc__, run.__name__ = command.__doc__, command.__name__
    return run


def _parameter(each: "Field[Any]") -> inspect.Parameter:
    help, metavar = each.metadata["help"], each.metadata["metavar"]
    kind: Any = list[str] | None if "tuple" in str(each.type) else each.type
    if each.name == ARGUMENT:
        about: Any = typer.Argument(metavar=metavar, help=help, show_default=False)
    elif "bool" in str(each.type):
        flag = flag_of(each.name)
        about = typer.Option(f"{flag}/{flag.replace('--', '--no-', 1)}", help=help, show_default=False)
    else:
        about = typer.Option(flag_of(each.name), metavar=metavar, help=help, show_default=False)
    return inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, about])


def _as_tuple(value: Any) -> Any:
    return (tuple(value) or None) if isinstance(value, list) else value
