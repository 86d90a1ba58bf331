"""Sizes as people write them."""

import pytest

from clew.errors import InputError
from clew.sizes import read_size, size_text


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (1, 1),
        ("4GB", 4_000_000_000),
        ("4 gib", 4 << 30),
        ("1_000", 1000),
        ("0.5m", 500_000),
        ("7b", 7),
        (" 2TB ", 2 * 10**12),
    ],
)
def test_sizes(given: int | str, expected: int) -> None:
    assert read_size(given, "cache") == expected


@pytest.mark.parametrize("odd", ["", "GB", "-1", "1.2.3GB", "4 XB", "4GBs", 0, -5, True, None, "9" * 400 + "TB", "٣GB"])
def test_what_is_no_size(odd: object) -> None:
    with pytest.raises(InputError, match="memory must be a size such as 500MB, 4GB or 2GiB, not"):
        read_size(odd, "memory")  # type: ignore[arg-type]


def test_texts() -> None:
    assert [size_text(each) for each in (0, 999, 1000, 999_999, 10**18)] == [
        "0 bytes", "999 bytes", "1.0 KB", "1000.0 KB", "1000000.0 TB",
    ]  # fmt: skip
