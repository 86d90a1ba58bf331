"""A short run of every attack, and proof that each would notice what it looks for."""

import json
import random
from pathlib import Path

import pytest

from attack import corruption, killing, questions, rebuilding
from attack.run import joined, markdown
from attack.tally import Tally
from attack.zygote import Commands

pytestmark = pytest.mark.slow


def test_short_corruption(tmp_path: Path) -> None:
    tally = corruption.attack(tmp_path, seed=3, tries=5, seconds=20)
    assert tally.failures == []
    assert tally.tries > 0


@pytest.mark.soak
@pytest.mark.parametrize("attack", [corruption.attack, killing.attack, questions.attack, rebuilding.attack])
def test_longer_attacks(attack: object, tmp_path: Path) -> None:
    assert callable(attack)
    tally = attack(tmp_path, seed=random.randrange(1000), tries=60, seconds=30)
    assert tally.failures == []
    assert tally.tries > 0


def test_short_kills(tmp_path: Path) -> None:
    tally = killing.attack(tmp_path, seed=3, tries=4, seconds=60)
    assert tally.failures == []
    assert tally.outcomes["while writing"] > 0


def test_short_questions(tmp_path: Path) -> None:
    tally = questions.attack(tmp_path, seed=3, tries=20, seconds=15)
    assert tally.failures == []
    assert tally.outcomes["answered"] > 0


def test_short_rebuild(tmp_path: Path) -> None:
    tally = rebuilding.attack(tmp_path, seed=3, tries=3, seconds=5, each=3.0)
    assert tally.failures == []
    assert tally.tries == 6


def test_wrong_answers_are_noticed(tmp_path: Path) -> None:
    """A graph with other triples in its place is what a corruption that nobody finds would look like."""
    with Commands(tmp_path) as commands:
        for name, seed in (("one", 1), ("other", 2)):
            commands.call("attack.graphs:build", str(tmp_path / name), seed)
        one, other = (
            json.loads(commands.call("attack.corruption:probe", str(tmp_path / each)).out) for each in ("one", "other")
        )
    assert one["hop"] != other["hop"]
    assert one["cypher"] != other["cypher"]
    assert "answer" in one["ask"]


def test_every_file_is_hit(tmp_path: Path) -> None:
    with Commands(tmp_path) as commands:
        commands.call("attack.corruption:prepare", str(tmp_path / "g.clew"))
    files = {
        each.relative_to(tmp_path / "g.clew").as_posix() for each in (tmp_path / "g.clew").rglob("*") if each.is_file()
    }
    corruptor = corruption.Corruptor(1)
    ways, corruptor.ways = corruptor.ways, {"more": corruptor.ways["more"]}  # which leaves every file where it is
    assert {corruptor.damage(tmp_path / "g.clew")[1] for _ in range(900)} == files
    corruptor.ways = ways
    tried = set()
    for number in range(120):
        place = tmp_path / f"copy{number}"
        place.mkdir()
        (place / "manifest.json").write_text(json.dumps({"a": ["bakex"] * 30, "b": {"c": 1}}))
        (place / "other.npy").write_bytes(bytes(range(256)))
        tried.add(corruptor.damage(place)[0])
    assert tried == set(ways)
    assert any("derived" in each and "names" in each for each in files)
    assert any("ladybug" in each for each in files)
    assert any("vectors" in each for each in files)


def test_mixed_readers_are_noticed() -> None:
    expected = {"a": {"hop": [1], "names": [2]}, "b": {"hop": [3], "names": [4]}}
    mixed = json.dumps({"snapshot": "a", "seen": [["hop", [1]], ["names", [4]]]})
    assert "mixed" in str(rebuilding._judged(mixed, expected)[1])
    told = json.dumps(
        {"snapshot": "a", "seen": [["hop", [1]], ["names", {"sentence": "it was replaced; open it again"}]]}
    )
    assert rebuilding._judged(told, expected) == ("told that it was replaced", None)


def test_the_table_says_what_happened() -> None:
    row = {"attack": "kills", "tries": 3, "failures": 1, "outcomes": {"while writing": 2, "failed": 1}}
    machine = {"system": "Linux 6", "architecture": "aarch64", "cores": 2}
    text = markdown({"rows": [row], "machine": machine, "runs": [{"seconds": 60, "seed": 1, "load": 0.5}]})
    assert "| 3 | while writing 2, failed 1 | 1 |" in text


def test_runs_with_several_seeds_add_up() -> None:
    row = Tally("kills")
    row.add("build", "while writing")
    record = {"rows": [row.to_record()], "runs": [{"seconds": 60, "seed": 1, "load": 0.5}]}
    row.add("build", "while writing", "damaged", "the graph")
    both = joined(record, {"rows": [row.to_record()], "runs": [{"seconds": 30, "seed": 2, "load": 0.1}]})
    (added,) = both["rows"]
    assert (added["tries"], added["failures"], added["outcomes"]) == (3, 1, {"failed": 1, "while writing": 2})
    assert [run["seed"] for run in both["runs"]] == [1, 2]
