"""Ablations: what is dropped is nested, questions travel unharmed, new triples become leaves, variants run apart."""

import json
import tarfile
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
from benchmarks.extraction_ablations_device import Course
from benchmarks.extraction_ablations_mentions import Mentions, Questions, add_leaves, find_new, list_questions, shares
from benchmarks.extraction_ablations_plan import FULL, PLAN, SECOND
from benchmarks.extraction_ablations_prepare import INJECTION

from benchmarks import extraction_ablations as ablations
from clew.extract.chains.graphs import Chains, write_chains
from clew.extract.predict.query_arrays import write_query_arrays
from clew.extract.ranking.arrays import NONE_TAIL, CandidateRows, ExampleQuery, write_examples
from clew.extract.run.settings import Choices
from clew.extract.seed.held_out import prepare_held_out
from clew.extract.seed.reserved import hidden_triples
from clew.graph import Graph
from random_chains import make_chains

RELATIONS = ("induces", "is_a", "treats")


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture
def chains() -> Chains:
    made = make_chains(12, longest=24, relations=len(RELATIONS))
    named = {name: getattr(made, name) for name in Chains.__dataclass_fields__} | {"relations": RELATIONS}
    return Chains(**named)


@pytest.fixture
def questions(chains: Chains) -> Questions:
    """Five mentions of two tokens in every sequence that has room, naming some of seven entities of two types."""
    random = np.random.default_rng(3)
    roomy = np.flatnonzero(chains.lengths >= 12)
    sequence, first = (np.array(each) for each in zip(*product(roomy.tolist(), range(0, 10, 2)), strict=True))
    entity = random.integers(0, 7, len(sequence))
    mentions = Mentions(sequence, first, first + 2, entity)
    fits = np.zeros((2, len(RELATIONS), 2), bool)
    fits[0, 0, 1] = fits[1, 1, 1] = True
    return list_questions(mentions, entity, entity % 2, fits)


def test_questions_are_asked_once_of_what_fits(questions: Questions) -> None:
    mentions = questions.mentions
    expected = set()
    for head, tail in product(range(len(mentions.entity)), repeat=2):
        one, other = int(mentions.entity[head]), int(mentions.entity[tail])
        if mentions.sequence[head] == mentions.sequence[tail] and one != other and other % 2 == 1:
            expected.add((int(mentions.sequence[head]), one, one % 2, other))  # the relation is the head's type here
    head = np.repeat(questions.head, questions.count)
    columns = (mentions.sequence[head], mentions.entity[head], np.repeat(questions.relation, questions.count))
    rows = list(zip(*(each.tolist() for each in (*columns, mentions.entity[questions.tail])), strict=True))
    assert set(rows) == expected
    assert len(rows) == len(expected)


def test_questions_travel_unharmed(questions: Questions, tmp_path: Path) -> None:
    some = questions.take(np.arange(len(questions.head)) % 3 > 0)
    some.free[::2] = False
    some.save(tmp_path / "questions.npz")
    read = Questions.load(tmp_path / "questions.npz")
    for name in ("head", "relation", "count", "tail", "free"):
        assert np.array_equal(getattr(read, name), getattr(some, name)), name
    for name in ("sequence", "first", "last", "entity"):
        assert np.array_equal(getattr(read.mentions, name), getattr(some.mentions, name)), name


def test_shares_of_a_query_and_its_none_sum_to_one(questions: Questions, chains: Chains) -> None:
    queries = questions.ask(chains)
    weights = np.random.default_rng(0).normal(-5, 2, len(questions.head) + len(questions.tail))
    share = shares(weights, queries)
    at = 0
    for count, begin in zip(questions.count.tolist(), np.cumsum(questions.count) - questions.count, strict=True):
        terms = np.array([2.0, *([3.0] * count)])  # [NONE] and its end; two tokens and theirs
        likely = np.exp(weights[at : at + count + 1] / terms)
        assert share[begin : begin + count] == pytest.approx(likely[1:] / likely.sum())
        at += count + 1


