"""Which models may write queries."""

import pytest

from clew.answer.models.capability import can_compose
from clew.lm import LanguageModel
from clew.lm.clients.scripted import Scripted


@pytest.mark.parametrize(
    ("name", "identity", "able"),
    [
        ("Llama-3.2-3B-Instruct-Q4_K_M", "gguf:0", True),
        ("Qwen2.5-0.5B-Instruct", "gguf:0", False),
        ("SmolLM2-360M", "openai:http://x/v1#SmolLM2-360M", False),
        ("llama3.2", "openai:http://x/v1#llama3.2", True),
        ("gemma3:4b", "openai:http://x/v1#gemma3:4b", True),
        ("mine", "gguf:0", False),
        ("b2b", "gguf:0", False),
        ("1.5B", "gguf:0", False),
        ("Qwen", "gguf:cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046", False),
    ],
)
def test_size_decides_where_nothing_was_tried(name: str, identity: str, able: bool) -> None:
    model = Scripted(name=name)
    model.identity = identity
    assert can_compose(model) is able


def test_the_default_model_may_not(small_model: LanguageModel) -> None:
    assert not can_compose(small_model)
