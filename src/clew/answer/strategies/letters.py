"""Options of a multiple-choice question with letters, as a model reads them; the last is for none of them."""

from collections.abc import Sequence
from string import ascii_uppercase

from clew.errors import InputError
from clew.lm import LanguageModel, Message, Request, load_prompt

__all__ = ["NONE", "check_options", "letter_options", "likeliest_option"]

NONE = "None of these"
MOST_OPTIONS = len(ascii_uppercase) - 1


def check_options(options: Sequence[str]) -> None:
    """Refuse more options than there are letters."""
    if len(options) > MOST_OPTIONS:
        raise InputError(f"{len(options)} options were given, and at most {MOST_OPTIONS} can be lettered")


def letter_options(options: Sequence[str]) -> tuple[dict[str, str], str]:
    """Letter → option, with one for none of them, and the list of lines that a model reads."""
    lettered = dict(zip(ascii_uppercase, (*options, NONE), strict=False))
    return lettered, "\n".join(f"{letter}. {option}" for letter, option in lettered.items())


def likeliest_option(
    model: LanguageModel, context: str, question: str, options: Sequence[str]
) -> tuple[str, list[float]]:
    """The option whose letter the model finds likeliest after a context, and the log-probabilities of all letters."""
    lettered, listed = letter_options(options)
    prompt = load_prompt("clew.answer", "read_options.txt").format(context=context, question=question, options=listed)
    scores = [each.logprob for each in model.score(Request([Message("user", prompt)]), list(lettered))]
    return list(lettered.values())[scores.index(max(scores))], scores
