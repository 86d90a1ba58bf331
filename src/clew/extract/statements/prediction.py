"""Which relations a document states between its mentions, by an exported model on onnxruntime."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import DerivedError
from clew.extract.statements.calibration import Calibration, probabilities
from clew.extract.statements.config import OUTPUTS, Config, columns_of
from clew.extract.statements.examples import MarkedDocument
from clew.extract.statements.exported import INPUTS, ONNX, SCORES, STATEMENTS, TOKENIZER
from clew.extract.statements.gold import CORPORA, Mention
from clew.extract.statements.marking import Marker
from clew.extract.statements.pairing import HasNarrower
from clew.extract.statements.relations import STATED, Threshold, pairs_of, probabilities_of
from clew.sealed import check_seal

__all__ = ["Statement", "StatementModel"]

REMEDY = "clew statements export"


@dataclass(frozen=True, slots=True)
class Statement:
    """A relation of two entities and how probable it is that the document states it."""

    subject: str
    relation: str
    object: str
    probability: float
    stated: bool  # the likeliest relation of its corpus for the pair, and at least as probable as its threshold
    corpus: str  # whose annotation defines the relation


class StatementModel:
    """An exported model; `judge` asks it about a document."""

    def __init__(
        self, session: Any, marker: Marker, calibration: dict[str, Calibration], thresholds: dict[str, Threshold]
    ) -> None:
        self._session, self.marker, self.calibration, self.thresholds = session, marker, calibration, thresholds

    @classmethod
    def open(
        cls, path: Path, *, threads: int | None = None, has_narrower: HasNarrower | None = None
    ) -> "StatementModel":
        """From the directory that `export` wrote; `has_narrower` knows the hierarchy of the entities to come."""
        import onnxruntime

        path = Path(path)
        check_seal(path, {"format": 1}, what=f"the exported statement model at {path}", remedy=REMEDY)
        try:
            said = json.loads((path / STATEMENTS).read_text("utf-8"))
            config = Config(**said["config"])
            calibration = {corpus: Calibration(**said["calibration"][corpus]) for corpus in OUTPUTS}
            thresholds = {relation.name: Threshold(**said["relations"][relation.name]) for relation in STATED}
            options = onnxruntime.SessionOptions()
            if threads is not None:
                options.intra_op_num_threads = threads
            session = onnxruntime.InferenceSession(str(path / ONNX), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime has no error class of its own for a damaged file
            raise DerivedError(f"the exported model at {path} cannot be opened ({error}): run `{REMEDY}`") from error
        marker = Marker.open(
            path / TOKENIZER,
            vocabulary=config.vocabulary,
            positions=config.positions,
            has_narrower=has_narrower,
        )
        return cls(session, marker, calibration, thresholds)

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
        furthest above its threshold counts as stated."""
        types = frozenset((relation.subject, relation.object) for relation in STATED)
        marked = self.marker.mark(text, mentions, types=types)
        scores = self.score(marked)
        found: dict[int, list[tuple[float, Statement]]] = {}
        for relation in STATED:
            rows = pairs_of(marked, relation)
            if not len(rows):
                continue
            least = self.thresholds[relation.name].threshold
            columns = scores[rows][:, columns_of(relation.corpus)]
            shares = probabilities_of(columns, relation, self.calibration[relation.corpus], marked.apart[rows])
            for row, share in zip(rows.tolist(), shares.tolist(), strict=True):
                subject, object_ = (marked.entities[each] for each in marked.pairs[row])
                said = Statement(subject, relation.name, object_, share, share >= least, relation.corpus)
                found.setdefault(row, []).append((share - least, said))
        chosen: list[Statement] = []
        for each in found.values():
            best = max(each, key=lambda pair: pair[0])
            chosen += [pair[1] if pair is best else replace(pair[1], stated=False) for pair in each]
        return sorted(chosen, key=lambda each: (-each.probability, each.subject, each.object, each.relation))

    def score(self, marked: MarkedDocument) -> NDArray[np.float32]:
        """Scores (pairs, columns of all corpora); `columns_of` says which are whose."""
        if not len(marked.pairs):
            return np.zeros((0, sum(1 + len(relations) for relations in OUTPUTS.values())), np.float32)
        given = (marked.tokens[None], marked.openings, marked.membership, marked.pairs, marked.features)
        scores: NDArray[np.float32] = self._session.run([SCORES], dict(zip(INPUTS, given, strict=True)))[0]
        return scores
