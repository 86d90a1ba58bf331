"""Question → answer with its evidence: plans read from words or from Cypher, run on a store, shown with their sources.

clew.ask(clew.open("hpo.clew"), "Which genes are linked to arachnodactyly?").text
"""

from clew.answer.answer import Answer, Cited, Evidence, Item, Support, Usage
from clew.answer.ask import Asker
from clew.answer.opening import ask, open_asker
from clew.answer.plan import Plan

__all__ = ["Answer", "Asker", "Cited", "Evidence", "Item", "Plan", "Support", "Usage", "ask", "open_asker"]