def test_what_is_confident_and_free_becomes_leaves(questions: Questions, chains: Chains) -> None:
    share = np.full(len(questions.tail), 0.1)
    share[[4, 9]] = 0.9
    questions.free[9] = False
    rows, triples = find_new(questions, share, least=0.8, relations=len(RELATIONS))
    assert triples == 1
    assert 4 in rows
    head = np.repeat(questions.head, questions.count)
    named = {
        (int(questions.mentions.entity[head[at]]), int(questions.mentions.entity[questions.tail[at]])) for at in rows
    }
    assert len(named) == 1
    grown = add_leaves(chains, questions, rows, share, most=4)
    assert len(chains.leaf_sequence) < len(grown.leaf_sequence) <= len(chains.leaf_sequence) + len(rows)
    place, mention = int(head[4]), int(questions.tail[4])
    begin = chains.offsets[questions.mentions.sequence[place]]
    spelt = chains.roots[begin + questions.mentions.first[mention] : begin + questions.mentions.last[mention]]
    here = (grown.leaf_sequence == questions.mentions.sequence[place]) & (
        grown.head_first == questions.mentions.first[place]
    )
    assert any(np.array_equal(tail[:2], spelt) and not tail[2:].any() for tail in grown.tail[here])


def test_a_head_has_no_more_leaves_than_it_may(questions: Questions, chains: Chains) -> None:
    share = np.linspace(0, 1, len(questions.tail))
    every = np.arange(len(questions.tail))
    grown = add_leaves(chains, questions, every, share, most=2)
    _, count = np.unique(np.stack((grown.leaf_sequence, grown.leaf_root)), axis=1, return_counts=True)
    assert count.max() == 2


def _write_lessons(folder: Path, chains: Chains, questions: Questions) -> None:
    """Every question about the first sequences, the first tail right."""
    rows, queries = CandidateRows(), []
    sequences = [tuple(chains.roots[a:b].tolist()) for a, b in zip(chains.offsets, chains.offsets[1:], strict=False)]
    begin = np.cumsum(questions.count) - questions.count
    for at, head in enumerate(questions.head[:6].tolist()):
        sequence, first, last = (int(getattr(questions.mentions, name)[head]) for name in ("sequence", "first", "last"))
        queries.append(ExampleQuery(sequence, first, last, int(questions.relation[at]), sequence, at % 5))
        rows.add(at, NONE_TAIL, 0, True)
        for place in range(int(questions.count[at])):
            tail = questions.tail[begin[at] + place]
            start = chains.offsets[sequence]
            spelt = chains.roots[start + questions.mentions.first[tail] : start + questions.mentions.last[tail]]
            rows.add(at, tuple(spelt.tolist()), int(place == 0), True, [(at, place)])
    write_examples(folder, sequences, queries, rows, [])


@pytest.fixture
def inputs(chains: Chains, questions: Questions, tmp_path: Path) -> list[str]:
    """The options that name everything a variant reads."""
    write_chains(tmp_path / "chains", chains, identity={})
    write_query_arrays(
        tmp_path / "planted", questions.take(np.arange(len(questions.head)) < 5).ask(chains), identity={}
    )
    _write_lessons(tmp_path / "lessons", chains, questions)
    _write_lessons(tmp_path / "arrays" / "scoring-train", chains, questions)
    variants = tmp_path / "variants"
    (variants / "less-50").mkdir(parents=True)
    questions.save(variants / "questions.npz")
    np.save(variants / "bc5cdr_sequences.npy", np.arange(len(chains)))
    names = ("leaf_sequence", "leaf_root", "head_first", "head_last", "leaf_relation", "tail", "tail_length")
    np.savez(variants / "less-50" / "leaves.npz", **{name: getattr(chains, name)[:3] for name in names})
    arrays = {file.stem: np.load(file) for file in (tmp_path / "lessons").glob("*.npy")}
    np.savez(variants / "less-50" / "lessons.npz", **arrays)
    folders = ("chains", "variants", "lessons", "planted", "arrays", "work")
    options = [word for name in folders for word in (f"--{name}", str(tmp_path / name))]
    return [
        *options,
        "--size",
        "tiny",
        "--steps",
        "2",
        "--sequences",
        "4",
        "--teaching",
        "1",
        "--tuning",
        "0",
    ]


