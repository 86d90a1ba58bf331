"""Exploring: what the graph holds, an entity's card and neighbourhood, paths between two names."""

from playwright.sync_api import Page, expect

from browser.conftest import at, drawn


def test_the_contents_of_the_graph_come_first(site: str, page: Page) -> None:
    page.goto(at(site, "explore", graph="clinic"))
    expect(page.locator(".bars li").first).to_contain_text("Phenotype")
    expect(page.locator(".pairs li").first).to_contain_text("has phenotype")


def test_an_entity_is_found_by_name_and_shown(site: str, page: Page) -> None:
    page.goto(at(site, "explore", graph="clinic"))
    field = page.get_by_label("Entity", exact=True)
    field.press_sequentially("marfan")
    page.locator(".completion li").first.wait_for()
    field.press("ArrowDown")
    field.press("Enter")
    expect(page.locator(".card h2")).to_have_text("Marfan syndrome")
    assert "entity=D%3A1" in page.url
    drawn(page, 5)
    page.locator(".card .chip", has_text="has phenotype").click()
    drawn(page, 3)
    assert "relation=has_phenotype" in page.url


def test_a_path_is_found_between_two_names(site: str, page: Page) -> None:
    page.goto(at(site, "explore", graph="clinic"))
    page.get_by_label("From", exact=True).fill("FBN1")
    page.get_by_label("To", exact=True).fill("Arachnodactyly")
    page.get_by_role("button", name="Find paths").click()
    expect(page.locator(".paths li").first).to_contain_text("FBN1 associated with → Marfan syndrome has phenotype →")
    drawn(page)
    address = page.url
    page.reload()
    expect(page.locator(".result h2")).to_contain_text("from FBN1 to Arachnodactyly")
    expect(page.get_by_label("From", exact=True)).to_have_value("FBN1")
    assert page.url == address


def test_no_path_is_an_answer_that_says_what_to_do(site: str, page: Page) -> None:
    page.goto(at(site, "explore", graph="clinic", **{"from": "FBN1", "to": "Lonely place", "hops": "3"}))
    expect(page.locator(".notice.empty")).to_contain_text("No path of up to 3 hops connects FBN1 and Lonely place.")
    expect(page.locator(".notice.empty")).to_contain_text("Allow more hops")


def test_an_entity_without_neighbours_says_so(site: str, page: Page) -> None:
    page.goto(at(site, "explore", graph="clinic", entity="O:1"))
    expect(page.locator(".notice.empty")).to_contain_text("Lonely place has no neighbours")
