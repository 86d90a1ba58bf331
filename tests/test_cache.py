"""Where the cache of a user is."""

from pathlib import Path

import pytest

from clew.cache import cache_directory


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"CLEW_HOME": "/a", "XDG_CACHE_HOME": "/b"}, "/a"),
        ({"XDG_CACHE_HOME": "/b"}, "/b/clew"),
        ({"HOME": "/c"}, "/c/.cache/clew"),
    ],
)
def test_where_the_graph_is_kept(variables: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLEW_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache_directory() == Path(expected)
