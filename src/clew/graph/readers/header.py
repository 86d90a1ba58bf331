"""Which column of a table is what, by the names in its header, and what the caller says of them.

Columns of triples: `subject`, `relation`, `object` (or a synonym, see SYNONYMS), provenance (ASSERTION_TYPES), names
and types of both ends, and qualifiers, which are all others. Columns of entities: `id`, `name`, `type`, `synonyms`,
`xrefs`, and properties, which are all others.
"""

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from clew.errors import InputError
from clew.graph.readers.parts import DESCRIPTIONS, TRIPLE
from clew.graph.staging import ASSERTION_TYPES, QUALIFIER_PREFIX

__all__ = ["SYNONYMS", "Header", "check_names", "entity_columns_of", "triple_columns_of"]

log = logging.getLogger(__name__)

# What else a column may be called, first match wins; upper and lower case are alike. `source` and `target` are taken
# for subject and object only when a table has both of them and nothing else that is called subject or object.
SYNONYMS = {
    "subject": ("head",),
    "relation": ("predicate", "rel"),
    "object": ("tail",),
    "license": ("licence",),
    "evidence": ("publications",),
    "id": ("curie", "identifier"),
    "name": ("label",),
    "type": ("category",),
    "synonyms": ("synonym",),
    "xrefs": ("xref",),
}
OF_TRIPLES = (*TRIPLE, *ASSERTION_TYPES, *DESCRIPTIONS)
ENTITY = ("id", "name", "type", "synonyms", "xrefs")
ROW_NUMBERS = re.compile(r"\s*|Unnamed: \d+|__index_level_\d+__")  # what pandas and R call them
NAMES_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Header:
    """The columns of a table called `name`; `no_text` are those whose values no text can hold."""

    name: str
    columns: Sequence[str]
    no_text: frozenset[str] = frozenset()


def check_names(columns: Mapping[str, str]) -> None:
    """Refuse a mapping of what no statement has."""
    for name in columns:
        if name not in OF_TRIPLES and not _is_qualifier(name):
            raise InputError(f"columns= maps {name!r}, which is none of {', '.join(OF_TRIPLES)}, qualifier:NAME")


def triple_columns_of(table: Header, columns: Mapping[str, str], dropped: Sequence[str]) -> dict[str, str]:
    """Our name → the table's name, for every column that is used."""
    _check_dropped(table, columns, dropped)
    found = _find(table, OF_TRIPLES, columns, "columns", dropped)
    if "subject" not in found and "object" not in found:
        ends = _find(table, ("source", "target"), {}, "columns", dropped)
        if len(ends) == 2 and not set(ends.values()) & set(columns.values()):
            found |= {"subject": ends["source"], "object": ends["target"]}
            found.pop("source", None)
    _add_qualifiers(table, found, dropped)
    _require(table, found, TRIPLE, "columns")
    return found


def _check_dropped(table: Header, columns: Mapping[str, str], dropped: Sequence[str]) -> None:
    for name in dropped:
        if name not in table.columns:
            raise InputError(f"{table.name} has no column {name!r}, which drop_columns= names; {_shown(table)}")
        if name in columns.values():
            raise InputError(f"columns= and drop_columns= both name {name!r}: it is either read or left out")


def _add_qualifiers(table: Header, found: dict[str, str], dropped: Sequence[str]) -> None:
    """Every further column that one text can hold, under its own name."""
    further = [name for name in table.columns if name not in {*found.values(), *dropped}]
    found |= {name: name for name in further if _is_qualifier(name)}
    known, kept, left_out = {name.lower() for name in found}, [], []
    for name in further:
        ours = QUALIFIER_PREFIX + name
        if name in found or ROW_NUMBERS.fullmatch(name):
            continue
        if name in table.no_text or table.columns.count(name) > 1 or {ours.lower(), name.lower()} & known:
            left_out.append(name)
            continue
        found[ours] = name
        known.add(ours.lower())
        kept.append(name)
    if kept:
        log.info("%s: columns kept as qualifiers of statements: %s", table.name, ", ".join(kept))
    if left_out:
        why = "values that are no text, or a name that another column has"
        log.warning("%s: columns left out: %s (%s)", table.name, ", ".join(dict.fromkeys(left_out)), why)


def _is_qualifier(name: str) -> bool:
    return name.startswith(QUALIFIER_PREFIX) and name != QUALIFIER_PREFIX


def entity_columns_of(table: Header, columns: Mapping[str, str]) -> dict[str, str]:
    """Our name → the table's name: what describes an entity, and its properties under their own names."""
    found = _find(table, ENTITY, columns, "entity_columns")
    taken = set(found.values())
    for name in table.columns:
        if name in found and name not in taken:
            log.info("%s: column %s left out, since %s is read as %s", table.name, name, found[name], name)
        elif name and name not in taken:
            found[name] = name
    _require(table, found, ("id",), "entity_columns")
    return found


def _find(
    table: Header, names: Iterable[str], columns: Mapping[str, str], option: str, dropped: Sequence[str] = ()
) -> dict[str, str]:
    """Where each of `names` is: as the caller says, else under its own name, else under a synonym."""
    absent = [name for name in columns.values() if name not in table.columns]
    if absent:
        raise InputError(f"{table.name} has no column {absent[0]!r}, which {option}= names; {_shown(table)}")
    found = dict(columns)
    free = [name for name in table.columns if name not in {*columns.values(), *dropped}]
    lowered = {name.lower(): name for name in reversed(free)}
    for name in names:
        if name in found:
            continue
        if name in free:
            found[name] = name
            continue
        match = next((lowered[each] for each in (name, *SYNONYMS.get(name, ())) if each in lowered), None)
        if match is not None:
            found[name] = match
    return found


def _require(table: Header, found: Mapping[str, str], required: Sequence[str], option: str) -> None:
    missing = [name for name in required if name not in found]
    if missing:
        wanted = ", ".join(f"{name!r}: 'COLUMN'" for name in missing)
        raise InputError(
            f"{table.name} has no column for {', '.join(missing)}; {_shown(table)}; name them with "
            f"{option}={{{wanted}}} (a text file begins with a line of column names, separated by delimiter=)"
        )
    if any("\udc80" <= sign <= "\udcff" for name in found.values() for sign in name):
        raise InputError(f"{table.name} has a column whose name cannot be read; {_shown(table)}")
    repeated = sorted({name for name in found.values() if table.columns.count(name) > 1})
    if repeated:
        raise InputError(f"{table.name} has the column {repeated[0]!r} more than once; rename all but one")


def _shown(table: Header) -> str:
    names = [repr(name) for name in table.columns]
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    if any("\\udc" in name for name in names):
        more += " (it is not UTF-8: convert it first, for instance with iconv -f latin1 -t utf8)"
    return f"its columns are {', '.join(names[:NAMES_SHOWN])}{more}" if names else "it has no columns"
