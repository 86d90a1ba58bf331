"""Where a model that wrote a query was least sure: the grammars of other queries, which begin as it did up to there."""

from collections.abc import Iterator

from clew.lm import Completion, literal

__all__ = ["branching", "other_grammars"]

BRANCHES = 2  # tokens in whose place the second choice is tried
ENDS = ("", "<|im_end|>")  # texts of a token that ends an answer


def other_grammars(said: Completion) -> Iterator[str]:
    """Grammars of what a model would have written with its second choice in place of a token, the likeliest first.

    Never in place of the first token, which says whether there is a query at all.
    """
    places = []
    for at, token in enumerate(said.logprobs[1:], 1):
        others = [(logprob, text) for text, logprob in token.alternatives if text != token.token]
        if others:
            places.append((*max(others), at))
    for _, text, at in sorted(places, reverse=True)[:BRANCHES]:
        yield branching("".join(token.token for token in said.logprobs[:at]), text)


def branching(begun: str, other: str) -> str:
    """The grammar of answers that begin so, and go on with another token, which may end them."""
    return f"root ::= {literal(begun)}" if other in ENDS else f"root ::= {literal(begun + other)} [^\\n]*"
