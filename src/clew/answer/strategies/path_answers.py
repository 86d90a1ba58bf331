"""From the chains that a search found to an answer: the best chain, its entities, and a path in the graph for each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from clew.answer.answer import DOUBTFUL, Answer, Evidence, Item, Support
from clew.answer.resources import Resources
from clew.answer.running.evidence import cite
from clew.answer.strategy import Question
from clew.answer.super_relations.chains import FoundChain, name_relations, trace_back
from clew.answer.super_relations.model_scorer import MOST_CHOICES, ModelJudge
from clew.answer.super_relations.scorers import Chain, Scorer
from clew.answer.super_relations.search import Found
from clew.answer.super_relations.texts import chain_text

__all__ = ["PathAnswer", "sentence"]

GUESSED = DOUBTFUL - 0.01  # the most confidence in an answer that a search found
LISTED = 10  # items in the text
SHOWN = 25  # items whose paths are cited, unless all are asked for
MOST_ITEMS = 10_000
OTHERS = 3  # chains that a trace mentions besides


@dataclass(frozen=True, slots=True)
class PathAnswer:
    """How the chains of one question become an answer: of some types (empty: any), not the topics themselves."""

    question: Question
    resources: Resources
    types: tuple[str, ...]
    topics: Sequence[int]

    def names(self, entities: Sequence[int]) -> str:
        """The names of some entities, in a line."""
        return ", ".join(self.resources.engine.describe(list(entities))["name"].to_pylist()) if len(entities) else ""

    def make(self, found: Found, scorer: Scorer, text: str, judge: ModelJudge | None) -> Answer | None:
        """The answer of the chain that fits best; None if no chain leads to what is asked for."""
        ends = {id(chain): self._ends(chain) for chain in found.chains()}
        chains = [chain for chain in found.chains() if ends[id(chain)]]
        if not chains:
            return None
        relations = [relation.name for relation in self.resources.engine.schema.relations]
        named = [name_relations(chain.relations, relations) for chain in chains]
        fits = scorer.fit(text, named)
        order = np.argsort(-fits, kind="stable").tolist()
        best = order[0]
        if judge is not None:
            best = order[judge.choose(text, [(named[at], ends[id(chains[at])]) for at in order[:MOST_CHOICES]])]
        answer = self._answer(chains[best], ends[id(chains[best])], float(fits[best]), named[best])
        others = tuple(f"also found: {chain_text(named[at])}" for at in order[:OTHERS] if at != best)
        decided = None if judge is None else f"{judge.model.name} scored the steps and chose the path"
        return replace(answer, truncated=answer.truncated or found.truncated, trace=others, decided=decided)

    def _answer(self, chain: FoundChain, ends: list[int], fit: float, named: Chain) -> Answer:
        rows = self.resources.engine.describe(ends[:MOST_ITEMS]).to_pylist()
        items = tuple(Item(row["id"], row["name"], row["type"]) for row in rows)
        cited = ends[:MOST_ITEMS] if self.question.all_evidence else ends[:SHOWN]
        paths = trace_back(chain, cited)
        supports = tuple(Support(item.id, {}, paths[at]) for item, at in zip(items, cited, strict=False))
        numbers = dict.fromkeys(number for support in supports for number in support.triples)
        evidence = Evidence(cite(numbers, self.resources.engine), supports, complete=len(cited) == len(ends))
        text = ", ".join(item.name for item in items[:LISTED])
        more = f" and {len(ends) - LISTED:,} more" if len(ends) > LISTED else ""
        return Answer(
            self.question.text,
            kind="choice" if self.question.options else "list",
            text=items[0].name if self.question.options else f"{text}{more}.",
            items=items,
            total=len(ends),
            truncated=len(ends) > MOST_ITEMS,
            evidence=evidence,
            interpretation=(f"interpreted as: {chain_text(named)}",),
            confidence=round(min(max(fit, 0.0), GUESSED), 4),
        )

    def _ends(self, chain: FoundChain) -> list[int]:
        """The entities of a chain that may answer."""
        engine, ends = self.resources.engine, chain.ends
        ends = ends[~np.isin(ends, self.topics)]
        if self.types:
            ends = ends[np.isin(engine.types_of(ends), [engine.schema.type_number(name) for name in self.types])]
        permitted = [*self.question.among, *self._options()]
        if self.question.among or self.question.options:
            ends = ends[np.isin(ends, engine.lookup(permitted))] if permitted else ends[:0]
        return [int(each) for each in ends]

    def _options(self) -> list[str]:
        """The ids of the entities that the options name."""
        linked = [self.resources.linker.link(each, last_stage="fuzzy") for each in self.question.options]
        return [each.best.id for each in linked if each.best is not None]


def sentence(reason: str) -> str:
    """A reason as a sentence."""
    return f"{reason[0].upper()}{reason[1:]}."
