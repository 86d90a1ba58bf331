"""What a model that was trained to write queries makes of strangers' questions.

    python -m benchmarks.questions.written_queries note prompts.jsonl [--set unseen/seven.jsonl …] [--graph NAME …]
    python -m benchmarks.questions.written_queries judge answers.jsonl rows.jsonl [--set …] [--graph NAME …]
    python -m benchmarks.questions.written_queries fit rows.jsonl src/clew/answer/certainty/queried.json
    python -m benchmarks.questions.written_queries fit rows.jsonl --without "called wrong"
    python -m benchmarks.questions.written_queries trust answers.jsonl run.json [--set …] [--graph NAME …]

`note` writes the prompts, which `training/query_adapter.py` answers on a GPU; `judge` reads its answers as the product
does, asks both readers too, and keeps what each of the three says, whether it is right, and the signs of it; `fit`
fits the chance of being right; `trust` gives the figures of `clew eval trust`, with the model. What the model wrote, on
a GPU, before it went on learning is in results/writer.
"""

import argparse
import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import pairwise
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import clew
from benchmarks.certainty import auc, fit, predict
from benchmarks.second_reader import SMALL
from clew.answer.answer import Answer
from clew.answer.ask import resources_of
from clew.answer.certainty.queried import query_signs
from clew.answer.kept import composer_of
from clew.answer.models.branches import branching
from clew.answer.models.capability import TRAINED
from clew.answer.models.query_reader import QUERY, QueryReader
from clew.answer.models.trained import CHECK, RIGHT, WRONG, brief
from clew.answer.models.writing import ALONE, CERTAIN, CLEAR, DENYING, DISSENTING
from clew.answer.resources import Resources
from clew.answer.strategies.readers import ReadersStrategy, Reading
from clew.answer.strategy import Question
from clew.answer.values.outcomes import stated_number
from clew.app.cli.evaluation.graphs import named_graph
from clew.closing import Closing
from clew.errors import ClewError, ModelError
from clew.evaluate.revision import revision
from clew.evaluate.trust import TrustQuestion, accepts, ask_each, load_questions, shares
from clew.lm import Completion, Request, Score, Usage
from clew.lm.messages import Stream, TokenLogprob
from clew.progress import silent

DIRECTIONS = {  # +1 makes an answer likelier, -1 less so
    "doubt": -1, "called wrong": -1, "reluctant": -1, "empty": -1, "unbound": -1, "name": -1,
    "reversible": -1, "paraphrased": -1, "no": -1, "confirmed": 1,
}  # fmt: skip
DENIED = {"doubtful": "declined", "likely": "doubtful", "sure": "doubtful"}  # by a model that finds no query
TINY = 1e-9  # the least probability whose logarithm is taken
BOUNDS = (0.9, 0.92, 0.94, 0.95)  # chances from which answers might be sure
BINS = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.93, 0.95, 1.01)


class Recorded(Closing):
    """A trained model whose answers were written elsewhere, by what it was asked."""

    context: int | None = 4096
    name = "recorded"

    def __init__(self, answers: dict[str, dict[str, Any]]) -> None:
        self.identity = next(iter(TRAINED))
        self._answers = answers

    def complete(self, request: Request, *, stream: Stream | None = None, timeout: float | None = None) -> Completion:
        first = self._answers.get(without_examples(request.messages[1].content), {})
        every = dict(_written(first))
        if request.messages[-1].content == CHECK:
            text = request.messages[-2].content
            found = next((one for one in every.values() if one["text"] == text and "right" in one), None)
            if found is not None:
                return _verdict(found["right"], self.name)
        elif (found := every.get(request.grammar)) is not None:
            tokens = tuple(_tokens(found))
            return Completion(found["text"], "stop", Usage(calls=1), self.name, logprobs=tokens)
        raise ModelError("no answer to this was recorded")

    def score(self, request: Request, continuations: Sequence[str], *, timeout: float | None = None) -> list[Score]:
        raise ModelError("nothing is scored")

    def count(self, request: Request) -> int:
        return 0

    def close(self) -> None:
        pass


