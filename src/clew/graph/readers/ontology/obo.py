"""OBO files (format 1.2 and 1.4): [Term] and [Typedef] stanzas of `tag: value` lines.

Obsolete terms are no entities: their ids, like alternative ids, become xrefs of the terms that replace them. Logical
definitions (intersection_of, union_of, disjoint_from) and instances are not read.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from clew.errors import InputError
from clew.graph.readers.ontology.terms import Ontology, Term, keep_old_ids, stage_terms
from clew.graph.readers.source_files import check_file, open_bytes, read_line, reading
from clew.graph.staging import Problems, Relation, Staged
from clew.progress import Progress, silent

__all__ = ["read", "read_obo"]

QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(\w*)')  # "text" SCOPE
ESCAPED = re.compile(r"\\(.)")
ESCAPES = {"n": "\n", "t": "\t", "W": " "}
MAPPED = ("skos:exactMatch", "exactMatch")  # property values that name the same thing elsewhere
Tags = dict[str, list[tuple[int, str]]]  # tag → line and value


def read(source: Path | str, *, problems: Problems, progress: Progress = silent) -> Staged:
    """Stage the terms of one OBO file, also with .gz."""
    path = check_file(source)
    progress(f"reading {path.name}", 0, 1)
    staged = stage_terms(read_obo(path, problems=problems), problems)
    progress(f"read {path.name}", 1, 1)
    return staged


def read_obo(path: Path, *, problems: Problems) -> Ontology:
    """The terms and relations of an OBO file."""
    header: Tags = {}
    terms: dict[str, Term] = {}
    relations: dict[str, Relation] = {"is_a": Relation("is_a", transitive=True)}
    replaced: list[tuple[str, str]] = []  # old id, current id
    obsolete = 0
    for kind, line, tags in _stanzas(path, problems):
        if kind == "":
            header = tags
        elif kind in ("[Term]", "[Typedef]") and not any(value for _, value in tags.get("id", ())):
            problems.add("malformed row", f"{path.name}:{line}", "a term without an id")
        elif kind == "[Typedef]":
            relations[_first_word(tags["id"][0][1])] = _relation(tags)
        elif kind == "[Term]" and any(value.startswith("true") for _, value in tags.get("is_obsolete", ())):
            obsolete += 1
            old = _first_word(tags["id"][0][1])
            replaced += ((old, _first_word(value)) for _, value in tags.get("replaced_by", ()))
        elif kind == "[Term]":
            term = _term(line, tags, path.name, problems)
            terms[term.id] = term
            replaced += ((_first_word(old), term.id) for _, old in tags.get("alt_id", ()))
    if not terms:
        raise InputError(f"{path} has no terms: expected an OBO file with [Term] stanzas")
    default = _value(header, "default-namespace")
    for term in terms.values():
        term.namespace = term.namespace or default
    version = _value(header, "data-version")
    return Ontology(
        path.name,
        (_value(header, "ontology") or path.name.partition(".")[0]).upper().removesuffix(".OBO"),
        None
        if version is None
        else version.removesuffix(f"/{path.name}").rsplit("/", 1)[-1],  # "hp/releases/2025-01-16"
        _license(header),
        terms,
        keep_old_ids(terms, replaced),
        relations,
        obsolete,
    )


def _stanzas(path: Path, problems: Problems) -> Iterator[tuple[str, int, Tags]]:
    """Every stanza: its "[Kind]" line ("" for the header), line number, and tag → (line, value)s."""
    kind, start = "", 1
    tags: Tags = {}
    for number, line in enumerate(_lines(path), 1):
        if line.startswith("["):
            yield kind, start, tags
            kind, start, tags = line.rstrip(), number, {}
        elif line and not line.startswith("!"):
            tag, colon, value = line.partition(":")
            if colon:
                tags.setdefault(tag, []).append((number, value.strip()))
            elif line.strip():
                problems.add("malformed row", f"{path.name}:{number}", f"{line[:40]!r}, expected 'tag: value'")
    yield kind, start, tags


def _lines(path: Path) -> Iterator[str]:
    with reading(path, "OBO"), open_bytes(path) as stream:
        while line := read_line(stream, path):
            try:
                yield line.decode("utf-8-sig").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise InputError(f"cannot read {path} as UTF-8 text: {error}") from error


def _value(tags: Tags, name: str) -> str | None:
    return next((value for _, value in tags.get(name, ())), None)


def _term(line: int, tags: Tags, file: str, problems: Problems) -> Term:
    term = Term(_first_word(tags["id"][0][1]), line)
    for tag, attribute in (("name", "name"), ("comment", "comment"), ("namespace", "namespace")):
        if tag in tags:
            setattr(term, attribute, _unescape(tags[tag][0][1]))
    if "def" in tags:
        term.definition = next(iter(_quoted(tags["def"], file, problems)), ("", None))[1]
    scoped = [(scope or "RELATED", text) for scope, text in _quoted(tags.get("synonym", ()), file, problems)]
    term.synonyms = sorted(scoped, key=lambda each: each[0] != "EXACT")
    term.xrefs = [_unescape(_first_word(value)) for _, value in tags.get("xref", ())]
    stated = (value.split(" ") for _, value in tags.get("property_value", ()))
    term.xrefs += [words[1] for words in stated if len(words) > 1 and words[0] in MAPPED and words[1] not in term.xrefs]
    term.subsets = [_first_word(value) for _, value in tags.get("subset", ())]
    term.parents = [(_first_word(value), number) for number, value in tags.get("is_a", ())]
    for number, value in tags.get("relationship", ()):
        words = value.split(" ")
        if len(words) > 1:
            term.relationships.append((words[0], words[1], number))
        else:
            problems.add("malformed row", f"{file}:{number}", f"{value[:40]!r}, expected 'relation id'")
    return term


def _relation(tags: Tags) -> Relation:
    """A relation by the words of its name where its id is a code such as RO:0002211."""
    identifier = _first_word(tags["id"][0][1])
    name = _value(tags, "name")
    coded = ":" in identifier and name
    symmetric = (_value(tags, "is_symmetric") or "").startswith("true")
    return Relation(
        "_".join(_unescape(name or "").split()) if coded else identifier,
        symmetric=symmetric,
        transitive=(_value(tags, "is_transitive") or "").startswith("true"),
    )


def _quoted(values: Iterable[tuple[int, str]], file: str, problems: Problems) -> list[tuple[str, str]]:
    """Scope and text of values such as: "Spider fingers" EXACT layperson []."""
    found: list[tuple[str, str]] = []
    for number, value in values:
        match = QUOTED.match(value)
        if match is None:
            problems.add("malformed row", f"{file}:{number}", f"{value[:40]!r}, expected text in double quotes")
        else:
            found.append((match[2], _unescape(match[1])))
    return found


def _first_word(value: str) -> str:
    """An id without the comment or description behind it: "HP:0001238 ! Slender finger"."""
    return value.split(" ", 1)[0]


def _unescape(text: str) -> str:
    return ESCAPED.sub(lambda match: ESCAPES.get(match[1], match[1]), text) if "\\" in text else text


def _license(header: Tags) -> str | None:
    stated = (value.split(" ") for _, value in header.get("property_value", ()))
    return next((words[1] for words in stated if words[0].rpartition(":")[2] == "license" and len(words) > 1), None)
