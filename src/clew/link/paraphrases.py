"""Linking paraphrases: "an enlarged spleen" is not a name of any entity, but means the same as "Splenomegaly".

Names and synonyms that share trigrams with the phrase are encoded and ranked by similarity; vectors of all names are
not needed, but are used if they exist. Between a term and its ancestor that match equally well, the ancestor wins.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from clew.embed import Encoder
from clew.graph import Where
from clew.link.candidates import Candidate
from clew.link.linker import Linker
from clew.link.names.name_index import Form
from clew.link.normalise import SMALL_WORDS, fold, key, words_of

__all__ = ["Paraphrases"]

COMPARED, POOL = 32, 160  # names compared by embedding, and the pool they are chosen from
DEGREE_IN_POOL = 0.05  # for each factor of ten of degree: people ask about common entities
ALL_OF_A_TYPE = 400  # names: a type with at most this many is compared in full
FLOOR = 0.1  # Jaccard similarity of trigrams
EXTRA_WORD = 0.03  # penalty for each word of a name that the phrase lacks
DEGREE_BONUS = 0.01  # bonus for each factor of ten of degree
MORE_GENERAL = 0.08  # how much lower an ancestor may score and still win
CACHED = 4096  # vectors of names
PREFIX = 4  # letters that related words share
MAX_DEPTH = 6  # levels of the hierarchy


class Paraphrases:
    """Links phrases by embedding similarity, with the names of one linker and one encoder."""

    def __init__(self, linker: Linker, encoder: Encoder) -> None:
        self._linker = linker
        self.encoder = encoder
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._of_types: dict[tuple[str, ...], list[Form]] = {}
        self._degree = linker.engine.degree(where=Where(negated=True))
        self._transitive = [each.name for each in linker.engine.schema.relations if each.transitive]

    def nearest(
        self, phrases: Sequence[str], *, types: tuple[str, ...] | None = None, limit: int = 5
    ) -> list[list[Candidate]]:
        """For each phrase the entities that it may refer to, best first; only of the given types, if any."""
        forms = [self._forms(phrase, types) for phrase in phrases]
        vectors = self._encode({*phrases, *(form.text for listed in forms for form in listed)})
        return [self._ranked(phrase, listed, vectors)[:limit] for phrase, listed in zip(phrases, forms, strict=True)]

    def _forms(self, phrase: str, types: tuple[str, ...] | None) -> list[Form]:
        """Names that may have the same meaning as a phrase."""
        linker = self._linker
        if types is not None and (whole := self._all_of(types)):
            return whole
        allowed = None if types is None else {linker.engine.schema.type_number(name) for name in types}
        type_numbers = linker.type_numbers
        near = linker.index.trigrams.nearest(key(phrase), limit=POOL, floor=FLOOR, most_read=linker.settings.most_read)
        pool = [
            (similarity + DEGREE_IN_POOL * self._log_degree(form), form)
            for row, similarity in near
            for form in linker.index.forms(row)
        ]
        pool = [each for each in pool if allowed is None or int(type_numbers[each[1].entity]) in allowed]
        forms = [form for _, form in sorted(pool, key=lambda each: -each[0])[:COMPARED]]
        if linker.encoder is self.encoder and linker.vectors is not None:
            meant = linker.vectors.nearest(self.encoder.encode([phrase]), count=4)
            forms += [Form(linker.name_of(entity), entity, "name") for entity, _ in meant]
        return [form for form in forms if allowed is None or int(type_numbers[form.entity]) in allowed]

    def _log_degree(self, form: Form) -> float:
        """The degree of an entity, as a power of ten."""
        return float(np.log10(1 + int(self._degree[form.entity])))

    def _all_of(self, types: tuple[str, ...]) -> list[Form]:
        """Every name of the entities of some types, if there are few."""
        if types not in self._of_types:
            numbers = [self._linker.engine.schema.type_number(name) for name in types]
            entities = np.flatnonzero(np.isin(self._linker.type_numbers, numbers))
            few = self._linker.index.forms_of(entities) if len(entities) <= ALL_OF_A_TYPE else []
            self._of_types[types] = few if len(few) <= ALL_OF_A_TYPE else []
        return self._of_types[types]

    def _encode(self, texts: Iterable[str]) -> Mapping[str, NDArray[np.float32]]:
        """Vectors, those of some texts among them; another thread may begin to collect others, but takes none away."""
        known = self._vectors if len(self._vectors) <= CACHED else {}
        new = [text for text in texts if text not in known]
        if new:
            known |= zip(new, self.encoder.encode(new), strict=True)
        self._vectors = known
        return known

    def _ranked(
        self, phrase: str, forms: Iterable[Form], vectors: Mapping[str, NDArray[np.float32]]
    ) -> list[Candidate]:
        said, vector = set(words_of(phrase)), vectors[phrase]
        found: dict[int, tuple[Candidate, int]] = {}
        for form in forms:
            cosine = float(vectors[form.text] @ vector)
            extra = sum(1 for word in words_of(form.text) if word not in SMALL_WORDS and not _has_word(word, said))
            score = cosine - EXTRA_WORD * extra + DEGREE_BONUS * self._log_degree(form)
            if form.entity not in found or score > found[form.entity][0].score:
                reason = f"similar in meaning to '{form.text}' (cosine {cosine:.2f})"
                found[form.entity] = self._linker.candidate(form, "embedding", min(score, 0.96), reason), extra
        ranked = sorted(found.values(), key=lambda each: (-each[0].score, each[0].entity))
        return [each for each, _ in self._most_general_first(ranked)]

    def _most_general_first(self, ranked: list[tuple[Candidate, int]]) -> list[tuple[Candidate, int]]:
        """Put the most general of the candidates that match equally well first: the phrase is no more specific."""
        if not ranked:
            return ranked
        (best, extra), *rest = ranked
        ancestors = self._ancestors(best.entity)
        for each, its_extra in rest:
            near = best.score - each.score <= MORE_GENERAL
            if near and its_extra < extra and each.entity in ancestors:
                reason = f"{each.reason}; more general than '{best.name}'"
                others = [one for one in ranked if one[0] is not each]
                return [(replace(each, score=best.score, reason=reason), its_extra), *others]
        return ranked

    def _ancestors(self, entity: int) -> set[int]:
        """The ancestors of an entity."""
        if not self._transitive:
            return set()
        found = self._linker.engine.hop(
            np.array([entity]), MAX_DEPTH, mode="within", relations=self._transitive, where=Where(negated=True)
        )
        return set(found.ids.tolist()) - {entity}


def _has_word(word: str, said: set[str]) -> bool:
    """Whether a phrase contains a word or a related one: "large" matches "enlarged"."""
    if word in said:
        return True
    return len(word) > PREFIX and any(
        other in word or word in other or fold(word)[:PREFIX] == other[:PREFIX] for other in said if len(other) > PREFIX
    )