def _written(first: dict[str, Any]) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """All that was written to a prompt, by the grammar that was asked for."""
    for grammar, one in ((None, first), (QUERY, first.get("forced", {}))):
        if "text" in one:
            yield grammar, one
        for other in one.get("others", ()):
            yield branching("".join(one["parts"][: other["at"]]), one["runners"][str(other["at"])][0]), other


def _tokens(one: dict[str, Any]) -> Iterator[TokenLogprob]:
    """The tokens of an answer, with their runners-up where these are known."""
    texts, runners = one.get("parts", ()), one.get("runners", {})
    for at, logprob in enumerate(one["chances"]):
        other = runners.get(str(at))
        yield TokenLogprob(texts[at] if at < len(texts) else "", logprob, (tuple(other),) if other else ())


def _verdict(right: float, name: str) -> Completion:
    """A yes that is as probable as a model calls its query right."""
    yes, no = (log(max(each, TINY)) for each in (right, 1 - right))
    return Completion(RIGHT, "length", Usage(calls=1), name, logprobs=(TokenLogprob(RIGHT, yes, ((WRONG, no),)),))


@contextmanager
def _resources(name: str, data: Path, folders: Sequence[Path]) -> Iterator[Resources]:
    small = next((each / name for each in (*folders, SMALL) if (each / name / "triples.csv").exists()), None)
    if small is not None:
        with TemporaryDirectory() as folder:
            out = Path(folder) / f"{name}.clew"
            clew.build(small / "triples.csv", entities=small / "entities.csv", out=out)
            yield resources_of(out)
    else:
        yield resources_of(named_graph(name, data, silent).snapshot.name)


def asked(given: argparse.Namespace) -> Iterator[tuple[Resources, TrustQuestion]]:
    """All questions with what answers them, a graph after another."""
    for resources, questions in by_graph(given):
        for question in questions:
            yield resources, question


def by_graph(given: argparse.Namespace) -> Iterator[tuple[Resources, list[TrustQuestion]]]:
    """What answers questions about each graph, and these."""
    listed: dict[str, list[TrustQuestion]] = {}
    for name in given.graph:
        listed.setdefault(name, []).extend(load_questions(SMALL / name / "questions.jsonl"))
    for path in given.set:
        for question in load_questions(path):
            listed.setdefault(question.graph, []).append(question)
    for name, questions in listed.items():
        with _resources(name, given.data, [each.parent for each in given.set]) as resources:
            yield resources, questions


def reading_of(resources: Resources, question: TrustQuestion) -> Reading:
    parser = resources.sketch_parser
    assert parser is not None
    return Reading(ReadersStrategy(), resources, Question(question.question), parser)


def note(given: argparse.Namespace) -> None:
    with given.out.open("w", encoding="utf-8") as file:
        for resources, question in asked(given):
            for row in prompts_of(resources, question.question, f"{question.graph}/{question.id}"):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


def prompts_of(resources: Resources, question: str, key: str) -> Iterator[dict[str, Any]]:
    """What a trained model is shown of a question, once or twice: the graph and the question, under a key."""
    for number, (text, _) in enumerate(QueryReader(resources).prompts(question)):
        yield {"key": f"{key}/{number}", "graph": brief(composer_of(resources).shown), "question": text}


def recorded(prompts: Path, answers: Path) -> Recorded:
    """The model whose answers to some prompts are in a file, line by line."""
    read = zip(_lines(prompts), _lines(answers), strict=True)
    return Recorded(
        {without_examples(f"{prompt['graph']}\n\nQuestion: {prompt['question']}"): answer for prompt, answer in read}
    )


def without_examples(prompt: str) -> str:
    """A prompt without the values that it shows of fields: better examples leave recorded answers comparable."""
    graph, asked, question = prompt.rpartition("\n\nQuestion: ")
    return re.sub(r"(?<=[\w`]) \([^)]*\)", "", graph) + asked + question


