"""The shape of the package: imports point one way, there are no cycles, and public names are what they say."""

import ast
import importlib
import re
from collections import Counter
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
    {"registry", "progress", "files", "plurals", "cache", "cancellation", "closing"},
    {"checksums", "json_files", "unpacking"},
    {"sealed"},
    {"models"},
    {"graph", "lm", "embed"},
    {"traverse"},
    {"link", "store"},
    {"distributed"},
    {"extract", "answer"},
    {"evaluate"},
    {"app"},
]
RUNG = {part: number for number, parts in enumerate(LADDER) for part in parts}


def imported(path: Path, *, lazily_too: bool) -> set[str]:
    """Modules of this package that a file imports, for its types too: at its top only, or inside functions as well."""
    tree = ast.parse(path.read_text("utf-8"))
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and not lazily_too:
                continue
            if isinstance(child, ast.ImportFrom) and (child.module or "").split(".")[0] == "clew":
                for alias in child.names:
                    whole = f"{child.module}.{alias.name}"
                    found.add(whole if whole in MODULES else str(child.module))
            elif isinstance(child, ast.Import):
                found.update(alias.name for alias in child.names if alias.name.split(".")[0] == "clew")
            visit(child)

    visit(tree)
    return found


def part_of(module: str) -> str:
    names = module.split(".")
    return names[1] if len(names) > 1 else ""


@pytest.mark.parametrize("module", MODULES)
def test_imports_only_go_down_the_ladder(module: str) -> None:
    here = part_of(module)
    if here == "":
        return  # the package itself hands out names of any part, lazily
    assert here in RUNG, f"{here} has no rung: add it to the ladder"
    for target in imported(MODULES[module], lazily_too=True):
        there = part_of(target)
        if there in ("", here):
            assert there == here or target == "clew", f"{module} imports {target}"
            continue
        assert RUNG[there] < RUNG[here], f"{module} (rung {RUNG[here]}) imports {target} (rung {RUNG[there]})"


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
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("clew"):
                names = {alias.name for alias in node.names}
                assert "Graph" not in names, f"{module} imports Graph"
                assert node.module != "clew.graph.model", f"{module} imports {node.module}"


@pytest.mark.parametrize("module", MODULES)
def test_public_names_exist_and_are_sorted(module: str) -> None:
    for library in ("torch", "triton"):
        if module.endswith((f".{library}", f"_{library}")):
            pytest.importorskip(library)
    loaded = importlib.import_module(module)
    names = getattr(loaded, "__all__", None)
    if names is None:
        return
    missing = [name for name in names if not hasattr(loaded, name)]
    assert not missing
    assert len(set(names)) == len(names)
    assert list(names) == sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name)) or list(
        names
    ) == sorted(names)


def test_the_package_hands_out_all_its_names() -> None:
    assert set(dir(clew)) == set(clew.__all__)
    for name in clew.__all__:
        assert getattr(clew, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        clew.nothing  # noqa: B018


@pytest.mark.parametrize("module", MODULES)
def test_modules_open_with_what_they_are(module: str) -> None:
    tree = ast.parse(MODULES[module].read_text("utf-8"))
    said = ast.get_docstring(tree)
    assert said, f"{module} does not say what it is"
    assert len(MODULES[module].read_text("utf-8").splitlines()) <= 420, f"{module} is too long"


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
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                words = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", node.name)
                assert not foreign.search(words), f"{module}.{node.name}"
