"""Asking on the page: the answer, its steps, its query, other readings, and the address that holds it all."""

import csv
import io
import json
from collections.abc import Callable

from playwright.sync_api import Page, Route, expect

from browser.clinic import HOSTILE
from browser.conftest import at, drawn

GENES = "Which genes are associated with diseases with arachnodactyly?"
TIED = "Which genes explain ectopia lentis?"


def test_an_example_is_answered_and_the_address_reloads_to_it(site: str, page: Page) -> None:
    page.goto(site)
    page.locator(".examples a").first.click()
    expect(page.locator(".headline h2")).not_to_be_empty()
    said = page.locator(".headline h2").inner_text()
    address = page.url
    assert "?" not in address.split("#")[0]
    page.reload()
    expect(page.locator(".headline h2")).to_have_text(said)
    assert page.url == address


def test_a_question_is_completed_asked_and_answered(site: str, page: Page) -> None:
    page.goto(site)
    field = page.get_by_label("Question")
    field.press_sequentially("Which genes are associated with diseases with arachno")
    page.locator(".completion li").first.wait_for()
    field.press("ArrowDown")
    field.press("Enter")
    expect(field).to_have_value("Which genes are associated with diseases with Arachnodactyly")
    field.press("Enter")
    expect(page.locator(".headline h2")).to_contain_text("2 genes")
    expect(page.locator(".certainty")).to_have_text("Sure")
    expect(page.locator("#said")).to_contain_text("2 genes")  # for screen readers
    expect(page.locator(".facts")).to_contain_text("4 supporting triples")
    expect(page.locator(".readings")).to_contain_text("Arachnodactyly")
    rows = page.locator(".table").first.locator("tbody tr")
    assert sorted(rows.locator("a.entity").all_inner_texts()) == ["FBN1", "FBN2"]
    drawn(page, 5)
    expect(page.locator(".legend").first).to_contain_text("curated")
    page.get_by_text("Steps", exact=True).click()
    expect(page.locator(".steps")).to_contain_text("Query")


def test_the_query_can_be_edited_and_run_again(site: str, page: Page) -> None:
    page.goto(at(site, "ask", graph="clinic", question=GENES))
    page.locator("summary").get_by_text("Cypher", exact=True).click()
    field = page.get_by_label("Cypher query")
    query = field.input_value()
    assert "P:1" in query
    field.fill(query.replace("P:1", "P:3"))
    field.press("Control+Enter")
    expect(page.locator(".headline h2")).to_contain_text("FBN2")
    assert "cypher=" in page.url
    drawn(page, 3)


def test_what_else_is_asked_for_has_columns_of_its_own(site: str, page: Page) -> None:
    query = "MATCH (g:Gene)-[:ASSOCIATED_WITH]->(d:Disease) RETURN g, d"
    page.goto(at(site, "ask", graph="clinic", cypher=query))
    table = page.locator(".table").first
    expect(table.locator("th")).to_have_text(["name", "disease", "type", "id"])
    expect(table.locator("tbody tr").filter(has_text="FBN2")).to_contain_text("Beals syndrome")


def test_another_reading_is_a_button(site: str, page: Page) -> None:
    page.goto(at(site, "ask", graph="clinic", question=TIED))
    first = page.locator(".headline h2")
    expect(first).to_contain_text("gene")
    before = first.inner_text()
    page.locator(".choice .chip").first.click()
    expect(page.locator(".headline h2")).not_to_have_text(before)
    assert "meaning=" in page.url or "cypher=" in page.url


def test_tables_download_as_csv_and_json(site: str, page: Page) -> None:
    page.goto(at(site, "ask", graph="clinic", question="Which diseases is FBN1 associated with?"))
    items = page.locator(".table").first
    with page.expect_download() as csv_file:
        items.get_by_role("button", name="CSV").click()
    rows = list(csv.DictReader(io.StringIO(csv_file.value.path().read_text("utf-8"))))
    assert {row["name"] for row in rows} == {"Marfan syndrome", HOSTILE}
    with page.expect_download() as json_file:
        items.get_by_role("button", name="JSON").click()
    assert {row["id"] for row in json.loads(json_file.value.path().read_text("utf-8"))} == {"D:1", "D:5"}


