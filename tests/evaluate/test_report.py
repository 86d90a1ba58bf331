"""Reports: every figure is in its place, no text can break out of it, and the page needs nothing but itself."""

import json
import re
import xml.etree.ElementTree as ElementTree
from copy import deepcopy
from dataclasses import asdict
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.errors import InputError
from clew.evaluate.metrics import Given, GoldSet, GoldValue, Seconds, compare_runs, score, summarise
from clew.evaluate.report import read_run, write_markdown, write_page
from clew.evaluate.report.words import clean, measure_name, p_value, percent, points, seconds

NASTY = (
    "</td></script><b>&amp; | `a` ``b`` \"q\" 'q' \n# x\n\t\x00\x1b ]]> 手🖐 \u202e \ufffe <!-- [x](javascript:y) \\| **"
)
VOID = {"meta", "br", "hr"}


def made_run(*, word: str = "Marfan syndrome", levels=("simple", "complex"), each: int = 4) -> dict:
    """A run as JSON gives it back: of each level the first is wrong, the second abstained, the rest right."""
    scores, other, questions = [], [], []
    for level in levels:
        for at in range(each):
            given = [Given((("a", None), ("z", None))), Given(abstained=True), Given(value=7)][min(at, 2)]
            readings = [GoldSet(frozenset("ab")), GoldValue(7)]
            spent = Seconds(0.1 * (at + 1), 0.004, 0.0)
            scores.append(score(f"{level}-{at}", level, given, readings, query_match=at > 2, seconds=spent))
            other.append(score(f"{level}-{at}", level, Given(failed=True), readings))
            questions.append(
                {
                    "question": f"What of {word} {at}?",
                    "answer": "" if given.abstained else f"answer {word}",
                    "understood": [f"read as {word}"],
                    "query": "" if given.abstained else f"MATCH (d {{name: '{word}'}}) RETURN d",
                    "expected": [f"first {word}", f"second {word}"],
                    "expected_queries": [f"gold {word}"],
                    "note": f"nothing fits {word}" if given.abstained else "",
                    "covered": at != 1,
                    "score": asdict(scores[-1]),
                }
            )
    tests = compare_runs(other, scores)
    run = {
        "bench": f"bench {word}",
        "n": len(scores),
        "when": "2026-01-02T03:04:05Z",
        "commit": "abc1234",
        "machine": {"cores": 2, word: word},
        "settings": {"model": None, "store": "ladybug", "text": True, "limits": [1, 2]},
        "graph": word,
        "snapshot": "f00d",
        "summary": asdict(summarise(scores, covered=[scores[0].id])),
        "questions": questions,
        "comparisons": [
            {"first": word, "second": "defaults", "measure": name, "test": asdict(test)} for name, test in tests.items()
        ],
        "cold_seconds": 4.5,
        "notes": [word],
    }
    return json.loads(json.dumps(run))


RUN = made_run()


