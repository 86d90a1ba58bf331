"""The drawn page in a real browser: its script runs, under its own policy, and shows who states a triple."""

import shutil
import subprocess
from pathlib import Path

import pytest

from clew.app.cli.main import main

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--virtual-time-budget=3000",
)  # fmt: skip

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")


def after_loading(page: Path, profile: Path, *, at: str = "") -> str:
    """The document as the browser holds it once the page's script has run."""
    command = [str(BROWSER), *FLAGS, f"--user-data-dir={profile}", "--dump-dom", f"{page.as_uri()}{at}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def test_the_panel_shows_who_states_a_triple(hpo: Path, tmp_path: Path) -> None:
    page = tmp_path / "why.html"
    assert main(["paths", str(hpo), "FBN1", "HP:0001166", "--k", "2", "--draw", str(page)]) == 0
    quiet = after_loading(page, tmp_path / "profile")
    panel = quiet[quiet.index('id="panel"') : quiet.index("</aside>")]
    assert "Point at a line" in panel
    assert "pubmed" not in panel
    chosen = [after_loading(page, tmp_path / "profile", at=f"#triple-{number}") for number in (0, 13)]
    panels = [text[text.index('id="panel"') : text.index("</aside>")] for text in chosen]
    assert all("HPO" in panel for panel in panels)
    assert any("https://pubmed.ncbi.nlm.nih.gov/" in panel for panel in panels)
    assert panels[0] != panels[1]
