"""How often the text that a model reads names the right option: what its rows could reach at best by reading.

`python -m benchmarks.contexts.named hpo --data data`: the sample of 100 questions without those that have no right
option.
"""

import argparse
from collections import Counter
from pathlib import Path
from string import ascii_uppercase

from clew.answer import Resources
from clew.app.cli.evaluation.choices import QuestionSet
from clew.app.cli.terminal.output import print_table
from clew.app.cli.terminal.progress import terminal_progress
from clew.evaluate.choices.generate import ChoiceQuestion
from clew.evaluate.choices.rows import choose
from clew.evaluate.statistics import bootstrap_mean
from clew.lm.clients.scripted import Scripted

__all__ = ["context_names_gold"]

ROWS = ("rag", "rag-json", "vector-rag", "local", "adaptive", "adaptive without retrievals")


def context_names_gold(row: str, question: ChoiceQuestion, resources: Resources, model: Scripted) -> bool:
    """Whether what comes before the question in a row's prompt has the name of the right option."""
    model.requests.clear()
    model.scored.clear()
    choose(row, question, resources, Counter())
    asked = [*model.requests, *(request for request, _ in model.scored)]
    read = asked[0].messages[-1].content.rpartition("Question: ")[0] if asked else ""
    return (question.gold or "").casefold() in read.casefold()


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set", choices=["hpo", "hetionet", "biomixqa"])
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--count", type=int, default=100)
    given = parser.parse_args()
    asked = QuestionSet(given.set, given.data)
    with terminal_progress() as progress:
        engine = asked.open(progress)
        model = Scripted(lambda request: "A", scores=dict.fromkeys(ascii_uppercase, 0.0), context=2048)
        with Resources(engine, model=model) as resources:
            made = asked.questions(resources.linker, progress)[: given.count]
            questions = [each for each in made if each.gold is not None]
            table = []
            for row in ROWS:
                named = []
                for done, question in enumerate(questions, 1):
                    named.append(context_names_gold(row, question, resources, model))
                    progress(f"retrieving: {row}", done, len(questions))
                share = bootstrap_mean(named)
                table.append((row, share.n, f"{share.mean:.0%} ({share.low:.0%}-{share.high:.0%})"))
    print_table(["row", "n", "the text names the right option"], table)


if __name__ == "__main__":
    main()
