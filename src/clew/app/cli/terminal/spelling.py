"""Errors of the library in the words of the command line: `columns={'subject': 'x'}` becomes `--column subject=x`.

The library writes a parameter as `name=`, with or without a literal behind it; everything else stays as it is.
"""

import re

__all__ = ["as_options"]

PLURALS = {
    "columns": "column",
    "drop_columns": "drop-column",
    "entity_columns": "entity-column",
    "relations": "relation",
    "sources": "source",
    "types": "type",
    "merge_predicates": "merge-predicate",
    "prefixes": "prefix",
    "vocabularies": "vocabulary",
    "keep_relations": "keep-relation",
}
OF_WALKS = (
    "actors",
    "as_of",
    "backend",
    "cache",
    "direction",
    "engine",
    "k",
    "kind",
    "layer",
    "limit",
    "max_degree",
    "min_confidence",
    "mode",
    "relations",
    "sources",
    "through",
    "timeout",
    "types",
)
NAMES = (
    *PLURALS,
    *OF_WALKS,
    "codebook",
    "delimiter",
    "entities",
    "format",
    "list_separator",
    "memory",
    "on_error",
    "overwrite",
    "partitions",
    "prefer",
)
RELATION = r"\[Relation\('(?P<relation>[^']*)', (?P<flag>\w+)=True\)\]"
VALUE = rf"\{{[^{{}}]*\}}|'[^']*'|\w+|{RELATION}"
PARAMETER = re.compile(rf"(?<![\w'-])(?P<name>{'|'.join(NAMES)})=(?P<value>{VALUE})?")
SUBJECT = re.compile(rf"^({'|'.join(OF_WALKS)})(?= (?:is|are|must|takes)\b)")


def as_options(message: str) -> str:
    """The message with the parameters that are options of commands written as these.

    >>> as_options("name it with columns={'subject': 'x'}, or pass overwrite=True")
    'name it with --column subject=x, or pass --overwrite'
    >>> as_options("on_error= is 'refuse' or 'skip'")
    "--on-error is 'refuse' or 'skip'"
    >>> as_options("timeout is a number of seconds above 0, not -1")
    '--timeout is a number of seconds above 0, not -1'
    """
    return SUBJECT.sub(lambda match: _option(match[1]), PARAMETER.sub(_spelled, message))


def _option(name: str) -> str:
    return f"--{PLURALS.get(name, name).replace('_', '-')}"


def _spelled(match: re.Match[str]) -> str:
    name, value = match["name"], match["value"] or ""
    option = _option(name)
    if match["relation"] is not None:
        return f"--{match['flag']} {match['relation']}"
    if value.startswith("{"):
        return " ".join(f"{option} {ours}={theirs}" for ours, theirs in re.findall(r"'([^']*)': '([^']*)'", value))
    if value in ("", "True"):
        return option
    return f"{option} {value.strip(chr(39))}"
