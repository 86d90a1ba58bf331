"""Files and directories that are whole or absent: what stands under a name never is half of anything."""

import errno
import os
import posix
from pathlib import Path

import pytest

from clew import files
from clew.errors import GraphError, InputError
from clew.files import BLOCK_BYTES, block_checksums, new_directory, write_bytes, write_text


def fill(path: Path, text: str, *, overwrite: bool = False, marker: str | None = None) -> None:
    with new_directory(path, overwrite=overwrite, marker=marker) as directory:
        (directory / "inside").mkdir()
        (directory / "inside" / "text").write_text(text)


@pytest.fixture(autouse=True)
def synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, bool]]:
    """Wait for the disk, as other tests do not: the files that were synced, and whether `a` had its name by then."""
    done: list[tuple[int, bool]] = []

    def fsync(descriptor: int) -> None:
        posix.fsync(descriptor)
        done.append((os.fstat(descriptor).st_ino, (tmp_path / "a").exists()))

    monkeypatch.setattr(os, "fsync", fsync)
    return done


def leftover(path: Path) -> Path:
    """What a writer of `path` that was killed leaves behind."""
    left = path.with_name(f".{path.name}.0123abcd.part")
    left.mkdir()
    (left / "half").write_text("half")
    return left


class TestWriteBytes:
    def test_replaces_a_file_whole(self, tmp_path: Path) -> None:
        write_text(tmp_path / "a", "one")
        write_bytes(tmp_path / "a", b"two")
        assert (tmp_path / "a").read_text() == "two"
        assert [file.name for file in tmp_path.iterdir()] == ["a"]

    def test_is_on_disk_before_it_has_its_name(self, tmp_path: Path, synced: list[tuple[int, bool]]) -> None:
        write_text(tmp_path / "a", "one")
        assert synced == [((tmp_path / "a").stat().st_ino, False), (tmp_path.stat().st_ino, True)]

    def test_a_failed_write_leaves_the_old_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write_text(tmp_path / "a", "one")

        def full(descriptor: int) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(GraphError, match=r"cannot write .*a: No space left on device"):
            write_text(tmp_path / "a", "two")
        assert (tmp_path / "a").read_text() == "one"
        assert [file.name for file in tmp_path.iterdir()] == ["a"]

    def test_a_missing_folder_is_one_sentence(self, tmp_path: Path) -> None:
        with pytest.raises(GraphError, match="No such file or directory"):
            write_text(tmp_path / "nowhere" / "a", "one")


