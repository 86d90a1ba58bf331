"""Which relations are asked for each head: those that the seed has for subjects of its type.

A head that is not linked has the type that names ending like it have in the seed; failing that, the seed's commonest
relations are asked. A helper model may choose among them by the text.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from clew.errors import InputError
from clew.extract.list_prompt import NOTHING, ListPrompter
from clew.extract.seed.signatures import Signatures
from clew.link.normalise import words_of
from clew.lm import LanguageModel, Usage, literal, load_prompt

__all__ = ["MatchedRelations", "RelationChooser", "RelationMatching", "TypeCues", "match_relations"]

ENDING = 5  # letters of a last word that tell a type: -aemia, -oplasty
MAX_TOKENS = 96
LINKED, GUESSED, COMMONEST = "linked type", "guessed type", "commonest relations"


@dataclass(frozen=True, slots=True)
class RelationMatching:
    """How many relations each head is asked for, and when the names of the seed tell a type."""

    most: int = 12  # of a head whose type is known
    unknown: int = 4  # of a head whose type nobody knows: the commonest relations; 0 leaves such heads out
    least_names: int = 5  # names with the same last word or ending, that they tell a type
    least_share: float = 0.8  # of those names that are of one type
    mentioned: bool = False  # ask only where a mention of the sequence may be the tail

    def __post_init__(self) -> None:
        if self.most < 1 or self.unknown < 0 or self.least_names < 1 or not 0.5 < self.least_share <= 1:
            raise InputError(
                "relation matching asks for at least one relation of a known type, and a type is told by at least one "
                "name and more than half of them"
            )


@dataclass(frozen=True, slots=True)
class MatchedRelations:
    """The relations asked for a head, and by what they were found."""

    relations: tuple[str, ...]
    how: str


class TypeCues:
    """What the names of a seed tell about a type: by their last word, else by its last five letters.

    >>> cues = TypeCues(["marfan syndrome", "down syndrome", "aspirin"], ["Disease", "Disease", "Drug"])
    >>> cues.guess("stickler syndrome", least_names=2, least_share=0.8), cues.guess("ibuprofen", least_names=2)
    ('Disease', None)
    """

    def __init__(self, names: Iterable[str], types: Iterable[str]) -> None:
        self._counts: dict[str, Counter[str]] = {}
        for name, type in zip(names, types, strict=True):
            for cue in _cues(name):
                self._counts.setdefault(cue, Counter())[type] += 1

    def guess(self, text: str, *, least_names: int = 5, least_share: float = 0.8) -> str | None:
        """The type that enough of the names with the same cue share; None if no cue tells."""
        for cue in _cues(text):
            counts = self._counts.get(cue)
            if counts is None:
                continue
            type, count = counts.most_common(1)[0]
            if counts.total() >= least_names and count >= least_share * counts.total():
                return type
        return None


def _cues(name: str) -> tuple[str, ...]:
    """The last word, and its ending; a sign that no word has keeps the two apart."""
    words = words_of(name)
    if not words:
        return ()
    last = words[-1]
    return (last, f"-{last[-ENDING:]}") if len(last) > ENDING else (last,)


def match_relations(
    texts: Sequence[str],
    types: Sequence[str | None],
    signatures: Signatures,
    *,
    cues: TypeCues | None = None,
    matching: RelationMatching | None = None,
) -> list[MatchedRelations]:
    """The relations to ask for each head, the commonest first."""
    matching = matching or RelationMatching()
    known: dict[tuple[str, str | None], MatchedRelations] = {}
    for head in set(zip(texts, types, strict=True)):
        known[head] = _match(*head, signatures, cues, matching)
    return [known[head] for head in zip(texts, types, strict=True)]


def _match(
    text: str, type: str | None, signatures: Signatures, cues: TypeCues | None, matching: RelationMatching
) -> MatchedRelations:
    how = LINKED
    if type is None and cues is not None:
        type = cues.guess(text, least_names=matching.least_names, least_share=matching.least_share)
        how = GUESSED
    if type is None:
        return MatchedRelations(signatures.relations_of(None)[: matching.unknown], COMMONEST)
    return MatchedRelations(signatures.relations_of(type)[: matching.most], how)


class RelationChooser:
    """Lets a language model choose among the relations that make sense; it can name no other."""

    def __init__(self, model: LanguageModel) -> None:
        self._lister = ListPrompter(model)
        self._prompt = load_prompt("clew.extract", "relations.txt")

    @property
    def usage(self) -> Usage:
        """What the model's answers cost."""
        return self._lister.usage

    def choose(self, relations: Sequence[str], *, head: str, sequence: str) -> tuple[str, ...]:
        """Those of `relations` that the model finds in the text, in its order; perhaps none."""
        if not relations:
            return ()
        listed = " | ".join(map(literal, relations))
        grammar = (
            f'root ::= {literal(NOTHING)} | relation ("\\n" relation){{0,{len(relations) - 1}}}\nrelation ::= {listed}'
        )
        prompt = self._prompt.format(sequence=sequence, head=head, relations="\n".join(relations))
        said = self._lister.ask(prompt, grammar=grammar, most=len(relations), max_tokens=MAX_TOKENS)
        return tuple(name for name in said if name in relations)
