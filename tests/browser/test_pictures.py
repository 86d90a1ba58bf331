"""Pictures of the page for the docs, over HPO; `CLEW_PICTURES=1` writes them to docs/images."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from browser.conftest import at, drawn, point, served

IMAGES = Path(__file__).parents[2] / "docs" / "images"
MOST_BYTES = 200_000
GENES = "Which genes are linked to arachnodactyly?"
NOTE = (
    "A 24-year-old man with arachnodactyly, scoliosis and ectopia lentis. No seizures; possible mitral valve prolapse. "
    "His mother has Marfan syndrome.\nAspirin is used to treat pain. Losartan was given for hypertension."
)


def answer(site: str, page: Page) -> None:
    page.goto(at(site, "ask", graph="hpo", question=GENES))
    drawn(page)
    page.mouse.click(*point(page, "OMIM:154700"))
    page.mouse.move(5, 5)
    page.evaluate("scrollTo(0, 0)")


def on_a_phone(site: str, page: Page) -> None:
    answer(site, page)
    page.locator(".evidence-place").evaluate("each => each.scrollIntoView()")
    page.mouse.wheel(0, -130)


def start(site: str, page: Page) -> None:
    page.goto(at(site, "ask", graph="hpo"))
    page.locator(".examples a").first.wait_for()


def entity(site: str, page: Page) -> None:
    page.goto(at(site, "explore", graph="hpo", entity="OMIM:154700"))
    drawn(page)


def paths(site: str, page: Page) -> None:
    page.goto(at(site, "explore", graph="hpo", **{"from": "FBN1", "to": "HP:0001166", "hops": "3"}))
    drawn(page)


def read(site: str, page: Page) -> None:
    page.goto(at(site, "read", graph="hpo"))
    page.get_by_label("Text", exact=True).fill(NOTE)
    page.get_by_role("button", name="Read").click()
    page.locator(".marked").wait_for()


WIDE, PHONE = {"width": 1360, "height": 1000}, {"width": 390, "height": 844}
PICTURES: dict[str, tuple[Callable[[str, Page], None], dict[str, object]]] = {
    "start": (start, {"viewport": WIDE}),
    "answer": (answer, {"viewport": {"width": 1360, "height": 1240}}),
    "answer-dark": (answer, {"viewport": {"width": 1360, "height": 1240}, "color_scheme": "dark"}),
    "answer-phone": (on_a_phone, {"viewport": PHONE, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}),
    "entity": (entity, {"viewport": WIDE}),
    "paths": (paths, {"viewport": WIDE}),
    "read": (read, {"viewport": WIDE}),
}


@pytest.mark.soak
def test_the_main_states_are_pictured(hpo: Path, new_page: Callable[..., Page], tmp_path: Path) -> None:
    folder = IMAGES if os.environ.get("CLEW_PICTURES") else tmp_path
    with served(hpo=hpo, extraction="small") as site:
        for name, (show, options) in PICTURES.items():
            page = new_page(**options)
            show(site, page)
            page.wait_for_timeout(400)
            page.screenshot(path=folder / f"{name}.png")
            page.close()  # what it still waits for ends before the server does
            assert 10_000 < (folder / f"{name}.png").stat().st_size < MOST_BYTES, name