class TestNewDirectory:
    def test_appears_whole_under_its_name(self, tmp_path: Path) -> None:
        with new_directory(tmp_path / "deep" / "a") as directory:
            assert not (tmp_path / "deep" / "a").exists()
            (directory / "text").write_text("one")
        assert (tmp_path / "deep" / "a" / "text").read_text() == "one"
        assert [file.name for file in (tmp_path / "deep").iterdir()] == ["a"]

    def test_is_on_disk_before_it_has_its_name(self, tmp_path: Path, synced: list[tuple[int, bool]]) -> None:
        fill(tmp_path / "a", "one")
        whole = {each.stat().st_ino for each in (tmp_path / "a", *(tmp_path / "a").rglob("*"))}
        assert len(whole) == 3
        assert whole <= {number for number, named in synced if not named}
        assert (tmp_path.stat().st_ino, True) in synced

    def test_a_failure_inside_leaves_nothing_and_keeps_the_old(self, tmp_path: Path) -> None:
        fill(tmp_path / "a", "one")

        def fail(directory: Path) -> None:
            (directory / "text").write_text("two")
            raise InputError("stop")

        with pytest.raises(InputError, match="stop"), new_directory(tmp_path / "a", overwrite=True) as directory:
            fail(directory)
        assert (tmp_path / "a" / "inside" / "text").read_text() == "one"
        assert [file.name for file in tmp_path.iterdir()] == ["a"]

    def test_an_error_of_the_disk_becomes_one_sentence(self, tmp_path: Path) -> None:
        with (
            pytest.raises(GraphError, match=r"cannot write .*a: No space left on device"),
            new_directory(tmp_path / "a"),
        ):
            raise OSError(errno.ENOSPC, "No space left on device")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("swaps", [True, False])
    def test_overwriting(self, tmp_path: Path, swaps: bool, monkeypatch: pytest.MonkeyPatch) -> None:
        if not swaps:
            monkeypatch.setattr(files, "_exchange", lambda one, other: False)
        fill(tmp_path / "a", "one")
        with pytest.raises(GraphError, match="already exists"):
            fill(tmp_path / "a", "two")
        fill(tmp_path / "a", "two", overwrite=True)
        assert (tmp_path / "a" / "inside" / "text").read_text() == "two"
        assert [file.name for file in tmp_path.iterdir()] == ["a"]

    def test_without_swapping_a_failed_rename_puts_the_old_one_back(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fill(tmp_path / "a", "one")
        monkeypatch.setattr(files, "_exchange", lambda one, other: False)
        rename = Path.rename

        def refuse(self: Path, target: Path) -> Path:
            if self.name.endswith(".part"):
                raise OSError(errno.EIO, "Input/output error")
            return rename(self, target)

        monkeypatch.setattr(Path, "rename", refuse)
        with pytest.raises(GraphError, match="Input/output error"):
            fill(tmp_path / "a", "two", overwrite=True)
        assert (tmp_path / "a" / "inside" / "text").read_text() == "one"
        assert [file.name for file in tmp_path.iterdir()] == ["a"]

    def test_this_system_can_swap(self, tmp_path: Path) -> None:
        (tmp_path / "a").mkdir()
        (tmp_path / "b").write_text("b")
        if not files._exchange(tmp_path / "a", tmp_path / "b"):
            pytest.skip("this file system cannot swap two names")
        assert (tmp_path / "a").read_text() == "b"
        assert (tmp_path / "b").is_dir()

    def test_the_name_taken_meanwhile_is_not_replaced(self, tmp_path: Path) -> None:
        with pytest.raises(GraphError, match="already exists"), new_directory(tmp_path / "a"):
            (tmp_path / "a").write_text("someone else's")
        assert (tmp_path / "a").read_text() == "someone else's"


class TestWhatStandsThere:
    def test_only_what_holds_the_marker_is_replaced(self, tmp_path: Path) -> None:
        fill(tmp_path / "a", "one")
        with pytest.raises(GraphError, match=r"has no manifest\.json, so it is not replaced"):
            fill(tmp_path / "a", "two", overwrite=True, marker="manifest.json")
        (tmp_path / "a" / "manifest.json").write_text("{}")
        fill(tmp_path / "a", "two", overwrite=True, marker="manifest.json")
        assert (tmp_path / "a" / "inside" / "text").read_text() == "two"

    def test_an_empty_directory_is_replaced(self, tmp_path: Path) -> None:
        (tmp_path / "a").mkdir()
        fill(tmp_path / "a", "one", overwrite=True, marker="manifest.json")
        assert (tmp_path / "a" / "inside" / "text").read_text() == "one"

    def test_a_link_is_replaced_and_what_it_leads_to_is_left_alone(self, tmp_path: Path) -> None:
        fill(tmp_path / "target", "target")
        (tmp_path / "a").symlink_to(tmp_path / "target")
        fill(tmp_path / "a", "one", overwrite=True)
        assert not (tmp_path / "a").is_symlink()
        assert (tmp_path / "target" / "inside" / "text").read_text() == "target"
        assert sorted(file.name for file in tmp_path.iterdir()) == ["a", "target"]

    def test_a_link_that_leads_nowhere_exists_too(self, tmp_path: Path) -> None:
        (tmp_path / "a").symlink_to(tmp_path / "nowhere")
        with pytest.raises(GraphError, match="already exists"):
            fill(tmp_path / "a", "one")

    @pytest.mark.parametrize("name", ["a\0b", "x" * 300, "file/below"])
    def test_impossible_names_are_one_sentence(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(GraphError, match="cannot create"):
            fill(tmp_path / name, "one")

    @pytest.mark.parametrize("name", [".", "/"])
    def test_the_folder_one_is_in_is_not_replaced(
        self, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "mine").write_text("")
        with pytest.raises(GraphError, match="is not replaced"):
            fill(Path(name), "one", overwrite=True, marker="manifest.json")
        with pytest.raises(GraphError, match="already exists"):
            fill(Path(name), "one")


class TestLeftovers:
    def test_those_of_dead_writers_are_removed(self, tmp_path: Path) -> None:
        left = leftover(tmp_path / "a")
        fill(tmp_path / "a", "one")
        assert not left.exists()

    def test_those_of_other_names_are_left(self, tmp_path: Path) -> None:
        others = [leftover(tmp_path / "b"), leftover(tmp_path / "a.b"), leftover(tmp_path / ".a")]
        mine = tmp_path / ".a.notes.part"
        mine.mkdir()
        fill(tmp_path / "a", "one")
        assert all(other.exists() for other in (*others, mine))

    def test_a_writer_that_lives_is_left_alone(self, tmp_path: Path) -> None:
        with new_directory(tmp_path / "a", overwrite=True) as first:
            (first / "text").write_text("first")
            fill(tmp_path / "a", "second", overwrite=True)
            assert (first / "text").read_text() == "first"
        assert (tmp_path / "a" / "text").read_text() == "first"
        assert [file.name for file in tmp_path.iterdir()] == ["a"]

    def test_a_directory_swept_away_before_it_was_locked_is_made_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lock, swept = files.lock, []

        def late(descriptor: int) -> bool | None:
            if not swept:  # another writer of the same name starts just now
                swept.extend(tmp_path.iterdir())
                swept[0].rmdir()
            return lock(descriptor)

        monkeypatch.setattr(files, "lock", late)
        fill(tmp_path / "a", "one")
        assert swept
        assert (tmp_path / "a" / "inside" / "text").read_text() == "one"

    def test_a_directory_swept_away_before_it_was_opened_is_made_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        opened, swept = os.open, []

        def late(path: Path, flags: int) -> int:
            if not swept:
                swept.append(path)
                Path(path).rmdir()
            return opened(path, flags)

        monkeypatch.setattr(files.os, "open", late)
        fill(tmp_path / "a", "one")
        monkeypatch.undo()
        assert swept
        assert (tmp_path / "a" / "inside" / "text").read_text() == "one"


class TestBlockChecksums:
    def test_each_block_has_its_own(self, tmp_path: Path) -> None:
        content = bytes(BLOCK_BYTES) + b"x"
        (tmp_path / "a").write_bytes(content)
        before = block_checksums(tmp_path / "a")
        (tmp_path / "a").write_bytes(content[:-1] + b"y")
        after = block_checksums(tmp_path / "a")
        assert len(before) == 2
        assert [one == other for one, other in zip(before, after, strict=True)] == [True, False]

    def test_an_empty_file_has_none(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_bytes(b"")
        assert block_checksums(tmp_path / "a") == []
