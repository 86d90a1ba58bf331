"""Question → answer with its evidence: plans read from words or from Cypher, run on a store, shown with their sources.

clew.ask(clew.open("hpo.clew"), "Which genes are linked to arachnodactyly?").text
"""

from clew.answer.answer import Answer, Cell, Cited, Evidence, Item, Support, Usage
from clew.answer.ask import Asker, ask
from clew.answer.cypher import CypherStrategy
from clew.answer.diagnosis.diagnose import Diagnoses, diagnose
from clew.answer.plans.assertions.filters import Filters
from clew.answer.plans.plan import Plan
from clew.answer.resources import Resources
from clew.answer.strategies.readers import ReadersStrategy
from clew.answer.strategy import STRATEGIES, Question, Step, Strategy

__all__ = [
    "STRATEGIES",
    "Answer",
    "Asker",
    "Cell",
    "Cited",
    "CypherStrategy",
    "Diagnoses",
    "Evidence",
    "Filters",
    "Item",
    "Plan",
    "Question",
    "ReadersStrategy",
    "Resources",
    "Step",
    "Strategy",
    "Support",
    "Usage",
    "ask",
    "diagnose",
]
