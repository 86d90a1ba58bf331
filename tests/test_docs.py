"""The pages are short, complete and true: links lead somewhere, the tree is the real one, Python examples run."""

import doctest
import re
import shlex
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path

import pytest

import clew
from clew.app.cli.main import COMMANDS, main

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.glob("*.md"))]
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")
ANCHORED = re.compile(r"\]\(((?:[^)#\s:]+\.md)?)(#[^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
LINKED = re.compile(r"\[([^]]*)\]\([^)]*\)")
FENCE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LONGEST_README = 150  # lines


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= LONGEST_README


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    text = page.read_text("utf-8")
    local = [target for target, _ in LINK.findall(text) if "://" not in target]
    assert [target for target in local if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_headings(page: Path) -> None:
    text = page.read_text("utf-8")
    led = {(page if not target else page.parent / target, anchor[1:]) for target, anchor in ANCHORED.findall(text)}
    assert [(path.name, anchor) for path, anchor in led if anchor not in anchors(path.resolve())] == []


@cache
def anchors(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", LINKED.sub(r"\1", heading).lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_in_the_index() -> None:
    listed = {target for target, _ in LINK.findall((DOCS / "README.md").read_text("utf-8"))}
    assert {page.name for page in DOCS.glob("*.md")} - {"README.md"} <= listed


def test_the_tree_is_the_real_one() -> None:
    """Every folder of src/clew is in the tree of docs/architecture.md, at its place, and nothing else is."""
    text = (DOCS / "architecture.md").read_text("utf-8")
    tree = text[text.index("src/clew/\n") : text.index("tests/   ")]
    shown, parents = set(), [Path("src/clew")]
    for line in tree.splitlines()[1:]:
        name = line.split()[0]
        depth = (len(line) - len(line.lstrip())) // 2
        path = parents[depth - 1] / name
        assert (ROOT / path).exists(), path
        shown.add(str(path))
        parents = [*parents[:depth], path]
    source = ROOT / "src" / "clew"
    folders = {each for each in source.rglob("*") if each.is_dir() and each.name != "__pycache__"}
    deep = {each for each in folders if len(each.relative_to(source).parts) <= 2}
    assert {str(each.relative_to(ROOT)) for each in deep} <= shown


def test_the_python_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = DOCS / "python.md"
    code = FENCE.sub(lambda found: found[1] + "\n", page.read_text("utf-8"))  # a blank line ends expected output
    test = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test)
    assert runner.tries > 50
    assert runner.failures == 0


def test_the_python_page_is_complete() -> None:
    """Every public name is on the page, and every public attribute of an engine and its results is in an example."""
    text = (DOCS / "python.md").read_text("utf-8")
    names = set(clew.__all__) - {"__version__"}
    assert [name for name in sorted(names) if f"clew.{name}" not in text] == []
    examples = "\n".join(line for line in text.splitlines() if line.startswith((">>> ", "... ")))
    kinds = (clew.Engine, clew.HopResult, clew.BatchResult, clew.Paths, clew.Path, clew.Triples)
    public = {name for kind in kinds for name in dir(kind) if not name.startswith("_")}
    inherited = {"index", "graph", "manifest"}
    assert [name for name in sorted(public - inherited) if f".{name}" not in examples] == []


def test_the_ten_lines_of_the_readme_run(
    hpo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = FENCE.findall((ROOT / "README.md").read_text("utf-8"))
    assert len(code.splitlines()) <= 12
    monkeypatch.setattr(clew, "build", lambda source, out: clew.open(hpo))  # built once for all tests
    exec(code, {})
    assert "FBN1" in capsys.readouterr().out


def shown_answers() -> list[tuple[str, str]]:
    pages = "\n".join(page.read_text("utf-8") for page in PAGES)
    return re.findall(r'^\$ clew ask hpo\.clew "(.*?)"\n(.*?)^```', pages, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(("question", "shown"), shown_answers())
def test_answers_in_the_docs_are_the_real_ones(
    question: str, shown: str, hpo: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)  # lines are not cut to a terminal's width
    main(["ask", str(hpo), question])
    out = capsys.readouterr().out
    assert [line for line in shown.splitlines() if line.strip(" …") and line.strip() not in out] == []


def commands() -> list[str]:
    pages = "\n".join(page.read_text("utf-8") for page in PAGES if page.name != "CHANGELOG.md")
    pages = re.sub(r" *\\\n *", " ", pages)  # commands over several lines
    shown = re.findall(r"^(?:\$ )?(clew [a-z].*?)(?:\s{2,}#.*)?$", pages, re.MULTILINE)
    return sorted({re.sub(r"\s+#.*", "", line) for line in shown})


@cache
def help_of(*named: str) -> str:
    with redirect_stdout(StringIO()) as said:
        main([*named, "--help"])
    return said.getvalue()


@pytest.mark.parametrize("line", commands())
def test_commands_in_the_docs_exist(line: str) -> None:
    words = shlex.split(line)[1:]
    assert words[0] in COMMANDS, line
    named = [words[0]]
    text = help_of(*named)
    while len(words) > len(named) and re.search(rf"^  {re.escape(words[len(named)])}  +\S", text, re.MULTILINE):
        named.append(words[len(named)])  # a command of a group
        text = help_of(*named)
    options = {word.partition("=")[0] for word in words[len(named) :] if re.fullmatch(r"--?[a-z][\w-]*(=.*)?", word)}
    assert sorted(option for option in options if not re.search(rf"(?<![\w-]){option}(?![\w-])", text)) == []
