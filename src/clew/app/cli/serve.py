"""`clew serve`: graphs over HTTP, with a page, a JSON interface, chat completions and MCP."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.app.cli.terminal.options import NoEmbedding
from clew.app.cli.terminal.progress import announced, terminal_progress
from clew.errors import InputError, MissingDependency

if TYPE_CHECKING:
    from clew.app.server.settings import Limits, ServerSettings

__all__ = ["GraphPaths", "ModelName", "Seconds", "TokenFile", "import_server", "serve", "time_limits"]

PATIENCE = 1.0  # seconds of preparing before that is announced

GraphPaths = Annotated[
    list[str],
    typer.Argument(metavar="GRAPH...", help="Graph directories, as PATH or NAME=PATH.", show_default=False),
]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A file of tokens, one on a line; CLEW_TOKEN is another way to give one.",
        show_default=False,
    ),
]
ModelName = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        help="A language model to word the answers: a name, a .gguf file or a URL.",
        show_default=False,
    ),
]
Seconds = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        metavar="SECONDS",
        help="Most seconds of work on one request (default: 30, or 120 for questions with a language model).",
        show_default=False,
    ),
]


def serve(
    graphs: GraphPaths,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The address to listen on; any but loopback needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", help="The port to listen on; 0 picks a free one.")] = 8000,
    token_file: TokenFile = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A name that clients may use for this server, such as kg.example.org; may be repeated.",
            show_default=False,
        ),
    ] = None,
    trust_proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS",
            help="A proxy whose X-Forwarded-For names the client, such as 127.0.0.1; may be repeated.",
            show_default=False,
        ),
    ] = None,
    model: ModelName = None,
    no_embedding: NoEmbedding = False,
    extraction: Annotated[
        str, typer.Option(metavar="MODEL", help="The extraction model, used if it is on this machine; none for none.")
    ] = "small",
    timeout: Seconds = None,
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", help="Heavy requests at once (default: one for each core).", show_default=False),
    ] = None,
    queue: Annotated[int, typer.Option(metavar="N", help="Heavy requests that may wait.")] = 256,
    log_questions: Annotated[bool, typer.Option("--log-questions", help="Also log questions and queries.")] = False,
) -> None:
    """Serve graphs over HTTP: a page, JSON, OpenAI's chat completions, and MCP for agents.

    Listens on this machine alone unless --host says otherwise, which needs a token (CLEW_TOKEN or --token-file).
    /api/openapi.json describes the interface, docs/serving.md TLS, tokens and sizes. Ctrl-C stops it.

    \b
    Examples:
      clew serve hpo.clew
      clew serve hpo.clew mine=/data/graph.clew --port 9000 --model smollm2
      CLEW_TOKEN=$(openssl rand -hex 32) clew serve hpo.clew --host 0.0.0.0 --allow-host kg.example.org
    """
    settings_module = import_server("settings")
    settings: ServerSettings = settings_module.ServerSettings(
        settings_module.name_graphs(graphs),
        host=host,
        port=port,
        tokens=settings_module.read_tokens(token_file),
        allowed_hosts=tuple(allow_host or ()),
        trusted_proxies=tuple(trust_proxy or ()),
        model=model,
        encoder=None if no_embedding else "default",
        extraction=None if extraction == "none" else extraction,
        log_questions=log_questions,
        limits=_limits(settings_module, timeout, workers, queue),
    )
    run = import_server("run")
    with terminal_progress() as progress:
        run.run_server(
            settings,
            progress=announced(progress, f"preparing {', '.join(settings.graphs)} for questions, once", after=PATIENCE),
        )


def time_limits(timeout: float | None) -> dict[str, float]:
    """The limits of a server that `--timeout` sets, by name."""
    if timeout is None:
        return {}
    if not 0 < timeout <= 3600:
        raise InputError(f"--timeout is a number of seconds above 0 and at most 3600, not {timeout:g}")
    return {"seconds": timeout, "model_seconds": timeout}


def _limits(module: Any, timeout: float | None, workers: int | None, queue: int) -> "Limits":
    if (workers is not None and not 1 <= workers <= 256) or not 1 <= queue <= 100_000:
        raise InputError("--workers is a number from 1 to 256, --queue one from 1 to 100,000")
    given = time_limits(timeout) | ({} if workers is None else {"workers": workers})
    limits: Limits = module.Limits(queue=queue, queue_of_client=max(1, queue // 4), **given)
    return limits


def import_server(module: str) -> Any:
    """A module of the server; the libraries it needs may not be installed."""
    from importlib import import_module

    try:
        return import_module(f"clew.app.server.{module}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "clew":
            raise
        extra = "mcp" if error.name == "mcp" else "serve"
        raise MissingDependency(f"this needs the library {error.name!r}: pip install 'clew[{extra}]'") from error
