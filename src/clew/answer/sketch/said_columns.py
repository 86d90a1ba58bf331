"""What a sketch says of statements and of classes: conditions on columns, years, and words that describe things."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from clew.answer.lexicon.times import read_time
from clew.answer.plans.condition import Condition
from clew.answer.plans.plan import Step
from clew.answer.sketch.lexical import OWN
from clew.answer.sketch.relations import Link
from clew.answer.sketch.said_values import Unbuildable, ValuesSaid, bounds_of_years, is_year
from clew.answer.sketch.sketch import Ref, Said, Statement
from clew.answer.sketch.things import Unmet
from clew.answer.statements.column_words import is_time
from clew.answer.values.attributes import Attribute
from clew.answer.values.said import ValueCondition
from clew.store.layout import Relationship

__all__ = ["ColumnsSaid"]

TIMES = {"since": ">=", "after": ">", "before": "<", "until": "<="}  # what words say of a time
UNNAMED = 0.6  # fit of what a number can only be of, where no word says so
TIMED = 0.8  # fit of the column that says when a statement holds, where a year is said and no word for the column


class ColumnsSaid(ValuesSaid):
    """The columns and classes of one grounded sketch."""

    def _said(self, said: Said, step: Step, link: Link, ends: Iterable[Ref]) -> Iterator[Condition]:
        """Conditions on a column of the statement, such as its year, amount, frequency or source."""
        low = [self.words[at].text.lower() for at in said.words]
        if said.operator == "=" and (meant := next((TIMES[word] for word in low if word in TIMES), "")):
            said = replace(said, operator=meant)
        known = self.schema.relationship(link.relation)
        valued = self.lexical.column_value(self.text(said.value or said.words), known)
        if valued is not None and said.operator in ("", "="):
            self.fits(1.0, (*said.words, *said.value))
            yield Condition(step.name, valued[0], "=", valued[1])
            return
        number = self._number(said.value, said.operator) if said.operator else None
        found = self.lexical.columns(self.text(said.words), known, self.meant_by(said.words))
        if not found and (number is not None or read_time(self.text(said.value))):
            found = self._only_column(known, number)
        if not found and number is not None and is_year(number):
            self._dated(said, int(number), ends)
            return
        if not found and (not said.operator or self._is_an_end(said, link)):
            return  # words beside the question: the account of words has them
        if not found:
            raise Unbuildable(Unmet(said.words, "said"))
        key, fit = found[0]
        self.fits(fit, (*said.words, *said.value))
        if not said.operator:
            return
        if number is None:
            yield from self._said_as_text(said, step.name, key)
        elif "frequency" in key.lower():
            yield Condition(step.name, key, said.operator, number, shared=True)
        elif is_time(key) and is_year(number):
            for operator, year in bounds_of_years(said.operator, int(number)):
                yield Condition(step.name, key, operator, str(year))
        else:
            yield Condition(step.name, key, said.operator, number, numeric=True)

    def _only_column(self, known: Relationship, number: float | None) -> list[tuple[str, float]]:
        """The column that a number or a day (None) can be of, where no word says which: the time, or the only number
        that is none."""
        if number is None or is_year(number):
            return [(each.name, TIMED) for each in known.properties if is_time(each.name)][:1]
        numbers = [
            each.name for each in known.properties if each.name in self.lexical.numeric and not is_time(each.name)
        ]
        return [(numbers[0], UNNAMED)] if len(numbers) == 1 else []

    def _dated(self, said: Said, year: int, ends: Iterable[Ref]) -> None:
        """The year of a thing that is neither named nor a person, where its statements have none: shows after 2012."""
        for ref in ends:
            label = self.labels.get(ref, "")
            dated = [
                each
                for each in self.lexical.vocabulary.attributes
                if each.label == label and each.kind == "time" and not each.relation
            ]
            if isinstance(ref, str) and len(dated) == 1 and label not in self.lexical.who:
                self.fits(UNNAMED, (*said.words, *said.value))
                (attribute,) = dated
                years = [(said.operator, year)] if attribute.years else bounds_of_years(said.operator, year)
                for operator, bound in years:
                    self.valued.append((ValueCondition((attribute,), operator, str(bound)), (ref, attribute)))
                return
        raise Unbuildable(Unmet(said.words, "said"))

    def _said_as_text(self, said: Said, of: str, key: str) -> Iterator[Condition]:
        """A text that a column has, or a time that it is compared with: "before June 2025"."""
        text = self.text(said.value).lower()
        time = read_time(text) if is_time(key) else None
        if time is not None:
            first, after = ("<", time.first), (">=", time.next)
            bounds = {"<": [first], ">": [after], "<=": [("<", time.next)], ">=": [(">=", time.first)]}
            for operator, day in bounds.get(said.operator, [(">=", time.first), ("<", time.next)]):
                yield Condition(of, key, operator, day)
        elif said.operator == "=":
            yield Condition(of, key, said.operator, text, ignoring_case=True)
        else:
            raise Unbuildable(Unmet(said.value, "said"))

    def _is_an_end(self, said: Said, link: Link) -> bool:
        """Whether words only repeat what a thing is: off limits *as an exercise*."""
        labels = [label for label, fit in self.lexical.types(self.text(said.value))[0] if fit >= OWN]
        return bool({link.left, link.right} & set(labels))

    def _described(self, each: Statement) -> list[tuple[Attribute, str]]:
        """ "Wooden", "retired": the attribute that sorts entities, and its value; else its words are left out."""
        assert each.left is not None
        labels = [self.labels[each.left]] if each.left in self.labels else []
        said, meant = self.text(each.words), self.meant_by(each.words)
        found = self.lexical.classes(said, labels) or self.lexical.stated(said, labels, meant)
        found = found or self.lexical.valued(said, labels, meant)
        if not found:
            self.left_out += each.words
            return []
        self.met |= dict.fromkeys(each.words, 1.0)
        self.labels.setdefault(each.left, found[0][0].label)
        return found[:1]

    def _told_of_facts(self) -> Iterator[tuple[int, Statement]]:
        """Describing words that are the value of a column of a fact about their thing: a *severe* case of A."""
        for each in self.sketch.statements:
            said = self.text(each.words)
            if each.kind != "is" or each.denied or each.left is None or self.lexical.classes(said, ()):
                continue
            for number, link in self.grounded.links.items():
                fact, known = self.sketch.statements[number], self.schema.relationship(link.relation)
                about = each.left in (fact.left, fact.right) and not fact.denied and not fact.other
                if about and self.lexical.column_value(said, known) is not None:
                    yield number, each
                    break