class Parsed(HTMLParser):
    """The elements of a page, with a check that they nest, and the text in them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")


def tables(text: str) -> list[list[str]]:
    """The tables of a Markdown text, as lists of lines."""
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.startswith("|"):
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [each for each in found if each]


def cells(line: str) -> int:
    """How many cells a table line has: bars that are not escaped."""
    return len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) - 1


# words --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (0.0, "0 ms"),
        (0.0004, "0.4 ms"),
        (0.00994, "9.9 ms"),
        (0.012, "12 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1.00 s"),
        (12.34, "12.3 s"),
    ],
)
def test_seconds(value, shown):
    assert seconds(value) == shown


def test_figures_in_words():
    assert (percent(0.9567), percent(None)) == ("95.7 %", "–")
    assert (points(0.05), points(-0.123)) == ("+5.0", "−12.3")
    assert (p_value(0.0004), p_value(0.0412)) == ("< 0.001", "0.041")
    names = ["precision@1", "recall@5", "capped_recall@10", "f1@1", "ndcg@5", "hits@10", "reciprocal_rank", "f1"]
    assert [measure_name(name) for name in names] == [
        "P@1", "R@5", "R@min(10, gold)", "F1@1", "nDCG@5", "Hits@10", "MRR", "F1",
    ]  # fmt: skip


@settings(deadline=None)
@given(st.text())
def test_clean_text_is_one_line_of_legal_characters(text):
    shown = clean(text)
    assert len(shown.splitlines()) <= 1
    ElementTree.fromstring(f"<a>{shown.replace('&', '').replace('<', '')}</a>")
    assert clean(shown) == shown


# the page -----------------------------------------------------------------------------------------------------------


def test_the_page_needs_nothing_but_itself():
    parsed = Parsed(write_page(RUN))
    assert not {"script", "link", "img", "iframe", "object", "base", "form"} & set(parsed.tags)
    assert not [name for name, _ in parsed.attributes if name in ("src", "href") or name.startswith("on")]
    assert "http" not in "".join(value or "" for name, value in parsed.attributes if name != "http-equiv")
    assert "@import" not in write_page(RUN)
    assert "url(" not in write_page(RUN)


def test_the_page_shows_the_figures():
    text = " ".join(" ".join(Parsed(write_page(RUN)).text).split())
    pooled = RUN["summary"]["pooled"]
    assert pooled["measures"]["result_match"]["mean"] == 0.5
    assert "50.0 %" in text
    assert "66.7 %" in text  # selective accuracy: 4 of the 6 that were answered
    assert "Incorrect: 4 of 8" in text
    assert "Correct: 4 of 8" in text
    assert "4.50 s" in text  # the cold start
    assert "model" in text
    assert "McNemar, exact (n = 8)" in text
    for each in RUN["questions"]:
        assert each["question"] in text
        assert each["query"] in text
    assert "Interpretation 2 of 2, met:" in text
    assert "Interpretation 1 of 2, nearest:" in text
    assert "not covered by the graph" in text


def test_plots_are_svg_with_every_level_and_phase():
    page = write_page(RUN)
    accuracy, latency = (ElementTree.fromstring(each) for each in re.findall(r"<svg.*?</svg>", page, re.DOTALL))
    assert {"simple", "complex", "all"} <= set(accuracy.itertext())
    assert "no time spent" in set(latency.itertext())  # no text was written
    bars = [float(each.get("width")) for each in accuracy.iter("rect") if each.get("class") == "result"]
    assert bars == [pytest.approx(bars[0])] * 3  # every level is right in half
    hills = [each for each in latency.iter("rect") if each.get("class") == "hill"]
    counts = [int(each[0].text.split()[0]) for each in hills]
    assert sum(counts) == 8 * 4  # every question in every phase but text
    for picture in (accuracy, latency):
        width, height = map(float, picture.get("viewBox").split()[2:])
        for each in picture.iter("rect"):
            assert 0 <= float(each.get("x")) <= float(each.get("x")) + float(each.get("width")) <= width
            assert 0 <= float(each.get("y")) <= float(each.get("y")) + float(each.get("height")) <= height
        assert picture[0].tag == "title"


def test_the_bars_follow_the_figures():
    run = deepcopy(RUN)
    run["summary"]["levels"][0]["measures"]["result_match"] = {"mean": 1.0, "low": 0.5, "high": 1.0, "n": 4}
    before, after = (
        [float(x) for x in re.findall(r'<rect class="result"[^>]* width="([\d.]+)"', write_page(each))]
        for each in (RUN, run)
    )
    assert after[0] == pytest.approx(2 * before[0], abs=0.2)
    assert after[1:] == before[1:]


def test_no_text_breaks_out_of_the_page():
    plain, nasty = Parsed(write_page(made_run(word="x"))), Parsed(write_page(made_run(word=NASTY)))
    assert nasty.tags == plain.tags
    assert [name for name, _ in nasty.attributes] == [name for name, _ in plain.attributes]
    assert clean(NASTY) in " ".join(nasty.text)
    assert "\x1b" not in "".join(nasty.text)
    assert "\u202e" not in "".join(nasty.text)


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=40))
def test_no_text_at_all_breaks_out(word):
    plain = Parsed(write_page(made_run(word="x", levels=("one",), each=2))).tags
    assert Parsed(write_page(made_run(word=word, levels=("one",), each=2))).tags == plain


def test_names_of_levels_are_escaped():
    page = write_page(made_run(levels=("<i>&", "b")))
    assert "<i>&" not in page
    assert "&lt;i&gt;&amp;" in page


def test_a_run_that_failed_throughout():
    gold = [GoldSet(frozenset("a"))]
    scores = [score(f"q{at}", "simple", Given(failed=True), gold) for at in range(3)]
    run = deepcopy(RUN)
    run |= {"summary": asdict(summarise(scores)), "comparisons": [], "n": 3, "cold_seconds": None, "notes": []}
    row = {"question": "Why?", "answer": "", "understood": [], "query": "", "expected": ["a"], "note": "no store"}
    run["questions"] = [{**row, "score": asdict(each)} for each in scores]
    run = json.loads(json.dumps(run))
    text = " ".join(Parsed(write_page(read_run(run))).text)
    assert "Incorrect: 3 of 3" in text
    assert "Compared with other runs" not in text
    assert "**q0** (failed) Why?" in write_markdown(read_run(run))


def test_long_texts_are_cut():
    run = deepcopy(RUN)
    run["questions"][0]["expected"] = ["item " * 5_000]
    assert len(write_page(run)) < len(write_page(RUN)) + 2_000
    assert len(write_markdown(run)) < len(write_markdown(RUN)) + 2_000


# Markdown -----------------------------------------------------------------------------------------------------------


def test_markdown_shows_the_figures():
    text = write_markdown(RUN)
    assert "| Result match | 50.0 % (" in text
    assert "## Incorrect: 4 of 8" in text
    assert "**simple-0** (wrong) What of Marfan syndrome 0?" in text
    assert "- expected (interpretation 2 of 2): second Marfan syndrome" in text
    assert "| all: execution | 4.0 ms | 0 ms | 4.0 ms | 4.0 ms |" in text
    assert "abstained (not covered)" in text
    assert "- commit: abc1234" in text
    for each in RUN["questions"]:
        assert text.count(each["score"]["id"]) >= 1


@pytest.mark.parametrize("word", ["x", NASTY, "a|b\\|c\\", "`", "``|``"])
def test_markdown_tables_keep_their_columns(word):
    found = tables(write_markdown(made_run(word=word)))
    assert len(found) == 5
    for table in found:
        assert len({cells(line) for line in table}) == 1, table


def test_markdown_holds_no_html():
    text = re.sub(r"(`+).*?\1", "", write_markdown(made_run(word="<b>bold</b> [x](y)")))
    assert not re.search(r"(?<!\\)<", text)
    assert not re.search(r"(?<!\\)\[", text)


# reading ------------------------------------------------------------------------------------------------------------


def test_a_whole_run_is_read():
    assert read_run(RUN) is RUN


@pytest.mark.parametrize(
    ("path", "missing"),
    [
        ([], "snapshot"),
        (["summary"], "pooled"),
        (["summary", "pooled"], "latency"),
        (["questions", 0], "query"),
        (["questions", 0, "score"], "reading"),
        (["comparisons", 0], "measure"),
        (["comparisons", 0, "test"], "p"),
    ],
)
def test_a_missing_part_is_named(path, missing):
    run = deepcopy(RUN)
    part = run
    for key in path:
        part = part[key]
    del part[missing]
    with pytest.raises(InputError, match=f"lacks {missing}:"):
        read_run(run)


def test_something_else_is_no_run():
    with pytest.raises(InputError, match="is a list, not an object"):
        read_run([])
