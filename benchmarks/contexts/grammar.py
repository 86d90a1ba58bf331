"""A grammar without recursion as a regular expression, so that what is written can be checked token by token."""

import re

__all__ = ["grammar_pattern"]

PIECE = re.compile(
    r'"(?P<literal>(?:[^"\\]|\\.)*)"|(?P<set>\[(?:[^\]\\]|\\.)*\])|(?P<rule>[a-z][a-z-]*)|(?P<rest>[^\s])'
)


def grammar_pattern(grammar: str) -> str:
    r"""The expression of the rule `root`; rules, texts, sets and repetitions are understood.

    >>> grammar_pattern('root ::= "none" | word (" " word){0,2}\nword ::= [a-c]+')
    '(?:none|(?:[a-c]+)(?:\\ (?:[a-c]+)){0,2})'
    """
    rules = dict(line.split(" ::= ", 1) for line in grammar.splitlines() if line.strip())
    return _rule("root", rules, ())


def _rule(name: str, rules: dict[str, str], inside: tuple[str, ...]) -> str:
    if name in inside or name not in rules:
        raise ValueError(f"the rule {name!r} {'contains itself' if name in inside else 'is missing'}")
    made = []
    for found in PIECE.finditer(rules[name]):
        if found["literal"] is not None:
            made.append(re.escape(found["literal"].encode().decode("unicode_escape")))
        elif found["rule"]:
            made.append(_rule(found["rule"], rules, (*inside, name)))
        else:
            made.append("(?:" if found["rest"] == "(" else found["set"] or found["rest"])
    return f"(?:{''.join(made)})"
