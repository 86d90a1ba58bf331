"""Text to triples: `clew.extract(texts)` with a shipped model, or a trained encoder of your own (GraphMERT).

A corpus and a seed graph go in, assertions with their sentences come out. Each stage of a training reads and writes
tables in a run directory; `clew.extract.run.pipeline` runs them in order.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


class _Package(ModuleType):
    """The package, which can also be called."""

    def __call__(
        self, texts: str | Iterable[str], *, model: str | Path = "small", confidence: float | None = None
    ) -> "pa.Table":
        """The facts that texts state, as a table: entities, relation, confidence, sentence, and the text's number.

        By default a fact is kept from the threshold of its relation on, that of the best F1 on gold.
        """
        from clew.extract.facts.folder import find_in_texts

        given = [texts] if isinstance(texts, str) else list(texts)
        return find_in_texts(given, model=Path(model), confidence=confidence)


sys.modules[__name__].__class__ = _Package
