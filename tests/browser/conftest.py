"""A real server, a real browser, and pages that may not fail quietly: no error in the console, no request elsewhere."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

from app.server.conftest import serving
from browser.clinic import build_clinic
from clew.app.server.settings import ServerSettings

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync")
PATIENCE = 120_000  # milliseconds, on a machine that does many other things too

expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All are slow; without Chromium there is nothing to look with."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.slow)
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="no Chromium on this machine"))


@contextmanager
def served(*, extraction: str | None = None, tokens: tuple[str, ...] = (), **graphs: Path) -> Iterator[str]:
    """A server of these graphs in a thread, without encoder and, unless named, extraction model; its address."""
    with serving(ServerSettings(graphs, encoder=None, extraction=extraction, tokens=tokens)) as server:
        yield server.address


@pytest.fixture(scope="session")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_clinic(tmp_path_factory.mktemp("page") / "clinic.clew")


@pytest.fixture(scope="session")
def site(clinic: Path) -> Iterator[str]:
    """The address of the server that most tests share."""
    with served(clinic=clinic) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens pages; `faults=True` allows the console to name a request that failed, as tests of failures cause."""
    wrong: list[str] = []
    opened: list[Page] = []

    def make(*, faults: bool = False, **options: object) -> Page:
        page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **options})  # type: ignore[arg-type]
        page.set_default_timeout(PATIENCE)

        def heard(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning") and not (faults and "Failed to load resource" in message.text):
                wrong.append(message.text)

        def sent(request: Request) -> None:
            if urlsplit(request.url).hostname not in ("127.0.0.1", None):
                wrong.append(f"request to {request.url}")

        page.on("console", heard)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", sent)
        opened.append(page)
        return page

    yield make
    for page in opened:
        page.context.close()
    assert not wrong


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page()


def at(site: str, tab: str, **values: str) -> str:
    """The address of a state of the page."""
    return f"{site}#{tab}?{urlencode(values)}" if values else f"{site}#{tab}"


def drawn(page: Page, count: int | None = None) -> None:
    """Wait until the drawing shows something, or this number of entities and groups."""
    wanted = ".evidence[data-drawn]" if count is None else f'.evidence[data-drawn="{count}"]'
    page.wait_for_selector(wanted)


def point(page: Page, key: str) -> tuple[float, float]:
    """Where an entity of the drawing is on the screen."""
    page.locator(".drawing").scroll_into_view_if_needed()
    place = page.eval_on_selector(".evidence", "(each, key) => each.view.placeOf(key)", key)
    box = page.locator(".drawing").bounding_box()
    assert place is not None
    assert box is not None
    return box["x"] + place["x"], box["y"] + place["y"]
