"""A tagger of mentions, trained on gold ones: it marks the texts that a model is self-trained on.

An outside tag, then for each type of a corpus one for the first token of a mention and one for the others.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from clew.extract.statements.learning.encoder import Encoder
from clew.extract.statements.pairing import TokenMention

__all__ = ["TAGGED_TYPES", "TagSettings", "TaggedDocument", "Tagger", "find_mentions", "fit_tagger", "tags_of"]

TAGGED_TYPES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"bc5cdr": ("chemical", "disease"), "biored": ("chemical", "gene", "variant", "disease")}
)
IGNORED = -100


@dataclass(frozen=True, slots=True)
class TaggedDocument:
    """The tokens of a gold document, without [CLS] and [SEP], and their tags."""

    document: str
    corpus: str
    tokens: NDArray[np.int64] = field(repr=False)  # (length,)
    tags: NDArray[np.int64] = field(repr=False)  # (length,)


@dataclass(frozen=True, slots=True)
class TagSettings:
    """How a tagger is trained and read."""

    begin: int  # [CLS]
    end: int  # [SEP]
    epochs: int = 12
    batch: int = 16
    rate: float = 1e-4
    head_rate: float = 1e-3
    length: int = 510  # tokens of a text
    device: str = "cpu"


class Tagger(nn.Module):  # type: ignore[misc]
    """An encoder and, for each corpus, scores of its tags."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(0.1)
        width = encoder.words.embedding_dim
        self.tags = nn.ModuleDict({name: nn.Linear(width, 1 + 2 * len(kinds)) for name, kinds in TAGGED_TYPES.items()})

    def forward(self, tokens: Tensor, present: Tensor) -> dict[str, Tensor]:
        """Scores (documents, length, tags) by corpus."""
        hidden = self.dropout(self.encoder.read(tokens, present))
        return {name: scores(hidden) for name, scores in self.tags.items()}


def tags_of(length: int, mentions: Sequence[TokenMention], corpus: str) -> NDArray[np.int64]:
    """The tags of a document; of overlapping mentions the longest is tagged."""
    tags = np.zeros(length, np.int64)
    for mention in sorted(mentions, key=lambda each: each.first - each.after):
        if mention.type in TAGGED_TYPES[corpus] and not tags[mention.first : mention.after].any():
            number = TAGGED_TYPES[corpus].index(mention.type)
            tags[mention.first : mention.after] = 2 + 2 * number
            tags[mention.first] = 1 + 2 * number
    return tags


def fit_tagger(tagger: Tagger, documents: Sequence[TaggedDocument], settings: TagSettings) -> list[float]:
    """Train in place; the mean loss of each epoch."""
    device = torch.device(settings.device)
    tagger.to(device).train()
    heads = list(tagger.tags.parameters())
    optimiser = torch.optim.AdamW(
        [
            {"params": list(tagger.encoder.parameters()), "lr": settings.rate},
            {"params": heads, "lr": settings.head_rate},
        ],
        weight_decay=0.01,
    )
    steps = settings.epochs * -(-len(documents) // settings.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, [settings.rate, settings.head_rate], total_steps=steps + 1, pct_start=0.1
    )
    history = []
    for _ in range(settings.epochs):
        losses = []
        order = torch.randperm(len(documents)).tolist()
        for first in range(0, len(order), settings.batch):
            chosen = [documents[number] for number in order[first : first + settings.batch]]
            tokens, present = _padded([each.tokens for each in chosen], settings)
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                scores = tagger(tokens, present)
            parts = [
                functional.cross_entropy(
                    scores[each.corpus][row, 1 : 1 + len(each.tags[: settings.length])].float(),
                    torch.from_numpy(each.tags[: settings.length]).to(device),
                )
                for row, each in enumerate(chosen)
            ]
            loss = torch.stack(parts).mean()
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(tagger.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            losses.append(loss.detach())
        history.append(round(float(torch.stack(losses).mean()), 4))
    tagger.eval()
    return history


@torch.inference_mode()  # type: ignore[untyped-decorator]
def find_mentions(
    tagger: Tagger, texts: Sequence[NDArray[np.int64]], settings: TagSettings, *, batch: int = 256
) -> Iterator[list[tuple[int, int, str]]]:
    """The mentions (first token, the one after the last, type) of each text, in order: chemicals and diseases as BC5CDR
    annotates them, genes and variants as BioRED does, where these overlap with none of the others."""
    for first in range(0, len(texts), batch):
        chosen = texts[first : first + batch]
        tokens, present = _padded(chosen, settings)
        with torch.autocast(torch.device(settings.device).type, torch.bfloat16, enabled="cuda" in settings.device):
            scores = tagger(tokens, present)
        tags = {name: each.argmax(2).cpu().numpy() for name, each in scores.items()}
        for row, text in enumerate(chosen):
            length = min(len(text), settings.length)
            found = list(_spans(tags["bc5cdr"][row, 1 : 1 + length], TAGGED_TYPES["bc5cdr"]))
            taken = np.zeros(length, bool)
            for begin, end, _ in found:
                taken[begin:end] = True
            found += [
                each
                for each in _spans(tags["biored"][row, 1 : 1 + length], TAGGED_TYPES["biored"])
                if each[2] in ("gene", "variant") and not taken[each[0] : each[1]].any()
            ]
            yield sorted(found)


def _spans(tags: NDArray[np.int64], kinds: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Mentions by their tags; one also begins where its first token's tag is missing."""
    begin, now = 0, -1
    for place, tag in enumerate([*tags.tolist(), 0]):
        kind = (tag - 1) // 2 if tag else -1
        if now >= 0 and (kind != now or tag % 2 == 1):
            yield begin, place, kinds[now]
            now = -1
        if kind >= 0 and now < 0:
            begin, now = place, kind


def _padded(texts: Sequence[NDArray[np.int64]], settings: TagSettings) -> tuple[Tensor, Tensor]:
    rows = [torch.tensor([settings.begin, *text[: settings.length].tolist(), settings.end]) for text in texts]
    tokens = pad_sequence(rows, batch_first=True)
    tokens = functional.pad(tokens, (0, -tokens.shape[1] % 8))
    present = torch.zeros_like(tokens)
    for number, row in enumerate(rows):
        present[number, : len(row)] = 1
    return tokens.to(settings.device), present.to(settings.device)
