"""Model failures that are worth a retry; `Retrying` recognises them by type."""

from clew.errors import ModelError

__all__ = ["BadAnswer", "Unreachable"]


class BadAnswer(ModelError):
    """The response is empty or not in the requested form."""


class Unreachable(ModelError):
    """The model is unreachable or too busy; `wait` is the delay in seconds that the server asks for."""

    def __init__(self, message: str, *, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait
