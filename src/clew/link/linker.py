"""Entity linking: stages from the most to the least certain, stopping at the first that finds a match.

Ids and cross-references, abbreviations defined in the context, exact and normalised names and synonyms, spelling
similarity, embeddings. Entities with different ids are never merged: those that share a name are alternatives.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property, lru_cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.embed import Encoder
from clew.errors import UnknownName
from clew.graph import read_entities
from clew.link.abbreviations import find_abbreviations
from clew.link.candidates import STAGES, Candidate, Linked, Settings
from clew.link.detect import Detector, Mention
from clew.link.disambiguate import order_by_context
from clew.link.names.indexing import open_or_build
from clew.link.names.name_index import Form, LinkIndex
from clew.link.normalise import key, plain
from clew.link.similarity import most_similar
from clew.link.vectors import NameVectors, open_vectors
from clew.progress import Progress, silent
from clew.traverse.engine import GraphEngine

__all__ = ["Linker"]

Types = str | Iterable[str] | None
Mask = NDArray[np.bool_]
# The score of a match, by the kind of form that matched.
EXACT = {"id": 1.0, "xref": 0.99, "name": 1.0, "synonym": 0.98}
OTHER_NOTATION = {"id": 0.98, "xref": 0.97}
OTHER_CASE = {"name": 0.99, "synonym": 0.97}
NORMALISED = {"name": 0.95, "synonym": 0.93}
LOOSE = {"name": 0.92, "synonym": 0.90}
ABBREVIATED = 0.99  # times the score of its long form
COMPARED, KEPT = 64, 10  # compared by edit distance, and kept
KEPT_BY_EMBEDDING = 8
JACCARD_FLOOR = 0.2
NORMALISED_STAGE, FUZZY_STAGE, EMBEDDING_STAGE = map(STAGES.index, ("normalised", "fuzzy", "embedding"))


class Linker:
    """Links mentions to the entities of one graph.

    A missing or damaged name index is built beside the graph or, if that is read-only, in the cache. The embedding
    stage needs an `encoder` and the vectors that `clew index` builds with it. One linker serves many threads.
    """

    def __init__(
        self,
        engine: GraphEngine,
        *,
        encoder: Encoder | None = None,
        settings: Settings | None = None,
        progress: Progress = silent,
    ) -> None:
        self.engine = engine
        self.settings = settings or Settings()
        self.encoder = encoder
        self._rows_of_types: dict[bytes, NDArray[np.int64]] = {}
        self.index: LinkIndex = open_or_build(self.engine, progress=progress)

    @cached_property
    def vectors(self) -> NameVectors | None:
        """Embeddings of the names; None without an encoder."""
        return None if self.encoder is None else open_vectors(self.engine, self.encoder)

    def link(
        self,
        mention: str,
        *,
        type: Types = None,
        context: str | None = None,
        long_form: str | None = None,
        last_stage: str = STAGES[-1],
        limit: int = 5,
    ) -> Linked:
        """The entities that a mention may refer to, best first.

        `type` keeps only entities of that type (or those types). `context`, the text around the mention, defines
        abbreviations and ranks entities that share a name. `long_form` is the expansion of the mention, if the caller
        knows it. `last_stage` is the last stage to try: "normalised" excludes spelling and embedding similarity.
        """
        if last_stage not in STAGES:
            raise UnknownName(f"no stage is called {last_stage!r}: known: {', '.join(STAGES)}")
        allowed = self._allowed(type)
        found: dict[int, Candidate] = {}
        if long_form is None and context is not None:
            long_form = _defined(mention.strip(), context)
        best = self._search(mention, found, allowed, long_form, STAGES.index(last_stage))
        ranked = sorted(found.values(), key=lambda each: (-each.score, each.entity))
        if best is None:
            return Linked(mention, tuple(ranked[:limit]))
        ranked.remove(best)
        alternatives = [each for each in ranked if self._is_alternative(each, best)]
        if context is not None and alternatives:
            best, *alternatives = order_by_context(self.engine, [best, *alternatives], context, self.encoder)
            placed = {each.entity for each in (best, *alternatives)}
            ranked = [*alternatives, *(each for each in ranked if each.entity not in placed)]
        margin = best.score - ranked[0].score if ranked else 1.0
        return Linked(mention, (best, *ranked)[:limit], best, tuple(alternatives), round(max(0.0, margin), 4))

    def detect(self, text: str, *, types: Types = None, marks: bool = True) -> list[Mention]:
        """The mentions in a text, in order: the longest names, at word boundaries, marked by their context."""
        self._allowed(types)  # an unknown type is an error even if nothing is found
        return self._detector.detect(text, types=_listed(types), marks=marks)

    @cached_property
    def _detector(self) -> Detector:
        return Detector(self)

    # stages -----------------------------------------------------------------------------------------------------

    def _search(
        self, mention: str, found: dict[int, Candidate], allowed: Mask | None, long_form: str | None, last_stage: int
    ) -> Candidate | None:
        """Fill `found` stage by stage; return the best candidate of the first stage that accepts one."""
        text = mention.strip()
        if not text:
            return None
        self._by_id(text, found, allowed)
        if not found and long_form is not None:  # a definition in the text takes precedence over other names
            self._by_long_form(long_form, found, allowed, last_stage)
            if found:
                return _first(found.values())
        name_key = key(text)
        self._by_name(text, name_key, found, allowed, last_stage)
        if not found and last_stage >= NORMALISED_STAGE:
            self._by_loose_name(name_key, found, allowed)
        if found or last_stage < FUZZY_STAGE:
            return _first(found.values())
        settings = self.settings
        self._by_spelling(name_key, found, allowed)
        if (best := _first(found.values())) and best.score >= settings.fuzzy_accept:
            return best
        if last_stage < EMBEDDING_STAGE:
            return None
        meant: dict[int, Candidate] = {}
        self._by_embedding(text, meant, allowed)
        best = _first(meant.values())
        decided = best is not None and best.score >= settings.embedding_accept
        for each in meant.values():
            known = found.get(each.entity)
            if known is None or each.score > known.score or (decided and each is best):
                found[each.entity] = each
        return best if decided else None

    def _by_id(self, text: str, found: dict[int, Candidate], allowed: Mask | None) -> None:
        for form in self.index.find_id(text):
            what = "id" if form.kind == "id" else "cross-reference"
            if form.text == text:
                self._note(found, form, form.kind, EXACT[form.kind], f"exact {what}", allowed)
            else:
                reason = f"{what} '{form.text}' in another notation"
                self._note(found, form, form.kind, OTHER_NOTATION[form.kind], reason, allowed)

    def _by_long_form(self, long_form: str, found: dict[int, Candidate], allowed: Mask | None, last_stage: int) -> None:
        meant: dict[int, Candidate] = {}
        best = self._search(long_form, meant, allowed, None, last_stage)
        for each in meant.values():
            if best is not None and self._is_alternative(each, best):
                reason = f"short for '{long_form}': {each.reason}"
                score = round(each.score * ABBREVIATED, 4)
                found[each.entity] = replace(each, stage="abbreviation", score=score, reason=reason)

    def _by_name(
        self, text: str, name_key: str, found: dict[int, Candidate], allowed: Mask | None, last_stage: int
    ) -> None:
        row = self.index.find(name_key)
        if row is None:
            return
        lowered = plain(text)
        for form in self.index.forms(row):
            stage = "exact name" if form.kind == "name" else "synonym"
            if form.text == text:
                scores, reason = EXACT, f"exact {form.kind}"
            elif plain(form.text) == lowered:
                scores, reason = OTHER_CASE, f"{form.kind}, ignoring case"
            else:
                scores, stage = NORMALISED, "normalised"
                reason = f"{form.kind} '{form.text}', ignoring punctuation, plural or accents"
            if STAGES.index(stage) <= last_stage:
                self._note(found, form, stage, scores[form.kind], reason, allowed)

    def _by_loose_name(self, name_key: str, found: dict[int, Candidate], allowed: Mask | None) -> None:
        for row in self.index.find_loose(name_key):
            for form in self.index.forms(row):
                reason = f"{form.kind} '{form.text}', ignoring word order, spaces or British spelling"
                self._note(found, form, "normalised", LOOSE[form.kind], reason, allowed)

    def _by_spelling(self, name_key: str, found: dict[int, Candidate], allowed: Mask | None) -> None:
        settings = self.settings
        if len(name_key) < settings.shortest_fuzzy:
            return
        near = self.index.trigrams.nearest(name_key, limit=COMPARED, floor=JACCARD_FLOOR, most_read=settings.most_read)
        rows = [row for row, _ in near]
        texts = [self.index.keys[row] for row in rows]
        count = self.index.phrases.count
        kept = KEPT if allowed is None else COMPARED  # the most similar may be of other types
        for at, how in most_similar(name_key, texts, count=count, floor=settings.fuzzy_floor, limit=kept):
            for form in self.index.forms(rows[at]):
                self._note(found, form, "fuzzy", min(how.score, 0.99), how.explain(form.text), allowed)

    def _by_embedding(self, text: str, found: dict[int, Candidate], allowed: Mask | None) -> None:
        if self.encoder is None or self.vectors is None:
            return
        vector = self.encoder.encode([text])
        for entity, score in self.vectors.nearest(
            vector, count=KEPT_BY_EMBEDDING, rows=self._rows(self.vectors, allowed)
        ):
            if score < self.settings.embedding_floor:
                break
            name = self.name_of(entity)
            reason = f"similar in meaning to '{name}' (cosine {score:.2f})"
            self._note(found, Form(name, entity, "name"), "embedding", min(score, 0.99), reason, None)

    def _rows(self, vectors: NameVectors, allowed: Mask | None) -> NDArray[np.int64] | None:
        """The vectors of entities of the allowed types, cached for each choice of types."""
        if allowed is None:
            return None
        rows = self._rows_of_types.get(allowed.tobytes())
        if rows is None:
            rows = vectors.rows_of(np.flatnonzero(allowed[self.type_numbers]))
            self._rows_of_types[allowed.tobytes()] = rows
        return rows

    def _is_alternative(self, candidate: Candidate, best: Candidate) -> bool:
        return round(best.score - candidate.score, 4) <= self.settings.alternative_margin

    # candidates -------------------------------------------------------------------------------------------------

    def _note(
        self, found: dict[int, Candidate], form: Form, stage: str, score: float, reason: str, allowed: Mask | None
    ) -> None:
        """Keep the entity of a form as a candidate, if its type is allowed and it has no better score."""
        known = found.get(form.entity)
        if known is not None and known.score >= score:
            return
        if allowed is None or allowed[int(self.type_numbers[form.entity])]:
            found[form.entity] = self.candidate(form, stage, score, reason)

    def candidate(self, form: Form, stage: str, score: float, reason: str) -> Candidate:
        """The entity of a form as a candidate."""
        return Candidate(
            entity=form.entity,
            id=self.id_of(form.entity),
            name=self.name_of(form.entity),
            type=self._types[int(self.type_numbers[form.entity])],
            matched=form.text,
            stage=stage,
            score=round(score, 4),
            reason=reason,
        )

    def id_of(self, entity: int) -> str:
        """The id of an entity."""
        return str(self._entities["id"][entity].as_py())

    def name_of(self, entity: int) -> str:
        """The name of an entity."""
        return str(self._entities["name"][entity].as_py())

    @cached_property
    def type_numbers(self) -> NDArray[np.integer]:
        """The type of every entity, by its position in the schema."""
        return self.engine.types_of()

    @cached_property
    def _entities(self) -> pa.Table:
        return read_entities(self.engine, ("id", "name"))

    @cached_property
    def _types(self) -> list[str]:
        return list(self.engine.schema.types)

    def _allowed(self, types: Types) -> Mask | None:
        """A mask of the requested types; None for all."""
        if types is None:
            return None
        mask = np.zeros(len(self.engine.schema.types), bool)
        for name in _listed(types) or ():
            mask[self.engine.schema.type_number(name)] = True
        return mask


def _listed(types: Types) -> tuple[str, ...] | None:
    return None if types is None else (types,) if isinstance(types, str) else tuple(types)


def _first(candidates: Iterable[Candidate]) -> Candidate | None:
    return min(candidates, key=lambda each: (-each.score, each.entity), default=None)


def _defined(mention: str, context: str) -> str | None:
    """The long form of a mention as defined in the text."""
    long_forms = _long_forms(context)
    return long_forms.get(mention) or long_forms.get(mention.removesuffix("s"))


@lru_cache(maxsize=64)
def _long_forms(text: str) -> dict[str, str]:
    """The abbreviations that a text defines; the first definition counts."""
    long_forms: dict[str, str] = {}
    for each in find_abbreviations(text):
        long_forms.setdefault(each.short, each.long)
    return long_forms
