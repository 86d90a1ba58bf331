"""Language models: one narrow protocol, its clients, and wrappers.

    from clew.lm import Message, Request, open_model

    with open_model("smollm2") as model:
        print(model.complete(Request([Message("user", "What is a gene?")])).text)

`complete` generates text, `score` gives log-probabilities of given continuations. Retries, time limits, accounting and
replay are wrappers that are language models themselves; `fit` builds prompts within a budget, `strip` and
`extract_json` parse responses.
"""

from clew.lm.answers import extract_json, strip
from clew.lm.failures import BadAnswer, Unreachable
from clew.lm.grammar import choice, literal
from clew.lm.messages import Completion, Keeping, LanguageModel, Message, Request, Score, TokenLogprob, Usage
from clew.lm.opening import CLIENTS, DEFAULT, open_model
from clew.lm.prompts import load_prompt
from clew.lm.wrappers.accounting import Metered
from clew.lm.wrappers.budget import Fitted, Section, fit
from clew.lm.wrappers.replay import Replayed
from clew.lm.wrappers.retries import Retrying
from clew.lm.wrappers.time_outs import Timed

__all__ = [
    "CLIENTS",
    "DEFAULT",
    "BadAnswer",
    "Completion",
    "Fitted",
    "Keeping",
    "LanguageModel",
    "Message",
    "Metered",
    "Replayed",
    "Request",
    "Retrying",
    "Score",
    "Section",
    "Timed",
    "TokenLogprob",
    "Unreachable",
    "Usage",
    "choice",
    "extract_json",
    "fit",
    "literal",
    "load_prompt",
    "open_model",
    "strip",
]
