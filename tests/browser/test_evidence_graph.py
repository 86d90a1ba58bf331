"""The evidence graph: provenance, expansion, grouping, search, fit, download."""

from playwright.sync_api import Page, expect

from browser.clinic import MANY, SENTENCE
from browser.conftest import at, drawn, point

GENES = "Which genes are associated with diseases with arachnodactyly?"
CROWDED = "Which phenotypes does Crowded syndrome have?"


def middle(page: Page, one: str, other: str) -> tuple[float, float]:
    """The middle of the line between two entities."""
    (x0, y0), (x1, y1) = point(page, one), point(page, other)
    return (x0 + x1) / 2, (y0 + y1) / 2


def test_a_line_shows_who_states_its_triple(site: str, page: Page) -> None:
    page.goto(at(site, "explore", graph="clinic", entity="M:1"))
    drawn(page, 2)
    expect(page.locator(".legend").first).to_contain_text("extracted from text")
    page.mouse.move(*middle(page, "M:1", "D:1"))
    panel = page.locator(".panel")
    expect(panel.locator("blockquote")).to_have_text(SENTENCE)
    expect(panel.locator(".origin")).to_have_text("extracted from text")
    expect(panel.get_by_role("link", name="PMID:24")).to_have_attribute("href", "https://pubmed.ncbi.nlm.nih.gov/24/")
    page.mouse.move(0, 0)
    expect(panel).to_contain_text("Point at a line")


def test_an_entity_expands_where_it_is_clicked(site: str, page: Page) -> None:
    page.goto(at(site, "ask", graph="clinic", question=GENES))
    drawn(page, 5)
    page.mouse.click(*point(page, "D:1"))
    expect(page.locator(".panel h3")).to_have_text("Marfan syndrome")
    page.locator(".panel").get_by_role("button", name="Expand").click()
    drawn(page, 7)  # and the drug, and the other phenotype
    expect(page.locator(".legend").first).to_contain_text("extracted from text")
    page.mouse.dblclick(*point(page, "D:3"))
    drawn(page, 8)
    expect(page.locator(".status")).to_contain_text("1 more entity around Beals syndrome")


def test_many_entities_are_grouped_and_groups_open(site: str, page: Page) -> None:
    page.goto(at(site, "ask", graph="clinic", question=CROWDED))
    expect(page.locator(".facts")).to_contain_text("25 supporting triples (a sample)")
    page.get_by_role("button", name="Fetch all evidence").click()
    expect(page.locator(".facts")).to_contain_text(f"{MANY} supporting triples")
    drawn(page, 15)  # 14 entities and a group
    page.mouse.click(*point(page, "group Phenotype"))
    expect(page.locator(".panel h3")).to_have_text(f"{MANY + 1 - 14} more")
    page.locator(".panel").get_by_role("button", name="Show 20").click()
    expect(page.locator(".evidence")).not_to_have_attribute("data-drawn", "15")
    page.get_by_role("button", name=f"Show all {MANY + 1}").click()
    drawn(page, MANY + 1)
    page.get_by_role("button", name="Group", exact=True).click()
    expect(page.locator(".evidence")).not_to_have_attribute("data-drawn", str(MANY + 1))


def test_search_finds_what_is_inside_a_group(site: str, page: Page) -> None:
    page.goto(at(site, "explore", graph="clinic", entity="D:6"))
    drawn(page, 15)
    page.get_by_label("Find in the graph").fill(f"sign number {MANY - 1}")
    expect(page.locator(".status")).to_have_text("1 match")
    point(page, f"Q:{MANY - 1}")
    page.get_by_label("Find in the graph").fill("nowhere")
    expect(page.locator(".status")).to_contain_text("Nothing in this drawing is called “nowhere”")


def test_it_fits_the_screen_in_both_directions(site: str, page: Page) -> None:
    page.goto(at(site, "ask", graph="clinic", question=GENES))
    drawn(page, 5)
    for width, height in ((1600, 700), (700, 1300)):
        page.set_viewport_size({"width": width, "height": height})
        for _ in range(6):
            page.get_by_role("button", name="Zoom in").click()
        page.get_by_role("button", name="Fit to screen").click()
        for key in ("P:1", "D:1", "D:3", "G:1", "G:2"):
            x, y = point(page, key)
            box = page.locator(".drawing").bounding_box()
            assert box is not None
            assert box["x"] < x < box["x"] + box["width"]
            assert box["y"] < y < box["y"] + box["height"]


def test_the_drawing_is_a_file_of_its_own(site: str, page: Page) -> None:
    page.goto(at(site, "ask", graph="clinic", question=GENES))
    drawn(page, 5)
    for format in ("SVG", "HTML"):
        with page.expect_download() as download:
            page.locator(".evidence").get_by_role("button", name=format).click()
        text = download.value.path().read_text("utf-8")
        assert "Marfan syndrome" in text
        assert ("<svg" in text[:200]) == (format == "SVG")