def test_variants_are_trained_taught_and_asked(inputs: list[str], tmp_path: Path) -> None:
    for name in (FULL, "less-50", SECOND):
        assert ablations.main(["one", name, *inputs, "--least", "0.0"]) == 0
    out = tmp_path / "work" / "out"
    reports = {name: json.loads((out / name / "variant.json").read_text()) for name in (FULL, "less-50", SECOND)}
    assert reports["less-50"]["leaves"] == 3
    assert reports[SECOND]["leaves"] == reports[FULL]["leaves"] + reports[SECOND]["leaves added"]
    assert reports[SECOND]["leaves added"] > 0
    before, after = (np.load(out / FULL / f"planted_{when}.npy") for when in ("before", "after"))
    assert before.shape == after.shape
    assert not np.array_equal(before, after)
    assert np.load(out / FULL / "train.npy").dtype == np.float16
    assert not (out / "less-50" / "train.npy").exists()
    with np.load(out / SECOND / "added.npz") as added:
        assert len(added["rows"]) == len(added["share"]) == reports[SECOND]["rows with them"]


def test_a_variant_goes_on_where_it_was_stopped(inputs: list[str], tmp_path: Path) -> None:
    report = tmp_path / "work" / "out" / "less-50" / "variant.json"
    assert ablations.main(["one", "less-50", *inputs]) == 0
    finished = json.loads(report.read_text())
    cut = {**finished, "seconds": {name: finished["seconds"][name] for name in ("trained", "asked")}}
    report.write_text(json.dumps(cut))
    trained = (tmp_path / "work" / "less-50" / "model" / "seal.json").stat().st_mtime_ns
    assert ablations.main(["one", "less-50", *inputs]) == 0
    assert (tmp_path / "work" / "less-50" / "model" / "seal.json").stat().st_mtime_ns == trained
    again = json.loads(report.read_text())
    assert list(again["seconds"]) == list(finished["seconds"])
    assert again["history of teaching"] == finished["history of teaching"]
    assert ablations.main(["one", "less-50", *inputs, "--steps", "3"]) == 0  # another course: all of it anew
    assert json.loads(report.read_text())["steps"] == 3


