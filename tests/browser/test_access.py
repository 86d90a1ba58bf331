"""For everyone: keyboard alone, a phone, dark colours; axe-core finds no serious barrier."""

from collections.abc import Callable
from importlib.resources import files

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import at, drawn

GENES = "Which genes are associated with diseases with arachnodactyly?"
PHONE = {"width": 390, "height": 844}
AXE = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
STATES = {
    "start": {"tab": "ask", "graph": "clinic"},
    "answer": {"tab": "ask", "graph": "clinic", "question": GENES},
    "declined": {"tab": "ask", "graph": "clinic", "question": "Which diseases have Scolios?"},
    "contents": {"tab": "explore", "graph": "clinic"},
    "entity": {"tab": "explore", "graph": "clinic", "entity": "D:1"},
    "paths": {"tab": "explore", "graph": "clinic", "from": "FBN1", "to": "P:1"},
    "read": {"tab": "read", "graph": "clinic"},
}
SMALL = """[...document.querySelectorAll("main button, main select, nav a")]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 24).map((each) => each.outerHTML)"""
READY = {
    "start": ".examples a", "answer": ".evidence[data-drawn]", "declined": ".choice .chip", "contents": ".bars li",
    "entity": ".evidence[data-drawn]", "paths": ".evidence[data-drawn]", "read": "textarea",
}  # fmt: skip


def opened(site: str, page: Page, state: str) -> None:
    page.goto(at(site, **STATES[state]))
    page.locator(READY[state]).first.wait_for()


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_no_serious_barrier_and_a_phone_shows_all(site: str, page: Page, state: str) -> None:
    opened(site, page, state)
    if state == "read":
        page.get_by_label("Text", exact=True).fill("Arachnodactyly, no scoliosis.")
        page.get_by_role("button", name="Read").click()
        page.locator(".marked").wait_for()
    page.evaluate(AXE)
    for options in ("{ resultTypes: ['violations'] }", "{ runOnly: ['color-contrast'] }"):  # in the dark: colours alone
        found = page.evaluate(f"axe.run(document, {options})")
        serious = [each for each in found["violations"] if each["impact"] in ("serious", "critical")]
        assert not serious, [(each["id"], [place["html"] for place in each["nodes"]][:3]) for each in serious]
        page.emulate_media(color_scheme="dark")
    page.set_viewport_size(PHONE)
    fits_a_phone(page)


def fits_a_phone(page: Page) -> None:
    """Nothing is wider than the screen, and nothing too small to touch."""
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.evaluate(SMALL) == []


def test_on_a_phone_a_question_is_asked_and_its_evidence_touched(site: str, new_page: Callable[..., Page]) -> None:
    page = new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    page.goto(site)
    page.get_by_label("Question").fill(GENES)
    page.get_by_role("button", name="Ask", exact=True).tap()
    expect(page.locator(".headline h2")).to_contain_text("2 genes")
    drawn(page, 5)
    fits_a_phone(page)
    page.locator(".drawing").scroll_into_view_if_needed()
    place = page.eval_on_selector(".evidence", "each => each.view.placeOf('D:1')")
    page.locator(".drawing").tap(position=place)
    expect(page.locator(".panel h3")).to_have_text("Marfan syndrome")
    pinched(page)
    page.get_by_role("button", name="History").tap()
    expect(page.locator(".history a")).to_contain_text(GENES)


def pinched(page: Page) -> None:
    """Two fingers that move apart zoom in around what is between them, and pin nothing else."""
    page.locator(".drawing").scroll_into_view_if_needed()
    box = page.locator(".drawing").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    apart = (
        "each => { const [a, b] = ['G:1', 'P:1'].map((key) => each.view.placeOf(key)); return Math.abs(a.x - b.x); }"
    )
    before = page.eval_on_selector(".evidence", apart)
    fingers = page.context.new_cdp_session(page)
    for kind, far in (("touchStart", 20), ("touchMove", 40), ("touchMove", 60), ("touchEnd", 0)):
        points = [{"x": x - far, "y": y, "id": 0}, {"x": x + far, "y": y, "id": 1}] if far else []
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert page.eval_on_selector(".evidence", apart) == pytest.approx(3 * before, rel=0.05)
    expect(page.locator(".panel h3")).to_have_text("Marfan syndrome")


def test_by_keyboard_alone(site: str, page: Page) -> None:
    """Ask, walk to the drawing, move in it, expand, edit the query, change tabs: without a pointer."""
    press, focused = page.keyboard.press, "document.activeElement"
    page.goto(site)
    page.locator(".examples a").first.wait_for()
    press("/")
    page.keyboard.type(GENES)
    press("Escape")
    press("Enter")
    expect(page.locator(".headline h2")).to_contain_text("2 genes")
    drawn(page, 5)
    for _ in range(60):
        press("Tab")
        names, outline = page.evaluate(f"[{focused}.className, getComputedStyle({focused}).outlineStyle]")
        assert outline != "none"  # where the focus is can be seen
        if "drawing" in names.split():
            break
    press("ArrowRight")
    expect(page.locator(".panel h3")).to_have_text("Arachnodactyly")
    press("ArrowRight")
    name = page.locator(".panel h3").inner_text()
    assert name in ("Marfan syndrome", "Beals syndrome")
    press("Enter")
    expect(page.locator(".status")).to_contain_text(f"around {name}")
    press("Escape")
    expect(page.locator(".panel")).to_contain_text("Point at a line")
    for _ in range(60):
        press("Tab")
        if page.evaluate(f"{focused}.matches('details.cypher summary')"):
            break
    press("Enter")
    press("Tab")
    page.keyboard.type(" ")
    press("Control+Enter")
    page.wait_for_url("**cypher=**")
    expect(page.locator(".headline h2")).to_contain_text("FBN1")
    page.evaluate(f"{focused}.blur()")
    press("2")
    expect(page.locator(".bars li").first).to_be_visible()


def test_colours_follow_the_system_until_one_chooses(site: str, new_page: Callable[..., Page]) -> None:
    page = new_page(color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    page.goto(site)
    dark = page.evaluate(ground)
    page.get_by_role("button", name="Light or dark").click()
    light = page.evaluate(ground)
    assert dark != light
    page.reload()
    assert page.evaluate(ground) == light
    page.evaluate("localStorage.clear()")
    page.reload()
    assert page.evaluate(ground) == dark
    page.emulate_media(color_scheme="light")
    expect(page.locator("body")).to_have_css("background-color", light)
