"""The shape of the package: imports point one way, there are no cycles, and public names are what they say."""

import ast
import importlib
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

import clew

PACKAGE = Path(clew.__file__).parent
MODULES = {
    ".".join(("clew", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}

# From the ground up: a module may import from its own rung's part and from parts below, never beside or above.
LADDER = [
    {"_version", "errors"},
    {"registry", "progress", "files", "plurals", "cache", "cancellation", "closing", "sizes"},
    {"bolt", "checksums", "json_files", "unpacking"},
    {"sealed"},
    {"models"},
    {"graph", "lm", "embed"},
    {"traverse"},
    {"link", "store"},
    {"extract", "answer"},
    {"evaluate"},
    {"app"},
]
RUNG = {part: number for number, parts in enumerate(LADDER) for part in parts}


@dataclass(frozen=True)
class Code:
    """What one file says: its docstring, its imports with the names taken, and the functions and classes it defines."""

    said: str | None
    lines: int
    imports: tuple[tuple[str, str | None, bool], ...]  # module, name taken from it, whether inside a function
    defined: tuple[str, ...]


@cache
def read(path: Path) -> Code:
    """A file, parsed once for all tests."""
    source = path.read_text("utf-8")
    tree = ast.parse(source)
    imports: list[tuple[str, str | None, bool]] = []
    defined: list[str] = []

    def visit(node: ast.AST, lazily: bool) -> None:
        for child in ast.iter_child_nodes(node):
            inside = lazily
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                defined.append(child.name)
                inside = lazily or not isinstance(child, ast.ClassDef)
            elif isinstance(child, ast.ImportFrom):
                imports.extend((child.module or "", alias.name, lazily) for alias in child.names)
            elif isinstance(child, ast.Import):
                imports.extend((alias.name, None, lazily) for alias in child.names)
            visit(child, inside)

    visit(tree, False)
    return Code(ast.get_docstring(tree), len(source.splitlines()), tuple(imports), tuple(defined))


def imported(path: Path, *, lazily_too: bool) -> set[str]:
    """Modules of this package that a file imports, for its types too: at its top only, or inside functions as well."""
    found: set[str] = set()
    for module, name, lazily in read(path).imports:
        if module.split(".")[0] == "clew" and (lazily_too or not lazily):
            whole = f"{module}.{name}"
            found.add(whole if whole in MODULES else module)
    return found


def part_of(module: str) -> str:
    names = module.split(".")
    return names[1] if len(names) > 1 else ""


def test_imports_only_go_down_the_ladder() -> None:
    wrong = []
    for module, path in MODULES.items():
        here = part_of(module)
        if here == "":
            continue  # the package itself hands out names of any part, lazily
        assert here in RUNG, f"{here} has no rung: add it to the ladder"
        for target in sorted(imported(path, lazily_too=True)):
            there = part_of(target)
            if target != "clew" and there != here and not (there and RUNG[there] < RUNG[here]):
                wrong.append(f"{module} (rung {RUNG[here]}) imports {target} (rung {RUNG.get(there)})")
    assert not wrong, "\n".join(wrong)


def test_there_are_no_import_cycles() -> None:
    waiting = {module: imported(path, lazily_too=False) - {module} for module, path in MODULES.items()}
    for module, targets in waiting.items():  # importing a module runs its package first
        for target in list(targets):
            parents = target.split(".")[:-1]
            targets.update(".".join(parents[:n]) for n in range(2, len(parents) + 1))
        targets -= {".".join(module.split(".")[:n]) for n in range(1, module.count(".") + 2)}
    while True:
        free = [module for module, targets in waiting.items() if not targets & waiting.keys()]
        if not free:
            break
        for module in free:
            del waiting[module]
    assert not waiting, f"in a cycle: {sorted(waiting)}"


def test_no_two_modules_of_a_part_import_each_other_lazily() -> None:
    """A circle is one even where an import inside a function hides it; packages hand out names and are left out."""
    plain = {module for module, path in MODULES.items() if path.name != "__init__.py"}
    waiting = {
        module: {each for each in imported(MODULES[module], lazily_too=True) - {module} if each in plain}
        for module in plain
    }
    while free := [module for module, targets in waiting.items() if not targets & waiting.keys()]:
        for module in free:
            del waiting[module]
    while unused := waiting.keys() - set().union(*waiting.values()):  # those that only lead into a circle
        for module in unused:
            del waiting[module]
    assert not waiting, f"in a cycle: {sorted(waiting)}"


def test_graph_is_seen_by_its_readers_and_walkers_alone() -> None:
    """Everything above reads through `GraphContents` and walks through `GraphEngine`, wherever the graph is."""
    homes = ("clew", "clew.graph", "clew.traverse")
    for module, path in MODULES.items():
        if module == "clew" or module.startswith(tuple(f"{home}." for home in homes[1:])) or module in homes:
            continue
        for source, name, _ in read(path).imports:
            if source.startswith("clew") and name is not None:
                assert name != "Graph", f"{module} imports Graph"
                assert source != "clew.graph.model", f"{module} imports {source}"


TRITON = [pytest.mark.slow, pytest.mark.skipif(find_spec("triton") is None, reason="Triton is not installed")]


@pytest.mark.parametrize("kernels", [False, pytest.param(True, marks=TRITON, id="with Triton")])
def test_public_names_exist_and_are_sorted(kernels: bool) -> None:
    wrong = []
    for module in MODULES:
        if module.endswith("_triton") != kernels:
            continue
        loaded = importlib.import_module(module)
        names = list(getattr(loaded, "__all__", ()))
        by_kind = sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
        if names not in (by_kind, sorted(names)):
            wrong.append(f"{module}: not sorted")
        if len(set(names)) != len(names):
            wrong.append(f"{module}: a name twice")
        wrong += [f"{module}: no {name}" for name in names if not hasattr(loaded, name)]
    assert not wrong, "\n".join(wrong)


def test_the_package_hands_out_all_its_names() -> None:
    assert set(dir(clew)) == set(clew.__all__)
    for name in clew.__all__:
        assert getattr(clew, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        clew.nothing  # noqa: B018


def test_modules_open_with_what_they_are_and_are_short() -> None:
    codes = {module: read(path) for module, path in MODULES.items()}
    assert not [module for module, code in codes.items() if not code.said], "these do not say what they are"
    assert not [module for module, code in codes.items() if code.lines > 420], "these are too long"


def test_folders_stay_small() -> None:
    """A folder holds few enough modules that its listing reads like a table of contents."""
    beside = Counter(path.parent for path in MODULES.values() if path.name != "__init__.py")
    crowded = {str(folder.relative_to(PACKAGE)): number for folder, number in beside.items() if number > 16}
    assert not crowded, f"split by idea: {crowded}"


def test_our_words() -> None:
    """Graph theory's words stay with the formats that use them: ours are entity, relation and triple."""
    foreign = re.compile(r"\b(node|edge|vertex|predicate)s?\b", re.IGNORECASE)
    allowed = ("readers", "writers")
    for module, path in MODULES.items():
        if any(part in module for part in allowed):
            continue
        for name in read(path).defined:
            words = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name)
            assert not foreign.search(words), f"{module}.{name}"
