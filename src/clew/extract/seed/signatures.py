"""Which types each relation connects in the seed graph: this decides if a triple makes sense.

Made from a graph's schema, kept beside a trained model as signatures.json.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from clew.errors import InputError
from clew.graph.schema import Schema

__all__ = ["SIGNATURES", "Signatures", "read_signatures"]

SIGNATURES = "signatures.json"
LEAST = 0.001  # fewer of a relation's triples are slips of the seed, and would be asked of every head of their type
Pair = tuple[str, str]


@dataclass(frozen=True)
class Signatures:
    """For each relation how many triples lead from one type to another, and which relations hold both ways.

    >>> signatures = Signatures({"treats": {("Drug", "Disease"): 755}})
    >>> signatures.fits("Drug", "treats", "Disease"), signatures.fits("Disease", "treats", None)
    (True, False)
    >>> signatures.relations_of("Drug"), signatures.object_types("treats")
    (('treats',), ('Disease',))
    """

    pairs: Mapping[str, Mapping[Pair, int]]
    symmetric: frozenset[str] = frozenset()
    inverses: Mapping[str, str] = field(default_factory=dict)  # "treated_by": "treats", which is stored

    @classmethod
    def of_schema(cls, schema: Schema, *, relations: Iterable[str] | None = None, least: float = LEAST) -> "Signatures":
        """Those that at least a share `least` of their relation's triples have; of some relations only, if named.

        A relation that names its inverse is there under both names, unless the inverse is stored itself.
        """
        stored = {each.name for each in schema.relations}
        named = {each.inverse: each.name for each in schema.relations if each.inverse and each.inverse not in stored}
        pairs: dict[str, dict[Pair, int]] = {}
        symmetric = set()
        for name in [*sorted(stored), *sorted(named)] if relations is None else list(relations):
            relation = schema.relation(named.get(name, name))
            counted = {(each.subject, each.object): each.triples for each in relation.signatures}
            turned = {(object_, subject): count for (subject, object_), count in counted.items()}
            if relation.symmetric:
                symmetric.add(name)
                counted = {pair: counted.get(pair, 0) + turned.get(pair, 0) for pair in {**counted, **turned}}
            elif name in named:
                counted = turned
            total = sum(counted.values())
            pairs[name] = {pair: count for pair, count in counted.items() if count >= least * total}
        return cls(pairs, frozenset(symmetric), {name: named[name] for name in pairs if name in named})

    def fits(self, subject: str | None, relation: str, object_: str | None) -> bool:
        """Whether the seed has a triple of these types; an unknown type (None) fits any."""
        return (subject, object_) in self._known.get(relation, frozenset())

    def relations_of(self, type: str | None) -> tuple[str, ...]:
        """The relations whose subject can be of that type, the commonest first; all of them for None."""
        return self._by_subject.get(type, ())

    def object_types(self, relation: str, *, subject: str | None = None) -> tuple[str, ...]:
        """The types of a relation's objects (of subjects of one type, if it is given), the commonest first."""
        counted: dict[str, int] = {}
        for (start, end), count in self.pairs.get(relation, {}).items():
            if subject is None or start == subject:
                counted[end] = counted.get(end, 0) + count
        return tuple(sorted(counted, key=lambda name: (-counted[name], name)))

    @property
    def both_ways(self) -> dict[str, str]:
        """For each relation that can be asked from its other end, the one that leads back."""
        back = {stored: name for name, stored in self.inverses.items()}
        return {**{name: name for name in self.symmetric}, **back, **self.inverses}

    def types_of_tails(self, relation: str, subject: str | None) -> tuple[str, ...]:
        """The types of a relation's objects, of subjects of one type where the seed has any."""
        return self.object_types(relation, subject=subject) or self.object_types(relation)

    @cached_property
    def _known(self) -> dict[str, frozenset[tuple[str | None, str | None]]]:
        """Every combination that fits, with None for either end."""
        return {
            relation: frozenset(
                each for start, end in pairs for each in ((start, end), (start, None), (None, end), (None, None))
            )
            for relation, pairs in self.pairs.items()
        }

    @cached_property
    def _by_subject(self) -> dict[str | None, tuple[str, ...]]:
        counted: dict[str | None, dict[str, int]] = {}
        for relation, pairs in self.pairs.items():
            for (start, _), count in pairs.items():
                for type in (start, None):
                    of_type = counted.setdefault(type, {})
                    of_type[relation] = of_type.get(relation, 0) + count
        return {
            type: tuple(sorted(of_type, key=lambda name: (-of_type[name], name))) for type, of_type in counted.items()
        }

    def to_json(self) -> str:
        relations = {
            name: [[start, end, count] for (start, end), count in sorted(pairs.items(), key=lambda each: -each[1])]
            for name, pairs in self.pairs.items()
        }
        body = {"relations": relations, "symmetric": sorted(self.symmetric), "inverses": dict(self.inverses)}
        return json.dumps(body, indent=1) + "\n"


def read_signatures(path: Path) -> Signatures:
    """Read a file that `Signatures.to_json` made."""
    try:
        body = json.loads(Path(path).read_text("utf-8"))
        pairs = {
            str(name): {(str(start), str(end)): int(count) for start, end, count in rows}
            for name, rows in body["relations"].items()
        }
        return Signatures(pairs, frozenset(map(str, body["symmetric"])), dict(body["inverses"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path} does not hold signatures as `clew extract` writes them ({error!r})") from error
