"""Question → answer with its evidence: plans read from words or from Cypher, run on a store, shown with their sources.

Asker(clew.open("hpo.clew")).ask("Which genes are linked to arachnodactyly?").text
"""

from clew.answer.answer import Answer, Cited, Evidence, Item, Support, Usage
from clew.answer.ask import Asker
from clew.answer.plan import Plan

__all__ = ["Answer", "Asker", "Cited", "Evidence", "Item", "Plan", "Support", "Usage"]
