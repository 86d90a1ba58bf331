"""Which code gave a figure."""

import subprocess
from pathlib import Path

import pytest

from clew._version import __version__
from clew.evaluate.revision import revision


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with a package in src/clew."""
    package = tmp_path / "src" / "clew"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    return tmp_path


def test_a_clean_checkout_is_its_commit(checkout: Path) -> None:
    assert revision(checkout / "src" / "clew") == git(checkout, "rev-parse", "--short", "HEAD")


@pytest.mark.parametrize("changed", ["src/clew/__init__.py", "src/clew/new.py"])
def test_changes_are_marked(checkout: Path, changed: str) -> None:
    (checkout / changed).write_text("x = 1\n")
    assert revision(checkout / "src" / "clew") == git(checkout, "rev-parse", "--short", "HEAD") + "+"


def test_the_surroundings_of_another_repository_do_not_count(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", str(checkout / "nowhere"))
    assert revision(checkout / "src" / "clew") != __version__


def test_without_a_checkout_it_is_the_version(tmp_path: Path, checkout: Path) -> None:
    installed = checkout / "venv" / "site-packages" / "clew"  # in a checkout, but not of this package
    installed.mkdir(parents=True)
    assert revision(installed) == __version__
    (tmp_path / "src" / "clew").mkdir(parents=True, exist_ok=True)
    empty = checkout / "other"
    (empty / "src" / "clew").mkdir(parents=True)
    git(empty, "init", "-q")  # no commit yet
    assert revision(empty / "src" / "clew") == __version__


def test_without_git_it_is_the_version(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(checkout / "nothing"))
    assert revision(checkout / "src" / "clew") == __version__
