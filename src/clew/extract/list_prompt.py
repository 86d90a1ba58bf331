"""A language model asked for a short list: under a grammar where it obeys one, else as JSON."""

import json
import logging

from clew.errors import ContextOverflow, ModelError
from clew.lm import BadAnswer, LanguageModel, Message, Request, Unreachable, Usage, extract_json

__all__ = ["NOTHING", "ListPrompter"]

log = logging.getLogger(__name__)
NOTHING = "none"  # how a model says that the list is empty
AS_JSON = '\nAnswer with one JSON object: {"items": ["…", "…"]}; {"items": []} if none fits.'
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"items": {"type": "array", "items": {"type": "string"}}},
        "required": ["items"],
        "additionalProperties": False,
    }
)


class ListPrompter:
    """Asks one model; `usage` sums what its answers cost, `bad_answers` counts those that were no list.

    A bad answer is taken as an empty list; a model that is away is an error.
    """

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        self.usage = Usage()
        self.bad_answers = 0
        self._obeys_grammars = True

    def ask(self, prompt: str, *, grammar: str, most: int, max_tokens: int) -> list[str]:
        """The distinct lines of the answer, at most `most`; nothing is promised of a model without grammars."""
        try:
            lines = self._ask(prompt, grammar, max_tokens)
        except BadAnswer as error:
            log.info("%s: %s", self.model.name, error)
            self.bad_answers += 1
            return []
        cleaned = (" ".join(line.split()).strip("\"'`") for line in lines)
        return list(dict.fromkeys(line for line in cleaned if line and line.lower() != NOTHING))[:most]

    def _ask(self, prompt: str, grammar: str, max_tokens: int) -> list[str]:
        if self._obeys_grammars:
            request = Request([Message("user", prompt)], grammar=grammar, max_tokens=max_tokens)
            try:
                completion = self.model.complete(request)
                self.usage += completion.usage
                return completion.text.split("\n")
            except (BadAnswer, Unreachable, ContextOverflow):
                raise
            except ModelError as error:
                log.info("asking %s for JSON instead: %s", self.model.name, error)
                self._obeys_grammars = False
        request = Request([Message("user", prompt + AS_JSON)], schema=SCHEMA, max_tokens=2 * max_tokens)
        completion = self.model.complete(request)
        self.usage += completion.usage
        answer = extract_json(completion.text)
        items = answer.get("items") if isinstance(answer, dict) else answer
        return [item for item in items if isinstance(item, str)] if isinstance(items, list) else []
