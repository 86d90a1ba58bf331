"""Grammars in GBNF, the notation of llama.cpp: a response under a grammar is one of its sentences.

`choice` builds the most common one, `literal` quotes a text for grammars written by hand, and `check_grammar`
finds errors before a model is called.
"""

import re
from collections.abc import Iterable

from clew.errors import InputError

__all__ = ["check_grammar", "choice", "literal", "sequence"]

ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
RULE = re.compile(r"([A-Za-z][A-Za-z0-9-]*)[ \t]*::=")
PIECE = re.compile(
    r"""(?P<space>\s+|\#[^\n]*)
      | (?P<text>"(?:[^"\\\n]|\\[\s\S])*")
      | (?P<set>\[(?:[^\]\\\n]|\\[\s\S])*\])
      | (?P<token>!?<\[?[^>\s]+>)
      | (?P<name>[A-Za-z][A-Za-z0-9-]*)
      | (?P<any>\.)
      | (?P<repeat>[*+?]|\{\d+(?:,\d*)?\})
      | (?P<open>\() | (?P<close>\)) | (?P<or>\|)""",
    re.VERBOSE,
)


def choice(texts: Iterable[str]) -> str:
    """A grammar that accepts exactly the given texts.

    >>> print(choice(["yes", "no"]))
    root ::= "yes" | "no"
    """
    distinct = list(dict.fromkeys(texts))
    if not distinct:
        raise InputError("a choice needs at least one text")
    if "" in distinct:
        raise InputError("a choice cannot contain the empty text: a model must return something")
    return f"root ::= {' | '.join(map(literal, distinct))}"


def sequence(tokens: Iterable[int]) -> str:
    """A grammar that accepts exactly one sequence of a model's own tokens, given by number.

    >>> sequence([7042, 30])
    'root ::= <[7042]> <[30]>'
    """
    return "root ::= " + " ".join(f"<[{token}]>" for token in tokens)


def literal(text: str) -> str:
    """A text in GBNF: quoted, with escaped control characters.

    >>> print(literal("two\\nlines"))
    "two\\nlines"
    """
    return '"' + "".join(_escape(character) for character in text) + '"'


def check_grammar(grammar: str) -> None:
    """Raise `InputError` for an invalid grammar: an unknown character, an open bracket, an undefined rule."""
    if "root" not in (rules := _rules(grammar)):
        raise InputError('a grammar needs a rule "root ::= …", the start rule')
    for rule, body in rules.items():
        _check_rule(rule, body, rules)


def _rules(grammar: str) -> dict[str, str]:
    """Each rule's name with its body."""
    heads = list(_heads(grammar))
    if not heads:
        raise InputError('a grammar is a list of rules as "root ::= …" (GBNF), not ' + repr(grammar[:40]))
    if before := re.sub(r"#[^\n]*", "", grammar[: heads[0].start()]).strip():
        raise InputError(f"a grammar begins with a rule, not with {before[:40]!r}")
    ends = [*(head.start() for head in heads[1:]), len(grammar)]
    return {head[1]: grammar[head.end() : end] for head, end in zip(heads, ends, strict=True)}


def _heads(grammar: str) -> Iterable[re.Match[str]]:
    """The start of each rule: a name and ::= outside texts, sets and comments."""
    at = 0
    while at < len(grammar):
        if head := RULE.match(grammar, at):
            yield head
            at = head.end()
        else:
            piece = PIECE.match(grammar, at)
            at = piece.end() if piece else at + 1


def _check_rule(rule: str, body: str, rules: Iterable[str]) -> None:
    depth = at = 0
    repeatable = False  # whether there is something before that * may repeat
    while at < len(body):
        piece = PIECE.match(body, at)
        if piece is None:
            raise InputError(f"the grammar's rule {rule!r} cannot be parsed from {body[at : at + 20]!r} on")
        kind, at = piece.lastgroup, piece.end()
        if kind == "name" and piece[0] not in rules:
            raise InputError(f"the grammar's rule {rule!r} uses {piece[0]!r}, which is not defined")
        if kind == "repeat" and not repeatable:
            raise InputError(f"the grammar's rule {rule!r} repeats nothing with {piece[0]!r}")
        depth += (kind == "open") - (kind == "close")
        if depth < 0:
            break
        if kind != "space":
            repeatable = kind not in ("open", "or", "repeat")
    if depth:
        raise InputError(f"the grammar's rule {rule!r} has unbalanced brackets")


def _escape(character: str) -> str:
    if (known := ESCAPES.get(character)) is not None:
        return known
    code = ord(character)
    return f"\\x{code:02X}" if code < 0x20 or code == 0x7F else character
