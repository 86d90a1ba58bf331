"""The address of a server: bolt://user:password@host:port/database, parsed; the password is never shown."""

import os
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from clew.errors import InputError

__all__ = ["PASSWORD_VARIABLE", "Address", "read_address"]

PASSWORD_VARIABLE = "CLEW_NEO4J_PASSWORD"
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
    """Parse an address; without a password, the one in CLEW_NEO4J_PASSWORD is used.

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
    password = unquote(parts.password) if parts.password else os.environ.get(PASSWORD_VARIABLE, "")
    shown = f"[{host}]" if ":" in host else host
    return Address(f"{parts.scheme}://{shown}:{port}", unquote(parts.username or "neo4j"), password, database)
