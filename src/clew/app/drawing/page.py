"""The HTML page around a drawing: one self-contained file, with a table of all triples for screen readers."""

import json
from importlib.resources import files

from clew.app.drawing.links import link
from clew.app.drawing.scene import Scene, Statement
from clew.app.drawing.svg import colours_of_types, svg
from clew.app.drawing.text import clean, xml
from clew.plurals import counted

__all__ = ["page"]

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)


def page(scene: Scene) -> str:
    """The scene as a complete HTML document."""
    style, script = (files("clew.app.drawing").joinpath(name).read_text("utf-8") for name in ("page.css", "page.js"))
    triples = len(scene.triples)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{xml(scene.title)}</title>
<style>
{style}</style>
</head>
<body>
<header>
<h1>{xml(scene.title)}</h1>
<p>{xml(scene.description)}</p>
<div class="bar">
{_legend(scene)}
<div class="tools">
<button id="smaller" aria-label="Zoom out">−</button>
<button id="larger" aria-label="Zoom in">+</button>
<button id="fit" aria-label="Fit to window">Fit</button>
</div>
</div>
</header>
<main>
<figure>
<div class="canvas">
{svg(scene, alone=False)}
</div>
</figure>
<aside id="panel" aria-live="polite">
<h2>Sources</h2>
<p class="quiet">Point at a line to see the sources and publications of its triple.
Click to pin, Esc to release.</p>
</aside>
</main>
<details>
<summary>{counted(triples, "triple")} with sources</summary>
{_table(scene)}
</details>
<footer>
{"".join(f"<p>{xml(credit)}</p>" for credit in scene.credits)}
<p>Drawn by Clew.</p>
</footer>
<script type="application/json" id="data">{_data(scene)}</script>
<script>
{script}</script>
</body>
</html>"""


def _legend(scene: Scene) -> str:
    items = [
        f'<li><i style="background:{tint};border-color:{line}"></i>{xml(name)}</li>'
        for name, (line, tint) in colours_of_types(scene).items()
    ]
    return f'<ul class="legend">{"".join(items)}</ul>'


def _data(scene: Scene) -> str:
    """The data of the script, as JSON that cannot close its own element."""
    number = {entity.id: at for at, entity in enumerate(scene.entities)}
    entities = [
        {"id": clean(each.id), "name": clean(each.name), "type": clean(each.type), "link": link(each.id)}
        for each in scene.entities
    ]
    triples = [
        {
            "subject": number[each.subject],
            "relation": clean(each.relation),
            "object": number[each.object],
            "statements": [_statement(statement) for statement in each.statements],
        }
        for each in scene.triples
    ]
    text = json.dumps({"entities": entities, "triples": triples}, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _statement(statement: Statement) -> dict[str, object]:
    return {
        "source": clean(statement.source),
        "evidence": [{"text": clean(cited), "link": link(cited)} for cited in statement.evidence],
        "details": [[clean(name), clean(value)] for name, value in statement.details],
    }


def _table(scene: Scene) -> str:
    names = {entity.id: entity.name for entity in scene.entities}
    rows = [
        f"<tr><td>{xml(names[each.subject])}</td><td>{xml(each.relation)}</td><td>{xml(names[each.object])}</td>"
        f"<td>{'<br>'.join(_cited(statement) for statement in each.statements)}</td></tr>"
        for each in scene.triples
    ]
    header = "<tr><th>Subject</th><th>Relation</th><th>Object</th><th>Sources</th></tr>"
    return f"<table><thead>{header}</thead><tbody>{''.join(rows)}</tbody></table>"


def _cited(statement: Statement) -> str:
    linked = [_anchor(cited) for cited in statement.evidence]
    details = "; ".join(f"{xml(name)}: {xml(value)}" for name, value in statement.details)
    return ", ".join(filter(None, [xml(statement.source), *linked])) + (f" ({details})" if details else "")


def _anchor(cited: str) -> str:
    address = link(cited)
    return xml(cited) if address is None else f'<a href="{xml(address)}" rel="noopener noreferrer">{xml(cited)}</a>'
