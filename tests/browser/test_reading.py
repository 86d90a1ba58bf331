"""Reading a text on the page: mentions by type, negated ones struck through, extracted triples with sentences."""

import json

from playwright.sync_api import Page, Route, expect

from browser.conftest import at

TEXT = "The patient 🖐 has arachnodactyly and Marfan syndrome, but no scoliosis.\nPossibly myopia."


def test_mentions_are_marked_and_negated_ones_struck_through(site: str, page: Page) -> None:
    page.goto(at(site, "read", graph="clinic"))
    page.get_by_label("Text", exact=True).fill(TEXT)
    page.get_by_role("button", name="Read").click()
    marked = page.locator(".marked")
    expect(marked).to_have_text(TEXT)
    expect(marked.locator(".mention")).to_have_text(["arachnodactyly", "Marfan syndrome", "scoliosis", "myopia"])
    expect(marked.locator("s")).to_have_text(["scoliosis"])
    expect(marked.locator(".uncertain")).to_have_text(["myopia"])
    expect(page.locator(".table").first).to_contain_text("negated")
    colours = {
        each: marked.get_by_text(each).evaluate("e => getComputedStyle(e).borderBottomColor")
        for each in ("arachnodactyly", "Marfan syndrome")
    }
    assert len(set(colours.values())) == 2
    page.reload()
    expect(page.locator(".marked")).to_have_text(TEXT)  # kept for this tab, and never in the address
    assert "patient" not in page.url


def test_a_text_without_mentions_says_so(site: str, page: Page) -> None:
    page.goto(at(site, "read", graph="clinic"))
    page.get_by_label("Text", exact=True).fill("Nothing of that here.")
    page.get_by_role("button", name="Read").click()
    expect(page.locator(".notice.empty").first).to_contain_text("No entity of this graph is mentioned")


def test_extracted_triples_come_with_their_sentences(site: str, page: Page) -> None:
    """The answers of a server with an extraction model, as the interface documents them."""
    fact = {
        "subject": "M:1", "subject_name": "Losartan", "subject_type": "Drug", "relation": "treats", "object": "D:1",
        "object_name": "Marfan syndrome", "object_type": "Disease", "confidence": 0.8714, "known": True,
        "sentence": "Losartan treats Marfan syndrome.",
    }  # fmt: skip

    def with_model(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=json.dumps({**answer.json(), "extraction": "small"}))

    page.route("**/api/server", with_model)
    page.route(
        "**/api/extract",
        lambda route: route.fulfill(json={"model": "small", "seconds": 0.1, "total": 1, "facts": [fact]}),
    )
    page.goto(at(site, "read", graph="clinic"))
    page.get_by_label("Text", exact=True).fill("Losartan treats Marfan syndrome.")
    page.get_by_role("button", name="Read").click()
    row = page.locator(".table", has_text="Extracted triples").locator("tbody tr")
    expect(row).to_contain_text("Losartan treats Marfan syndrome.")
    expect(row).to_contain_text("0.87")
    expect(row).to_contain_text("known")
