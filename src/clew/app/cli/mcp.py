"""`clew mcp`: graphs as tools of an agent, over stdin and stdout."""

from clew.app.cli.serve import GraphPaths, ModelName, Seconds, import_server, time_limits
from clew.app.cli.terminal.options import NoEmbedding
from clew.app.cli.terminal.progress import announced, terminal_progress

__all__ = ["mcp"]


def mcp(
    graphs: GraphPaths,
    model: ModelName = None,
    no_embedding: NoEmbedding = False,
    timeout: Seconds = None,
) -> None:
    """Offer graphs to agents as tools (MCP) over stdin and stdout.

    The tools: schema, find_entity, hop, paths, ask, context, read_cypher.

    An agent's host starts this command itself; each tool has limits of rows, tokens and seconds. `clew serve` offers
    the same tools over HTTP, at /mcp.

    \b
    Examples:
      clew mcp hpo.clew
      claude mcp add hpo -- clew mcp /data/hpo.clew
    """
    limits = time_limits(timeout)
    settings, agents = import_server("settings"), import_server("agents")
    named = settings.name_graphs(graphs)
    with terminal_progress() as progress:
        agents.run_agents(
            settings.ServerSettings(
                named,
                model=model,
                encoder=None if no_embedding else "default",
                limits=settings.Limits(**limits),
            ),
            progress=announced(progress, f"preparing {', '.join(named)} for questions, once", after=1.0),
        )
