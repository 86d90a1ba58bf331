"""Comparison of answers before and after a change."""

from benchmarks.questions.times import same


def test_only_the_last_digits_of_numbers_may_differ() -> None:
    answer = {"text": "2 ales", "confidence": 0.9, "items": [{"id": "a", "number": 1.5}, {"id": "b", "number": None}]}
    assert same(answer, answer | {"confidence": 0.9 + 1e-9})
    assert not same(answer, answer | {"confidence": 0.901})
    assert not same(answer, answer | {"text": "3 ales"})
    assert not same(answer, answer | {"items": answer["items"][::-1]})
    assert not same(answer, answer | {"value": 2})
