"""`clew demo` on the real ontology: built once, explained with publications, drawn."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from clew.app.cli.demo import QUESTIONS
from clew.graph.storage.snapshots import snapshot_folder

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_demo(run, home: Path) -> None:
    ran = run("demo")
    assert (ran.code, ran.error) == (0, "")
    assert ran.out.startswith(f"built {home / 'home'}")
    assert "Arachnodactyly (HP:0001166)" in ran.out
    for question in QUESTIONS:
        assert f"? {question}" in ran.out
    assert "3 genes associated with diseases with both Ectopia lentis and Aortic root aneurysm: FBN1" in ran.out
    assert "WHERE NOT EXISTS" in ran.out
    assert "evidence:" in ran.out
    assert "FBN1 —associated_with→ Marfan syndrome —has_phenotype→ Arachnodactyly" in ran.out
    assert "PMID:" in ran.out
    assert "frequency Very frequent (HP:0040281)" in ran.out
    assert "Human Phenotype Ontology" in ran.out
    assert "HPO licence: https://hpo.jax.org" in ran.out
    assert "drawn in clew-demo.html" in ran.out
    assert "lacks_phenotype" not in ran.out

    html = (home / "clew-demo.html").read_text("utf-8")
    picture = ElementTree.fromstring(html[html.index("<svg") : html.index("</svg>") + 6])
    names = {"".join(text.itertext()) for text in picture.findall(f".//{SVG}text")}
    assert {"FBN1", "Arachnodactyly", "Marfan syndrome", "has_phenotype", "NCBIGene:2200"} <= names
    assert "https://pubmed.ncbi.nlm.nih.gov/" in html
    assert "Human Phenotype Ontology" in html

    again = run("demo", "--json", "--out", home / "again.svg")
    report = json.loads(again.out)
    assert list(report) == [
        "graph", "built", "counts", "answers", "phenotype", "hops", "paths", "path_count", "sources", "drawing",
    ]  # fmt: skip
    assert not report["built"], "the second time it is only opened"
    assert [hop["hop"] for hop in report["hops"]] == [1, 2, 3]
    for hop in report["hops"]:
        assert hop["count"] == sum(hop["types"].values())
    assert report["path_count"] == len(report["paths"]) > 3
    ElementTree.parse(home / "again.svg")

    (snapshot_folder(Path(report["graph"])) / "manifest.json").write_text("{}")
    assert run("demo", "--json").json["built"], "a graph that cannot be opened is built again"


def test_a_drawing_of_no_known_kind_is_refused_before_anything_is_built(run, home: Path) -> None:
    ran = run("demo", "--out", "demo.png")
    assert (ran.code, ran.out) == (2, "")
    assert not (home / "home").exists()
