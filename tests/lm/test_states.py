"""What a model has read, kept on disk: the same answers, sooner; nothing that does not fit is restored."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew.errors import ModelError
from clew.lm import Completion, Keeping, Request, open_model
from clew.lm.clients import llama_states, llamacpp
from clew.lm.clients.llama_states import KeptFiles, KeptStates, clear_states, kept_files
from clew.lm.clients.llamacpp import LlamaCpp
from clew.lm.wrappers.time_limit import TimeLimit

BEGINNING = "The graph has genes, diseases and phenotypes. " * 5
READ = Request(prompt=f"{BEGINNING}?")
ASKED = Request(prompt=f"{BEGINNING}Name a gene:", max_tokens=6, logprobs=2)
OTHER = Request(prompt="A pub serves beers of several breweries, and " * 5, max_tokens=1)
LIMIT = TimeLimit(600, "the test")
Open = Callable[[], LlamaCpp]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of states in a cache of its own, which is not there yet."""
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "prompts"


def kept_in(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.exists() else []


# the small model ------------------------------------------------------------------------------------------------------


@pytest.fixture
def opened(folder: Path) -> Iterator[Open]:
    """Opens the small model, as another process would."""
    models: list[LlamaCpp] = []

    def open_it() -> LlamaCpp:
        model = open_model("smollm2", threads=1, context=256)
        assert isinstance(model, LlamaCpp)
        models.append(model)
        return model

    yield open_it
    for model in models:
        model.close()


def reread(model: LlamaCpp, request: Request) -> int:
    """Tokens that the model has to read for a request."""
    usage = model.complete(request).usage
    return usage.prompt_tokens - usage.cached_tokens


def said(completion: Completion) -> tuple[object, ...]:
    return completion.text, completion.finish, completion.logprobs


def test_a_restored_state_gives_the_same_answers_without_reading(
    opened: Open, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, first, second = opened(), opened(), opened()
    assert isinstance(first, Keeping)
    plain.complete(Request(prompt=READ.prompt, max_tokens=1))
    first.keep(READ)
    (kept,) = kept_in(folder)
    with monkeypatch.context() as patch:
        patch.setattr(LlamaCpp, "_answer", lambda *given: pytest.fail("it reads again"))
        second.keep(READ)
    answers = [model.complete(ASKED) for model in (plain, first, second)]
    assert said(answers[0]) == said(answers[1]) == said(answers[2])
    assert answers[2].usage.cached_tokens == answers[0].usage.cached_tokens > 30
    scores = [[score.logprob for score in each.score(ASKED, [" FBN1", " Paris"])] for each in (plain, first, second)]
    assert scores[0] == scores[1] == scores[2]
    assert kept_in(folder) == [kept]


def test_a_prompt_in_memory_is_not_lost_when_another_is_restored(opened: Open) -> None:
    first, second = opened(), opened()
    first.keep(READ)
    second.complete(OTHER)
    second.keep(READ)
    assert reread(second, OTHER) < 8
    assert reread(second, ASKED) < 8


def test_what_llama_cpp_refuses_or_cannot_write_is_read(opened: Open, folder: Path) -> None:
    first, second = opened(), opened()
    folder.parent.write_text("not a folder")
    first.keep(READ)
    assert reread(first, ASKED) < 8
    folder.parent.unlink()
    first.keep(READ)
    (kept,) = kept_in(folder)
    kept.write_bytes(b"GGUF")
    foreign = kept.replace(_sealed(kept))
    second.keep(READ)
    assert reread(second, ASKED) < 8
    assert kept_in(folder) == [kept] != [foreign]


def _sealed(path: Path) -> Path:
    """The name that a file with this content would have."""
    return path.with_name(f"{path.name.partition('-')[0]}-{llama_states._checksum(path)}")


def test_a_state_belongs_to_the_weights_the_version_and_the_context(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[object, ...]] = []
    monkeypatch.setattr(llamacpp, "KeptStates", lambda engine, folder, depends: given.append(depends))
    monkeypatch.setattr(llamacpp, "version", lambda name: f"the version of {name}")
    assert opened().identity in given[0]
    assert {"the version of xllamacpp", 256} < set(given[0])


# files, without a model -----------------------------------------------------------------------------------------------


class Engine:
    """Saves and restores tokens, one a line; `full` is a disk that takes only a part of it."""

    name = "engine"
    read: tuple[int, ...] = ()
    full = False

    def __init__(self, states: Path | None) -> None:
        self.states = states

    def save(self, name: str, limit: TimeLimit) -> tuple[int, int]:
        assert self.states is not None
        text = "".join(f"{token}\n" for token in self.read)
        (self.states / name).write_text(text[: len(text) // 2] if self.full else text)
        return len(self.read), len(text)

    def restore(self, name: str, limit: TimeLimit) -> int:
        assert self.states is not None
        self.read = tuple(map(int, (self.states / name).read_text().split()))
        if not self.read:
            raise ModelError("it is empty")
        return len(self.read)


class Reader:
    """A model that keeps what it reads."""

    def __init__(self, folder: Path | None, *depends: str | int) -> None:
        self.engine = Engine(folder)
        self.states = KeptStates(self.engine, folder, depends)  # type: ignore[arg-type]

    def restores(self, *tokens: int) -> bool:
        return self.states.restore(list(tokens), LIMIT)

    def save(self, *tokens: int, read: tuple[int, ...] | None = None) -> None:
        self.engine.read = tokens if read is None else read
        self.states.save(list(tokens), LIMIT)


def test_it_is_found_by_the_same_prompt_of_the_same_model(folder: Path) -> None:
    Reader(folder, "model", 256).save(1, 2, 3)
    later = Reader(folder, "model", 256)
    assert later.restores(1, 2, 3)
    assert later.engine.read == (1, 2, 3)
    assert not later.restores(1, 2, 4)
    assert not Reader(folder, "model", 512).restores(1, 2, 3)
    assert not Reader(folder, "another", 256).restores(1, 2, 3)


@pytest.mark.parametrize("content", [b"1\n2\n4\n", b"1\n2\n", b"", None], ids=["changed", "cut", "empty", "folder"])
def test_a_damaged_file_is_not_restored_but_replaced(folder: Path, content: bytes | None) -> None:
    reader = Reader(folder)
    reader.save(1, 2, 3)
    (kept,) = kept_in(folder)
    if content is None:
        kept.unlink()
        kept.mkdir()
    else:
        kept.write_bytes(content)
    assert not reader.restores(1, 2, 3)
    reader.save(1, 2, 3)
    assert kept_in(folder) == [kept]
    assert reader.restores(1, 2, 3) == (content is not None)


def test_a_file_that_the_model_refuses_is_not_restored(folder: Path) -> None:
    reader = Reader(folder)
    reader.save(1, 2, 3)
    (kept,) = kept_in(folder)
    for content in (b"", b"1\n2\n"):
        kept.write_bytes(content)
        kept = kept.replace(_sealed(kept))
        assert not reader.restores(1, 2, 3)


def test_neither_another_prompt_nor_half_a_file_is_kept(folder: Path) -> None:
    reader = Reader(folder)
    reader.save(1, 2, 3, read=(1, 2))  # another thread asked in between
    reader.engine.full = True
    reader.save(1, 2, 3)
    assert kept_in(folder) == []


def test_the_least_recently_used_go_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader(folder)
    reader.save(1)
    (first,) = kept_in(folder)
    reader.save(2)
    (second,) = set(kept_in(folder)) - {first}
    killed = folder / "killed.part"
    killed.write_bytes(bytes(2))
    for seconds, path in enumerate((killed, first, second)):
        os.utime(path, (seconds, seconds))
    assert reader.restores(1)
    monkeypatch.setattr(llama_states, "MOST_BYTES", 5)
    reader.save(3)
    assert len(kept_in(folder)) == 2
    assert first in kept_in(folder)
    assert not {second, killed} & set(kept_in(folder))


def test_all_that_was_saved_is_cleared(folder: Path) -> None:
    assert clear_states() == kept_files() == KeptFiles(folder)
    reader = Reader(folder)
    reader.save(1)
    reader.save(2, 3)
    saved = KeptFiles(folder, tuple(kept_in(folder)), sum(path.stat().st_size for path in kept_in(folder)))
    assert kept_files() == clear_states() == saved
    assert len(saved.paths) == 2
    assert kept_in(folder) == []
    assert not reader.restores(1)
    reader.save(1)
    assert reader.restores(1)


def test_a_user_without_a_home_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLEW_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)

    def homeless() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", homeless)
    assert llama_states.states_directory() is None
    reader = Reader(None)
    reader.save(1)
    assert not reader.restores(1)
