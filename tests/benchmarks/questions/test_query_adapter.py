"""Verdicts on what an earlier adapter wrote, as the next one learns them."""

import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

FOLDERS = ("questions/training", "contexts")  # scripts of a GPU machine import each other without packages
GROWS = "MATCH (farm)-[:GROWS]->(crop {id: $crop1}) RETURN farm"
SELLS = GROWS.replace("GROWS", "SELLS")


def test_new_packs_get_what_was_written_and_whether_it_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    benchmarks = Path(__file__).parents[3] / "benchmarks"
    for folder in FOLDERS:
        monkeypatch.syspath_prepend(benchmarks / folder)
    import query_adapter

    written: list[dict[str, Any]] = [
        {"text": GROWS, "ended": True, "others": [{"text": SELLS, "ended": True}, {"text": GROWS, "ended": True}]},
        {"text": "NONE", "ended": True, "forced": {"text": SELLS, "ended": True}},
        {"text": "MATCH (farm", "ended": False},  # cut off: nothing to judge
    ]
    monkeypatch.setattr(query_adapter, "answered", lambda *given, **options: written)
    known = {"graph": "a", "asked": [["Who?", GROWS]], "new": False}
    new = {"graph": "b", "asked": [["Who grows it?", GROWS], ["Who does?", GROWS], ["What?", SELLS]], "new": True}
    packs = query_adapter.with_verdicts(None, [known, new], None, "")
    assert packs[0] == known
    assert packs[1]["checked"] == [
        ["Who grows it?", GROWS, "yes"],
        ["Who grows it?", SELLS, "no"],  # nearly written
        ["Who does?", SELLS, "no"],
    ]
    kept = query_adapter.judged(None, [known, new], None, "", until=float("inf"))
    assert kept == packs
    assert query_adapter.judged(None, [known, new], None, "", until=0.0) == [known, new]
    monkeypatch.setattr(query_adapter, "answered", raise_for_memory)
    assert query_adapter.judged(None, [known, new], None, "", until=float("inf")) == [known, new]
    for name in ("query_adapter", "query_network", "query_checks", "llama"):
        sys.modules.pop(name, None)


def raise_for_memory(*given: object, **options: object) -> None:
    raise torch.OutOfMemoryError("no memory is left")


def test_steps_hold_packs_that_are_about_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    benchmarks = Path(__file__).parents[3] / "benchmarks"
    for folder in FOLDERS:
        monkeypatch.syspath_prepend(benchmarks / folder)
    import query_adapter

    class Texts:
        def encode(self, text: str) -> list[int]:
            return [1] * len(text)

    monkeypatch.setattr(query_adapter, "PACKED", 20_000)
    packs = [{"graph": "g" * (100 + 37 * (each * each % 71)), "asked": [["Who?", GROWS]]} for each in range(400)]
    steps = query_adapter.batches(packs, Texts(), "")
    sizes = [[query_adapter._tokens(pack) for pack in step] for step in steps]
    assert sorted(size for step in sizes for size in step) == sorted(
        query_adapter._tokens(query_adapter._encoded(pack, Texts(), "")) for pack in packs
    )
    assert all(max(step) * len(step) <= query_adapter.PACKED for step in sizes)
    assert sum(map(sum, sizes)) > 0.9 * sum(max(step) * len(step) for step in sizes)  # little is padded
    assert sizes != sorted(sizes)  # short ones do not all come first
    for name in ("query_adapter", "query_network", "query_checks", "llama"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(("lost", "learned"), [(range(0, 400, 2), 200), (range(20, 400), 20)])
def test_steps_without_a_finite_gradient_are_left_out_and_end_a_training_only_in_a_row(
    monkeypatch: pytest.MonkeyPatch, lost: range, learned: int
) -> None:
    benchmarks = Path(__file__).parents[3] / "benchmarks"
    for folder in FOLDERS:
        monkeypatch.syspath_prepend(benchmarks / folder)
    import query_adapter

    class Texts:
        def encode(self, text: str) -> list[int]:
            return [1] * len(text)

    class Small(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.low = torch.nn.ParameterDict({"a": torch.nn.Parameter(torch.zeros(3))})

        def forward(self, ids: Any, at: Any, sees: Any) -> Any:
            return ids[..., None] * self.low["a"]

        def scores(self, states: Any) -> Any:
            return states

    steps, taken = iter(range(1000)), []
    monkeypatch.setattr(query_adapter, "PACKED", 100)
    monkeypatch.setattr(query_adapter, "DEVICE", "cpu")
    monkeypatch.setattr(query_adapter, "added_to_scores", lambda sees: sees)
    clipped = lambda *_: torch.tensor(float("nan") if next(steps) in lost else 1.0)  # noqa: E731
    monkeypatch.setattr(torch.nn.utils, "clip_grad_norm_", clipped)
    monkeypatch.setattr(torch.optim.AdamW, "step", lambda self: taken.append(self))
    packs = [{"graph": "g", "asked": [["Who?", "MATCH"]]}] * 400
    query_adapter.train(Small(), {"epochs": [packs], "instruction": ""}, Texts(), rate=0.1, until=1e12)
    assert len(taken) == learned
    for name in ("query_adapter", "query_network", "query_checks", "llama"):
        sys.modules.pop(name, None)
