"""Which relations a document states between its mentions, by an exported model on onnxruntime."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.embed.session import open_session
from clew.errors import DerivedError
from clew.extract.statements.calibration import Calibration, probabilities
from clew.extract.statements.combining import READ, Combination, pair_features
from clew.extract.statements.config import OUTPUTS, Config, columns_of
from clew.extract.statements.examples import MarkedDocument
from clew.extract.statements.exported import INPUTS, MASKED, ONNX, PAIRS, SCORES, STATEMENTS, TOKENIZER
from clew.extract.statements.gold import CORPORA, Mention
from clew.extract.statements.marking import Marker
from clew.extract.statements.pairing import HasNarrower
from clew.extract.statements.relations import STATED, StatedRelation, Threshold, pairs_of, probabilities_of
from clew.sealed import check_seal

__all__ = ["Statement", "StatementModel"]

REMEDY = "clew statements export"
AT_ONCE = 16  # pair texts
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Statement:
    """A relation of two entities and how probable it is that the document states it."""

    subject: str
    relation: str
    object: str
    probability: float
    stated: bool  # the likeliest relation for the pair, at least as probable as its threshold
    corpus: str  # whose annotation defines the relation


class StatementModel:
    """An exported model; `state` asks it about a document.

    `pairs` reads the sentences of a chemical and a disease once more, and `combinations` make one probability of both
    readings; without them that of the document counts.
    """

    def __init__(
        self,
        session: Any,
        marker: Marker,
        calibration: Mapping[str, Calibration],
        thresholds: Mapping[str, Threshold],
        *,
        pairs: Any = None,
        combinations: Mapping[str, Combination] | None = None,
    ) -> None:
        self._session, self._pairs, self.marker = session, pairs, marker
        self.calibration, self.thresholds, self.combinations = calibration, thresholds, dict(combinations or {})

    @classmethod
    def open(
        cls, path: Path, *, threads: int | None = None, has_narrower: HasNarrower | None = None
    ) -> "StatementModel":
        """From the directory that `export` wrote; `has_narrower` knows the hierarchy of the entities to come."""
        path = Path(path)
        check_seal(path, {"format": 2}, what=f"the exported statement model at {path}", remedy=REMEDY)
        try:
            said = json.loads((path / STATEMENTS).read_text("utf-8"))
            config = Config(**said["config"])
            calibration = {corpus: Calibration(**said["calibration"][corpus]) for corpus in OUTPUTS}
            thresholds = {relation.name: Threshold(**said["relations"][relation.name]) for relation in STATED}
            combinations = {
                name: Combination(tuple(each["weights"]), each["bias"]) for name, each in said["combinations"].items()
            }
            session, pairs = (
                open_session(path / name, threads=threads) if (path / name).is_file() else None
                for name in (ONNX, PAIRS)
            )
        except Exception as error:  # onnxruntime has no error class of its own for a damaged file
            raise DerivedError(f"the exported model at {path} cannot be opened ({error}): run `{REMEDY}`") from error
        marker = Marker.open(
            path / TOKENIZER,
            vocabulary=config.vocabulary,
            positions=config.positions,
            has_narrower=has_narrower,
        )
        return cls(session, marker, calibration, thresholds, pairs=pairs, combinations=combinations)

    def judge(self, text: str, mentions: Sequence[Mention]) -> list[Statement]:
        """The likeliest relation of each corpus for every pair of entities whose types it annotates, surest first."""
        wanted = frozenset().union(*(corpus.pairs for corpus in CORPORA.values()))
        marked = self.marker.mark(text, mentions, types=wanted)
        scores = self.score(marked)
        found: list[Statement] = []
        for corpus, relations in OUTPUTS.items():
            calibration = self.calibration[corpus]
            shares = probabilities(scores[:, columns_of(corpus)], calibration, marked.apart)[:, 1:]
            for (subject, object_), share in zip(marked.pairs, shares, strict=True):
                if (marked.types[subject], marked.types[object_]) not in CORPORA[corpus].pairs:
                    continue
                best = int(share.argmax())
                ends = marked.entities[subject], marked.entities[object_]
                probability = float(share[best])
                stated = probability >= calibration.threshold
                found.append(Statement(ends[0], relations[best], ends[1], probability, stated, corpus))
        return sorted(found, key=lambda each: (-each.probability, each.subject, each.object, each.corpus))

    def state(self, text: str, mentions: Sequence[Mention]) -> list[Statement]:
        """The relations of `STATED` for every pair of entities, surest first; of several for one pair, only the one
        furthest above its threshold counts as stated, and none for ends that share no sentence."""
        types = frozenset((relation.subject, relation.object) for relation in STATED)
        marked = self.marker.mark(text, mentions, types=types)
        found: dict[int, list[tuple[float, Statement]]] = {}
        for relation, (rows, shares) in zip(STATED, self.shares(text, mentions, marked, STATED), strict=True):
            least = self.thresholds[relation.name].default
            for row, share in zip(rows.tolist(), shares.tolist(), strict=True):
                subject, object_ = (marked.entities[each] for each in marked.pairs[row])
                stated = share >= least and not marked.apart[row]
                said = Statement(subject, relation.name, object_, share, bool(stated), relation.corpus)
                found.setdefault(row, []).append((share - least, said))
        chosen: list[Statement] = []
        for each in found.values():
            best = max(each, key=lambda pair: pair[0])
            chosen += [pair[1] if pair is best else replace(pair[1], stated=False) for pair in each]
        return sorted(chosen, key=lambda each: (-each.probability, each.subject, each.object, each.relation))

    def shares(
        self, text: str, mentions: Sequence[Mention], marked: MarkedDocument, relations: Sequence[StatedRelation]
    ) -> list[tuple[NDArray[np.int64], Floats]]:
        """For each relation the rows of `marked.pairs` that it may hold for, and its probabilities."""
        scores = self.score(marked)
        rows = [pairs_of(marked, relation) for relation in relations]
        found = [self._in_document(scores, marked, *each) for each in zip(relations, rows, strict=True)]
        combined = [number for number, relation in enumerate(relations) if self._combination(relation) is not None]
        hopeful = np.zeros(len(marked.pairs), bool)
        for number in combined:
            hopeful[rows[number][found[number] >= relations[number].read_from]] = True
        read = self.read_pairs(text, mentions, marked, np.flatnonzero(hopeful)) if hopeful.any() else None
        for number in combined:
            if read is not None:
                again = hopeful[rows[number]]
                mine = rows[number][again]
                features = self._features(scores[mine], read[mine], marked.apart[mine], relations[number].corpus)
                found[number][again] = self.combinations[relations[number].name].probability(features)
        return list(zip(rows, found, strict=True))

    def read_pairs(
        self, text: str, mentions: Sequence[Mention], marked: MarkedDocument, rows: NDArray[np.int64]
    ) -> Floats:
        """Probabilities (all pairs, 3) that the sentences of a chemical and a disease say neither, help or harm; zero
        but for these rows."""
        found = np.zeros((len(marked.pairs), READ))
        ends = [(marked.entities[one], marked.entities[other]) for one, other in marked.pairs[rows]]
        texts = self.marker.pair_texts(text, mentions, ends)
        order = sorted(range(len(texts)), key=lambda each: len(texts[each]))
        for first in range(0, len(order), AT_ONCE):
            some = order[first : first + AT_ONCE]
            tokens = np.zeros((len(some), len(texts[some[-1]])), np.int64)
            present = np.zeros_like(tokens)
            for row, each in enumerate(some):
                tokens[row, : len(texts[each])], present[row, : len(texts[each])] = texts[each], 1
            scores = self._pairs.run([SCORES], dict(zip(MASKED, (tokens, present), strict=True)))[0].astype(np.float64)
            raised = np.exp(scores - scores.max(1, keepdims=True))
            found[rows[some]] = raised / raised.sum(1, keepdims=True)
        return found

    @property
    def reads_pairs(self) -> bool:
        """Whether the model also reads the sentences of a pair."""
        return self._pairs is not None

    def _combination(self, relation: StatedRelation) -> Combination | None:
        return self.combinations.get(relation.name) if self.reads_pairs else None

    def _in_document(
        self, scores: NDArray[np.float32], marked: MarkedDocument, relation: StatedRelation, rows: NDArray[np.int64]
    ) -> Floats:
        columns = scores[rows][:, columns_of(relation.corpus)]
        return probabilities_of(columns, relation, self.calibration[relation.corpus], marked.apart[rows])

    def _features(self, scores: NDArray[np.float32], read: Floats, apart: NDArray[np.bool_], corpus: str) -> Floats:
        shares = probabilities(scores[:, columns_of(corpus)], self.calibration[corpus], apart)
        return pair_features(shares, read, apart)

    def score(self, marked: MarkedDocument) -> NDArray[np.float32]:
        """Scores (pairs, columns of all corpora); `columns_of` says which are whose."""
        if not len(marked.pairs):
            return np.zeros((0, sum(1 + len(relations) for relations in OUTPUTS.values())), np.float32)
        given = (marked.tokens[None], marked.openings, marked.membership, marked.pairs, marked.features)
        scores: NDArray[np.float32] = self._session.run([SCORES], dict(zip(INPUTS, given, strict=True)))[0]
        return scores
