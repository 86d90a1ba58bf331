"""Questions that were built to be misread: how many of each set are answered rightly, and how many wrongly and surely.

    python -m benchmarks.questions.misread_sets                       # every set of misread/, by the readers alone
    python -m benchmarks.questions.misread_sets one two --list        # these sets, with what came without a warning
    python -m benchmarks.questions.misread_sets four --model writer --out four.json   # with a model; keeps the answers

A set is a folder with its questions and the small graphs that they are about; "hpo" is the graph of the demo.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

import clew
from clew.answer import Asker, Question
from clew.app.assemble import Settings, assemble
from clew.app.cli.demo import cached_hpo
from clew.evaluate.revision import revision
from clew.evaluate.trust import Outcome, ask_each, load_questions, shares

SETS = Path(__file__).parent / "misread"
SECONDS = 300.0  # of a question with a model


def ask(folder: Path, model: str | None = None) -> Iterator[Outcome]:
    """What comes of each question of a set, asked once."""
    questions = load_questions(folder / "questions.jsonl")
    with ExitStack() as stack:
        built = Path(stack.enter_context(TemporaryDirectory()))
        askers: dict[str, Asker] = {}
        for name in sorted({each.graph for each in questions}):
            place = (
                _built(folder / name, built / f"{name}.clew")
                if (folder / name).is_dir()
                else Path(cached_hpo()[0].snapshot.name)
            )
            opened = next((each.resources.model for each in askers.values()), None)  # one model for all graphs
            askers[name] = assemble(Settings(str(place), model=model, phrase=False), model=opened)
            stack.callback(askers[name].close)
        timeout = SECONDS if model else None
        yield from ask_each(questions, lambda each: askers[each.graph].ask(Question(each.question, timeout=timeout)))


def _built(tables: Path, out: Path) -> Path:
    clew.build(tables / "triples.csv", entities=tables / "entities.csv", out=out)
    return out


def unwarned(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The wrong answers that came without a warning."""
    return [each for each in outcomes if each.wrong and not each.warned]


def main() -> None:
    known = sorted(each.name for each in SETS.iterdir() if each.is_dir())
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(known)} (default: all)")
    parser.add_argument("--model", help="a language model: a name, a .gguf file or a URL")
    parser.add_argument("--list", action="store_true", help="show what is wrong without a warning")
    parser.add_argument("--out", type=Path, help="keep all answers")
    given = parser.parse_args()
    if unknown := set(given.sets) - set(known):
        parser.error(f"there is no set {', '.join(sorted(unknown))}: choose among {', '.join(known)}")
    kept = {}
    for name in given.sets or known:
        outcomes = list(ask(SETS / name, given.model))
        kept[name] = [asdict(each) for each in outcomes]
        for share in shares(outcomes):
            print(f"{name}: {share.name} {share.count} of {share.of} ({share.low:.0%}-{share.high:.0%})")
        for each in unwarned(outcomes) if given.list else ():
            print(f"  {each.id} ({each.certainty}): {each.question}\n    {each.answer}")
    if given.out:
        record = {"commit": revision(), "model": given.model, "sets": kept}
        given.out.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
