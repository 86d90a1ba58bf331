"""A group of commands: `clew` itself, and those below it such as `clew eval`."""

import typer
from typer.core import TyperGroup

__all__ = ["new_group", "show_help"]


def new_group(name: str, help: str, *, kind: type[TyperGroup] = TyperGroup) -> typer.Typer:
    """An empty group; without a command it shows its help."""
    return typer.Typer(
        name=name,
        cls=kind,
        help=help,
        callback=show_help,
        invoke_without_command=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )


def show_help(context: typer.Context) -> None:
    """Print the help of a group if none of its commands was given."""
    if context.invoked_subcommand is None:
        print(context.get_help())
