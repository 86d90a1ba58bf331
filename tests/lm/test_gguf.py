"""Model files that are wrong or damaged: one sentence each, and this process lives on."""

from pathlib import Path

import pytest

from clew.errors import InputError, MissingModel, ModelError, UnknownName
from clew.lm import open_model
from clew.lm.gguf import read_header
from clew.models import locate


@pytest.fixture(scope="module")
def weights(model: object) -> Path:
    return locate("smollm2")["SmolLM2-135M-Instruct.Q4_1.gguf"]


@pytest.fixture(scope="module")
def beginning(weights: Path) -> bytes:
    with open(weights, "rb") as file:
        return file.read(3_000_000)


def test_the_header_tells_of_the_model(weights: Path) -> None:
    header = read_header(weights)
    assert header.architecture == "llama"
    assert header.context == 8192


def make_cases(beginning: bytes) -> dict[str, tuple[bytes, str]]:
    noise = bytes(range(256)) * 40
    return {
        "empty": (b"", "it is empty"),
        "zeros": (bytes(4096), "begins with"),
        "page": (b"<html>not found</html>", "begins with b'<htm'"),
        "magic": (beginning[:4], "truncated"),
        "old": (beginning[:4] + (1).to_bytes(4, "little") + noise, "format version is 1"),
        "noise": (beginning[:8] + noise, "its header counts"),
        "noise after counts": (beginning[:24] + noise, "longer than the file"),
        "header cut": (beginning[:1000], "truncated|longer than the file"),
        "vocabulary cut": (beginning[:500_000], "truncated|longer than the file"),
        "weights cut": (beginning, "3,000,000 bytes, but weights should start after byte"),
    }


@pytest.mark.parametrize("case", make_cases(b""))
def test_files_that_are_no_whole_models(beginning: bytes, tmp_path: Path, case: str) -> None:
    content, sentence = make_cases(beginning)[case]
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=sentence) as caught:
        open_model(str(path))
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_file_that_makes_llama_cpp_abort_is_a_sentence(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Header and size are right, but a token stands twice in the vocabulary: llama.cpp asserts and aborts."""
    monkeypatch.setenv("CLEW_MODELS", str(tmp_path))
    content = bytearray(weights.read_bytes())
    twice, once = ("\u0120" + word for word in ("France", "Canada"))
    at = content.index(b"\x08" + bytes(7) + once.encode())
    assert b"\x08" + bytes(7) + twice.encode() in content
    content[at + 8 : at + 16] = twice.encode()
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    for _ in range(2):  # a failure is not remembered as a success
        with pytest.raises(ModelError, match=r"does not load .llama.cpp crashes on it.: it is damaged"):
            open_model(str(path))
    assert capfd.readouterr().err == ""


def test_weights_cut_inside_the_last_tensor(weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_MODELS", str(tmp_path))
    path = tmp_path / "model.gguf"
    path.write_bytes(weights.read_bytes()[:-1])
    with pytest.raises(ModelError, match=r"does not load .llama.cpp rejects it."):
        open_model(str(path))


def test_names_that_are_no_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownName, match="did you mean 'smollm2'"):
        open_model("smolm2")
    with pytest.raises(InputError, match="'minilm' is an encoder"):
        open_model("minilm")
    with pytest.raises(MissingModel, match=r"no model file .*nothing\.gguf"):
        open_model(str(tmp_path / "nothing.gguf"))
    with pytest.raises(ModelError, match="Is a directory"):
        open_model(str(tmp_path) + "/")
    monkeypatch.setenv("CLEW_MODELS", str(tmp_path))
    with pytest.raises(MissingModel, match="run `clew models get smollm2`"):
        open_model()


def test_settings_that_make_no_sense() -> None:
    with pytest.raises(InputError, match="trained on 8,192 tokens"):
        open_model(context=9000)
    with pytest.raises(InputError, match="settings of the server"):
        open_model("http://127.0.0.1:9", threads=2)


def test_threads_are_the_cores_that_are_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    from clew.lm.clients import llamacpp

    monkeypatch.delenv("CLEW_THREADS", raising=False)
    monkeypatch.setattr(llamacpp, "idle_cores", lambda: 5)
    assert llamacpp._threads() == 5
    monkeypatch.setenv("CLEW_THREADS", "3")
    assert llamacpp._threads() == 3
    monkeypatch.setenv("CLEW_THREADS", "many")
    with pytest.raises(InputError, match="CLEW_THREADS must be a number"):
        llamacpp._threads()
