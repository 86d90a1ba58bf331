"""Values of a planted graph: drawn as the schema describes them, or made to meet the conditions of a query."""

import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from benchmarks.text2cypher.schema import BOOLEAN, INTEGER, NUMBER, TEXT, TEXTS, Attribute
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.operators import COMPARISONS, TEXTUAL

__all__ = ["draw", "invented", "value_for"]

SYLLABLES = ("ba", "cor", "del", "fen", "gar", "hol", "jun", "kel", "lor", "mir", "nar", "pol", "ros", "sul", "tam")
WORDS = ("Corvel", "Tamros", "Fenlor", "Garmir", "Polwen", "Sulnar", "Quinba", "Holdel")  # of lists and long texts
YEAR = re.compile(r"^\d{4}(?=-\d\d)")
PATTERN = re.compile(r"^(\(\?i\))?(\.\*)?([\w\s'#@./-]*?)(\.\*)?$")  # regular expressions that are plain text inside
COMPARED = ("<", "<=", ">", ">=", "<>")


def invented(random: Random) -> str:
    """A name of two invented words."""
    return " ".join("".join(random.choices(SYLLABLES, k=random.choice((2, 3)))).title() for _ in range(2))


def draw(attribute: Attribute, random: Random, *, listed: bool = True) -> Any:
    """A value as the schema describes it."""
    low, high = attribute.low, attribute.high
    if attribute.kind == BOOLEAN:
        return random.random() < 0.5
    if attribute.kind == TEXTS:
        chosen = random.sample(WORDS, random.randint(1, 3))
        return chosen if listed else chosen[0]
    known = [each for each in (_of_kind(value, attribute.kind) for value in attribute.values) if each is not None]
    if known:
        return random.choice(known)
    if attribute.kind == TEXT:
        if low is None or high is None:
            return invented(random)
        return f"{random.randint(int(low), int(high)):04}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
    low, high = 0 if low is None else low, 1000 if high is None else high
    return (
        random.randint(int(low), max(int(low), int(high)))
        if attribute.kind == INTEGER
        else round(random.uniform(low, high), 2)
    )


def _of_kind(text: str, kind: str) -> Any:
    try:
        return text if kind == TEXT else int(float(text)) if kind == INTEGER else float(text)
    except ValueError:
        return None


def value_for(conditions: Sequence[Condition], kind: str, alternative: int, *, at_bounds: bool) -> tuple[Any, bool]:
    """A value that meets all conditions on one column, and whether it needs one: at bounds, the bound itself."""
    if any(each.operator == "IS NULL" and not each.negated for each in conditions):
        return None, True
    made = [value for each in conditions for value in _candidates(each, kind, alternative)]
    fitting = [value for value in made if all(_holds(each, value) for each in conditions)]
    bounds = [each.value for each in conditions if each.operator in COMPARED and not each.sized] if at_bounds else []
    chosen = [each for each in bounds if not isinstance(each, Asked)] or fitting or made
    if not chosen:
        return None, False
    value = chosen[0]
    if kind in (INTEGER, NUMBER):
        value = int(value) if kind == INTEGER else float(value)
    return value, True


def _candidates(condition: Condition, kind: str, alternative: int) -> Iterator[Any]:
    value, operator = condition.value, condition.operator
    if isinstance(value, Asked) or operator == "IS NOT NULL" or (condition.negated and operator != "<>"):
        return
    several = value if isinstance(value, tuple) else (value,)
    value = several[alternative % len(several)] if several else None
    if condition.sized and isinstance(value, int):
        yield _of_size(kind, max(0, value + {">": 1, "<": -1}.get(operator, 0)))
    elif operator in ("=", "IN"):
        yield value
    elif operator == "HOLDS":
        yield [value, WORDS[0]]
    elif operator in TEXTUAL and isinstance(value, str):
        yield from _containing(operator, value)
    elif operator in COMPARED and isinstance(value, str):
        shifted = YEAR.sub(lambda found: f"{int(found[0]) + (-1 if operator.startswith('<') else 1):04}", value)
        yield from (shifted, value)
    elif operator in COMPARED and isinstance(value, int | float):
        down = operator.startswith("<") and operator != "<>"
        yield from (value - 1, value - 0.05, value) if down else (value + 1, value + 0.05, value)


def _of_size(kind: str, size: int) -> Any:
    if kind == TEXTS:
        return [f"{WORDS[at % len(WORDS)]} {at}" for at in range(size)]
    return (" ".join(WORDS) * (size // 20 + 1))[:size]


def _containing(operator: str, text: str) -> Iterator[str]:
    """Texts of several words that hold another one: in their middle, first or last."""
    before, after = Random(text).sample(WORDS, 2)
    if operator == "=~":
        found = PATTERN.match(text)
        if found is None:
            return
        operator = {(True, True): "CONTAINS", (True, False): "ENDS WITH", (False, True): "STARTS WITH"}.get(
            (bool(found[2]), bool(found[4])), "="
        )
        text = found[3]
    yield {
        "CONTAINS": f"{before} {text} {after}", "STARTS WITH": f"{text} {after}", "ENDS WITH": f"{before} {text}",
    }.get(operator, text)  # fmt: skip


def _holds(condition: Condition, value: Any) -> bool:
    """Whether a value meets a condition, as far as planting needs to know."""
    wanted, operator = condition.value, condition.operator
    if condition.sized:
        value = len(value)
    if isinstance(wanted, Asked) or operator in ("IS NOT NULL", "=~", "HOLDS", "IS NULL"):
        return True
    try:
        if operator in COMPARISONS:
            return bool(COMPARISONS[operator](value, wanted)) != condition.negated
        several = wanted if isinstance(wanted, tuple) else (wanted,)
        if operator == "IN":
            return (value in several) != condition.negated
        tests = {"CONTAINS": str.__contains__, "STARTS WITH": str.startswith, "ENDS WITH": str.endswith}
        return any(tests[operator](value, each) for each in several) != condition.negated
    except TypeError:
        return False
