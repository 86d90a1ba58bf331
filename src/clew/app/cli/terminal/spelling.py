"""Errors of the library in the words of the command line: `columns={'subject': 'x'}` becomes `--column subject=x`.

The library writes a parameter as `name=`, with or without a literal behind it; everything else stays as it is.
"""

import re

__all__ = ["as_options"]

PLURALS = {
    "columns": "column",
    "entity_columns": "entity-column",
    "relations": "relation",
    "sources": "source",
    "merge_predicates": "merge-predicate",
    "prefixes": "prefix",
    "vocabularies": "vocabulary",
    "keep_relations": "keep-relation",
}
NAMES = (
    *PLURALS,
    "as_of",
    "delimiter",
    "entities",
    "format",
    "k",
    "layer",
    "list_separator",
    "max_degree",
    "on_error",
    "overwrite",
    "prefer",
)
RELATION = r"\[Relation\('(?P<relation>[^']*)', (?P<flag>\w+)=True\)\]"
VALUE = rf"\{{[^{{}}]*\}}|'[^']*'|True|\d+|{RELATION}"
PARAMETER = re.compile(rf"(?<![\w'-])(?P<name>{'|'.join(NAMES)})=(?P<value>{VALUE})?")


def as_options(message: str) -> str:
    """The message with the parameters that are options of commands written as these.

    >>> as_options("name it with columns={'subject': 'x'}, or pass overwrite=True")
    'name it with --column subject=x, or pass --overwrite'
    >>> as_options("on_error= is 'refuse' or 'skip'")
    "--on-error is 'refuse' or 'skip'"
    """
    return PARAMETER.sub(_spelled, message)


def _spelled(match: re.Match[str]) -> str:
    name, value = match["name"], match["value"] or ""
    option = f"--{PLURALS.get(name, name).replace('_', '-')}"
    if match["relation"] is not None:
        return f"--{match['flag']} {match['relation']}"
    if value.startswith("{"):
        return " ".join(f"{option} {ours}={theirs}" for ours, theirs in re.findall(r"'([^']*)': '([^']*)'", value))
    if value in ("", "True"):
        return option
    return f"{option} {value.strip(chr(39))}"