def test_names_are_text_wherever_they_are_shown(site: str, page: Page) -> None:
    page.goto(at(site, "ask", graph="clinic", question="Which diseases is FBN1 associated with?"))
    expect(page.locator(".table").first).to_contain_text(HOSTILE)
    drawn(page)
    page.goto(at(site, "explore", graph="clinic", entity="D:5"))
    expect(page.locator(".card h2")).to_have_text(HOSTILE)
    assert page.evaluate("window.broken") is None


def test_a_table_is_copied_with_tabs_between_columns(site: str, new_page: Callable[..., Page]) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(at(site, "ask", graph="clinic", question=GENES))
    page.locator(".table").first.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert "FBN1\tGene\tG:1" in page.evaluate("navigator.clipboard.readText()").splitlines()


def test_strategies_are_shown_side_by_side(site: str, page: Page) -> None:
    page.goto(at(site, "ask", graph="clinic", question=GENES))
    page.get_by_label("Strategy").select_option("Compare all")
    page.get_by_label("Question").press("Enter")
    titles = ["Two readers", "Adaptive KG-RAG", "First reader", "Local search", "KG-RAG", "Super-relations"]
    titles += ["Think-on-Graph", "Two rounds (diagnosis)"]
    expect(page.locator(".strategy h3")).to_have_text(titles)
    expect(page.locator(".strategy ol")).to_have_count(len(titles))
    expect(page.locator(".strategy").first).to_contain_text("2 genes")
    expect(page.locator(".history a").first).to_contain_text("compared")
    page.get_by_role("button", name="Open this answer").first.click()
    expect(page.locator(".headline h2")).to_contain_text("2 genes")
    assert "strategy=readers" in page.url


def test_a_strategy_that_fails_says_why_beside_the_others(site: str, page: Page) -> None:
    def asked(route: Route) -> None:
        if route.request.post_data_json.get("strategy") != "rag":
            return route.continue_()
        error = {"event": "error", "error": {"kind": "MissingModel", "message": "no model is here", "close": []}}
        return route.fulfill(body=json.dumps(error) + "\n")

    page.route("**/ask", asked)
    page.goto(at(site, "ask", graph="clinic", question=GENES, strategy="all"))
    expect(page.locator(".strategy").first).to_contain_text("2 genes")
    expect(page.locator('.strategy[aria-label="rag"]')).to_contain_text("No model is here.")


def test_a_model_that_ran_out_of_time_is_told(site: str, page: Page) -> None:
    late = "writer ran out of time (30 s): this is the answer without it; timeout=120 gives it more"

    def asked(route: Route) -> None:
        *steps, answer = route.fetch().text().splitlines()
        made = json.loads(answer)
        made["answer"]["late"] = late
        step = {"event": "step", "step": "model", "text": "it ran out of time", "seconds": 30.0}
        route.fulfill(body="\n".join([*steps, json.dumps(step), json.dumps(made), ""]))

    page.goto(at(site, "ask", graph="clinic", question=GENES))
    expect(page.locator(".headline .warning")).to_have_count(0)
    page.route("**/ask", asked)
    page.reload()
    expect(page.locator(".headline .warning")).to_have_text(f"{late}.")
    page.get_by_text("Steps", exact=True).click()
    expect(page.locator(".steps")).to_contain_text("Language model it ran out of time")


def test_the_context_of_a_question_is_shown_when_it_is_opened(site: str, page: Page) -> None:
    page.goto(at(site, "ask", graph="clinic", question=GENES))
    page.get_by_text("Context for a language model").click()
    expect(page.locator(".context pre")).to_contain_text("Arachnodactyly")
    expect(page.locator(".context pre")).to_contain_text("PMID:28050285")
    expect(page.locator(".context .quiet")).to_contain_text("Ranked by words.")


def test_history_survives_a_reload_and_can_be_cleared(site: str, page: Page) -> None:
    page.goto(at(site, "ask", graph="clinic", question=GENES))
    expect(page.locator(".history a")).to_have_count(1)
    page.goto(site)
    page.reload()
    expect(page.locator(".history a")).to_contain_text(GENES)
    page.locator(".history a").click()
    expect(page.locator(".headline h2")).to_contain_text("2 genes")
    page.get_by_role("button", name="Clear").click()
    expect(page.locator(".history a")).to_have_count(0)
    page.goto(site)  # away from the answer, which would be asked again
    page.reload()
    page.locator(".examples a").first.wait_for()
    expect(page.locator(".history a")).to_have_count(0)
