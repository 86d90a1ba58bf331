"""Lark's parse tree converted to the records of `syntax`, bottom-up, with the checks that a grammar cannot express."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lark import Token, Tree, v_args
from lark.visitors import Transformer_NonRecursive

from clew.errors import QueryError
from clew.store.cypher import syntax as s
from clew.store.deadline import Deadline

__all__ = ["Build"]

LARGEST = 2**63 - 1
LONGEST_CHAIN = 32  # operands of AND, OR or XOR nested to the left; longer chains become balanced trees
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def unquote(name: str) -> str:
    """The name of an identifier, with or without backticks."""
    return name[1:-1].replace("``", "`") if name.startswith("`") else str(name)


def unescape(text: str) -> str:
    """The value of a quoted string literal."""

    def character(found: re.Match[str]) -> str:
        code = found.group(1)
        return chr(int(code[1:], 16)) if len(code) > 1 else ESCAPES.get(code, code)

    whole = re.sub(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", character, text[1:-1], flags=re.DOTALL)
    return whole if whole.isascii() else whole.encode("utf-16", "surrogatepass").decode("utf-16")  # joins surrogates


def _of(kind: type | tuple[type, ...], parts: tuple[Any, ...]) -> Any:
    """The first part of a type, or None."""
    return next((part for part in parts if isinstance(part, kind)), None)


def _words(parts: tuple[Any, ...], *kinds: str) -> list[str]:
    return [str(part) for part in parts if isinstance(part, Token) and part.type in kinds]


def _chain(operator: str) -> Callable[..., s.Expression]:
    def build(_: Any, *parts: Any) -> s.Expression:
        operands = [part for part in parts if isinstance(part, s.Expression)]
        while len(operands) > LONGEST_CHAIN:  # AND, OR and XOR are associative
            starts = range(0, len(operands), LONGEST_CHAIN)
            operands = [_left_to_right(operator, operands[start : start + LONGEST_CHAIN]) for start in starts]
        return _left_to_right(operator, operands)

    return build


def _left_to_right(operator: str, operands: list[s.Expression]) -> s.Expression:
    whole = operands[0]
    for operand in operands[1:]:
        whole = s.Binary(operator, whole, operand)
    return whole


class _Where(tuple[s.Expression]):
    """A condition passed up the tree."""


class _Bounds(tuple[int, int | None]):
    """The bounds of a variable-length relationship passed up the tree."""


class _Names(tuple[str, ...]):
    """Labels or types passed up the tree."""


@v_args(inline=True)
class Build(Transformer_NonRecursive[Token, Any]):
    """Converts Lark's parse tree to syntax records, bottom-up and without recursion; checks the deadline on the way."""

    def __init__(self, text: str, deadline: Deadline | None = None) -> None:
        super().__init__()
        self._text = text
        self._deadline = deadline

    def _call_userfunc(self, tree: Tree[Token], new_children: Any = None) -> Any:
        if self._deadline is not None:
            self._deadline.check()
        return super()._call_userfunc(tree, new_children)  # type: ignore[no-untyped-call]

    # names and literals
    def NAME(self, token: Token) -> Token:  # noqa: N802 (named by the grammar)
        return Token("NAME", unquote(token), start_pos=token.start_pos, end_pos=token.end_pos)

    KEY = NAME

    def string(self, token: Token) -> s.Literal:
        try:
            return s.Literal(unescape(token))
        except (ValueError, OverflowError):
            raise QueryError(f"{token} contains an invalid escape", position=token.start_pos) from None

    def integer(self, token: Token) -> s.Literal:
        return s.Literal(_int64(token))

    def float(self, token: Token) -> s.Literal:
        return s.Literal(float(token))

    def true(self, _: Token) -> s.Literal:
        return s.Literal(True)

    def false(self, _: Token) -> s.Literal:
        return s.Literal(False)

    def null(self, _: Token) -> s.Literal:
        return s.Literal(None)

    def parameter(self, name: Token) -> s.Parameter:
        return s.Parameter(str(name))

    def variable(self, name: Token) -> s.Variable:
        return s.Variable(str(name))

    # operators
    disjunction = _chain("OR")
    exclusive = _chain("XOR")
    conjunction = _chain("AND")

    def not_(self, _: Token, operand: s.Expression) -> s.Unary:
        return s.Unary("NOT", operand)

    def comparator(self, token: Token) -> str:
        return "<>" if token == "!=" else str(token)

    def comparison(self, *parts: Any) -> s.Expression:
        """a < b <= c means a < b AND b <= c."""
        pairs = [s.Binary(parts[i], parts[i - 1], parts[i + 1]) for i in range(1, len(parts), 2)]
        return _chain("AND")(self, *pairs)

    def tested(self, left: s.Expression, operator: Token, right: s.Expression) -> s.Binary:
        return s.Binary(operator.type.replace("_", " "), left, right)

    def null_test(self, of: s.Expression, test: Token) -> s.IsNull:
        return s.IsNull(of, negated=test.type == "IS_NOT_NULL")

    def binary(self, left: s.Expression, operator: Token, right: s.Expression) -> s.Binary:
        return s.Binary(str(operator), left, right)

    def unary(self, sign: Token, operand: s.Expression) -> s.Expression:
        if isinstance(operand, s.Literal) and isinstance(operand.value, int | float) and sign == "-":
            return s.Literal(-operand.value)
        return s.Unary(str(sign), operand)

    def property(self, of: s.Expression, key: Token) -> s.Property:
        return s.Property(of, str(key))

    def index(self, of: s.Expression, at: s.Expression) -> s.Index:
        return s.Index(of, at)

    def slice(self, of: s.Expression, *parts: Any) -> s.Slice:
        dots = next(i for i, part in enumerate(parts) if isinstance(part, Token))
        return s.Slice(of, parts[0] if dots else None, parts[dots + 1] if parts[dots + 1 :] else None)

    def has_labels(self, of: s.Expression, names: _Names) -> s.HasLabels:
        return s.HasLabels(of, tuple(names))

    # compound expressions
    def list(self, *items: s.Expression) -> s.ListLiteral:
        return s.ListLiteral(items)

    def map(self, *entries: tuple[str, s.Expression]) -> s.MapLiteral:
        return s.MapLiteral(entries)

    def entry(self, key: Token, value: s.Expression) -> tuple[str, s.Expression]:
        return str(key), value

    def case(self, *parts: Any) -> s.Case:
        subject = parts[1] if isinstance(parts[1], s.Expression) else None
        branches = tuple(part for part in parts if isinstance(part, tuple))
        otherwise = parts[-2] if isinstance(parts[-3], Token) and parts[-3].type == "ELSE" else None
        return s.Case(subject, branches, otherwise)

    def when(self, _: Token, condition: s.Expression, __: Token, value: s.Expression) -> tuple[Any, Any]:
        return condition, value

    def function(self, name: Token) -> Token:
        return name

    def count_all(self, name: Token, _: Token) -> s.CountAll:
        if name.lower() != "count":
            raise QueryError(f"only count takes *, not {name}", position=name.start_pos)
        return s.CountAll()

    def call(self, name: Token, *parts: Any) -> s.Expression:
        arguments = tuple(part for part in parts if isinstance(part, s.Expression))
        where = _of(_Where, parts)
        if where is None:
            if name.lower() == "exists" and len(arguments) == 1:
                return _existence(arguments[0])
            return s.Call(str(name), arguments, distinct=bool(_words(parts, "DISTINCT")))
        if name.lower() not in ("any", "all", "none", "single"):
            raise QueryError(f"{name} takes no WHERE: any, all, none and single do", position=name.start_pos)
        variable, items = self._membership(arguments, name)
        return s.Quantifier(name.lower(), variable, items, where[0])

    def comprehension(self, first: s.Expression, *parts: Any) -> s.Expression:
        where, value = _of(_Where, parts), _of(s.Expression, parts)
        condition = None if where is None else where[0]
        if isinstance(first, s.PatternExpression):
            if value is None:
                raise QueryError("a pattern comprehension needs an expression after |")
            return s.PatternComprehension(first.pattern, condition, value)
        variable, items = self._membership((first,), None)
        return s.ListComprehension(variable, items, condition, value)

    def _membership(self, arguments: tuple[s.Expression, ...], name: Token | None) -> tuple[str, s.Expression]:
        match arguments:
            case (s.Binary("IN", s.Variable(variable), items),):
                return variable, items
        raise QueryError("expected `variable IN list` here", position=None if name is None else name.start_pos)

    def subquery(self, kind: Token, *parts: Any) -> s.Subquery:
        where = _of(_Where, parts)
        patterns = tuple(part for part in parts if isinstance(part, s.Pattern))
        return s.Subquery(str(kind).upper(), patterns, None if where is None else where[0])

    def group(self, inner: s.Expression, properties: s.Expression | None = None) -> Any:
        return inner if properties is None else _entity(inner, properties)

    # patterns
    def path(self, head: Any, *rest: Any) -> s.PatternExpression:
        first = head if isinstance(head, s.EntityPattern) else _entity(head, None)
        return s.PatternExpression(s.Pattern((first, *rest)))

    def pattern(self, *parts: Any) -> s.Pattern:
        body: s.Pattern = parts[-1]
        name = _words(parts, "NAME")
        return s.Pattern(body.elements, name[0] if name else None, body.kind)

    def chain(self, *elements: Any) -> s.Pattern:
        return s.Pattern(elements)

    def shortest(self, word: Token, chain: s.Pattern) -> s.Pattern:
        if len(chain.elements) != 3:
            raise QueryError(f"{word} takes one relationship between two entities", position=word.start_pos)
        return s.Pattern(chain.elements, None, "all" if word.lower().startswith("all") else "one")

    def shortest_call(self, word: Token, chain: s.Pattern) -> s.PatternExpression:
        return s.PatternExpression(self.shortest(word, chain))

    def entity(self, *parts: Any) -> s.EntityPattern:
        names, variable = _of(_Names, parts), _words(parts, "NAME")
        return s.EntityPattern(variable[0] if variable else None, tuple(names or ()), _of(s.Expression, parts))

    def labels(self, *choices: _Names) -> _Names:
        if len(choices) > 1:
            raise QueryError("an entity has only one label: write (n:A|B) to match either")
        return choices[0]

    def plain_labels(self, *names: Token) -> _Names:
        return self.labels(*(_Names((str(name),)) for name in names))

    def label_choice(self, *names: Token) -> _Names:
        return _Names(map(str, names))

    types = label_choice

    def detailed(self, opening: Token, within: s.RelationshipPattern, closing: Token) -> s.RelationshipPattern:
        left, right = opening.type == "LEFT_OPEN", closing.type == "CLOSE_RIGHT"
        return replace(within, direction="both" if left == right else "in" if left else "out")

    def bare(self, arrow: Token) -> s.RelationshipPattern:
        return s.RelationshipPattern({"RIGHT_BARE": "out", "LEFT_BARE": "in", "BARE": "both"}[arrow.type])

    def detail(self, *parts: Any) -> s.RelationshipPattern:
        """The part in brackets; the direction is set by the caller."""
        name, bounds = _words(parts, "NAME"), _of(_Bounds, parts)
        shortest, longest = bounds or (1, 1)
        return s.RelationshipPattern(
            "both",
            variable=name[0] if name else None,
            types=tuple(_of(_Names, parts) or ()),
            repeated=bounds is not None,
            shortest=shortest,
            longest=longest,
            properties=_of(s.Expression, parts),
        )

    def exact_length(self, _: Token, number: Token | None = None) -> _Bounds:
        return _Bounds((1, None) if number is None else (_int64(number), _int64(number)))

    def bounded_length(self, _: Token, *parts: Token) -> _Bounds:
        dots = next(i for i, part in enumerate(parts) if part.type == "DOTS")
        shortest = _int64(parts[0]) if dots else 1
        longest = _int64(parts[dots + 1]) if parts[dots + 1 :] else None
        if longest is not None and longest < shortest:
            raise QueryError(f"*{shortest}..{longest} has a minimum of {shortest} above its maximum of {longest}")
        return _Bounds((shortest, longest))

    # clauses
    def where(self, _: Token, condition: s.Expression) -> _Where:
        return _Where((condition,))

    def match(self, *parts: Any) -> s.Match:
        where = _of(_Where, parts)
        patterns = tuple(part for part in parts if isinstance(part, s.Pattern))
        return s.Match(patterns, None if where is None else where[0], optional=bool(_words(parts, "OPTIONAL")))

    def unwind(self, _: Token, items: s.Expression, __: Token, name: Token) -> s.Unwind:
        return s.Unwind(items, str(name))

    def with_(self, _: Token, projection: s.Projection, where: _Where | None = None) -> s.With:
        for item in projection.items:
            if item.alias is None and not isinstance(item.expression, s.Variable):
                raise QueryError(f"WITH {item.text} needs a name: write WITH {item.text} AS …")
        return s.With(projection, None if where is None else where[0])

    def return_(self, _: Token, projection: s.Projection) -> s.Return:
        return s.Return(projection)

    def projection(self, *parts: Any) -> s.Projection:
        items = next(part for part in parts if isinstance(part, list))
        everything = items[:1] == ["*"]
        named: dict[str, Any] = dict(part for part in parts if isinstance(part, tuple))
        return s.Projection(
            tuple(items[everything:]),
            everything=everything,
            distinct=bool(_words(parts, "DISTINCT")),
            order=named.get("order", ()),
            skip=named.get("skip"),
            limit=named.get("limit"),
        )

    def items(self, *items: s.Item) -> Any:
        return [*items]

    def everything(self, _: Token, *items: s.Item) -> Any:
        return ["*", *items]

    @v_args(inline=False, meta=True)
    def item(self, meta: Any, parts: Any) -> s.Item:
        end = next((part.start_pos for part in parts if isinstance(part, Token) and part.type == "AS"), meta.end_pos)
        text = " ".join(self._text[meta.start_pos : end].split())
        return s.Item(parts[0], str(parts[-1]) if len(parts) > 1 else None, text)

    def order(self, _: Token, *sorts: s.Order) -> tuple[str, tuple[s.Order, ...]]:
        return "order", sorts

    def sort(self, expression: s.Expression, way: Token | None = None) -> s.Order:
        return s.Order(expression, descending=way is not None and way.type == "DESCENDING")

    def skip(self, _: Token, number: s.Expression) -> tuple[str, s.Expression]:
        return "skip", number

    def limit(self, _: Token, number: s.Expression) -> tuple[str, s.Expression]:
        return "limit", number

    def query(self, *clauses: s.Clause) -> s.Query:
        return s.Query(clauses)

    def union(self, *words: Token) -> bool:
        return len(words) == 2

    def start(self, *parts: Any) -> s.Statement:
        kinds = {part for part in parts if isinstance(part, bool)}
        if len(kinds) > 1:
            raise QueryError("UNION and UNION ALL cannot be mixed in one query")
        return s.Statement(tuple(part for part in parts if isinstance(part, s.Query)), keep_all=kinds == {True})


def _entity(inner: Any, properties: s.Expression | None) -> s.EntityPattern:
    """A parenthesised expression at the start of a pattern, as an entity pattern."""
    match inner:
        case s.Variable(name):
            return s.EntityPattern(name, (), properties)
        case s.HasLabels(s.Variable(name), labels):
            return s.EntityPattern(name, labels, properties)
        case s.MapLiteral() | s.Parameter() if properties is None:
            return s.EntityPattern(None, (), inner)
    raise QueryError("a pattern starts with an entity such as (n:Gene), not with an expression")


def _existence(argument: s.Expression) -> s.Expression:
    """exists(n.key) and exists((a)--(b)), the older Cypher syntax."""
    return argument if isinstance(argument, s.PatternExpression) else s.IsNull(argument, negated=True)


def _int64(token: Token) -> int:
    if len(token) > 19 or int(token) > LARGEST:
        raise QueryError(f"{token} is too large: at most {LARGEST}", position=token.start_pos)
    return int(token)
