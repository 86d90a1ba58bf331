"""Ask the questions of Neo4j's text2cypher on graphs made from its schemas, and compare plans with the gold queries.

    python -m benchmarks.text2cypher --data data --out run.jsonl --json benchmarks/results/text2cypher.json
    python -m benchmarks.text2cypher --data data --out model.jsonl --model qwen.gguf --compose
    python -m benchmarks.text2cypher --data data --note prompts.jsonl     # for a model that answers them elsewhere
    python -m benchmarks.text2cypher --data data --prompts prompts.jsonl --answers answers.jsonl

Questions are drawn by seed among gold queries that become plans of their schema: those with the smallest hash, so that
others which can be asked one day change the draw little. A run resumes from its journal
(--out). No reader has been trained on these schemas or questions; `in_training` counts questions that were.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.questions.written_queries import prompts_of, recorded
from benchmarks.report import environment, to_stderr, write_json
from benchmarks.text2cypher.asking import ask, expected
from benchmarks.text2cypher.figures import figures, show
from benchmarks.text2cypher.gold import Unfit, translate
from benchmarks.text2cypher.planting import plant
from benchmarks.text2cypher.schema import Schema, load_schemas
from benchmarks.text2cypher.training import in_training, shared_relations
from clew.answer import Asker, Plan
from clew.answer.plans.cypher.read import read_plan
from clew.app.assemble import Settings, assemble
from clew.errors import ClewError, InputError, QueryError
from clew.evaluate.benches.text2cypher import Pair, load_pairs, query_kind
from clew.evaluate.journal import Journal
from clew.progress import Progress
from clew.store.cypher import parse

STRATEGIES = ("readers", "cypher")
SETTINGS = ("seed", "count", "strategy", "model", "compose", "timeout", "prompts", "answers")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its gold plan in the terms of the graph; `at` is its place in the collection."""

    at: int
    pair: Pair
    kind: str
    plan: Plan


def eligible(pairs: Sequence[Pair], schemas: dict[str, Schema]) -> tuple[list[Asked], Counter[str]]:
    """The questions whose gold can be asked for on a graph of their schema, each once, and why others cannot."""
    found: dict[tuple[str, str], Asked] = {}
    left_out: Counter[str] = Counter()
    for at, pair in enumerate(pairs):
        if pair.database not in schemas:
            left_out["no schema in the collection"] += 1
        elif (pair.database, pair.question) in found:
            left_out["asked before"] += 1
        else:
            try:
                statement = parse(pair.cypher)
                plan = translate(read_plan(statement), schemas[pair.database])
            except QueryError:
                left_out["no plan"] += 1
            except Unfit as why:
                left_out[str(why)] += 1
            else:
                found[pair.database, pair.question] = Asked(at, pair, query_kind(statement), plan)
    return list(found.values()), left_out


def draw(able: Sequence[Asked], count: int, seed: int) -> list[Asked]:
    """Some of the questions, by a hash of each."""
    told = {each.at: f"{seed}\n{each.pair.database}\n{each.pair.question}" for each in able}
    return sorted(able, key=lambda each: sha256(told[each.at].encode()).digest())[:count]


def opened(database: str, able: Sequence[Asked], schema: Schema, folder: str, settings: dict[str, Any]) -> Asker:
    """What answers questions about a graph of a schema, in which the literals of its queries are planted."""
    out = Path(folder) / f"{database}.clew"
    plant(schema, [each.plan for each in able if each.pair.database == database], out, seed=settings["seed"])
    options = {name: settings[name] for name in ("strategy", "model", "compose")}
    asker = assemble(Settings(str(out), phrase=False, **options))
    if settings["answers"]:
        asker.resources._model = recorded(Path(settings["prompts"]), Path(settings["answers"]))
    asker.check()
    return asker


def note(
    drawn: Sequence[Asked], able: Sequence[Asked], schemas: dict[str, Schema], settings: dict[str, Any], out: Path
) -> None:
    """Write the prompts that a trained model is given for the questions."""
    with out.open("w", encoding="utf-8") as file:
        for database in sorted({each.pair.database for each in drawn}):
            with TemporaryDirectory() as folder:
                asker = opened(database, able, schemas[database], folder, settings)
                for each in drawn:
                    if each.pair.database == database:
                        for row in prompts_of(asker.resources, each.pair.question, f"{database}/{each.at}"):
                            file.write(json.dumps(row, ensure_ascii=False) + "\n")
                asker.close()


