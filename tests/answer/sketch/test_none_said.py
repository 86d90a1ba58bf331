"""Nobody and no such thing: sketches that ask whether there is none."""

from collections.abc import Callable

import pytest

from clew.answer import Asker

Find = Callable[[Asker, str], object]
WITHOUT = "yesno; x:diseases; not x <without> y; not y:genes"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "Are there no genes linked to [Beals syndrome]? => yesno; x:genes; not x <linked to> [Beals syndrome]",
            False,
        ),
        (
            "Does no gene cause [Beals syndrome]? => yesno; not x:gene; not x <cause> [Beals syndrome]",
            False,
        ),
        ("Is nothing linked to [Beals syndrome]? => yesno; not x <linked to> [Beals syndrome]", False),
        (
            "Are there genes that are not linked to [Beals syndrome]? => "
            "yesno; x:genes; not x <linked to> [Beals syndrome]",
            True,
        ),
        (f"Are there diseases without genes? => {WITHOUT}", False),
        (f"Are there no diseases without genes? => {WITHOUT}", True),
    ],
)
def test_there_is_none(find: Find, clinic: Asker, line: str, expected: bool) -> None:
    assert find(clinic, line) is expected
