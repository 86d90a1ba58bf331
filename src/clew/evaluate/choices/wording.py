"""Multiple-choice questions in words, from the relations of a graph."""

from clew.answer.context.sentences import spaced
from clew.answer.lexicon.forms import core_name
from clew.answer.wording.relation_words import RelationWords
from clew.answer.wording.verbs import bare

__all__ = ["one_hop_question", "two_hop_question"]


def one_hop_question(relation: str, named: str, asked: str, *, asked_is_subject: bool) -> str:
    """A question for one end of a triple.

    >>> one_hop_question("associated_with", "Marfan syndrome", "Gene", asked_is_subject=True)
    'Which gene is associated with Marfan syndrome?'
    >>> one_hop_question("has_phenotype", "Marfan syndrome", "Phenotype", asked_is_subject=False)
    'Which phenotype does Marfan syndrome have?'
    >>> one_hop_question("treats", "Aspirin", "Disease", asked_is_subject=False)
    'Which disease does Aspirin treat?'
    >>> one_hop_question("place_of_birth", "Ada", "City", asked_is_subject=False)
    'Which city does Ada have as place of birth?'
    >>> one_hop_question("won", "Ada", "Award", asked_is_subject=False)
    'Which award has Ada won?'
    """
    words = RelationWords(spaced(core_name(relation)), own=relation)
    noun = spaced(asked)
    if asked_is_subject:
        has = words.kind == "name"
        return f"Which {noun} has {named} as {words.role}?" if has else f"Which {noun} {words.after(1)} {named}?"
    if words.kind in ("noun", "name"):
        return f"Which {noun} does {named} have as {words.role}?"
    if words.kind != "verb":  # what begins with a form of "be" or "have", or with "may", which stands before a subject
        first, _, rest = (words.infinitive() if words.kind == "past" else words.after(1)).partition(" ")
        return f"Which {noun} {'has' if first == 'have' else first} {named} {rest}?"
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
