"""Multiple-choice questions in words, from the relations of a graph."""

from clew.answer.context.sentences import spaced
from clew.answer.lexicon.forms import core_name
from clew.answer.wording.verbs import RelationWords, bare

__all__ = ["one_hop_question", "two_hop_question"]


def one_hop_question(relation: str, named: str, asked: str, *, asked_is_subject: bool) -> str:
    """A question for one end of a triple.

    >>> one_hop_question("associated_with", "Marfan syndrome", "Gene", asked_is_subject=True)
    'Which gene is associated with Marfan syndrome?'
    >>> one_hop_question("has_phenotype", "Marfan syndrome", "Phenotype", asked_is_subject=False)
    'Which phenotype does Marfan syndrome have?'
    >>> one_hop_question("treats", "Aspirin", "Disease", asked_is_subject=False)
    'Which disease does Aspirin treat?'
    """
    words = RelationWords(spaced(core_name(relation)))
    noun = spaced(asked)
    if asked_is_subject:
        return f"Which {noun} {words.after(1)} {named}?"
    if words.kind != "verb":
        return f"Which {noun} is {named} {words.after(1).removeprefix('is ')}?"
    verb, _, thing = bare(words.text).partition(" ")
    if verb == "have" and thing:
        return f"Which {noun} does {named} have{'' if thing == noun else f' as {thing}'}?"
    return f"Which {noun} does {named} {bare(words.text)}?"


def two_hop_question(first: str, between: str, second: str, named: str, asked: str, *, between_is_subject: bool) -> str:
    """A question for the subject of a chain of two triples, whose far end is named.

    >>> two_hop_question("associated_with", "Disease", "has_phenotype", "Myopia", "Gene", between_is_subject=True)
    'Which gene is associated with a disease that has phenotype Myopia?'
    """
    ahead, behind = (RelationWords(spaced(core_name(each))).after(1) for each in (first, second))
    noun = spaced(between)
    article = "an" if noun[:1] in "aeiou" else "a"
    clause = f"{behind} {named}" if between_is_subject else f"{named} {behind}"
    return f"Which {spaced(asked)} {ahead} {article} {noun} that {clause}?"
