"""The page: every file of the folder `page`, read once at the start; nothing else can be asked for."""

from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path, PurePosixPath

from fastapi import APIRouter, Request, Response

from clew.app.server.edge.failures import Refused
from clew.app.server.edge.headers import PAGE_HEADERS

__all__ = ["page_router"]

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}
INDEX = "index.html"


@dataclass(frozen=True, slots=True)
class _File:
    content: bytes
    media_type: str
    tag: str


def page_router() -> APIRouter:
    """Routes of the page and its files."""
    router = APIRouter(include_in_schema=False)
    known = dict(_files())

    def send(name: str, request: Request) -> Response:
        found = known.get(name)
        if found is None:
            raise Refused("the page has no file of that name", 404)
        headers = {key.decode(): value.decode() for key, value in PAGE_HEADERS} | {"etag": found.tag}
        if request.headers.get("if-none-match") == found.tag:
            return Response(status_code=304, headers=headers)
        return Response(found.content, headers=headers | {"content-type": found.media_type})

    @router.get("/")
    async def index(request: Request) -> Response:
        return send(INDEX, request)

    @router.get("/page/{name:path}")
    async def file(name: str, request: Request) -> Response:
        return send(name, request)

    return router


def _files() -> list[tuple[str, _File]]:
    folder = Path(str(files("clew.app.server").joinpath("page")))
    found: list[tuple[str, _File]] = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in TYPES:
            content = path.read_bytes()
            name = str(PurePosixPath(path.relative_to(folder)))
            found.append((name, _File(content, TYPES[path.suffix], f'"{sha256(content).hexdigest()[:32]}"')))
    return found
