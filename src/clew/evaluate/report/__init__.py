"""A run, or several compared, as text: Markdown for a repository, and one HTML page that needs nothing but itself.

All take what plain JSON gives; `clew.evaluate.report.run` says what it holds. Nothing is written to disk.
"""

from clew.evaluate.report.compared import write_compared_markdown, write_compared_page
from clew.evaluate.report.markdown import write_markdown
from clew.evaluate.report.page import write_page
from clew.evaluate.report.run import Compared, Run, read_run

__all__ = [
    "Compared",
    "Run",
    "read_run",
    "write_compared_markdown",
    "write_compared_page",
    "write_markdown",
    "write_page",
]
