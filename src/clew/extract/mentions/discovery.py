"""Head discovery by a helper model: it lists the entities of a sequence; only exact substrings count.

Sequences of a run go in; a table of mentions comes out, without entities, for `prepare_heads` to place and link.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from clew.errors import InputError
from clew.extract.corpus.tables import read_documents
from clew.extract.list_prompt import NOTHING, ListPrompter
from clew.extract.sequences.packing import read_sequences
from clew.extract.sequences.spans import SequenceTokens
from clew.extract.stage import Stage, make_table
from clew.lm import LanguageModel, Usage, literal, load_prompt
from clew.progress import Progress, silent

__all__ = ["MENTIONS", "STAGE", "Discoverer", "discover_mentions", "literal_spans"]

STAGE = Stage("mentions", "prepare", "mentions listed by a helper model", reads=("sequences",))
MENTIONS = pa.schema(
    [
        ("document", pa.string()),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("entity", pa.string()),
        ("type", pa.string()),
    ]
)
LONGEST = 80  # letters of a name
MAX_TOKENS = 160


def literal_spans(name: str, text: str) -> Iterator[tuple[int, int]]:
    """Where a name occurs in a text exactly, as whole words.

    >>> list(literal_spans("gout", "Gout, gouty, gout."))
    [(13, 17)]
    """
    for found in re.finditer(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", text):
        yield found.span()


class Discoverer:
    """Asks a language model for the names in a text; `counts` says how many it made up."""

    def __init__(self, model: LanguageModel, *, most: int = 12) -> None:
        if most < 1:
            raise InputError(f"at least one name is asked for, not {most}")
        self.counts: Counter[str] = Counter()
        self._lister, self._most = ListPrompter(model), most
        self._prompt = load_prompt("clew.extract", "heads.txt")
        self._grammar = "\n".join(
            (
                f'root ::= {literal(NOTHING)} | name ("\\n" name){{0,{most - 1}}}',
                f"name ::= [^\\n]{{2,{LONGEST}}}",
            )
        )

    @property
    def usage(self) -> Usage:
        """What the model's answers cost."""
        return self._lister.usage

    def discover(self, text: str) -> list[tuple[int, int]]:
        """Where the names that the model lists stand in the text, in order; of two that overlap the longer stays."""
        prompt = self._prompt.format(passage=text, most=self._most)
        names = self._lister.ask(prompt, grammar=self._grammar, most=self._most, max_tokens=MAX_TOKENS)
        spans: list[tuple[int, int]] = []
        for name in sorted(names, key=len, reverse=True):
            found = list(literal_spans(name, text))
            self.counts["listed" if found else "not in the text"] += 1
            spans += [each for each in found if not any(each[0] < end and start < each[1] for start, end in spans)]
        return sorted(spans)


def discover_mentions(
    run: Path, model: LanguageModel, *, most: int = 12, progress: Progress = silent
) -> tuple[pa.Table, dict[str, int]]:
    """Ask a model about every sequence of a run: the mentions, and the counts."""
    documents = read_documents(run)
    texts = dict(zip(documents["document"].to_pylist(), documents["text"].to_pylist(), strict=True))
    sequences = read_sequences(run).select(["document", "starts", "ends"])
    tokens, discoverer = SequenceTokens(sequences), Discoverer(model, most=most)
    rows = []
    for sequence, document in enumerate(sequences["document"].to_pylist()):
        progress("asking for heads", sequence, sequences.num_rows)
        for start, end in tokens.segments(sequence):
            passage = texts[document][start:end]
            rows += [(document, start + low, start + high, None, None) for low, high in discoverer.discover(passage)]
    return make_table(rows, MENTIONS), dict(discoverer.counts)
