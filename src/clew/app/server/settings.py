"""What a server serves, to whom, and within which limits: plain data from the command line."""

import os
import re
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from pathlib import Path

from clew.answer.strategy import MODEL_SECONDS, SECONDS
from clew.errors import InputError
from clew.files import read_regular

__all__ = ["TOKEN_VARIABLE", "Limits", "ServerSettings", "name_graphs", "read_tokens"]

TOKEN_VARIABLE = "CLEW_TOKEN"
SHORTEST_TOKEN = 16
TOKEN_FILE_BYTES = 1 << 16
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
TOKEN = re.compile(r"[\x21-\x7e]+")
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one request may ask for, and that the server does at once."""

    seconds: float = SECONDS  # of work on one request
    model_seconds: float = MODEL_SECONDS  # of work on a question, where a language model takes part
    rows: int = 10_000  # of a query
    hops: int = 10
    paths: int = 1_000
    entities: int = 10_000  # on one page of a list
    drawn_entities: int = 2_000  # of a neighbourhood
    triples: int = 4_000
    seeds: int = 1_000
    characters: int = 20_000  # of a text
    tokens: int = 100_000  # of a context
    body: int = 1 << 20  # bytes
    workers: int = field(default_factory=lambda: max(2, os.cpu_count() or 1))  # heavy requests at once
    queue: int = 256  # heavy requests that wait
    queue_of_client: int = 64
    patience: float = 60.0  # seconds in the queue
    connections: int = 512
    sending: float = 15.0  # seconds in which a client has to send its request


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """One server: graphs by name, the address, who gets in, and the models it may use."""

    graphs: Mapping[str, Path]
    host: str = "127.0.0.1"
    port: int = 8000
    tokens: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] = ()  # beside those of loopback and `host`
    trusted_proxies: tuple[str, ...] = ()  # addresses or networks whose X-Forwarded-For is believed
    model: str | None = None  # a language model: a name, a .gguf file or a URL
    encoder: str | None = "default"
    extraction: str | None = "small"  # the extraction model, used if it is on this machine
    log_questions: bool = False
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise InputError(f"--port is a number from 0 to 65535, not {self.port}")
        for each in self.trusted_proxies:
            try:
                ip_network(each)
            except ValueError as error:
                raise InputError(f"--trust-proxy takes an address such as 127.0.0.1, not {each!r}") from error
        if not self.is_loopback and not self.tokens:
            raise InputError(
                f"--host {self.host} can be reached from other machines: set {TOKEN_VARIABLE} or give --token-file"
            )
        if not self.is_loopback and not self.allowed_hosts and self.host in ("0.0.0.0", "::"):
            raise InputError(
                f"--host {self.host} listens on every address: name the hosts that clients use with --allow-host"
            )

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can connect."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def hosts(self) -> frozenset[str]:
        """The names that a request may use for this server, without ports."""
        own = f"[{self.host}]" if ":" in self.host else self.host
        local = LOOPBACK_NAMES if self.is_loopback else ()
        return frozenset(each.lower() for each in (*local, own, *self.allowed_hosts))


def name_graphs(given: Sequence[str]) -> dict[str, Path]:
    """NAME=PATH or PATH (named by its file name) as graphs by name.

    >>> name_graphs(["hpo.clew", "mine=/data/graph"])
    {'hpo': PosixPath('hpo.clew'), 'mine': PosixPath('/data/graph')}
    """
    named: dict[str, Path] = {}
    for each in given:
        name, equals, path = each.partition("=")
        if not equals or not NAME.fullmatch(name):
            name, path = Path(each).resolve().name.removesuffix(".clew"), each
        if not NAME.fullmatch(name):
            raise InputError(
                f"{name!r} cannot name a graph in addresses (letters, digits, . _ and -): give it a name: NAME={each}"
            )
        if name in named:
            raise InputError(f"two graphs are called {name!r}: give one another name, as NAME={each}")
        named[name] = Path(path)
    return named


def read_tokens(file: Path | None) -> tuple[str, ...]:
    """The tokens of a file, one on a line, or that of CLEW_TOKEN; none where neither is given."""
    if file is None:
        said = os.environ.get(TOKEN_VARIABLE)
        return () if said is None else _checked([said], TOKEN_VARIABLE)
    try:
        lines = read_regular(file, most=TOKEN_FILE_BYTES).decode("ascii").splitlines()
        mode = file.stat().st_mode
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--token-file {file} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if mode & stat.S_IWOTH:
        raise InputError(f"--token-file {file} can be written by everybody: chmod o-w it")
    return _checked([line.strip() for line in lines if line.strip()], f"--token-file {file}")


def _checked(tokens: list[str], origin: str) -> tuple[str, ...]:
    if not tokens:
        raise InputError(f"{origin} holds no token: write one of at least {SHORTEST_TOKEN} characters")
    for token in tokens:
        if len(token) < SHORTEST_TOKEN or not TOKEN.fullmatch(token):
            raise InputError(
                f"a token of {origin} is not usable: it takes at least {SHORTEST_TOKEN} printable ASCII characters "
                "without spaces, such as `openssl rand -hex 32` gives"
            )
    return tuple(tokens)
