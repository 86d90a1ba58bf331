"""A question whose subject was named in a sentence before: "I am learning the Holberg Suite. What key is it in?".

In: the text, the sentences that lead up to the question, and a reader of names. Out: the question alone, with the name
in the place of its pronoun; the text itself where the question has names of its own, or where several may be meant.
"""

import re
from collections.abc import Callable, Sequence

from clew.answer.names.meanings import Anchor

__all__ = ["with_antecedent"]

PRONOUN = re.compile(r"\b(?P<owned>its|his|their)\b|\b(?:it|he|she|they|him|them|her(?!\s+[a-z]))\b", re.IGNORECASE)
SURE = 0.97  # score of a name spelt as in the graph


def with_antecedent(text: str, before: Sequence[tuple[int, int]], names: Callable[[str], Sequence[Anchor]]) -> str:
    """The question with the name that its pronoun means."""
    if not before:
        return text
    question = text[before[-1][1] :].strip()
    pronouns = list(PRONOUN.finditer(question))
    if len(pronouns) != 1:
        return text
    told = text[: before[-1][1]]
    found = [each for each in names(told) if each.meanings and each.meanings[0].score >= SURE]
    if len(found) != 1 or names(question):
        return text
    pronoun = pronouns[0]
    name = found[0].text + ("'s" if pronoun["owned"] else "")
    return f"{question[: pronoun.start()]}{name}{question[pronoun.end() :]}"
