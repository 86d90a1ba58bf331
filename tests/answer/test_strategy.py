"""The contract of strategies, by a toy one; and the resources they answer from, opened once however many ask."""

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError
from pathlib import Path
from shutil import copytree
from threading import Barrier
from time import sleep
from types import ModuleType

import pytest

import clew
from clew.answer import STRATEGIES, Answer, Asker, CypherStrategy, Item, Question, Resources, Strategy
from clew.answer.answer import Evidence
from clew.answer.running.evidence import cite
from clew.answer.strategy import MODEL_SECONDS, SECONDS
from clew.app.assemble import Settings, assemble
from clew.embed.encoders.hashed import HashedEncoder
from clew.errors import ClewError, DamagedDerived, InputError, UnknownName
from clew.link.vectors import build_vectors, vectors_path
from clew.lm.clients.scripted import Scripted
from clew.registry import Entry
from clew.sealed import SEAL

THREADS = 16
QUESTION = "Which genes are linked to arachnodactyly?"


class Neighbours:
    """A toy strategy: what stands one hop from the best entity that the question names."""

    def answer(self, question: Question, resources: Resources) -> Answer:
        mentions = resources.linker.detect(question.text)
        if not mentions or mentions[0].linked.best is None:
            return Answer(question.text, abstained="the question names nothing of this graph")
        named = mentions[0].linked.best.id
        near = resources.engine.hop(named, 1, direction="both")
        items = tuple(Item(row["id"], row["name"], row["type"]) for row in near.entities.to_pylist())
        evidence = Evidence(cite([triple.number for triple in resources.engine.hop_triples(near, 1)], resources.engine))
        text = f"{len(items)} neighbours of {named}"
        return Answer(question.text, text=text, items=items, total=len(items), evidence=evidence, named=(named,))


def test_a_strategy_is_one_method(clinic: Asker) -> None:
    strategy: Strategy = Neighbours()
    asker = Asker(clinic.resources, strategy)
    answer = asker.ask("What about arachnodactyly?")
    assert {item.id for item in answer.items} == {"D:1", "D:2", "D:3"}
    assert {(triple.subject, triple.object) for triple in answer.evidence.triples} == {
        (disease, "P:1") for disease in ("D:1", "D:2", "D:3")
    }
    assert asker.ask("What about nothing?").abstained


def test_the_reader_is_the_first_of_them() -> None:
    assert STRATEGIES.load("cypher") is CypherStrategy
    with pytest.raises(UnknownName, match="did you mean 'cypher'"):
        STRATEGIES.load("cipher")


def test_a_question_is_a_record() -> None:
    question = Question(QUESTION, among=("G:1",))
    assert question == Question(QUESTION, among=("G:1",))
    with pytest.raises(FrozenInstanceError):
        question.text = ""  # type: ignore[misc]
    for seconds in (0, -1.0, float("nan")):
        with pytest.raises(InputError, match="positive number of seconds"):
            Question(QUESTION, timeout=seconds)


def test_without_a_limit_of_its_own_a_question_has_longer_with_a_language_model(clinic: Asker) -> None:
    plain = clinic.resources
    with_model = Resources(plain.engine, store=plain.store, encoder=None, model=Scripted(["FBN1"]))
    assert [Question(QUESTION).seconds(each) for each in (plain, with_model)] == [SECONDS, MODEL_SECONDS]
    assert [Question(QUESTION, timeout=7).seconds(each) for each in (plain, with_model)] == [7, 7]
    assert SECONDS < MODEL_SECONDS


