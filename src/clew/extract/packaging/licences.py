"""Which licences let a seed graph travel with a model."""

import re

__all__ = ["is_permissive"]

PERMISSIVE = re.compile(r"CC0\b|CC[ -]BY[ -]\d|HPO licence")  # how such licences begin; "CC BY-SA" does not


def is_permissive(license_text: str | None) -> bool:
    """Whether rows under a licence, and weights made from them, may be redistributed with no more than credit.

    Public domain, attribution, and HPO's own terms; neither share-alike (its reach over weights is not settled) nor
    non-commercial, and nothing without a known licence.

    >>> [is_permissive(each) for each in ("CC0 1.0", "CC BY 4.0", "CC BY-SA 3.0", "ODbL 1.0", "CC BY-NC 4.0", None)]
    [True, True, False, False, False, False]
    """
    return license_text is not None and PERMISSIVE.match(license_text) is not None
