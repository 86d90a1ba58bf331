"""`clew doctor`: every block against its checksum, every array proved safe to walk, derived data, signatures."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clew.app.cli.terminal.options import AsJson, GraphPath
from clew.app.cli.terminal.output import print_json, printable, say
from clew.app.cli.terminal.progress import terminal_progress
from clew.app.records import damage_record
from clew.errors import DamagedGraph, SignatureError
from clew.plurals import counted

if TYPE_CHECKING:
    from clew.graph.storage.manifest import Manifest
    from clew.graph.storage.signature import Signature

__all__ = ["doctor"]


def doctor(
    graph: GraphPath,
    key: Annotated[
        str | None,
        typer.Option(
            metavar="KEY", help="Also verify the signature of the manifest: a minisign public key, or its file."
        ),
    ] = None,
    rebuild_derived: Annotated[
        bool,
        typer.Option("--rebuild-derived", help="Build all derived data again, as for a graph from somebody else."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check a graph: every block against its checksum, every array for safety, all data derived from it.

    Damage is reported block by block (4 MiB each), and the exit code is 1.

    \b
    Examples:
      clew doctor hpo.clew
      clew doctor hpo.clew --rebuild-derived
      clew doctor hpo.clew --key hpo.pub
    """
    from clew.app.derived import rebuild
    from clew.graph.storage.damage import find_all_damage, find_derived_damage

    path = Path(graph)
    with terminal_progress() as progress:
        damage = find_all_damage(path, progress=progress)
        signature, unsigned = (None, []) if key is None else _signature(path, key)
        rebuilt = rebuild(graph, progress=progress) if rebuild_derived and not damage else None
        derived = find_derived_damage(path)
    manifest = _manifest(path)
    found = damage + unsigned + derived
    if as_json:
        print_json(damage_record(manifest, found, graph=graph, signature=signature, rebuilt=rebuilt))
    else:
        for sentence in found:
            say(printable(sentence))
        if rebuilt is not None:
            say(f"built again: {printable(', '.join(rebuilt)) or 'nothing was derived'}")
        if signature is not None:
            say(printable(f"signed with the key {signature.key}: {signature.comment}"))
        say(_verdict(printable(graph), damage, unsigned, derived, manifest))
    if found:
        raise typer.Exit(1)


def _signature(path: Path, key: str) -> "tuple[Signature | None, list[str]]":
    from clew.graph.storage.signature import check_signature, read_key
    from clew.graph.storage.snapshots import snapshot_folder

    try:
        return check_signature(snapshot_folder(path), read_key(key)), []
    except SignatureError as error:
        return None, [str(error)]


def _manifest(path: Path) -> "Manifest | None":
    from clew.graph.storage.manifest import read_manifest
    from clew.graph.storage.snapshots import snapshot_folder

    try:
        return read_manifest(snapshot_folder(path))
    except DamagedGraph:  # files are missing or too short: the damage says which
        return None


def _verdict(
    graph: str, damage: list[str], unsigned: list[str], derived: list[str], manifest: "Manifest | None"
) -> str:
    if damage or manifest is None:
        return f"{graph} is damaged: restore the files named above or build the graph again"
    if unsigned:
        return f"{graph} is whole, but not signed with this key: do not trust it"
    if derived:
        return f"{graph} is OK, but data derived from it is damaged: run `clew doctor {graph} --rebuild-derived`"
    counts = manifest.counts
    blocks = sum(len(record.sha256) for record in manifest.files.values())
    return (
        f"{graph} is OK: {counted(len(manifest.files), 'file')}, {counted(blocks, 'block')}; "
        f"{counted(counts['entities'], 'entity')}, {counted(counts['triples'], 'triple')}, "
        f"{counted(counts['assertions'], 'assertion')}"
    )
