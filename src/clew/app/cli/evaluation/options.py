"""Options that several evaluations share."""

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["Model", "Questions", "RunJournal", "Sample", "Seed"]

Questions = Annotated[int, typer.Option("--count", metavar="N", help="Number of questions.")]
Sample = Annotated[int, typer.Option("--sample", metavar="N", min=1, help="Questions for rows with a model.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Of the generator.")]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        help="A language model: a name, a .gguf file or a URL (default: none).",
        show_default=False,
    ),
]
RunJournal = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="RUN.jsonl", help="Keep every result; resumes.", show_default=False),
]
