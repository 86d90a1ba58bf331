"""A run as text: Markdown for a repository, and one HTML page that needs nothing outside itself, not even a script.

Both take the run as plain JSON gives it; `clew.evaluate.report.run` says what it holds. Nothing is written to disk.
"""

from clew.evaluate.report.markdown import write_markdown
from clew.evaluate.report.page import write_page
from clew.evaluate.report.run import Run, read_run

__all__ = ["Run", "read_run", "write_markdown", "write_page"]
