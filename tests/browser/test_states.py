"""States without an answer: declined, unknown, refused, slow, cut off, offline, locked. Each says what to do."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from browser.conftest import at, drawn, served

GENES = "Which genes are associated with diseases with arachnodactyly?"
TOKEN = "0123456789abcdef-token"


def test_a_question_that_is_not_understood_is_declined(site: str, page: Page) -> None:
    page.goto(at(site, "ask", graph="clinic", question="Why is the sea salty?"))
    expect(page.locator(".kicker")).to_have_text("No answer")
    expect(page.locator(".headline")).to_contain_text("Rephrase the question")
    expect(page.locator(".examples a").first).to_be_visible()


def test_a_name_that_resembles_one_is_a_button(site: str, page: Page) -> None:
    page.goto(at(site, "ask", graph="clinic", question="Which genes are associated with Beal syndromes?"))
    expect(page.locator(".headline h2")).not_to_be_empty()
    page.goto(at(site, "ask", graph="clinic", question="Which diseases have Scolios?"))
    page.locator(".choice .chip", has_text="Scoliosis").click()
    expect(page.locator(".headline h2")).to_contain_text("Beals syndrome")


def test_a_wrong_query_says_what_is_wrong_and_stays_editable(site: str, new_page: Callable[..., Page]) -> None:
    page = new_page(faults=True)
    page.goto(at(site, "ask", graph="clinic", cypher="MATCH (g:Gnee) RETURN g"))
    expect(page.locator(".notice.failed")).to_contain_text("Gnee")
    field = page.get_by_label("Cypher query")
    field.fill("MATCH (g:Gene)-[:ASSOCIATED_WITH]->(d:Disease {name: 'Beals syndrome'}) RETURN DISTINCT g.id, g.name")
    page.get_by_role("button", name="Run").click()
    expect(page.locator(".headline h2")).to_contain_text("FBN2")


def test_an_unknown_name_offers_the_closest(site: str, new_page: Callable[..., Page]) -> None:
    page = new_page(faults=True)
    page.goto(at(site, "explore", graph="clinic", **{"from": "FBN1", "to": "Arachnodactily"}))
    expect(page.locator(".notice.failed")).to_contain_text("Unknown name")
    page.locator(".notice.failed .chip").first.click()
    expect(page.locator(".paths li").first).to_contain_text("Arachnodactyly")


def test_an_unknown_graph_lists_those_there_are(site: str, page: Page) -> None:
    page.goto(at(site, "ask", graph="gone", question=GENES))
    expect(page.locator(".notice.failed")).to_contain_text("no graph “gone”")
    page.get_by_role("button", name="clinic").click()
    expect(page.locator(".headline h2")).to_contain_text("2 genes")


def test_a_slow_question_shows_its_steps_and_can_be_stopped(site: str, page: Page) -> None:
    page.add_init_script(STREAM)
    page.goto(at(site, "ask", graph="clinic", question=GENES))
    expect(page.locator(".progress")).to_contain_text("Number 3 in the queue")
    page.evaluate("send({event: 'step', step: 'names', text: 'arachnodactyly: Arachnodactyly', seconds: 0.1})")
    expect(page.locator(".steps")).to_contain_text("arachnodactyly: Arachnodactyly")
    page.evaluate("send({event: 'waiting', seconds: 5.0})")
    expect(page.locator(".progress")).to_contain_text("Still working after 5.0 s")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".result")).to_contain_text("Stopped.")
    assert page.evaluate("stopped") is True
    expect(page.get_by_role("button", name="Ask again")).to_be_visible()


def test_a_connection_that_is_cut_offers_to_try_again(site: str, page: Page) -> None:
    page.add_init_script(STREAM)
    page.goto(at(site, "ask", graph="clinic", question=GENES))
    expect(page.locator(".progress")).to_contain_text("queue")
    page.evaluate("cut()")
    expect(page.locator(".notice.failed")).to_contain_text("Connection lost")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()


def test_a_server_that_is_gone_is_named_and_found_again(site: str, new_page: Callable[..., Page]) -> None:
    page = new_page(faults=True)
    page.goto(at(site, "ask", graph="clinic"))
    expect(page.locator(".examples a").first).to_be_visible()
    page.route("**/api/**", lambda route: route.abort())
    page.get_by_label("Question").fill(GENES)
    page.get_by_label("Question").press("Enter")
    expect(page.locator(".notice.failed")).to_contain_text("Check that clew serve is still running")
    page.unroute("**/api/**")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".headline h2")).to_contain_text("2 genes")


def test_a_busy_server_says_when_to_come_back(site: str, new_page: Callable[..., Page]) -> None:
    page = new_page(faults=True)
    busy = {"error": {"kind": "Busy", "message": "the server is busy", "close": []}, "request": "1"}
    page.route("**/ask", lambda route: route.fulfill(status=503, json=busy, headers={"Retry-After": "7"}))
    page.goto(at(site, "ask", graph="clinic", question=GENES))
    expect(page.locator(".notice.failed")).to_contain_text("The server is busy.")
    expect(page.locator(".notice.failed")).to_contain_text("about 7 s")


def test_a_server_with_a_token_asks_for_it(clinic: Path, new_page: Callable[..., Page]) -> None:
    with served(clinic=clinic, tokens=(TOKEN,)) as site:
        page = new_page(faults=True)
        page.goto(at(site, "ask", graph="clinic", question=GENES))
        page.get_by_label("Token", exact=True).last.fill("wrong-token-wrong")
        page.get_by_role("button", name="Continue").click()
        expect(page.get_by_role("heading", name="The token was not accepted")).to_be_visible()
        page.get_by_label("Token", exact=True).last.fill(TOKEN)
        page.get_by_role("button", name="Continue").click()
        expect(page.locator(".headline h2")).to_contain_text("2 genes")
        drawn(page, 5)
        assert TOKEN not in page.url
        assert page.evaluate("Object.values(localStorage).join()").find(TOKEN) < 0


STREAM = """
window.stopped = false;
const real = window.fetch;
window.fetch = (path, options) => {
  if (!String(path).endsWith("/ask")) return real(path, options);
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    start(controller) {
      window.send = (event) => controller.enqueue(encoder.encode(JSON.stringify(event) + "\\n"));
      window.cut = () => controller.close();
      window.send({ event: "queued", position: 3 });
      options.signal.addEventListener("abort", () => {
        window.stopped = true;
        controller.error(options.signal.reason);
      });
    },
  });
  return Promise.resolve(new Response(body, { status: 200 }));
};
"""
