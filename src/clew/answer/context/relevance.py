"""How relevant the triples around an entity are to a question: by relation, by type and by name, from 0 to 1.

A triple is never encoded by itself. Its signature ("disease has phenotype phenotype") is compared with the question in
which names are replaced by their types; there are few signatures, and their vectors are kept. Where words of the
question remain that nothing accounts for ("heart problems"), the names at the far ends are compared with these.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from clew.answer.context.linked import LinkedQuestion
from clew.answer.context.sentences import relation_words, spaced
from clew.answer.kept import encoder_of
from clew.answer.lexicon.forms import stem, tokens_of
from clew.answer.resources import Resources
from clew.graph.contents import TripleColumns

if TYPE_CHECKING:
    from clew.embed import Encoder

__all__ = ["relevance_of"]

Ints = NDArray[np.integer]
Floats = NDArray[np.float64]

SIGNATURE, SAID, ASKED = 0.55, 0.25, 0.2  # weights; they add up to 1
NAMED = 0.4  # weight of the far name where words remain
COMPARED = 64  # far names that are encoded
COMMON = 0.005  # for each factor of ten of the degree at the far end: settles ties


def relevance_of(columns: TripleColumns, far: Ints, linked: LinkedQuestion, resources: Resources) -> Floats:
    """The relevance of each triple, whose far end is `far`."""
    engine = resources.engine
    if not len(far):
        return np.zeros(0)
    relations = engine.schema.relations
    types = list(engine.schema.types)
    said = np.array([linked.said.get(each.name, 0.0) for each in relations])[columns.relation]
    wanted = np.array([engine.schema.type_number(name) for name in linked.asked], np.int64)
    asked = np.isin(engine.types_of(far), wanted).astype(float)
    encoder = encoder_of(resources)
    if encoder is None:
        scores = (SAID * said + ASKED * asked) / (SAID + ASKED)
    else:
        ends = (engine.types_of(columns.subject), columns.relation, engine.types_of(columns.object))
        rows, place = np.unique(np.stack(ends), axis=1, return_inverse=True)
        texts = [
            f"{spaced(types[subject])} {relation_words(relations[relation].name)} {spaced(types[object_])}"
            for subject, relation, object_ in rows.T.tolist()
        ]
        near = _similarities(linked.masked, texts, encoder)
        scores = SIGNATURE * near[place.ravel()] + SAID * said + ASKED * asked
    if linked.rest:
        scores = (1 - NAMED) * scores + NAMED * _by_name(far, scores, linked.rest, resources)
    return np.clip(scores + COMMON * np.log10(1 + engine.degree(far, direction="both")), 0.0, 1.0)


def _similarities(text: str, others: list[str], encoder: "Encoder") -> Floats:
    vectors = encoder.encode([text, *others])
    near: Floats = np.clip(vectors[1:] @ vectors[0], 0.0, 1.0).astype(float)
    return near


def _by_name(far: Ints, scores: Floats, rest: str, resources: Resources) -> Floats:
    """How near the far names are to the words that remain: by shared words, and by vectors for the best of them."""
    chosen = np.unique(far[np.argsort(-scores, kind="stable")[: 16 * COMPARED]])
    names = [str(name) for name in resources.engine.describe(chosen)["name"].to_pylist()]
    wanted = {stem(word) for word in rest.split()}
    shared = np.array([len(wanted & {token.stem for token in tokens_of(name)}) / len(wanted) for name in names])
    encoder = encoder_of(resources)
    if encoder is not None:
        best = dict(zip(far.tolist(), scores.tolist(), strict=True))
        order = sorted(range(len(chosen)), key=lambda at: (-shared[at], -best[int(chosen[at])], at))[:COMPARED]
        near = _similarities(rest, [names[at] for at in order], encoder)
        shared[order] = np.maximum(shared[order], near)
    at = np.minimum(np.searchsorted(chosen, far), len(chosen) - 1)
    return np.where(chosen[at] == far, shared[at], 0.0)
