"""Findings from names, ids and clinical notes: linked to terms of the graph, negated ones kept as absent."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from clew.errors import InputError
from clew.link import Linker

__all__ = ["Finding", "Ignored", "read_findings"]

MOST_CHARACTERS = 200_000  # of a note
MOST_FINDINGS = 500


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of a patient, linked to an entity; `present` is False for one that was looked for and not seen."""

    text: str
    entity: int
    id: str
    name: str
    present: bool
    reason: str  # why the text was linked to this entity, or marked as absent


@dataclass(frozen=True, slots=True)
class Ignored:
    """A text that is not used, and why."""

    text: str
    reason: str


def read_findings(
    linker: Linker, type: str, *, present: Sequence[str] = (), absent: Sequence[str] = (), note: str = ""
) -> tuple[list[Finding], list[Ignored]]:
    """Each finding once; one that is both present and absent is present."""
    if len(note) > MOST_CHARACTERS:
        raise InputError(f"the note has {len(note):,} characters, and at most {MOST_CHARACTERS:,} are read: shorten it")
    if len(present) + len(absent) > MOST_FINDINGS:
        raise InputError(f"{len(present) + len(absent):,} findings were given, and at most {MOST_FINDINGS} are read")
    found: list[Finding] = []
    ignored: list[Ignored] = []
    for texts, is_present in ((present, True), (absent, False)):
        for text in texts:
            _read_name(linker, type, text, is_present, found, ignored)
    _read_note(linker, type, note, found, ignored)
    return _each_once(found), ignored


def _read_name(
    linker: Linker, type: str, text: str, present: bool, found: list[Finding], ignored: list[Ignored]
) -> None:
    """A name or an id as a whole; failing that, the names in it, so that "no seizures" is read as absent."""
    linked = linker.link(text, type=type)
    if linked.best is not None:
        best = linked.best
        found.append(Finding(text, best.entity, best.id, best.name, present, best.reason))
        return
    before = len(found)
    if present:
        _read_note(linker, type, text, found, ignored)
    if len(found) == before:
        near = linked.candidates[0] if linked.candidates else None
        hint = f"; the nearest is {near.name} ({near.id})" if near else ""
        ignored.append(Ignored(text, f"no {type} has such a name{hint}"))


def _read_note(linker: Linker, type: str, note: str, found: list[Finding], ignored: list[Ignored]) -> None:
    for mention in linker.detect(note, types=type) if note.strip() else ():
        best, marks = mention.linked.best, mention.marks
        if best is None:
            continue
        cues = ", ".join(repr(cue.text) for cue in marks.cues) if marks else ""
        if marks and marks.family:
            ignored.append(Ignored(mention.text, f"about a family member ({cues})"))
        elif marks and marks.uncertain and not marks.negated:
            ignored.append(Ignored(mention.text, f"uncertain ({cues})"))
        elif marks and marks.negated:
            found.append(Finding(mention.text, best.entity, best.id, best.name, False, f"negated by {cues}"))
        else:
            found.append(Finding(mention.text, best.entity, best.id, best.name, True, best.reason))


def _each_once(findings: Iterable[Finding]) -> list[Finding]:
    kept: dict[int, Finding] = {}
    for each in findings:
        known = kept.get(each.entity)
        if known is None or (each.present and not known.present):
            kept[each.entity] = each
    return list(kept.values())
