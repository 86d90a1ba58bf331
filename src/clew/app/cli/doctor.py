"""`clew doctor`: every block against its checksum, every array proved safe to walk."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from clew.app.cli.terminal.options import AsJson, GraphPath
from clew.app.cli.terminal.output import print_json, printable, say
from clew.app.cli.terminal.progress import terminal_progress
from clew.app.records import damage_record
from clew.errors import DamagedGraph
from clew.plurals import counted

if TYPE_CHECKING:
    from clew.graph.storage.manifest import Manifest

__all__ = ["doctor"]


def doctor(graph: GraphPath, as_json: AsJson = False) -> None:
    """Check a graph: every block against its checksum, every array for safety.

    Damage is reported block by block (4 MiB each), and the exit code is 1.

    \b
    Examples:
      clew doctor hpo.clew
      clew doctor hpo.clew --json
    """
    from clew.graph.storage.damage import find_unsafe_parts
    from clew.graph.storage.manifest import find_damage, read_manifest

    path = Path(graph)
    with terminal_progress() as progress:
        damage = find_damage(path, progress=progress)
        damage = damage or find_unsafe_parts(path)
    try:
        manifest = read_manifest(path)
    except DamagedGraph:  # files are missing or too short: the damage says which
        manifest = None
    if as_json:
        print_json(damage_record(manifest, damage, graph=graph))
    else:
        for sentence in damage:
            say(printable(sentence))
        say(_verdict(printable(graph), damage, manifest))
    if damage:
        raise typer.Exit(1)


def _verdict(graph: str, damage: list[str], manifest: "Manifest | None") -> str:
    if damage or manifest is None:
        return f"{graph} is damaged: restore the files named above or build the graph again"
    counts = manifest.counts
    blocks = sum(len(record.sha256) for record in manifest.files.values())
    return (
        f"{graph} is OK: {counted(len(manifest.files), 'file')}, {counted(blocks, 'block')}; "
        f"{counted(counts['entities'], 'entity')}, {counted(counts['triples'], 'triple')}, "
        f"{counted(counts['assertions'], 'assertion')}"
    )
