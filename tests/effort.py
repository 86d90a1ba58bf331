"""How hard property tests try: a third of their examples in every run, all of them in `make soak`."""

import os

__all__ = ["WHOLE", "examples"]

WHOLE = os.environ.get("CLEW_TEST_EXAMPLES") == "all"


def examples(most: int) -> int:
    """How many examples to try of `most`."""
    return most if WHOLE else most // 3
