"""A language model as scorer and judge: a call rates the candidates of a step, one says whether to go on, one chooses.

Candidates are lettered. In the mode `letters` their scores are the probabilities of the letters as the first token; in
`grades` the model writes a grade for each after three examples. Of more candidates than letters the best by another
scorer are listed.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

import numpy as np

from clew.answer.super_relations.scorers import Candidate, Chain, Scorer, Scores
from clew.answer.super_relations.search import Judge, SuperPath
from clew.answer.super_relations.texts import chain_text, relation_text, step_text
from clew.errors import InputError
from clew.lm import Completion, LanguageModel, Message, Request, load_prompt
from clew.lm.failures import BadAnswer

__all__ = ["MOST_CHOICES", "ModelJudge", "ModelScorer", "letter_scores", "read_grades"]

MODES = ("letters", "grades")
LISTED = len(ascii_uppercase)
ALTERNATIVES = 20  # log-probabilities asked for; servers give no more
FIRST_TOKENS = 3
GRADE = re.compile(r"^\W*([A-Z])\s*[:.=)-]\s*(\d+(?:\.\d+)?)", re.MULTILINE)
HIGHEST = 5.0
MOST_CHOICES = 8  # chains among which a model chooses
EXAMPLES = 3  # entities of a path that a judge is shown


@dataclass(frozen=True, slots=True)
class ModelScorer:
    """Scores by a model; with `both`, the mean of its scores and another scorer's, each divided by its largest."""

    model: LanguageModel
    before: Scorer  # lists the candidates, and fits chains
    mode: str = "letters"
    both: bool = False
    timeout: float | None = None

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise InputError(f"a model scores by {' or '.join(MODES)}, not by {self.mode!r}")

    def score(self, question: str, candidates: Sequence[Candidate]) -> Scores:
        first = self.before.score(question, candidates)
        listed = np.argsort(-first, kind="stable")[:LISTED]
        own = np.zeros(len(candidates))
        own[listed] = self._rated(question, [candidates[at] for at in listed])
        return _scaled(own) + _scaled(first) if self.both else own

    def fit(self, question: str, chains: Sequence[Chain]) -> Scores:
        return self.before.fit(question, chains)

    def _rated(self, question: str, listed: Sequence[Candidate]) -> Scores:
        options = _lettered([_words(each) for each in listed])
        if self.mode == "grades":
            prompt = load_prompt("clew.answer", "grade_relations.txt").format(question=question, options=options)
            written = _complete(self.model, prompt, 6 * len(listed), timeout=self.timeout)
            return read_grades("" if written is None else written.text, len(listed))
        prompt = load_prompt("clew.answer", "score_relations.txt").format(question=question, options=options)
        return letter_scores(_complete(self.model, prompt, FIRST_TOKENS, timeout=self.timeout), len(listed))


@dataclass(frozen=True, slots=True)
class ModelJudge(Judge):
    """A model that says whether paths are enough, and which one answers."""

    model: LanguageModel
    names: Callable[[Sequence[int]], str]  # of entities, in a line
    timeout: float | None = None

    def enough(self, question: str, paths: Sequence[SuperPath]) -> bool:
        """Whether the model says yes."""
        shown = "\n".join(f"- {_path_words(path)}: {self.names(path.ends[:EXAMPLES].tolist())}" for path in paths)
        prompt = load_prompt("clew.answer", "enough_paths.txt").format(question=question, paths=shown)
        said = _complete(self.model, prompt, FIRST_TOKENS, timeout=self.timeout)
        return said is not None and said.text.strip().lower().startswith("yes")

    def choose(self, question: str, chains: Sequence[tuple[Chain, Sequence[int]]]) -> int:
        """The place of the chain that the model finds likeliest to answer."""
        words = [f"{_chain_words(chain)}: {self.names(ends[:EXAMPLES])}" for chain, ends in chains[:LISTED]]
        prompt = load_prompt("clew.answer", "choose_path.txt").format(question=question, options=_lettered(words))
        said = _complete(self.model, prompt, FIRST_TOKENS, timeout=self.timeout)
        return int(np.argmax(letter_scores(said, len(words))))


def letter_scores(said: Completion | None, count: int) -> Scores:
    """The probability of each of `count` letters as the first word of an answer; equal if it tells nothing."""
    scores = np.zeros(count)
    if said is not None:
        first = next((each for each in said.logprobs if each.token.strip()), None)
        for token, logprob in (first.alternatives or ((first.token, first.logprob),)) if first else ():
            if (at := _place(token.strip(), count)) is not None:
                scores[at] += math.exp(logprob)
        found = re.search(r"\b([A-Z])\b", said.text)
        at = None if found is None else _place(found.group(1), count)
        if not scores.any() and at is not None:
            scores[at] = 1.0
    return scores if scores.any() else np.full(count, 1 / max(1, count))


def read_grades(text: str, count: int) -> Scores:
    """Grades from 0 to 1 from lines such as "B: 4"; the first for each letter counts; equal if there are none.

    >>> read_grades("A: 5\\nB - 0\\nZ: 3\\nA: 1", 3).tolist()
    [1.0, 0.0, 0.0]
    """
    scores = np.full(count, -1.0)
    for letter, grade in GRADE.findall(text):
        at = _place(letter, count)
        if at is not None and scores[at] < 0:
            scores[at] = min(float(grade), HIGHEST) / HIGHEST
    return scores.clip(0.0) if scores.max(initial=-1.0) > 0 else np.full(count, 1 / max(1, count))


def _complete(model: LanguageModel, prompt: str, tokens: int, *, timeout: float | None) -> Completion | None:
    """What a model writes; None if it writes nothing that can be read."""
    logprobs = ALTERNATIVES if tokens == FIRST_TOKENS else 0
    request = Request([Message("user", prompt)], max_tokens=tokens, logprobs=logprobs)
    try:
        return model.complete(request, timeout=timeout)
    except BadAnswer:
        return None


def _place(letter: str, count: int) -> int | None:
    at = ascii_uppercase.find(letter) if len(letter) == 1 else -1
    return at if 0 <= at < count else None


def _scaled(scores: Scores) -> Scores:
    return scores / scores.max() if len(scores) and scores.max() > 0 else scores


def _lettered(texts: Sequence[str]) -> str:
    return "\n".join(f"{letter}. {text}" for letter, text in zip(ascii_uppercase, texts, strict=False))


def _words(candidate: Candidate) -> str:
    label = relation_text(candidate.label)
    return step_text(label if candidate.relations else candidate.label, forward=candidate.forward)


def _path_words(path: SuperPath) -> str:
    return " → ".join(map(_words, path.candidates))


def _chain_words(chain: Chain) -> str:
    return chain_text(tuple((relation_text(name), forward) for name, forward in chain))
