"""The files of one release of iBKH, staged as one graph: entities of five types and what links them."""

import logging
from collections.abc import Sequence
from pathlib import Path

from clew.errors import InputError
from clew.graph.readers.ibkh.files import find_files
from clew.graph.readers.ibkh.layout import LINKS, NAME, RELATIONS, RESOURCES, VOCABULARIES, Links
from clew.graph.readers.ibkh.links import read_links
from clew.graph.readers.ibkh.vocabularies import read_vocabulary
from clew.graph.readers.parts import Part, join
from clew.graph.staging import Problems, Source, Staged
from clew.progress import Progress, silent

__all__ = ["read"]

log = logging.getLogger(__name__)


def read(directory: Path | str, *, problems: Problems, progress: Progress = silent) -> Staged:
    """Stage iBKH from a directory of its CSV files (each may be .gz), or of the folders `entity` and `relation`.

    Files of links may be absent; a vocabulary may be absent if no file of links needs it. Where a row states several
    relations and names several sources, iBKH does not say which source states which: each is listed for all of them.
    """
    files = find_files(Path(directory))
    chosen = {vocabulary: files.pop(vocabulary.stem) for vocabulary in VOCABULARIES if vocabulary.stem in files}
    linking = [(links, files.pop(stem)) for links in LINKS for stem in links.stems if stem in files]
    _check(Path(directory), {vocabulary.type for vocabulary in chosen}, linking)
    if files:
        listed = ", ".join(path.name for path in files.values())
        log.warning("%s: files outside the five vocabularies and their links, left out: %s", directory, listed)
    steps = len(chosen) + len(linking)
    entity_parts: list[Part] = []
    triple_parts: list[Part] = []
    for vocabulary, path in chosen.items():
        progress(f"reading {path.name}", len(entity_parts), steps)
        entity_parts.append(read_vocabulary(path, vocabulary, problems))
    for links, path in linking:
        progress(f"reading {path.name}", len(chosen) + len(triple_parts), steps)
        triple_parts.append(read_links(path, links, problems))
    entities, entity_origin = join(entity_parts, encode=lambda name: name == "type")
    triples, triple_origin = join(triple_parts, encode=lambda name: True)
    used = set(triples["relation"].unique().to_pylist())
    named = sorted(set(triples["source"].unique().to_pylist()) | {NAME})
    progress("read iBKH", steps, steps)
    return Staged(
        triples=triples,
        entities=entities,
        relations=tuple(relation for relation in RELATIONS if relation.name in used),
        sources=tuple(RESOURCES.get(name, Source(name)) for name in named),
        triple_origin=triple_origin,
        entity_origin=entity_origin,
    )


def _check(directory: Path, types: set[str], linking: Sequence[tuple[Links, Path]]) -> None:
    stems = {vocabulary.type: vocabulary.stem for vocabulary in VOCABULARIES}
    if not types or not linking:
        wanted = "vocabularies such as disease_vocab.csv" if not types else "files of links such as D_Di_res.csv"
        raise InputError(f"{directory} has no {wanted}; expected the CSV files of iBKH")
    for links, path in linking:
        for end in (links.subject, links.object):
            if end.type not in types:
                raise InputError(f"{path} needs {stems[end.type]}.csv, which is not in {directory}")
