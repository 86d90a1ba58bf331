"""A few of each kind of bomb in every run; what once ate the memory, hung or was an error that nobody wrote."""

import gzip
import os
from pathlib import Path

import pytest

import clew
from attack.bombs import attack
from attack.zygote import Commands, Ran
from clew.errors import InputError


@pytest.mark.slow
def test_bombs_do_no_harm(tmp_path: Path) -> None:
    tally = attack(tmp_path, seed=4, tries=14, seconds=40)
    assert tally.failures == []
    assert tally.outcomes["refused"] > 0


@pytest.mark.soak
def test_many_bombs_do_no_harm(tmp_path: Path) -> None:
    assert attack(tmp_path, seed=5, tries=60, seconds=240).failures == []


def test_the_ratio_is_named(tmp_path: Path) -> None:
    """2.9 MB that became 9.1 GB of memory."""
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"subject,relation,object\n") + gzip.compress(b"a,b,c\n" * (1 << 21)) * 30)
    with pytest.raises(InputError, match=r"unpacks to more than .* times its .* bytes"):
        clew.build(path, out=tmp_path / "g.clew")


def test_pipes_and_devices_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "zero.csv").symlink_to("/dev/zero")
    for name, kind in (("pipe.csv", "named pipe"), ("zero.csv", "device")):
        with pytest.raises(InputError, match=f"is a {kind}, expected a regular file"):
            clew.build(tmp_path / name, out=tmp_path / "g.clew")


def test_an_honest_file_of_many_alike_rows_is_read(tmp_path: Path) -> None:
    path = tmp_path / "alike.tsv.gz"
    path.write_bytes(gzip.compress(b"subject\trelation\tobject\n" + b"a\tb\tc\n" * 200_000))
    clew.build(path, out=tmp_path / "g.clew")
    assert clew.open(tmp_path / "g.clew").counts["triples"] == 1


def test_faults_are_noticed(tmp_path: Path) -> None:
    """The attack would see a crash, a hang, an error that nobody wrote and too much memory."""
    with Commands(tmp_path) as commands:
        assert commands.call("os:abort").fault() == "ended by signal 6"
        assert "still running" in str(commands.call("time:sleep", 30, seconds=0.3).fault())
        assert "nobody wrote" in str(commands.call("json:loads", "{").fault())
        assert "MiB" in str(commands.call("builtins:len", [0] * 1000).fault(memory=1))
        assert commands.run("info", str(tmp_path / "none.clew")).fault() is None
    silent = Ran(("x",), 2, 0, "", "", 0.1, 0)
    assert "0 sentences" in str(silent.fault())
