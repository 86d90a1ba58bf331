"""The drawn page in a real browser: its script runs, under its own policy, and shows who states a triple."""

from pathlib import Path

from playwright.sync_api import Page, expect

from clew.app.cli.main import main


def test_the_panel_shows_who_states_a_triple(clinic: Path, tmp_path: Path, page: Page) -> None:
    drawing = tmp_path / "why.html"
    assert main(["paths", str(clinic), "FBN1", "P:1", "--k", "2", "--draw", str(drawing)]) == 0
    page.goto(drawing.as_uri())
    panel = page.locator("#panel")
    expect(panel).to_contain_text("Point at a line")
    expect(panel).not_to_contain_text("PMID")
    said = []
    for number in (0, 1):
        page.goto(f"{drawing.as_uri()}#triple-{number}")
        page.reload()
        expect(panel).to_contain_text("Notes")
        assert panel.locator("a[href^='https://pubmed.ncbi.nlm.nih.gov/']").count() > 0
        said.append(panel.inner_text())
    assert said[0] != said[1]
