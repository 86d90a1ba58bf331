"""The bodies of requests: what may be asked, within limits, and the records of the library that they become."""

from functools import lru_cache
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from clew.answer import Filters, Question
from clew.answer.context.retrieval import Retrieval
from clew.app.assemble import DEFAULT_STRATEGY
from clew.app.server.settings import Limits
from clew.errors import InputError
from clew.graph import Where
from clew.traverse import Walk
from clew.traverse.walk import WalkOptions as TraverseOptions
from clew.traverse.walk import as_walk

__all__ = [
    "AskBody",
    "ContextBody",
    "DrawingBody",
    "ExtractBody",
    "HopBody",
    "MentionsBody",
    "PathsBody",
    "QueryBody",
    "TriplesBody",
]

MOST = Limits()
Name = Annotated[str, Field(min_length=1, max_length=1_000)]
Names = Annotated[list[Name], Field(max_length=100)]
Direction = Literal["out", "in", "both"]
Layer = Literal["all", "curated", "no-extracted"]
Day = Annotated[str, Field(max_length=10, pattern=r"^\d{4}-\d{2}-\d{2}$", examples=["2020-05-01"])]
Seconds = Annotated[float | None, Field(gt=0, le=3_600, description="Time limit in seconds, at most the server's.")]
Cursor = Annotated[str | None, Field(max_length=100, description="`next` of the page before.")]
Share = Annotated[float, Field(ge=0, le=1)]


class Body(BaseModel):
    """A JSON object without unknown keys, its values as they are."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)  # subclasses add to it


class Conditions(Body):
    """Conditions on statements: one single statement of a triple must meet them all."""

    layer: Layer = "all"
    sources: Names | None = None
    as_of: Day | None = None
    min_confidence: Share | None = None
    qualifiers: Annotated[dict[Name, Name], Field(max_length=20)] = {}
    negated: bool = False

    def where(self) -> Where:
        return Where(
            layer=self.layer,
            sources=self.sources,
            as_of=self.as_of,
            min_confidence=self.min_confidence,
            qualifiers=self.qualifiers,
            negated=self.negated,
        )


ANY = Conditions()
NARROWING = frozenset(("relations", "metapath", "through", "max_degree", "where"))


class WalkOptions(Body):
    """The options that hops and paths share."""

    direction: Direction = "out"
    relations: Annotated[Names | None, Field(description="Follow only these relations.")] = None
    metapath: Annotated[
        list[Names | None] | None,
        Field(min_length=1, max_length=MOST.hops, description="Relations for each hop; null is any."),
    ] = None
    through: Annotated[Names | None, Field(description="Types of the entities in between.")] = None
    max_degree: Annotated[int | None, Field(ge=0, le=2**31)] = None
    where: Conditions = Field(default_factory=lambda: ANY)
    timeout: Seconds = None

    def walk(self, k: int | None, default: int, *, mode: str = "exact", types: list[str] | None = None) -> Walk:
        """The walk of a request; a metapath brings its own number of hops."""
        if types is None and NARROWING.isdisjoint(self.model_fields_set):
            return _plain_walk(default if k is None else k, mode, self.direction)
        if self.metapath is not None and self.relations is not None:
            raise InputError("give relations for all hops or metapath for each, not both")
        if self.metapath is not None and k not in (None, len(self.metapath)):
            raise InputError(f"metapath has {len(self.metapath)} hops, k says {k}: leave k out")
        hops = len(self.metapath) if self.metapath is not None else default if k is None else k
        options: TraverseOptions = {"mode": mode, "direction": self.direction}
        if self.metapath is not None or self.relations is not None:
            options["relations"] = self.metapath if self.metapath is not None else self.relations
        if types is not None:
            options["types"] = types
        if self.through is not None:
            options["through"] = self.through
        if self.max_degree is not None:
            options["max_degree"] = self.max_degree
        if "where" in self.model_fields_set:
            options["where"] = self.where.where()
        return as_walk(hops, options)  # which keeps those without lists


@lru_cache
def _plain_walk(k: int, mode: str, direction: str) -> Walk:
    return Walk(k, mode=mode, direction=direction)


class HopBody(WalkOptions):
    """Entities some hops from the seeds."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"seeds": ["HP:0001166"], "k": 2, "direction": "in", "limit": 5},
                {
                    "seeds": ["FBN1"],
                    "metapath": [["associated_with"], ["has_phenotype"]],
                    "where": {"layer": "curated"},
                },
            ]
        }
    )
    seeds: Annotated[list[Name], Field(min_length=1, max_length=MOST.seeds, description="Ids or exact names.")]
    k: Annotated[int | None, Field(ge=0, le=MOST.hops, description="Number of hops (default: 1).")] = None
    mode: Literal["exact", "within", "shortest"] = "exact"
    types: Annotated[Names | None, Field(description="Keep only entities of these types.")] = None
    triples: Annotated[bool, Field(description="Also list the supporting triples.")] = False
    ids_only: Annotated[bool, Field(description="List `ids` in place of `entities`.")] = False
    limit: Annotated[int, Field(ge=0, le=MOST.entities, description="Entities on a page.")] = 100
    cursor: Cursor = None


