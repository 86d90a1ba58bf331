"""Which entity a paraphrase means: "an enlarged spleen" is none of its names, but one of them means the same.

Names and synonyms that share letters with the phrase are encoded and ordered by meaning; no vectors of all names are
needed, though they help where they are there. Of two kinds that fit alike the more general one is meant.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from clew.link.candidates import Candidate
from clew.link.linker import Linker
from clew.link.name_index import Form
from clew.link.normalise import SMALL_WORDS, fold, key, words_of

if TYPE_CHECKING:
    from clew.embed import Encoder

__all__ = ["Paraphrases"]

LOOK_ALIKES, POOL = 32, 160  # names that are compared by meaning, and those they are chosen from
KNOWN_WELL = 0.05  # of likeness, for each power of ten of what is known of an entity: people ask about the common
ALL_OF_A_TYPE = 400  # names: a type with no more is compared as a whole
FLOOR = 0.1  # Jaccard similarity of runs of letters
MORE_SAID = 0.03  # for each word of a name that the phrase does not have
COMMON = 0.01  # for each power of ten of what is known of an entity
MORE_GENERAL = 0.08  # how much less a more general entity may fit and still be meant
REMEMBERED = 4096  # vectors of names
PREFIX = 4  # letters that two words of one family share
DEEPEST = 6  # steps up a hierarchy


class Paraphrases:
    """Finds what phrases mean, with the names of one linker and the meanings of one encoder."""

    def __init__(self, linker: Linker, encoder: "Encoder") -> None:
        self._linker = linker
        self.encoder = encoder
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._of_types: dict[tuple[str, ...], list[Form]] = {}
        self._degree = linker.graph.degree
        self._transitive = {each.number for each in linker.graph.schema.relations if each.transitive}

    def nearest(
        self, phrases: Sequence[str], *, types: tuple[str, ...] | None = None, limit: int = 5
    ) -> list[list[Candidate]]:
        """For each phrase the entities that it may mean, best first; only those of some types, if given."""
        forms = [self._forms(phrase, types) for phrase in phrases]
        self._encode({*phrases, *(form.text for listed in forms for form in listed)})
        return [self._ordered(phrase, listed)[:limit] for phrase, listed in zip(phrases, forms, strict=True)]

    def _forms(self, phrase: str, types: tuple[str, ...] | None) -> list[Form]:
        """Names that may mean what a phrase means."""
        linker = self._linker
        if types is not None and (whole := self._all_of(types)):
            return whole
        allowed = None if types is None else {linker.graph.schema.type_number(name) for name in types}
        kinds = linker.graph.entity_types
        near = linker.index.trigrams.nearest(key(phrase), limit=POOL, floor=FLOOR, most_read=linker.settings.most_read)
        pool = [
            (alike + KNOWN_WELL * self._known(form), form) for row, alike in near for form in linker.index.forms(row)
        ]
        pool = [each for each in pool if allowed is None or int(kinds[each[1].entity]) in allowed]
        forms = [form for _, form in sorted(pool, key=lambda each: -each[0])[:LOOK_ALIKES]]
        if linker.encoder is self.encoder and linker.vectors is not None:
            names = linker.graph.entities["name"]
            meant = linker.vectors.nearest(self.encoder.encode([phrase]), count=4)
            forms += [Form(names[entity].as_py(), entity, "name") for entity, _ in meant]
        return [form for form in forms if allowed is None or int(kinds[form.entity]) in allowed]

    def _known(self, form: Form) -> float:
        """How much is known of an entity, in powers of ten."""
        return float(np.log10(1 + int(self._degree[form.entity])))

    def _all_of(self, types: tuple[str, ...]) -> list[Form]:
        """Every name of entities of some types, where they are few."""
        if types not in self._of_types:
            graph = self._linker.graph
            numbers = [graph.schema.type_number(name) for name in types]
            entities = np.flatnonzero(np.isin(graph.entity_types, numbers))
            few = self._linker.index.forms_of(entities) if len(entities) <= ALL_OF_A_TYPE else []
            self._of_types[types] = few if len(few) <= ALL_OF_A_TYPE else []
        return self._of_types[types]

    def _encode(self, texts: Iterable[str]) -> None:
        if len(self._vectors) > REMEMBERED:
            self._vectors.clear()
        new = [text for text in texts if text not in self._vectors]
        if new:
            self._vectors |= zip(new, self.encoder.encode(new), strict=True)

    def _ordered(self, phrase: str, forms: Iterable[Form]) -> list[Candidate]:
        said, vector = set(words_of(phrase)), self._vectors[phrase]
        found: dict[int, tuple[Candidate, int]] = {}
        for form in forms:
            cosine = float(self._vectors[form.text] @ vector)
            more = sum(1 for word in words_of(form.text) if word not in SMALL_WORDS and not _is_said(word, said))
            score = cosine - MORE_SAID * more + COMMON * self._known(form)
            if form.entity not in found or score > found[form.entity][0].score:
                reason = f"means about the same as '{form.text}' (cosine {cosine:.2f})"
                found[form.entity] = self._linker.candidate(form, "embedding", min(score, 0.96), reason), more
        ranked = sorted(found.values(), key=lambda each: (-each[0].score, each[0].entity))
        return [each for each, _ in self._general_first(ranked)]

    def _general_first(self, ranked: list[tuple[Candidate, int]]) -> list[tuple[Candidate, int]]:
        """With the most general of those that fit alike in the first place: the phrase does not say more."""
        if not ranked:
            return ranked
        (best, more), *rest = ranked
        above = self._above(best.entity)
        for each, its_more in rest:
            near = best.score - each.score <= MORE_GENERAL
            if near and its_more < more and each.entity in above:
                reason = f"{each.reason}, and is more general than '{best.name}'"
                others = [one for one in ranked if one[0] is not each]
                return [(replace(each, score=best.score, reason=reason), its_more), *others]
        return ranked

    def _above(self, entity: int) -> set[int]:
        """What an entity is a kind of, step by step."""
        rows = self._linker.graph.forward
        above: set[int] = set()
        waiting = [entity]
        for _ in range(DEEPEST):
            further = []
            for each in waiting:
                start, end = int(rows.offsets[each]), int(rows.offsets[each + 1])
                for target, relation in zip(
                    rows.end[start:end].tolist(), rows.relation[start:end].tolist(), strict=True
                ):
                    if relation in self._transitive and target not in above:
                        further.append(target)
            above.update(further)
            waiting = further
        return above - {entity}


def _is_said(word: str, said: set[str]) -> bool:
    """Whether a phrase has a word, or one of its family: "large" is said by "enlarged"."""
    if word in said:
        return True
    return len(word) > PREFIX and any(
        other in word or word in other or fold(word)[:PREFIX] == other[:PREFIX] for other in said if len(other) > PREFIX
    )