def _lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a file, which may be packed."""
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in text.decode("utf-8").splitlines()]


def judge(given: argparse.Namespace) -> None:
    model = recorded(given.prompts, given.first)
    with given.out.open("w", encoding="utf-8") as file:
        for resources, question in asked(given):
            row: dict[str, Any] = {
                "key": f"{question.graph}/{question.id}",
                "level": question.level,
                "question": question.question,
            }
            try:
                row |= both_read(resources, question, model)
            except ClewError as error:
                row |= {"failed": str(error)}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            file.flush()


def both_read(resources: Resources, question: TrustQuestion, model: Recorded) -> dict[str, Any]:
    """What the readers answer and what the model does, whether that is right, and whether it is the same."""
    reading = reading_of(resources, question)
    with reading.runner.in_time():
        answer = reading._answer()
    right = answer.abstained is None and any(accepts(gold, answer) for gold in question.gold)
    row = {
        "readers": "declined" if answer.abstained is not None else answer.certainty,
        "readers right": right,
        "confidence": round(answer.confidence, 4),
        "readers text": answer.abstained or answer.text,
    }
    if reading.parsed is None:
        return row
    read, none = QueryReader(resources).read(Question(question.question), reading.parsed, model, reading.runner)
    if read is None:
        return row | {"third": "none", "none": round(none, 4)}
    outcome = read.ran.outcome
    given = Answer("", items=outcome.items, value=stated_number(read.ran.candidate, outcome))
    same = answer.abstained is None and read.ran.gives(answer)
    return row | {
        "third": "answers",
        "third right": any(accepts(gold, given) for gold in question.gold),
        "same": same,
        "signs": {name: round(value, 4) for name, value in query_signs(read, confirmed=same).items()},
        "missing": [each.text for each in read.ran.interpretation.account.missing],
        "unbound": [[each.text, each.role] for each in read.ran.interpretation.account.unbound],
        "contradicted": read.contradicted,
        "query": read.text,
    }


def trust(given: argparse.Namespace) -> None:
    """Ask as `clew eval trust` does, with what the model wrote where there is a file of it, and keep each answer."""
    model = recorded(given.prompts, given.first) if given.first.exists() else None
    outcomes = []
    for resources, questions in by_graph(given):
        opened = Resources(resources.engine, store=resources.store, model=model)

        def ask(question: TrustQuestion, opened: Resources = opened) -> Answer:
            return ReadersStrategy(phrase=False).answer(Question(question.question, timeout=120), opened)

        outcomes += list(ask_each(questions, ask))
    told = [asdict(each) for each in shares(outcomes)]
    for share in told:
        print(share)
    rows = [asdict(each) for each in outcomes]
    record = {"commit": revision(), "model": model is not None, "n": len(rows), "shares": told, "outcomes": rows}
    given.second.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")


def report(
    rows: Sequence[dict[str, Any]], directions: Mapping[str, int] = DIRECTIONS
) -> tuple[list[str], dict[str, Any]]:
    """Figures with each graph left out of the fit that judges it, and the weights of all."""
    read = [row for row in rows if "signs" in row]
    signs = np.array([[row["signs"][name] for name in directions] for row in read], float)
    right = np.array([row["third right"] for row in read], float)
    graphs = np.array([row["key"].partition("/")[0] for row in read])
    ways = tuple(directions.values())
    chance = np.zeros(len(read))
    for graph in np.unique(graphs):
        here = graphs == graph
        chance[here] = predict(signs[here], fit(signs[~here], right[~here], directions=ways))
    able = [row for row in rows if row["level"] != "unanswerable"]
    lines = [
        f"{len(rows)} questions, {len(able)} answerable: the readers "
        f"{sum(row.get('readers right', False) for row in able)} right, the model "
        f"{sum(row.get('third right', False) for row in able)}; AUC {auc(chance, right):.3f}"
    ]
    chances = iter(chance.tolist())
    given = [next(chances) if "signs" in row else None for row in rows]
    lines += [f"sure from {bound} on: {decided(rows, given, certain=bound)}" for bound in sorted({*BOUNDS, CERTAIN})]
    same = np.array([row["same"] for row in read])
    declined = np.array([row["readers"] == "declined" for row in read])
    beyond = np.array([row["level"] == "unanswerable" for row in read])
    for name, chosen in (
        ("with the readers", same),
        ("where they decline", declined),
        ("otherwise", ~same & ~declined),
    ):
        for least, most in pairwise(BINS):
            here = chosen & (chance >= least) & (chance < most)
            if here.any():
                counts = (
                    f"{int(right[here].sum())} of {int(here.sum())} right, {int((here & beyond).sum())} unanswerable"
                )
                lines.append(f"{name}, {least} to {min(most, 1)}: {counts}")
    weights = fit(signs, right, directions=ways)
    named = {name: round(float(each), 3) for name, each in zip(directions, weights[1:], strict=True)}
    return lines, {"intercept": round(float(weights[0]), 3), "weights": named}


def decided(rows: Sequence[dict[str, Any]], chances: Sequence[float | None], *, certain: float = CERTAIN) -> str:
    """The figures of answers as the product decides among the readers and the model, by the model's chances."""
    given = [(row, *_decision(row, chance, certain)) for row, chance in zip(rows, chances, strict=True)]
    right = [certainty for _, good, certainty in given if good and certainty != "declined"]
    wrong = [certainty for _, good, certainty in given if not good and certainty != "declined"]
    beyond = [certainty for row, _, certainty in given if row["level"] == "unanswerable"]
    sure, unwarned = wrong.count("sure"), len(wrong) - wrong.count("doubtful")
    return (
        f"{len(right)} right, {right.count('sure')} of them sure; wrong and sure {sure} "
        f"({sure / len(rows):.1%}), wrong and not doubtful {unwarned} ({unwarned / len(rows):.1%}); "
        f"{beyond.count('declined')} of {len(beyond)} unanswerable declined"
    )


