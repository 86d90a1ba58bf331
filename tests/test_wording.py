"""Plain English: words and phrases that were retired (docs/glossary.md has the ones in use) do not come back.

Checked are README, CHANGELOG and docs, every docstring, comment and message of src, and the identifiers of src.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TEXTS = ("txt", "tsv", "json", "js", "css", "lark")
PAGES = ("README.md", "CHANGELOG.md", "docs/*.md", *(f"src/**/*.{ending}" for ending in TEXTS))

PHRASES = {  # retired: in use
    r"held against": "compared with",
    r"(speaks?|spoken|speaking) of": "mentions, is about",
    r"anew": "again",
    r"so many": "a number, or `at most N`",
    r"(to|could not|cannot|can|could) be had": "available",
    r"in vain": "without a result",
    r"the road": "the path",
    r"(left )?out of account": "ignored",
    r"(was|is|are|were|be|been) taken for": "interpreted as",
    r"if not said": "by default",
    r"runners?-up": "alternatives",
    r"rivals?": "alternatives",
    r"namesakes?": "entities that share a name",
    r"at hand": "available",
    r"in silence": "silently",
    r"(broken|broke) off": "interrupted",
    r"(goes|go|went) on where": "resumes",
    r"letter for letter": "exactly",
    r"but for (case|punctuation|accents|plural|spaces|word order)": "ignoring",
    r"likeness": "similarity",
    r"(comes?|came) along": "is included",
    r"carr(y|ies) (the|an|this|its) answer": "supports",
    r"kinds of what": "subclasses of",
    r"(with|without) kinds": "with, without subclasses",
    r"planted": "held-out",
    r"lessons?": "training examples",
    r"(is|are|was|were|be|been|not|never) taught": "fine-tuned",
    r"(as|so|not) sure enough": "below the confidence threshold",
    r"at least so": "at least",
    r"is it so that": "does",
    r"triples? on the way": "supporting triples",
    r"(has|have|had|having) a say": "is used",
    r"put into words": "described, verbalised",
    r"whole or not at all": "atomically",
    r"denials?": "negated triples, negation",
    r"by chance": "at random",
    r"stands? (beside|under|behind|there|above|here|first|last|together)": "is",
    r"(lies|lie|lay) (there|beside)": "is",
    r"what carries": "sources, evidence",
    r"(lets|let) go": "release",
}
IDENTIFIERS = {
    "ways", "course", "offered", "lister", "looks", "tight", "rivals", "rival", "runners", "likeness", "lessons",
    "lesson", "taught", "teaching", "planted", "sifting", "kinds_of", "with_kinds", "chance", "denials", "namesakes",
}  # fmt: skip
RETIRED = re.compile(r"(?<![\w-])(" + "|".join(PHRASES) + r")(?![\w-])", re.IGNORECASE)


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Comments with their line numbers, if one may contain a retired phrase (finding them in all files takes long)."""
    if any(RETIRED.search(" ".join(line.split())) for line in source.splitlines() if "#" in line):
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string


def literals(code: ast.Module) -> Iterator[tuple[int, str]]:
    """Lines of string literals, with their numbers."""
    for part in ast.walk(code):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            for offset, line in enumerate(part.value.splitlines()):
                yield part.lineno + offset, line


def identifiers(code: ast.Module) -> Iterator[tuple[int, str]]:
    """Names of functions, classes, variables, arguments and attributes that a file defines."""
    for part in ast.walk(code):
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield part.lineno, part.name
        elif isinstance(part, ast.arg):
            yield part.lineno, part.arg
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.lineno, part.id


def found_in(path: Path, lines: Iterable[tuple[int, str]]) -> list[str]:
    name = path.relative_to(ROOT)
    return [
        f"{name}:{number}: {found[0]!r} in {line.strip()[:80]!r}"
        for number, line in lines
        for found in RETIRED.finditer(" ".join(line.split()))
    ]


def test_pages_say_it_plainly() -> None:
    paths = [path for pattern in PAGES for path in sorted(ROOT.glob(pattern))]
    assert len(paths) > 100
    found = [
        each for path in paths for each in found_in(path, enumerate(path.read_text("utf-8").splitlines(), start=1))
    ]
    assert not found, "\n".join(found)


def test_code_says_it_plainly() -> None:
    found = []
    for path in sorted(ROOT.glob("src/**/*.py")):
        source = path.read_text("utf-8")
        code = ast.parse(source)
        found += found_in(path, [*comments(source), *literals(code)])
        found += [
            f"{path.relative_to(ROOT)}:{number}: the name {each!r}"
            for number, each in identifiers(code)
            if each.strip("_").lower() in IDENTIFIERS
        ]
    assert not found, "\n".join(found)


def test_retired_words_are_found() -> None:
    source = '"""Held against the lessons."""\nways = [1]  # broken off\nnote = "a lone rival"\n'
    code = ast.parse(source)
    prose = [*comments(source), *literals(code)]
    assert [line for line, _ in prose] == [2, 1, 3]
    assert len([found for _, line in prose for found in RETIRED.findall(line)]) == 4
    assert [name for _, name in identifiers(code)] == ["ways", "note"]
    assert not RETIRED.search("whole numbers, or not at all; understood; so-many")