def test_a_variant_that_fails_stops_no_other_and_time_runs_out(inputs: list[str], tmp_path: Path) -> None:
    from benchmarks.extraction_ablations_device import Course, Inputs
    from benchmarks.extraction_ablations_driver import Limits, run_plan

    folders = Inputs(*(tmp_path / name for name in ("chains", "variants", "lessons", "planted", "arrays", "work")))
    course = Course(size="tiny", steps=1, sequences=4, teaching=0, tuning=0)
    late = run_plan([FULL], folders, course, tmp_path / "late", Limits(begin=-1.0))
    assert late == {FULL: "not begun: out of time"}
    needs = run_plan([SECOND], folders, course, tmp_path / "alone", Limits())
    assert needs == {SECOND: "not begun: it needs full"}
    ended = run_plan(["alpha-25", FULL], folders, course, tmp_path / "out", Limits(2))  # alpha-25 has no leaves
    assert ended["alpha-25"].startswith("failed")
    assert ended[FULL] == "ok"
    with tarfile.open(tmp_path / "out" / "ablations.tar") as archive:
        names = archive.getnames()
    assert {"full/variant.json", "full/train.npy", "alpha-25/log.txt", "ended.json"} <= set(names)
    again = run_plan([FULL, "less-50"], folders, course, tmp_path / "again", Limits(stop=0.2))
    assert again == {FULL: "done before", "less-50": "stopped with 4 steps left"}


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the toy corpus up to its lessons, with planted facts."""
    from clew.extract.run.pipeline import prepare

    run = tmp_path_factory.mktemp("ablations") / "run"
    for _ in range(2):  # facts can be planted when heads are there; what follows is then made anew
        prepare(run, Choices(size="tiny"))
        prepare_held_out(run, Graph(run / "seed.clew"))
    return run


def test_inputs_show_and_ask_nothing_that_is_kept_from_leaves(toy: Path, tmp_path: Path) -> None:
    from benchmarks.extraction_ablations_prepare import prepare

    graph = Graph(toy / "seed.clew")
    counts = prepare(toy, graph, toy / "chains", tmp_path)
    sizes = [counts[name]["leaves"] for name in ("less-25", "less-50", "less-75")]
    assert sizes[0] > sizes[1] > sizes[2] > 0
    taught = [counts[name]["lessons"]["queries with a tail"] for name in ("less-25", "less-50", "less-75")]
    assert taught[0] > taught[1] > taught[2] > 0
    kept = hidden_triples(toy)
    hidden = set(map(frozenset, zip(graph.subject_of(kept).tolist(), graph.forward.end[kept].tolist(), strict=True)))
    questions = Questions.load(tmp_path / "questions.npz")
    entity = questions.mentions.entity
    pairs = [
        frozenset(each)
        for each in zip(
            entity[np.repeat(questions.head, questions.count)].tolist(), entity[questions.tail].tolist(), strict=True
        )
    ]
    assert hidden & set(pairs)  # they are asked about
    assert not hidden & {pair for pair, free in zip(pairs, questions.free.tolist(), strict=True) if free}
    assert questions.free.sum() > 100


def test_smaller_seeds_are_nested() -> None:
    from benchmarks.extraction_ablations_prepare import drop_triples

    dropped = drop_triples(1000, np.arange(0, 1000, 10))
    sizes = {name: len(rows) for name, rows in dropped.items()}
    assert sizes == {"less-25": 225, "less-50": 450, "less-75": 675}
    assert set(dropped["less-25"]) < set(dropped["less-50"]) < set(dropped["less-75"])
    assert not set(dropped["less-75"]) & set(range(0, 1000, 10))


def test_every_variant_says_what_it_is() -> None:
    assert len({each.says for each in PLAN.values()}) == len(PLAN)
    assert all(each.after in (None, FULL) and each.against in PLAN for each in PLAN.values())
    assert all(each.tuned <= PLAN[each.against].tuned for each in PLAN.values())


def test_the_best_mention_counts_only_above_none(questions: Questions, chains: Chains) -> None:
    from benchmarks.extraction_ablations_beta import ExampleQuery as AskedMentions

    some = questions.take(questions.count == 2)
    relation = [RELATIONS[at] for at in some.relation.tolist()]
    asked = AskedMentions(some.ask(chains), some.head, relation, some.tail)
    weights = np.tile([-9.0, -6.0, -3.0], len(some.head))  # of [NONE] and two mentions, in every query
    assert asked.best(weights).tolist() == list(range(1, len(some.tail), 2))
    weights[0] = -0.1
    assert asked.best(weights).tolist() == list(range(3, len(some.tail), 2))
    assert len(asked.best(weights, none=False)) == len(some.head)
    assert not len(asked.best(weights, fewest=3))
    weights[2::3] = -30.0
    assert asked.best(weights).tolist() == list(range(2, len(some.tail), 2))


def test_mentions_are_ranked_for_each_fact(questions: Questions, chains: Chains) -> None:
    from benchmarks.extraction_ablations_beta import ExampleQuery as AskedMentions
    from benchmarks.extraction_ablations_report import _difference, rank_mentions

    from clew.evaluate.extraction.planted import Fact

    some = questions.take(questions.count == 2)
    relation = [RELATIONS[at] for at in some.relation.tolist()]
    asked = AskedMentions(some.ask(chains), some.head, relation, some.tail)
    entity = [f"E:{at}" for at in range(len(questions.mentions.entity))]  # every mention names its own
    facts = [
        Fact(int(head), 0, entity[head], name, entity[some.tail[2 * at]], False)
        for at, (head, name) in enumerate(zip(some.head.tolist(), relation, strict=True))
    ]
    right, wrong = (np.tile([-9.0, *rest], len(facts)) for rest in ((-3.0, -6.0), (-6.0, -3.0)))
    ranked = [rank_mentions(asked, weights, facts, entity) for weights in (wrong, right)]
    assert [each[0] for each in ranked[1].values()] == [fact.object for fact in facts]
    assert [each[1] for each in ranked[0].values()] == [fact.object for fact in facts]
    assert _difference(facts, *ranked, {}).mean == 1.0


def test_users_get_the_settings_of_the_full_model() -> None:
    """What the ablations found better is what `clew extract` does by default."""
    course = Course()
    settings = Choices(size=course.size).settings()
    assert settings.injection == INJECTION
    assert PLAN[FULL].config == {"leaf_share": settings.training.leaf_share}
    assert (settings.teaching.epochs, settings.teaching.rate) == (course.teaching, course.teaching_rate)
