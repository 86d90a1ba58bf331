"""Several questions in a row, piped or typed; if typed, the user may choose among names and interpretations."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from clew.app.cli.terminal.output import printable, say
from clew.app.cli.terminal.progress import step_shower, terminal_progress
from clew.errors import InputError

if TYPE_CHECKING:
    from clew.answer import Answer, Asker, Question
    from clew.answer.answer import Ambiguity, Sense

__all__ = ["ask_back", "ask_shown", "is_terminal", "read_input", "read_questions"]

MAX_INPUT = 64 << 20  # bytes


def is_terminal() -> bool:
    """Whether the user can be prompted."""
    return sys.stdin is not None and sys.stdin.isatty()


def read_input(file: str) -> str:
    """The UTF-8 text of a file, a pipe or standard input (-)."""
    if file == "-":
        text = sys.stdin.read(MAX_INPUT + 1)
    else:
        try:
            with open(file, "rb") as stream:
                text = stream.read(MAX_INPUT + 1).decode("utf-8")
        except (OSError, ValueError) as error:
            raise InputError(f"{file} cannot be read as UTF-8 text: {error}") from error
    if len(text) > MAX_INPUT:
        raise InputError(f"{file} has more than {MAX_INPUT >> 20} million characters: split it")
    return text


def read_questions() -> Iterator[str]:
    """Typed lines up to the first empty one; from a pipe, every non-empty line."""
    while (line := _typed("? ")) is not None:
        if line:
            yield line
        elif is_terminal():
            return


def ask_shown(asker: "Asker", question: "Question") -> "Answer":
    """Answer, with the step that is being taken on the line of a terminal, unless steps are reported already."""
    with terminal_progress() as progress:
        report = question.report or step_shower(progress)
        return asker.ask(replace(question, report=report))


def ask_back(asker: "Asker", question: "Question") -> "Answer":
    """Answer; if names are ambiguous, let the user choose, and answer again if that changes anything."""
    answer = ask_shown(asker, question)
    chosen = {}
    for ambiguity in answer.ambiguities:
        sense = _choose(ambiguity)
        if sense is not None and sense != ambiguity.chosen:
            chosen[ambiguity.text] = sense.id
    if chosen:
        answer = ask_shown(asker, replace(question, meaning={**question.meaning, **chosen}))
    return _other_interpretation(asker, answer) if answer.certainty == "doubtful" else answer


def _other_interpretation(asker: "Asker", answer: "Answer") -> "Answer":
    """A doubtful answer or none, or that of the interpretation that the user chooses instead."""
    if not answer.alternatives:
        return answer
    own = [] if answer.abstained is not None else [(answer.interpretation or (answer.text,))[0]]  # to keep
    choices = [*own, *(each.interpretation for each in answer.alternatives)]
    declined = "It is not clear enough what is asked. Did you mean one of these?"
    say("This answer is doubtful. Which did you mean?" if own else declined)
    number = _number([printable(each.removeprefix("interpreted as: ")) for each in choices], default=len(own))
    if number <= len(own):
        return answer
    chosen = asker.ask_cypher(answer.alternatives[number - len(own) - 1].query)
    return replace(chosen, question=answer.question)


def _choose(ambiguity: "Ambiguity") -> "Sense | None":
    """The sense the user picks for an ambiguous name; an empty line keeps the current one, if any."""
    senses = [*([ambiguity.chosen] if ambiguity.chosen is not None else []), *ambiguity.others]
    say(f"Which did you mean by {printable(ambiguity.text)}?")
    number = _number([printable(str(sense)) for sense in senses], default=1 if ambiguity.chosen is not None else 0)
    return senses[number - 1] if number else None


def _number(options: Sequence[str], *, default: int) -> int:
    """The number of the option that the user types; an empty line is the default, 0 none."""
    for number, option in enumerate(options, start=1):
        say(f"  {number}  {option}")
    while line := _typed(f"1-{len(options)}, or nothing for {default or 'none'}: "):
        if line.isdecimal() and 1 <= int(line) <= len(options):
            return int(line)
        say(f"a number from 1 to {len(options)}, not {printable(line)}")
    return default


def _typed(prompt: str) -> str | None:
    """The next line, stripped; None at the end."""
    try:
        return input(prompt if is_terminal() else "").strip()
    except EOFError:
        return None