def rows(
    drawn: Sequence[Asked],
    able: Sequence[Asked],
    schemas: dict[str, Schema],
    settings: dict[str, Any],
    journal: Journal,
    progress: Progress,
) -> Iterator[dict[str, Any]]:
    """The record of each question, schema by schema; those of the journal are not asked again."""
    known = {row["at"]: row for row in journal.records}
    done = 0
    for database in sorted({each.pair.database for each in drawn}):
        own = [each for each in drawn if each.pair.database == database]
        with TemporaryDirectory() as folder:
            asker = None
            for each in own:
                if each.at not in known:
                    if asker is None:
                        asker = opened(database, able, schemas[database], folder, settings)
                    gold = expected(each.plan, asker)
                    row = {"at": each.at, "database": database, "kind": each.kind, "question": each.pair.question}
                    row |= {"gold": each.pair.cypher, "found": gold.outcome is not None and _finds(gold.outcome)}
                    known[each.at] = row | ask(
                        each.pair.question, gold, schemas[database], asker, timeout=settings["timeout"]
                    )
                    journal.append(known[each.at])
                done += 1
                progress(f"asking on {database}", done, len(drawn))
                yield known[each.at]
            if asker is not None:
                asker.close()


def _finds(outcome: Any) -> bool:
    return bool(outcome.items) or outcome.value is not None


def run(given: argparse.Namespace, progress: Progress) -> dict[str, Any]:
    """All figures of a run, and its rows."""
    pairs, schemas = load_pairs(given.data), load_schemas(given.data)
    able, left_out = eligible(pairs, schemas)
    if not 0 < given.count <= len(able):
        raise InputError(f"--count takes 1 to {len(able):,}, the questions that can be asked, not {given.count:,}")
    if given.compose and given.model is None:
        raise InputError("--compose lets a language model write the query: name one with --model")
    if given.answers and given.prompts is None:
        raise InputError("--answers holds what a model wrote to some prompts: name their file with --prompts")
    drawn = draw(able, given.count, given.seed)
    settings = {name: getattr(given, name) for name in SETTINGS}
    if given.note:
        note(drawn, able, schemas, settings, given.note)
        return {}
    journal = Journal(given.out, settings, what="text2cypher questions")
    asked = list(rows(drawn, able, schemas, settings, journal, progress))
    return {
        "benchmark": "text2cypher",
        **environment(),
        "settings": settings,
        "questions": {
            "in the collection": len(pairs),
            "can be asked": len(able),
            "left out": dict(left_out.most_common()),
        },
        "in_training": in_training([each.pair.question for each in drawn]),
        "relations shared with a training schema": {
            name: shared_relations(each.relations) for name, each in sorted(schemas.items())
        },
        "figures": figures(asked),
        "rows": asked,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("data"), help="the folder that holds text2cypher")
    parser.add_argument("--seed", type=int, default=0, help="draws the questions and fills the graphs (default: 0)")
    parser.add_argument("--count", type=int, default=300, help="how many questions are drawn (default: 300)")
    parser.add_argument("--strategy", choices=STRATEGIES, default="readers", help="cypher: the first reader alone")
    parser.add_argument("--note", type=Path, help="only write the prompts for a trained model to this file")
    parser.add_argument(
        "--prompts", help="with --answers: the prompts of a trained model, as written_queries notes them"
    )
    parser.add_argument("--answers", help="what that model wrote elsewhere")
    parser.add_argument("--model", help="a language model: a name, a .gguf file or a URL")
    parser.add_argument(
        "--compose", action="store_true", default=None, help="the model writes every query (default: where needed)"
    )
    parser.add_argument(
        "--timeout", type=float, default=30.0, help="seconds for a question (default: 30; a model may need more)"
    )
    parser.add_argument("--out", type=Path, help="journal of the run, which resumes from it")
    parser.add_argument("--json", type=Path, help="write figures and rows to this file")
    given = parser.parse_args()
    try:
        report = run(given, to_stderr)
    except (ClewError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if given.note:
        return 0
    if given.json:
        write_json(given.json, report)
    print(json.dumps(report["questions"], ensure_ascii=False))
    shared = report["relations shared with a training schema"]
    print(f"of the questions drawn, in the training data: {report['in_training']}")
    print(f"relations that a schema shares with one of the training data: at most {max(shared.values())}\n")
    print(show(report["figures"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
