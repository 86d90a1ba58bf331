"""`Asker`, a strategy with the resources it answers from, and `clew.ask`, which keeps one for each graph."""

from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from clew.answer.answer import Answer
from clew.answer.cypher import CypherStrategy
from clew.answer.resources import Resources
from clew.answer.strategies.readers import ReadersStrategy
from clew.answer.strategy import Question, Strategy
from clew.errors import GraphError, InputError
from clew.graph.storage.snapshots import current_snapshot
from clew.traverse import GraphEngine

__all__ = ["MAX_CHARACTERS", "Asker", "ask", "check_question", "resources_of"]

MAX_CHARACTERS = 5_000  # of a question
KEPT_PATHS = 8  # graphs given by their paths that stay open

_guard = Lock()
_of_paths: "dict[Path, tuple[str, Asker]]" = {}  # the last asked about is the last here


@dataclass(frozen=True, slots=True)
class Asker:
    """Answers questions over one graph by one strategy; what that needs is opened at the first question and kept."""

    resources: Resources
    strategy: Strategy = field(default_factory=ReadersStrategy)

    def __post_init__(self) -> None:
        if not callable(getattr(self.strategy, "answer", None)):
            raise InputError(f"a strategy is an object with answer(question, resources), not {self.strategy!r}")

    def check(self) -> None:
        """Refuse before many questions what would fail each: a model that does not open, settings that lack one."""
        self.resources.model  # noqa: B018 - opened now
        if isinstance(self.strategy, CypherStrategy):
            self.strategy.check(self.resources)

    def ask(self, question: str | Question) -> Answer:
        """Answer a question with its evidence, or abstain with a reason."""
        asked = Question(question) if isinstance(question, str) else question
        check_question(asked.text)
        return self.strategy.answer(asked, self.resources)

    def ask_cypher(self, query: str | Question) -> Answer:
        """Answer a query in Cypher, such as that of an alternative interpretation, with its evidence."""
        asked = Question(query) if isinstance(query, str) else query
        return CypherStrategy().answer_cypher(asked, self.resources)

    def close(self) -> None:
        """Close what was opened for answering."""
        self.resources.close()


def ask(graph: GraphEngine | str | Path, question: str | Question) -> Answer:
    """Answer a question about a graph, opened or given by its path, with evidence, or abstain with a reason.

    What answering needs is opened at the first question and kept with the graph; `Asker` has more to set.
    """
    return _asker(graph).ask(question)


def resources_of(graph: GraphEngine | str | Path) -> Resources:
    """What is kept for answering over a graph."""
    return _asker(graph).resources


def check_question(text: str) -> None:
    """Refuse what is too long for a question, or no text."""
    if not isinstance(text, str):
        raise InputError(f"a question is text, not {type(text).__name__}")
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"the question has {len(text):,} characters, and at most {MAX_CHARACTERS:,} are read: shorten it"
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError("the question contains a lone surrogate, which is not valid text: remove it") from None


def _asker(graph: GraphEngine | str | Path) -> Asker:
    with _guard:
        if not isinstance(graph, str | Path):
            kept: Asker = graph.kept.setdefault("asker", Asker(Resources(graph)))
            return kept
        path = Path(graph).resolve()
        snapshot = _snapshot(path)
        known = _of_paths.pop(path, None)
        if known is None or known[0] != snapshot:  # not asked before, or built again since
            known = snapshot, Asker(Resources(path))
        _of_paths[path] = known
        if len(_of_paths) > KEPT_PATHS:
            _of_paths.pop(next(iter(_of_paths)))  # freed when whoever asks by it now has its answer
        return known[1]


def _snapshot(path: Path) -> str:
    """The current snapshot of a graph; none where there is no graph, which opening it says in a sentence."""
    try:
        return current_snapshot(path)
    except GraphError:
        return ""
