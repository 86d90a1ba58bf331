"""A subgraph as a picture: paths from left to right, every triple with its sources, in one self-contained file.

`scene` defines what is drawn, `layout` where, `svg` renders the picture and `page` the HTML around it.
"""

from clew.app.drawing.page import page
from clew.app.drawing.scene import DrawnEntity, DrawnTriple, Scene, Statement, scene_of_paths, scene_of_triples
from clew.app.drawing.svg import svg
from clew.app.drawing.write import write_drawing

__all__ = [
    "DrawnEntity",
    "DrawnTriple",
    "Scene",
    "Statement",
    "page",
    "scene_of_paths",
    "scene_of_triples",
    "svg",
    "write_drawing",
]
