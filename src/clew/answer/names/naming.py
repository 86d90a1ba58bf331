"""Finding the entities named in a question: exact names, misspellings, shared heads and paraphrases.

Every word that is not a question word, type or relation should belong to a name. The stages run from the most to the
least certain: exact, noun and number, title and name, adjective of a place, part of a name, misspelt, shared head
("Apert and Pfeiffer syndrome"), attribute of a type ("start in adulthood"), lay term, paraphrase.
"""

from collections.abc import Callable, Sequence

from clew.answer.lexicon.forms import Token
from clew.answer.lexicon.words import Words
from clew.answer.names import described, spelt
from clew.answer.names.meanings import Anchor, settled
from clew.answer.names.name_search import NameSearch
from clew.link import Linker, Paraphrases
from clew.store.deadline import Deadline

__all__ = ["find_anchors"]

STAGES = (  # of names spelt as in the graph, or nearly
    spelt.find_ids,
    spelt.find_written,
    spelt.find_numbered,
    spelt.find_titled,
    spelt.widen,
    spelt.find_adjectives,
    spelt.find_directions,
    spelt.find_shortened,
    spelt.find_misspelt,
    spelt.find_shared_heads,
)


def find_anchors(
    text: str,
    tokens: Sequence[Token],
    linker: Linker,
    words: Words,
    *,
    is_cue: Callable[[str], bool],
    paraphrases: Paraphrases | None = None,
    spelt_only: bool = False,
    deadline: Deadline | None = None,
) -> list[Anchor]:
    """The entities named in a question, in order; a word for a type or a cue is not a name.

    With `spelt_only`, words that rather describe something are no name of it: "the nearest star".
    """
    search = NameSearch(text, tokens, linker, words, is_cue, deadline)
    for stage in STAGES:
        stage(search)
    if not spelt_only:
        described.find_said_of_types(search, paraphrases)
        described.find_everyday(search)
    if paraphrases is not None:
        described.find_paraphrased(search, paraphrases)
    return settled(search.anchors, text, words)
