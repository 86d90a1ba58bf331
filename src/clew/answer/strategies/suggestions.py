"""Which other strategies could try a question that a reader declines, and what each would cost."""

from clew.answer.resources import Resources
from clew.answer.strategy import Question
from clew.plurals import counted

__all__ = ["suggest_strategies"]

COSTS = {  # strategy → what it works from, and the most model calls and tokens of its defaults
    "rag": ("from the facts around the names", 1, 600),
    "super-relations": ("along up to 3 relations from the names", 7, 2_500),
}


def suggest_strategies(question: Question, resources: Resources) -> tuple[str, ...]:
    """One sentence for each, such as "rag could try, from the facts around the names (no model call)"."""
    if not resources.linker.detect(question.text, marks=False):
        return ()
    return tuple(
        f"{name} could try, {how} ({_cost(calls, tokens, model=resources.model is not None)})"
        for name, (how, calls, tokens) in COSTS.items()
    )


def _cost(calls: int, tokens: int, *, model: bool) -> str:
    return f"at most {counted(calls, 'model call')}, about {tokens:,} tokens" if model else "no model call"
