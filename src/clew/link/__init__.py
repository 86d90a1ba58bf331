"""From names in text to entities of a graph: linking, mention detection, and the name index behind both.

linker = Linker(clew.open("hpo.clew")); linker.link("marfan syndrom").best; linker.detect("No sign of arachnodactyly.")
"""

from clew.link.candidates import STAGES, Candidate, Linked, Settings
from clew.link.detect import Mention
from clew.link.linker import Linker
from clew.link.names.indexing import build_names, open_or_build, write_names
from clew.link.names.name_index import Form, LinkIndex, open_index
from clew.link.paraphrases import Paraphrases
from clew.link.vectors import build_vectors, open_vectors

__all__ = [
    "STAGES",
    "Candidate",
    "Form",
    "LinkIndex",
    "Linked",
    "Linker",
    "Mention",
    "Paraphrases",
    "Settings",
    "build_names",
    "build_vectors",
    "open_index",
    "open_or_build",
    "open_vectors",
    "write_names",
]