class PathsBody(WalkOptions):
    """Ranked paths from one entity to another."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"source": "FBN1", "target": "Arachnodactyly", "k": 3, "limit": 10}]}
    )
    source: Name
    target: Name
    k: Annotated[int | None, Field(ge=1, le=MOST.hops, description="Most hops (default: 3).")] = None
    kind: Literal["simple", "walks", "shortest"] = "simple"
    limit: Annotated[int, Field(ge=0, le=MOST.paths)] = 10


class AnswerFilters(Body):
    """Which statements an answer may rest on."""

    layer: Layer = "all"
    sources: Names = []
    as_of: Day | None = None
    min_confidence: Share | None = None

    def filters(self) -> Filters:
        return Filters(
            layer=self.layer,
            sources=tuple(self.sources),
            as_of=self.as_of,
            min_confidence=self.min_confidence,
        )


class AskBody(Body):
    """A question in plain English, or a query in Cypher to be answered with its evidence."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"question": "Which genes are linked to arachnodactyly?"},
                {"cypher": "MATCH (g:Gene)-[:ASSOCIATED_WITH]->(d:Disease {name: 'Marfan syndrome'}) RETURN g"},
            ]
        }
    )
    question: Annotated[str | None, Field(min_length=1, max_length=5_000)] = None
    cypher: Annotated[str | None, Field(min_length=1, max_length=MOST.characters)] = None
    meaning: Annotated[
        dict[Name, Name], Field(max_length=20, description="The id of the entity that a name of the question means.")
    ] = {}
    filters: AnswerFilters = Field(default_factory=AnswerFilters)
    subclasses: bool | None = None
    all_evidence: bool = False
    strategy: Annotated[str, Field(max_length=64)] = DEFAULT_STRATEGY
    timeout: Seconds = None

    def asked(self, seconds: float) -> Question:
        """The question as the library takes it."""
        if (self.question is None) == (self.cypher is None):
            raise InputError("give a question or cypher: exactly one of them")
        return Question(
            self.question or self.cypher or "",
            meaning=self.meaning,
            filters=self.filters.filters(),
            subclasses=self.subclasses,
            timeout=seconds,
            all_evidence=self.all_evidence,
        )


class ContextBody(Body):
    """A question whose context is wanted: the statements about it that fit a budget."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"question": "Which genes are linked to arachnodactyly?", "budget": 500}]}
    )
    question: Annotated[str, Field(min_length=1, max_length=5_000)]
    budget: Annotated[int, Field(ge=1, le=MOST.tokens, description="Most tokens of the text.")] = 1_500
    style: Literal["sentences", "json", "table"] = "sentences"
    percentile: Annotated[float, Field(ge=0, le=100, description="Prune lines below this percentile of relevance.")] = 0
    floor: Annotated[float, Field(ge=0, le=1, description="Prune lines of a lower relevance.")] = 0
    filters: AnswerFilters = Field(default_factory=AnswerFilters)
    timeout: Seconds = None

    def retrieval(self) -> Retrieval:
        """The settings of the library."""
        return Retrieval(
            budget=self.budget,
            style=self.style,
            percentile=self.percentile,
            floor=self.floor,
            filters=self.filters.filters(),
        )


class QueryBody(Body):
    """A read-only Cypher query."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"query": "MATCH (g:Gene {name: $gene}) RETURN g", "parameters": {"gene": "FBN1"}}]
        }
    )
    query: Annotated[str, Field(min_length=1, max_length=MOST.characters)]
    parameters: Annotated[
        dict[Name, str | int | float | bool | list[str | int | float | bool] | None], Field(max_length=100)
    ] = {}
    limit: Annotated[int, Field(ge=0, le=MOST.rows)] = 100
    timeout: Seconds = None


Numbers = Annotated[list[Annotated[int, Field(ge=0, le=2**62)]], Field(max_length=MOST.triples)]


class TriplesBody(Body):
    """Triples by their numbers in a snapshot."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"snapshot": "0123456789abcdef", "numbers": [0, 1]}]})
    snapshot: Name
    numbers: Numbers


class DrawingBody(Body):
    """Triples to draw: `starts` on the left, `ends` marked."""

    snapshot: Name
    triples: Annotated[Numbers, Field(min_length=1)]
    starts: Names = []
    ends: Names = []
    title: Annotated[str, Field(max_length=1_000)] = ""
    description: Annotated[str, Field(max_length=5_000)] = ""
    format: Literal["svg", "html"] = "svg"


class MentionsBody(Body):
    """A text whose mentions of entities are to be found."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": "No sign of arachnodactyly; the mother has Marfan syndrome."}]}
    )
    text: Annotated[str, Field(min_length=1, max_length=MOST.characters)]
    types: Names | None = None


class ExtractBody(Body):
    """A text whose facts are to be found."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": "Cisplatin caused nephrotoxicity in two patients."}]}
    )
    text: Annotated[str, Field(min_length=1, max_length=MOST.characters)]
    confidence: Share | None = None
    limit: Annotated[int, Field(ge=0, le=1_000)] = 100
