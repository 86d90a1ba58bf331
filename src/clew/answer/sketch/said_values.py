"""What a sketch says of values: attributes that are compared, ordered by or asked for, and the numbers in its words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import log

from clew.answer.hearing.linking import LinkedQuestion, Meant
from clew.answer.lexicon.numbers import COMPARISON, OPERATORS, read_number
from clew.answer.names.meanings import Anchor
from clew.answer.sketch.ground import Grounded
from clew.answer.sketch.lexical import Lexical
from clew.answer.sketch.sketch import Ref, Statement, Word
from clew.answer.sketch.things import WHO, Unmet
from clew.answer.values.attributes import Attribute
from clew.answer.values.said import ValueCondition, ValueOrder, ValueWords
from clew.answer.values.vocabulary import Graded

__all__ = ["Unbuildable", "ValuesSaid", "bounds_of_years", "is_year"]

AMOUNTS = {"once": 1, "twice": 2, "half": 0.5, "both": 2, "single": 1, "a": 1, "an": 1, "several": 2, "multiple": 2}
SCALES = {"percent": 0.01, "%": 0.01}
WEAKEST = 0.3
LONGEST_COMPARISON = 3  # words that compare with a number
LASTING = {"longest": False, "longer": False, "shortest": True, "shorter": True}  # whether a later time is meant
STRICT = frozenset({"<", ">"})  # what a comparative says by itself
COMPARED = re.compile(rf"\b({COMPARISON})$")
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


class Unbuildable(Exception):
    """What a sketch says cannot be a plan of this graph; `unmet` says which words."""

    def __init__(self, unmet: Unmet) -> None:
        super().__init__(unmet.why)
        self.unmet = unmet


class ValuesSaid:
    """The values of one grounded sketch; choosing an attribute may tell the type of a thing."""

    def __init__(
        self,
        grounded: Grounded,
        words: Sequence[Word],
        anchors: Sequence[Anchor],
        lexical: Lexical,
        linked: LinkedQuestion | None,
    ) -> None:
        self.grounded, self.words, self.anchors, self.lexical = grounded, words, anchors, lexical
        self.linked = linked
        self.sketch = grounded.sketch
        self.labels = dict(grounded.labels)
        self.score, self.weakest, self.met = grounded.score, grounded.weakest, dict(grounded.met)
        self.schema = lexical.schema
        self.left_out: list[int] = []
        self.valued: list[tuple[ValueCondition, tuple[Ref, Attribute]]] = []  # values that no comparison says

    def text(self, numbers: Sequence[int]) -> str:
        return " ".join(self.words[at].text for at in numbers)

    def meant_by(self, numbers: Sequence[int]) -> Meant | None:
        """What the linker takes some words for."""
        return self.linked.meant(numbers) if self.linked is not None and numbers else None

    def fits(self, fit: float, said: Sequence[int]) -> None:
        """Words are met as well as this."""
        self.score += log(max(fit, 1e-6))
        self.weakest = min(self.weakest, fit)
        self.met |= dict.fromkeys(said, fit)

    def _values(self) -> tuple[ValueWords, list[tuple[Ref, Attribute]], bool]:
        conditions: list[ValueCondition] = []
        chosen: list[tuple[Ref, Attribute]] = []
        order: ValueOrder | None = None
        asked: tuple[Attribute, ...] = ()
        much = True
        for each in self.sketch.statements:
            if each.kind == "attribute" and not isinstance(each.right, str):
                for condition, place in self._condition(each):
                    conditions.append(condition)
                    chosen.append(place)
        last: list[tuple[Ref, Attribute]] = []
        for each in self.sketch.statements:
            if each.kind in ("max", "min"):
                if each.left is None or order is not None:
                    raise Unbuildable(Unmet(each.words, "order"))
                attribute, said = self._attribute(each.left, each.words)
                much = each.kind == "max" if said is None else said
                top = next((n for n in map(self._top, self.sketch.statements) if n), 1)
                order = ValueOrder((Graded(attribute, much),), top, chosen=self.sketch.mode == "pick")
                last = [(each.left, attribute)]
        if self.sketch.mode == "value" and self.sketch.asked[0][0] is not None:
            of, said_words = self.sketch.asked[0]
            assert of is not None
            attribute, _ = self._attribute(of, said_words)
            if attribute.kind != "text" and self.words[0].text.lower() in WHO:  # nobody is a number or a day
                raise Unbuildable(Unmet(tuple(said_words), "who"))
            asked = (attribute,)
            last.append((of, attribute))
        return ValueWords(asked=asked, conditions=tuple(conditions), order=order), [*chosen, *last], much

    def _top(self, each: Statement) -> int:
        number = self._number(each.value) if each.kind == "top" else None
        return int(number) if number else 0

    def _attribute(self, ref: Ref, said: Sequence[int]) -> tuple[Attribute, bool | None]:
        labels = [self.labels[ref]] if ref in self.labels else []
        found = [
            each for each in self.lexical.attributes(self.text(said), labels, self.meant_by(said)) if each[1] >= WEAKEST
        ]
        if not found:
            raise Unbuildable(Unmet(tuple(said), "attribute"))
        attribute, fit, much = found[0]
        if much is None and attribute.kind == "time":  # open the longest is opened first
            much = next((LASTING[low] for at in said if (low := self.words[at].text.lower()) in LASTING), None)
        self.fits(fit, said)
        self.labels.setdefault(ref, attribute.label)
        return attribute, much

    def _condition(self, each: Statement) -> Iterator[tuple[ValueCondition, tuple[Ref, Attribute]]]:
        each = self._turned(each)
        assert each.left is not None
        attribute, much = self._attribute(each.left, each.words)
        place = (each.left, attribute)
        if much is not None and each.operator in STRICT:  # older than A is founded before it
            each = replace(each, operator=">" if much else "<")
        if isinstance(each.right, int):
            anchor = self.anchors[self.words[each.right].name or 0]
            meant = replace(anchor, meanings=(self.grounded.meanings[each.right],))
            yield ValueCondition((attribute,), each.operator, None, than=meant), place
            return
        number = self._number(each.value, each.operator)
        if number is None and attribute.kind != "text":
            raise Unbuildable(Unmet(each.value, "number"))
        if attribute.kind == "text" or number is None:
            wanted = self.text(each.value)
            known = [value for value in attribute.values if value.lower() == wanted.lower()]
            yield ValueCondition((attribute,), each.operator, known[0] if known else wanted), place
        elif attribute.kind == "time" and not attribute.years:
            for operator, year in bounds_of_years(each.operator, int(number)):
                yield ValueCondition((attribute,), operator, str(year)), place
        else:
            following = [word.text for word in self.words[each.value[-1] + 1 :]]
            while following and following[0].lower() in ("a", "an", "of"):  # half an hour
                following.pop(0)
            unit = self.lexical.vocabulary.unit_named(following[0]) if following else None
            yield ValueCondition((attribute,), each.operator, number, unit=unit), place

    def _turned(self, each: Statement) -> Statement:
        """A condition that is denied by itself as its opposite; one in a group is part of what must be absent."""
        alone = all(other.denied != each.denied or other is each for other in self.sketch.statements)
        if not each.denied or not alone:
            return each
        if isinstance(each.right, int) or each.operator not in OPPOSITE:
            raise Unbuildable(Unmet(each.words, "not"))
        return replace(each, operator=OPPOSITE[each.operator], denied=0)

    def _operator(self, each: Statement) -> str:
        """How a number is compared: as the words before it say, "at most", else as the sketch has it."""
        before = " ".join(word.text.lower() for word in self.words[: each.value[0]][-LONGEST_COMPARISON:])
        found = None if each.denied else COMPARED.search(before)
        return each.operator if found is None else OPERATORS[found[1]]

    def _number(self, said: Sequence[int], operator: str = "=") -> int | float | None:
        if not said:
            return None
        text = self.text(said)
        if re.fullmatch(r"\d{3}0s", text):  # a decade: its first year, or its last where it is an end
            return int(text[:-1]) + (9 if operator in ("<=", ">") else 0)
        number = read_number(text) if read_number(text) is not None else AMOUNTS.get(text.lower())
        if number is None and len(said) > 1:
            first = self._number(said[:1])
            scale = SCALES.get(self.words[said[1]].text.lower())
            return None if first is None else first * scale if scale else first
        return number


def is_year(number: float) -> bool:
    """Whether a number may be a year."""
    return number == int(number) and 1000 <= number <= 2200


def bounds_of_years(operator: str, year: int) -> list[tuple[str, int]]:
    """A comparison with a year as one with days: after 1970 is from 1971 on."""
    return {
        "<": [("<", year)],
        "<=": [("<", year + 1)],
        ">": [(">=", year + 1)],
        ">=": [(">=", year)],
        "=": [(">=", year), ("<", year + 1)],
    }[operator]
