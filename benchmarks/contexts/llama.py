"""A GGUF file of the Llama family (or Qwen2) on a GPU: dequantised to float32, plain PyTorch, sequences together.

For rows with a model, where llama.cpp on two cores is too slow. The weights are those that `clew models get` brings, or
any file of these two architectures. Needs torch, tokenizers, jinja2 and gguf.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jinja2
import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers
from torch import Tensor
from torch.nn.functional import linear, rms_norm, scaled_dot_product_attention, silu

__all__ = ["Llama", "Texts"]

CONTROL = 3  # the type of a token that is a marker
QWEN2_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
SPLITS = {  # how a text is split before its bytes are merged, by the name that GGUF has for it
    "smollm": (pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)),
    "qwen2": (
        pre_tokenizers.Split(Regex(QWEN2_WORDS), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ),
}
HALVES = ("qwen2",)  # architectures whose rotary pairs are an element of the first half and one of the second


class Texts:
    """Text to tokens and back, and the template of a conversation."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        split = SPLITS.get(values["tokenizer.ggml.pre"])
        if split is None:
            raise ValueError(f"expected a pre-tokenizer of {', '.join(SPLITS)}, not {values['tokenizer.ggml.pre']!r}")
        tokens: list[str] = values["tokenizer.ggml.tokens"]
        merges = [tuple(each.split(" ")) for each in values["tokenizer.ggml.merges"]]
        self._tokenizer = Tokenizer(models.BPE({token: at for at, token in enumerate(tokens)}, merges))
        self._tokenizer.pre_tokenizer = pre_tokenizers.Sequence(list(split))
        self._tokenizer.decoder = decoders.ByteLevel()
        kinds = zip(tokens, values["tokenizer.ggml.token_type"], strict=True)
        self._tokenizer.add_special_tokens(
            [AddedToken(token, special=True, normalized=False) for token, kind in kinds if kind == CONTROL]
        )
        self._template = jinja2.Environment().from_string(values["tokenizer.chat_template"])
        self.ends = frozenset((values["tokenizer.ggml.eos_token_id"], tokens.index("<|endoftext|>")))

    def encode(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def decode(self, tokens: Sequence[int]) -> str:
        return str(self._tokenizer.decode(list(tokens)))

    def chat(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
        return self.encode(self._template.render(messages=messages, add_generation_prompt=True))


class Llama:
    """The network, with a key-value cache of `slots` sequences of up to `window` tokens."""

    def __init__(
        self, values: Mapping[str, Any], weights: Mapping[str, Tensor], *, device: str, slots: int, window: int
    ) -> None:
        self.texts = Texts(values)
        self.window, self.device = window, device
        kind: str = values["general.architecture"]
        self._layers: int = values[f"{kind}.block_count"]
        self._heads: int = values[f"{kind}.attention.head_count"]
        self._kept: int = values[f"{kind}.attention.head_count_kv"]
        self._size: int = values[f"{kind}.embedding_length"] // self._heads
        self._epsilon: float = values[f"{kind}.attention.layer_norm_rms_epsilon"]
        self._rotate = _rotate_halves if kind in HALVES else _rotate_pairs
        self._weights = weights
        powers = torch.arange(0, self._size, 2, device=device, dtype=torch.float64) / self._size
        self._rates = values[f"{kind}.rope.freq_base"] ** -powers  # (size / 2,)
        shape = (2, self._layers, slots, window, self._kept, self._size)
        self._cache = torch.zeros(shape, device=device)  # keys, values

    @classmethod
    def open(cls, path: Path, *, device: str, slots: int, window: int) -> "Llama":
        """The network of a file."""
        from gguf import GGUFReader, dequantize

        reader = GGUFReader(str(path))
        values = {name: field.contents() for name, field in reader.fields.items()}
        with ThreadPoolExecutor() as pool:
            arrays = pool.map(lambda each: dequantize(each.data, each.tensor_type), reader.tensors)
            names = [each.name for each in reader.tensors]
            weights = {name: torch.tensor(array, device=device) for name, array in zip(names, arrays, strict=True)}
        return cls(values, weights, device=device, slots=slots, window=window)

    @torch.inference_mode()
    def run(self, ids: Sequence[Sequence[int]], first: Sequence[int], slots: Sequence[int]) -> Tensor:
        """The last hidden states of b sequences of n tokens that follow `first` cached ones: (b, n, width)."""
        b, n, upto = len(ids), len(ids[0]), max(first) + len(ids[0])
        rows = torch.tensor(slots, device=self.device)
        at = torch.tensor(first, device=self.device)[:, None] + torch.arange(n, device=self.device)  # (b, n)
        angles = at[:, :, None, None] * self._rates  # (b, n, 1, size / 2)
        turn = (angles.cos().float(), angles.sin().float())
        seen = torch.arange(upto, device=self.device) <= at[:, None, :, None]  # (b, 1, n, upto)
        x = self._weights["token_embd.weight"][torch.tensor(ids, device=self.device)]
        for layer in range(self._layers):
            h = self._norm(x, f"blk.{layer}.attn_norm")
            q = self._rotate(self._apply(h, layer, "attn_q").view(b, n, self._heads, self._size), turn)
            k = self._rotate(self._apply(h, layer, "attn_k").view(b, n, self._kept, self._size), turn)
            v = self._apply(h, layer, "attn_v").view(b, n, self._kept, self._size)
            keys, values = self._cache[:, layer]
            keys[rows[:, None], at], values[rows[:, None], at] = k, v
            k, v = (each[rows, :upto].transpose(1, 2) for each in (keys, values))  # (b, kept, upto, size)
            read = scaled_dot_product_attention(q.transpose(1, 2), k, v, attn_mask=seen, enable_gqa=True)
            x = x + self._apply(read.transpose(1, 2).reshape(b, n, -1), layer, "attn_output")
            h = self._norm(x, f"blk.{layer}.ffn_norm")
            x = x + self._apply(
                silu(self._apply(h, layer, "ffn_gate")) * self._apply(h, layer, "ffn_up"), layer, "ffn_down"
            )
        return self._norm(x, "output_norm")

    @torch.inference_mode()
    def logprobs(self, hidden: Tensor) -> Tensor:
        """Log-probabilities of the next token."""
        words = self._weights.get("output.weight", self._weights["token_embd.weight"])  # the embeddings, if tied
        return linear(hidden, words).log_softmax(-1)

    def _norm(self, x: Tensor, name: str) -> Tensor:
        return rms_norm(x, x.shape[-1:], self._weights[f"{name}.weight"], self._epsilon)

    def _apply(self, x: Tensor, layer: int, name: str) -> Tensor:
        place = f"blk.{layer}.{name}"
        return linear(x, self._weights[f"{place}.weight"], self._weights.get(f"{place}.bias"))


def _rotate_pairs(x: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    """Rotary positions over neighbouring pairs, as GGUF lays out the Llama family."""
    (cos, sin), even, odd = turn, x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)


def _rotate_halves(x: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    """Rotary positions over pairs of one element of each half."""
    (cos, sin), (first, second) = turn, x.chunk(2, -1)
    return torch.cat((first * cos - second * sin, first * sin + second * cos), -1)
