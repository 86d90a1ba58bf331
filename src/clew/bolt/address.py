"""The address of a server: bolt://user:password@host:port/database, parsed; the password is never shown.

Where the address has none it comes from CLEW_NEO4J_PASSWORD, or from the file that CLEW_NEO4J_PASSWORD_FILE names.
"""

import os
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from clew.errors import InputError

__all__ = ["PASSWORD_FILE_VARIABLE", "PASSWORD_VARIABLE", "SCHEMES", "Address", "read_address"]

PASSWORD_VARIABLE, PASSWORD_FILE_VARIABLE = "CLEW_NEO4J_PASSWORD", "CLEW_NEO4J_PASSWORD_FILE"
SCHEMES = tuple(f"{name}{safe}://" for name in ("bolt", "neo4j") for safe in ("", "+s", "+ssc"))
EXPECTED = "expected bolt://user:password@host:port/database or neo4j://…"
STANDARD_PORT = 7687


@dataclass(frozen=True, slots=True)
class Address:
    """A server and its credentials; `uri` is passed to the driver and safe to show."""

    uri: str
    user: str
    password: str = field(repr=False)
    database: str | None = None  # the server's default

    def __str__(self) -> str:
        return f"{self.uri}/{self.database}" if self.database else self.uri


def read_address(text: str) -> Address:
    """Parse an address; without a password, the one in the environment or in the file named there is used.

    >>> read_address("bolt://neo4j:secret@localhost/kg")
    Address(uri='bolt://localhost:7687', user='neo4j', database='kg')
    """
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port or STANDARD_PORT
    except ValueError as error:
        raise InputError(f"the server address cannot be parsed ({error}): {EXPECTED}") from None
    if not host or parts.query or parts.fragment:
        raise InputError(f"the server address is not valid: {EXPECTED}")
    database = unquote(parts.path.strip("/")) or None
    password = unquote(parts.password) if parts.password else _password()
    shown = f"[{host}]" if ":" in host else host
    return Address(f"{parts.scheme}://{shown}:{port}", unquote(parts.username or "neo4j"), password, database)


def _password() -> str:
    """The password in the environment, or the first line of the file that the environment names."""
    if (given := os.environ.get(PASSWORD_VARIABLE)) or not (name := os.environ.get(PASSWORD_FILE_VARIABLE)):
        return given or ""
    try:
        with open(name, encoding="utf-8") as file:
            return file.readline().rstrip("\r\n")
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "it is not text"
        raise InputError(f"cannot read the password in {name} ({PASSWORD_FILE_VARIABLE}): {reason}") from None
