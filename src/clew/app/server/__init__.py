"""The server: graphs over HTTP for people (a page), programs (JSON), chat front ends and agents (MCP).

`settings` says what is served to whom, `application` puts it together, `run` runs it. A request passes `gate`, reaches
a route in `routes`, and does heavy work in `workers`.
"""
