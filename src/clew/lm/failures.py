"""Failures of models that are worth another try: `Retrying` tells them from the others by these types."""

from clew.errors import ModelError

__all__ = ["BadAnswer", "Unreachable"]


class BadAnswer(ModelError):
    """The model answered with nothing, or with something that is not what was asked for."""


class Unreachable(ModelError):
    """No model could be reached, or it is too busy; `wait` is how many seconds it asks to be left alone."""

    def __init__(self, message: str, *, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait
