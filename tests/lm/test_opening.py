"""Opening the model that writes queries: its weights and its adapter, and what is said where one of them is missing."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from clew.errors import MissingModel, ModelError
from clew.lm import open_model, opening
from clew.lm.clients import llama_engine, llamacpp
from clew.lm.clients.llamacpp import LlamaCpp
from clew.models import MODELS

ADAPTER = b"a few trained matrices"


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of models, in a checkout without weights."""
    monkeypatch.setenv("CLEW_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr(opening, "CHECKOUT", tmp_path / "checkout")
    return tmp_path / "models"


@pytest.fixture
def weights(models: Path) -> Path:
    """A file of the name and the size of the weights, with nothing in it."""
    (file,) = MODELS["writer"].files
    path = models / "writer" / file.name
    path.parent.mkdir(parents=True)
    with path.open("wb") as empty:
        empty.truncate(file.size)
    return path


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """What the client was opened with, in the place of opening it."""
    calls: list[dict[str, object]] = []
    loaded = SimpleNamespace(load=lambda name: lambda path, **given: calls.append({"path": path, **given}))
    monkeypatch.setattr(opening, "CLIENTS", loaded)
    return calls


def put(folder: Path) -> Path:
    path = folder / "writer" / "adapter.gguf"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(ADAPTER)
    return path


def test_without_weights_it_says_what_to_run(models: Path) -> None:
    put(models)
    with pytest.raises(MissingModel, match=r"'writer' is not on this machine .*: run `clew models get writer`"):
        open_model("writer")


def test_without_an_adapter_it_says_so(weights: Path, opened: list[dict[str, object]]) -> None:
    with pytest.raises(MissingModel, match=r"what the model 'writer' has learned is not on this machine") as caught:
        open_model("writer")
    assert str(weights.with_name("adapter.gguf")) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not opened


def test_the_adapter_of_a_checkout_goes_before_the_one_beside_the_weights(
    weights: Path, models: Path, opened: list[dict[str, object]], tmp_path: Path
) -> None:
    beside = put(models)
    open_model("writer")
    own = put(tmp_path / "checkout" / "weights")
    open_model("writer")
    assert [(each["path"], each["name"], each["adapter"]) for each in opened] == [
        (weights, "writer", beside),
        (weights, "writer", own),
    ]


def test_other_models_have_none(models: Path, opened: list[dict[str, object]], tmp_path: Path) -> None:
    put(models)
    open_model(str(tmp_path / "other.gguf"))
    assert opened[0]["adapter"] is None


# inside this process --------------------------------------------------------------------------------------------------


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, object]]]:
    """Engines that load nothing."""
    made: list[dict[str, object]] = []

    def engine(path: Path, **given: object) -> SimpleNamespace:
        made.append({"path": path, **given})
        return SimpleNamespace(connection=None, close=lambda: None)

    monkeypatch.setattr(llamacpp, "LlamaEngine", engine)
    monkeypatch.setattr(llamacpp, "LlamaServer", lambda connection: None)
    monkeypatch.setattr(llamacpp, "check_loads", lambda path: None)
    monkeypatch.setattr(llamacpp, "read_header", lambda path: SimpleNamespace(context=64))
    return made


def test_the_identity_has_both_checksums(
    models: Path, engines: list[dict[str, object]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, adapter = tmp_path / "model.gguf", put(models)
    path.write_bytes(b"weights")
    first, second = (hashlib.sha256(each).hexdigest() for each in (b"weights", ADAPTER))
    monkeypatch.chdir(adapter.parent)
    with LlamaCpp(path, adapter=adapter.name) as both, LlamaCpp(path) as bare:
        assert both.identity == f"gguf:{first}+{second}"
        assert bare.identity == f"gguf:{first}"
    assert [each["adapter"] for each in engines] == [adapter, None]
    with pytest.raises(ModelError, match="cannot read"):
        LlamaCpp(path, adapter=tmp_path / "nowhere.gguf")


@pytest.mark.parametrize("adapter", ["adapter.gguf", None])
def test_llama_cpp_is_given_the_adapter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, adapter: str | None) -> None:
    given = []

    def refuse(parameters: object) -> None:
        given.append([(each.path, each.scale) for each in parameters.lora_adapters])  # type: ignore[attr-defined]
        raise RuntimeError("enough")

    monkeypatch.setattr(llama_engine.xllamacpp, "Server", refuse)
    path = None if adapter is None else tmp_path / adapter
    with pytest.raises(ModelError, match=r"llama\.cpp cannot load"):
        llama_engine.LlamaEngine(
            tmp_path / "model.gguf", name="model", context=64, threads=1, listen=False, adapter=path
        )
    assert given == [[] if path is None else [(str(path), 1.0)]]