def _decision(row: dict[str, Any], chance: float | None, certain: float = CERTAIN) -> tuple[bool, str]:
    """Whether the answer that is given is right, and how sure it is; as in `answer/models/writing.py`."""
    readers, good = row.get("readers", "declined"), bool(row.get("readers right"))
    if chance is None:
        denied = row.get("third") == "none" and row.get("none", 0.0) >= DENYING
        return good, DENIED.get(readers, readers) if denied else readers
    own = "sure" if chance >= certain else "likely" if chance >= CLEAR else "doubtful"
    if row["same"]:
        return good, own if readers == "doubtful" or own == "sure" else readers
    settled = readers in ("sure", "likely")
    if chance < ALONE or (settled and row["confidence"] > chance):
        return good, "doubtful" if settled and chance >= DISSENTING else readers
    return row["third right"], "doubtful" if settled else own


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("note", "judge", "fit", "trust"))
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path, nargs="?")
    parser.add_argument("--prompts", type=Path, help="judge: the file of prompts, if not beside the answers")
    parser.add_argument("--set", type=Path, action="append", default=[])
    parser.add_argument("--graph", action="append", default=[])
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--without", choices=DIRECTIONS, action="append", default=[], help="fit: a sign to leave out")
    given = parser.parse_args()
    try:
        _run(given, parser)
    except (OSError, ValueError, ClewError) as error:
        parser.error(f"{given.what}: {error}")


def _run(given: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    known = sorted(each.name for each in SMALL.iterdir() if each.is_dir())
    if unknown := set(given.graph) - set(known):
        parser.error(f"there is no graph {', '.join(sorted(unknown))}: choose among {', '.join(known)}")
    if given.what in ("judge", "trust") and given.second is None:
        parser.error(f"{given.what} takes two files: what the model wrote, and where to keep the rows")
    if given.what == "fit":
        rows = _lines(given.first)
        if not any("signs" in row for row in rows):
            parser.error(f"{given.first} has no answers of a model: make it with `judge`")
        if given.without and given.second:
            parser.error("--without shows what a sign is worth; the weights that are kept have all of them")
        lines, weights = report(rows, {name: way for name, way in DIRECTIONS.items() if name not in given.without})
        print("\n".join(lines))
        if given.second:
            given.second.write_text(json.dumps(weights, indent=1) + "\n", "utf-8")
    elif given.what == "note":
        given.out = given.first
        note(given)
    else:
        given.out = given.second
        given.prompts = given.prompts or given.first.with_name(given.first.name.replace("answers", "prompts"))
        (judge if given.what == "judge" else trust)(given)


if __name__ == "__main__":
    main()
