"""From injected triples to leafy chains: the tail of each becomes the tokens of a leaf on its head's first token.

Tables of a run go in (sequences, heads, injected); run/chains comes out, arrays that need nothing but numpy.
"""

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.extract.chains.graphs import PAD, SLOTS, UNKNOWN, Chains, save_chains
from clew.extract.chains.injection import read_injected
from clew.extract.mentions.heads import read_heads
from clew.extract.sequences.packing import read_sequences
from clew.extract.sequences.vocabulary import Vocabulary, open_vocabulary
from clew.extract.stage import Stage, write_counts

__all__ = ["STAGE", "grow_leaves", "prepare_chains"]

Ints = NDArray[np.integer]
STAGE = Stage(
    "chains", "prepare", "leafy chain graphs, for training", reads=("injected", "sequences"), headline=("leaves",)
)


def grow_leaves(
    sequences: pa.Table, heads: pa.Table, injected: pa.Table, vocabulary: Vocabulary, tokenizer: str
) -> tuple[Chains, dict[str, int]]:
    """Chains of all sequences with a leaf for each injected triple; what does not fit a leaf is counted."""
    counts: Counter[str] = Counter({"sequences": sequences.num_rows, "injected": injected.num_rows})
    tails = vocabulary.encode(injected["tail"].to_pylist())
    lengths = np.fromiter(map(len, tails), np.int64, len(tails))
    whole = np.fromiter((UNKNOWN not in each for each in tails), bool, len(tails))
    fits = (lengths >= 1) & (lengths <= SLOTS) & whole
    counts["tail of more than seven tokens, or of none"] = int(((lengths < 1) | (lengths > SLOTS)).sum())
    counts["tail with letters that the tokenizer does not know"] = int((~whole).sum())
    relations = tuple(sorted(set(injected["relation"].to_pylist())))
    number = {name: at for at, name in enumerate(relations)}
    relation = np.array([number[name] for name in injected["relation"].to_pylist()], np.int64)
    head = injected["head"].to_numpy()
    first, last = heads["first"].to_numpy()[head], heads["last"].to_numpy()[head]
    sequence = injected["sequence"].to_numpy()
    order = np.flatnonzero(fits)
    order = order[np.lexsort((relation[order], first[order], sequence[order]))]
    tail = np.full((len(order), SLOTS), PAD, np.uint16)
    for at, row in enumerate(order.tolist()):
        tail[at, : lengths[row]] = tails[row]
    tokens = sequences["tokens"].combine_chunks()
    counts["leaves"] = len(order)
    counts["sequences with a leaf"] = len(np.unique(sequence[order]))
    chains = Chains(
        roots=tokens.flatten().to_numpy(),
        offsets=tokens.offsets.to_numpy().astype(np.int64),
        leaf_sequence=sequence[order],
        leaf_root=first[order],
        head_first=first[order],
        head_last=last[order],
        leaf_relation=relation[order],
        tail=tail,
        tail_length=lengths[order],
        relations=relations,
        tokenizer=tokenizer,
    )
    return chains, dict(counts)


def prepare_chains(run: Path) -> dict[str, int]:
    """Write run/chains from the injected triples of a run; returns the counts."""
    run = Path(run)
    work = STAGE.start(run, {})
    if work.finished is not None:
        return work.finished
    path = run / "sequences" / "tokenizer.json"
    chains, counts = grow_leaves(
        read_sequences(run), read_heads(run), read_injected(run), open_vocabulary(path), path.read_text("utf-8")
    )
    with work.seal() as directory:
        save_chains(directory, chains)
        write_counts(directory, counts)
    return counts
