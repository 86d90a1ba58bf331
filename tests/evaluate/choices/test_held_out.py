"""Gold from a source that the graph does not have: what is removed, and how the rest supports the gold."""

import pyarrow as pa
import pytest

import clew
from clew.answer import Resources
from clew.errors import UnknownName
from clew.evaluate.choices.generate import generate_choices
from clew.evaluate.choices.held_out import SUPPORT, build_without, by_support
from clew.evaluate.choices.run import run_choices

GENES, DISEASES = 40, 40


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> clew.GraphEngine:
    """Every gene has three diseases: the first of two sources, the second of one, the third of the other."""
    rows = []
    for at in range(GENES):
        for step, sources in ((1, ("kept", "held")), (7, ("held",)), (11, ("kept",))):
            rows += [(f"G:{at}", "associated_with", f"D:{(at * step + step) % DISEASES}", source) for source in sources]
    columns = ("subject", "relation", "object", "source")
    table = pa.table(dict(zip(columns, zip(*rows, strict=True), strict=True)))
    ids = [f"{kind}:{at}" for kind, count in (("G", GENES), ("D", DISEASES)) for at in range(count)]
    types = ["Gene" if id[0] == "G" else "Disease" for id in ids]
    names = [f"{type} number{id[2:]}x" for id, type in zip(ids, types, strict=True)]
    entities = pa.table({"id": ids, "name": names, "type": types})
    sources = [clew.graph.Source("held"), clew.graph.Source("kept")]
    return clew.build(table, entities=entities, sources=sources, out=tmp_path_factory.mktemp("held") / "g.clew")


@pytest.fixture(scope="module")
def rest(whole: clew.GraphEngine, tmp_path_factory: pytest.TempPathFactory) -> clew.GraphEngine:
    return clew.open(build_without(whole, "held", tmp_path_factory.mktemp("rest") / "g.clew"))


def _triples(graph: clew.GraphEngine, source: str | None = None) -> set[tuple[str, str]]:
    found = clew.graph.read_triples(graph, where=clew.graph.Where(sources=source))
    ends = (graph.describe(found[end].to_numpy())["id"].to_pylist() for end in ("subject", "object"))
    return set(zip(*ends, strict=True))


def test_only_what_the_source_alone_states_goes(whole: clew.GraphEngine, rest: clew.GraphEngine) -> None:
    assert _triples(rest) == _triples(whole, "kept")
    assert _triples(rest) < _triples(whole)
    assert rest.counts["entities"] == whole.counts["entities"]
    assert [each.name for each in rest.snapshot.sources] == ["kept"]


def test_gold_is_of_the_source_and_says_how_the_rest_supports_it(
    whole: clew.GraphEngine, rest: clew.GraphEngine
) -> None:
    with Resources(whole, encoder=None) as knowing:
        made = generate_choices(knowing.linker, count=30, source="held")
        with pytest.raises(UnknownName, match="known: held, kept"):
            generate_choices(knowing.linker, count=3, source="hold")
    held, known = _triples(whole, "held"), _triples(rest)
    asked = by_support(made, rest)
    for each in asked:
        if each.gold is None:
            continue
        (id,) = (id for id, option in zip(each.ids, each.options, strict=True) if option == each.gold)
        pair = (id, *each.named) if id.startswith("G") else (*each.named, id)
        assert pair in held
        assert (each.kind == SUPPORT[0]) == (pair in known)
    assert {each.kind for each in asked if each.gold} >= set(SUPPORT[:1] + SUPPORT[2:])
    with Resources(rest, encoder=None) as resources:
        report = run_choices(resources, None, asked, rows=("evidence",), asked={}, sample=1)
    (row,) = report["rows"]
    assert row["by_kind"][SUPPORT[0]]["right"] == 1.0
    assert row["by_kind"][SUPPORT[2]]["right"] == 0.0
