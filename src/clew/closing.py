"""Objects that hold a file, a process or a connection: `with` closes them."""

from typing import Protocol, Self

__all__ = ["Closing"]


class Closing(Protocol):
    """Usable in a `with` statement, at whose end it is closed; inherit from it and write `close`."""

    def close(self) -> None:
        """Release what is held."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()
