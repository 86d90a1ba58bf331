"""Triples in words: "Marfan syndrome (disease) has phenotype Arachnodactyly (phenotype)"."""

import re
from collections.abc import Mapping
from functools import cache

from clew.answer.lexicon.forms import core_name
from clew.answer.wording.relation_words import RelationWords
from clew.traverse import Triple

__all__ = ["named", "relation_words", "sentence", "spaced"]

JOINED = re.compile(r"[_\s:/.-]+|(?<=[a-z0-9])(?=[A-Z])")
UNTYPED = frozenset({"", "entity", "thing", "node"})


def sentence(triple: Triple, types: Mapping[str, str]) -> str:
    """One triple as a sentence without a full stop; `types` are those of ids."""
    subject = named(triple.subject_name, triple.subject, types.get(triple.subject, ""))
    object_ = named(triple.object_name, triple.object, types.get(triple.object, ""))
    return f"{subject} {relation_words(triple.relation)} {object_}"


def named(name: str, id: str, type: str) -> str:
    """An entity in a sentence: its name, or its id where it has none, on one line, with its type."""
    called = " ".join(name.split()) or " ".join(id.split())
    kind = spaced(type)
    return called if kind in UNTYPED else f"{called} ({kind})"


@cache
def relation_words(relation: str) -> str:
    """A relation's name as a verb.

    >>> [relation_words(each) for each in ("has_phenotype", "is_a", "associated_with", "biolink:treats", "parentOf")]
    ['has phenotype', 'is a', 'is associated with', 'treats', 'is a parent of']
    """
    words = spaced(core_name(relation)) or " ".join(relation.split())
    return RelationWords(words).after(1) if words else "is related to"


@cache
def spaced(name: str) -> str:
    """A name of the schema in lower-case words.

    >>> spaced("ClinicalCourse"), spaced("has_phenotype")
    ('clinical course', 'has phenotype')
    """
    return " ".join(part for part in JOINED.split(name) if part).lower()
