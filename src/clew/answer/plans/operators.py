"""The operators of conditions: which compare, which are bounds or of texts, and each as said from the other side."""

import operator
from collections.abc import Callable
from typing import Any

__all__ = ["BOUNDS", "COMPARISONS", "TEXTUAL", "TURNED"]

BOUNDS = ("<", "<=", ">", ">=")
TEXTUAL = ("CONTAINS", "STARTS WITH", "ENDS WITH", "=~")  # one of several texts is enough
TURNED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