def test_each_part_is_opened_once_from_many_threads(clinic: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every thread gets the same engine, schema, linker, store and words, each made by one call."""
    from clew.answer import resources as module

    opened: list[str] = []
    for name in ("open", "lay_out", "Linker", "open_store"):
        real = getattr(module, name)

        def counted(*given, _name: str = name, _real=real, **options):
            opened.append(_name)
            sleep(0.02)  # time for the others to come in between
            return _real(*given, **options)

        monkeypatch.setattr(module, name, counted)
    path = clinic.resources.engine.snapshot.folder
    together = Barrier(THREADS)
    with Resources(path, encoder=None) as resources, ThreadPoolExecutor(THREADS) as pool:

        def ask(_: int) -> tuple[int, ...]:
            together.wait()
            parts = (resources.engine, resources.schema, resources.linker, resources.store)
            assert Asker(resources).ask(QUESTION).total == 2
            return tuple(map(id, parts))

        assert len(set(pool.map(ask, range(THREADS)))) == 1
    assert sorted(opened) == ["Linker", "lay_out", "open", "open_store"]


def test_damaged_vectors_are_an_error_and_missing_ones_are_not(clinic: Asker, tmp_path: Path) -> None:
    """Without its vectors a graph is linked by words; with damaged ones answers would change silently."""
    path = Path(copytree(clinic.resources.engine.snapshot.folder, tmp_path / "copy.clew"))
    encoder = HashedEncoder(dimension=64)
    with Resources(path, encoder=encoder) as resources:
        assert resources.linker.encoder is None
        build_vectors(resources.engine, encoder)
        folder = vectors_path(resources.engine, encoder)
    with Resources(path, encoder=encoder) as resources:
        assert resources.linker.encoder is encoder
    for name in ("vectors.npy", SEAL):
        content = (folder / name).read_bytes()
        middle = len(content) // 2
        for harmed in (content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :], content[:middle], None):
            if harmed is None:
                (folder / name).unlink()
            else:
                (folder / name).write_bytes(harmed)
            with Resources(path, encoder=encoder) as resources, pytest.raises(DamagedDerived, match="clew index"):
                resources.linker  # noqa: B018
            (folder / name).write_bytes(content)


def test_a_failed_opening_is_tried_again(clinic: Asker, tmp_path: Path) -> None:
    missing = tmp_path / "later.clew"
    resources = Resources(missing, encoder=None)
    for _ in range(2):
        with pytest.raises(ClewError):
            resources.engine  # noqa: B018
    missing.symlink_to(clinic.resources.engine.snapshot.folder)
    assert resources.engine.snapshot.id == clinic.resources.engine.snapshot.id


def test_the_schema_needs_no_store(clinic: Asker, tmp_path: Path) -> None:
    with Resources(clinic.resources.engine, store=str(tmp_path / "never"), encoder=None) as resources:
        assert resources.schema == clinic.resources.schema
        assert Asker(resources).ask("How is FBN1 connected to arachnodactyly?").kind == "path"  # nor do paths
        assert list(tmp_path.iterdir()) == []
        assert Asker(resources).ask(QUESTION).total == 2
    assert list(tmp_path.iterdir()) != []


def test_what_was_handed_in_stays_open(clinic: Asker) -> None:
    model = Scripted(["FBN1"])
    resources = Resources(clinic.resources.engine, store=clinic.resources.store, encoder=None, model=model)
    assert resources.store is clinic.resources.store
    resources.close()
    resources.close()
    assert clinic.ask(QUESTION).total == 2
    with pytest.raises(InputError, match="closed"):
        resources.engine  # noqa: B018


def test_a_path_can_be_asked(clinic: Asker) -> None:
    path = clinic.resources.engine.snapshot.folder
    assert clew.ask(path, QUESTION).total == clew.ask(str(path), Question(QUESTION)).total == 2
    with pytest.raises(ClewError, match="nowhere"):
        clew.ask(path / "nowhere", QUESTION)


def test_a_strategy_is_known_by_name_and_needs_no_fields(clinic: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STRATEGIES._entries, "neighbours", Entry(f"{__name__}:Neighbours", "neighbours of a name"))
    monkeypatch.setitem(sys.modules, __name__, sys.modules.get(__name__) or ModuleType(__name__))
    monkeypatch.setattr(sys.modules[__name__], "Neighbours", Neighbours, raising=False)
    asker = assemble(Settings("unused", strategy="neighbours", encoder=None), engine=clinic.resources.engine)
    assert isinstance(asker.strategy, Neighbours)
    with pytest.raises(UnknownName, match="did you mean 'neighbours'"):
        assemble(Settings("unused", strategy="nabours"), engine=clinic.resources.engine)
    with pytest.raises(InputError, match="an object with answer"):
        Asker(clinic.resources, strategy="neighbours")  # type: ignore[arg-type]
