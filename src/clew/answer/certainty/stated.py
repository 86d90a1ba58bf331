"""What a question states outright and a plan has otherwise: an order, an attribute, a deed, or one of two names.

Words are compared with the names of attributes, relations and columns as the graph has them, so that no list of
meanings is needed. Out: for a plan of any origin, in how many ways it departs from its question.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import pairwise

from clew.answer.grammar.clauses import find_clauses
from clew.answer.grammar.parse import Word
from clew.answer.lexicon.dimensions import dimensions, is_generic
from clew.answer.lexicon.families import spelt_out
from clew.answer.lexicon.forms import Token, is_code, plain_name, stem, tokens_of, word_table
from clew.answer.lexicon.phrases import is_doer
from clew.answer.lexicon.times import is_in_rate
from clew.answer.lexicon.words import Words
from clew.answer.plans.condition import Asked
from clew.answer.plans.plan import Plan, Sort
from clew.answer.reading.interpretation import Interpretation
from clew.answer.statements.column_words import is_time

__all__ = ["Owners", "departures", "keys_of"]

Owners = Mapping[str, Set[str]]
NAMING = frozenset(map(stem, ("name", "title")))  # nouns that ask for what entities are called
VAGUE = frozenset(map(stem, ("name", "id", "type", "value", "number", "time", "note")))  # what any attribute may be
AVERAGED = frozenset(map(stem, ("average", "avg", "mean", "median")))
RANKING = frozenset({  # words that say what an order is by, beside superlatives
    "most", "least", "fewest", "latest", "last", "first", "newest", "recent", "recently", "current", "currently", "now",
    "today", "next", "previous", "former", "early", "late", "new", "old", "by", "rank", "ranked", "sort", "sorted",
    "order", "ordered",
})  # fmt: skip
GRADED, UNCLEAR = ("JJS", "RBS", "JJR", "RBR"), frozenset({"top", "best", "worst"})  # tags, and words that need a "by"
ALIKE = 5  # letters that two words of one family have in common
COUNTED = frozenset({"most", "fewest", "many", "more", "fewer", "least"})  # words before what is counted
HOW = re.compile(r"\bhow\s+(?:many\s+\w+\s+)?(?P<adjective>\w+)\b", re.IGNORECASE)
BESIDE = re.compile(r"""['"’”]?,?\s*(?:and|or)\s*['"‘“]?(?:the\s+)?""", re.IGNORECASE)  # between two names
MALE, FEMALE = (frozenset(word_table("asking.json")[f"{sex} kin"]) for sex in ("male", "female"))
SEXED = frozenset(map(stem, word_table("asking.json")["sexed deeds"]))  # which say whether a father or a mother does it
SEX = re.compile(r"(?:^|_)(?:sex|gender)(?:_|$)", re.IGNORECASE)
WHAT = re.compile(r"\W*(?:what|who|whom|whose)\b", re.IGNORECASE)
NOUNS, DEEDS = ("NN", "NNS", "NNP", "NNPS"), ("VBN", "VBD", "JJ")


def departures(interpretation: Interpretation, words: Words, owners: Owners) -> int:
    """In how many ways a plan has otherwise what its question states; `owners` are the labels with each property."""
    return sum(
        (
            _is_upside_down(interpretation),
            _is_ordered_by_nothing_said(interpretation),
            _is_ordered_by_another(interpretation, words),
            _lacks_what_is_asked(interpretation),
            _lacks_an_attribute(interpretation, words, owners),
            _measures_another(interpretation),
            _gives_no_name(interpretation),
            _drops_one_of_two(interpretation),
            _lacks_a_deed(interpretation, words),
            _counts_the_wrong_end(interpretation, words),
            _compares_with_itself(interpretation),
            _leaves_out_a_sex(interpretation, words),
            _says_when_instead(interpretation, words),
        )
    )


def _leaves_out_a_sex(interpretation: Interpretation, words: Words) -> bool:
    """Whether a father, a daughter or an aunt is any parent, child or relative in the plan.

    Sons and daughters are all children, and a daughter company is nobody's daughter.
    """
    question, candidate = interpretation.question, interpretation.candidate
    kin = [token for token in question.tokens if token.text.lower() in MALE | FEMALE and token not in question.of_names]
    kin = [token for token in kin if _role(token, interpretation) != "compound"]
    for one, other in pairwise(kin):
        of_both = (one.text.lower() in MALE) != (other.text.lower() in MALE)
        if of_both and BESIDE.fullmatch(question.text[one.end : other.start]) is not None:
            return False
    plan, schema = candidate.plan, words.schema
    called = [schema.relationship(name).relation for name in candidate.relationships]
    called += [schema.type_of(label) for slot in plan.slots for label in slot.types]
    told = {stem(word) for name in called for word in plain_name(name).split()}
    limited = any(SEX.search(each.key) for part in plan.parts for each in part.conditions)
    return not {token.stem for token in kin} <= told and SEXED.isdisjoint(told) and not limited


def _says_when_instead(interpretation: Interpretation, words: Words) -> bool:
    """Whether a time answers what something is: "*what* was wrong with A when B had it?"."""
    text, key = interpretation.question.text, interpretation.candidate.plan.column
    if key is None or not is_time(key) or WHAT.match(text) is None:
        return False
    named = {*map(stem, spelt_out(key.removeprefix("q_"))), *words.classes["when"]}
    return named.isdisjoint(stem(token.text) for token in tokens_of(text))


def _is_upside_down(interpretation: Interpretation) -> bool:
    """Whether an attribute is sorted by the wrong end: "the most recent", the earliest first."""
    order, plan = interpretation.question.values.order, interpretation.candidate.plan
    graded = {(each.attribute.label, each.attribute.key): each.much for each in order.options} if order else {}
    return any(
        graded.get((label, sort.by.key or ""), sort.descending) != sort.descending
        for sort in plan.sort
        if sort.by is not None
        for slot in plan.slots
        if slot.name == sort.by.of
        for label in slot.types
    )


def _cut_by(plan: Plan) -> Sort | None:
    """The attribute by which some are chosen of all that a plan finds."""
    by = plan.sort[0] if plan.sort and plan.limit is not None else None
    return by if by is not None and by.by is not None and by.by.key is not None else None


def _is_ordered_by_nothing_said(interpretation: Interpretation) -> bool:
    """Whether "the top five" are chosen by an attribute that no word mentions."""
    question, chosen = interpretation.question, _cut_by(interpretation.candidate.plan)
    if chosen is None or question.values.order is not None:
        return False
    tokens = tokens_of(question.text)
    said = {token.text.lower() for token in tokens}
    named = set(_parts(chosen.by)).intersection(token.stem for token in tokens)
    graded = any(
        word.tag in GRADED and word.text.lower() not in UNCLEAR for tree in question.trees for word in tree.words
    )
    return not named and not graded and said.isdisjoint(RANKING) and not said.isdisjoint(UNCLEAR)


def _is_ordered_by_another(interpretation: Interpretation, words: Words) -> bool:
    """Whether "the most tagged" are not those with most tags but are chosen by an attribute of another name, or by an
    average."""
    chosen = _cut_by(interpretation.candidate.plan)
    if chosen is None:
        return False
    parts, tokens = _parts(chosen.by), interpretation.question.tokens
    averaged = not AVERAGED.isdisjoint(parts) and AVERAGED.isdisjoint(token.stem for token in tokens)
    for most, done in pairwise(tokens):
        if most.text.lower() not in ("most", "least") or _tag(done, interpretation) not in DEEDS:
            continue
        counted = any(words.binds(name, done.text) for name in interpretation.candidate.relationships)
        if (averaged and done.text.endswith("ed")) or (counted and done.stem not in parts):
            return True
    return False


def _lacks_what_is_asked(interpretation: Interpretation) -> bool:
    """Whether attributes of what a plan is about are asked for by their own names, and it has none of them."""
    plan, question = interpretation.candidate.plan, interpretation.question
    held = {*keys_of(plan), *interpretation.candidate.relationships}
    said = {token.stem for token in tokens_of(question.text)}
    about = _labels_of(plan)
    named = [each for each in question.values.asked if set(_stems(each.title)) <= said - VAGUE]
    named = [each for each in named if not about or each.label in about]
    return bool(named) and held.isdisjoint(each.relation or each.key for each in question.values.asked)


def _lacks_an_attribute(interpretation: Interpretation, words: Words, owners: Owners) -> bool:
    """Whether a noun is the very name of an attribute of what a plan is about, and nothing in it is called so."""
    plan, bindings = interpretation.candidate.plan, interpretation.account.bindings
    about = _labels_of(plan)
    own = (name for name, labels in owners.items() if not about or not about.isdisjoint(labels))
    known = {tuple(_stems(each)) for each in own} - {(each,) for each in VAGUE}
    held = {part for key in keys_of(plan) for part in _stems(key)}
    met = [each for each in bindings if each.part.partition(" ")[0] in ("type", "column", "name", "value")]
    met += [each for each in bindings if each.part.startswith("relation ")]
    tokens = interpretation.question.tokens
    for at, token in enumerate(tokens):
        noun = tuple(_stems(token.text))
        alike = {part[:ALIKE] for part in held}.issuperset(part[:ALIKE] for part in noun)  # licence, licensed
        denied = any(words.is_class("negation", each.text) for each in tokens[max(0, at - 2) : at])
        if noun not in known or alike or denied or any(each.start <= token.start < each.end for each in met):
            continue
        if is_in_rate(interpretation.question.text, token.start) or _is_done_to(token, interpretation, words):
            continue
        if _tag(token, interpretation) in NOUNS:
            return True
    return False


def _is_done_to(token: Token, interpretation: Interpretation, words: Words) -> bool:
    """Whether a word is the object of a verb that a relation of the plan is called by: who *carved the stone*."""
    word = _word(token, interpretation)
    if word is None or word.role not in ("dobj", "nsubjpass"):
        return False
    verb = interpretation.question.trees[0].words[word.head].text
    return any(words.binds(name, verb) for name in interpretation.candidate.relationships)


def _measures_another(interpretation: Interpretation) -> bool:
    """Whether "how old" is answered by an attribute that no word for age means, or of which only a code is known."""
    plan = interpretation.candidate.plan
    asked, said = plan.attribute, HOW.search(interpretation.question.text)
    if asked is None or said is None:
        return False
    adjective, name = said["adjective"].lower(), asked.key or ""
    stems = tuple(map(stem, spelt_out(name)))
    wanted = [each for each in dimensions().values() if adjective in (*each.more, *each.less)]
    meant = [each for each in dimensions().values() if each.is_said_by(stems)]
    if not wanted or any(each in wanted for each in meant):
        return False
    return not is_generic(adjective) if meant else is_code(name)


def _gives_no_name(interpretation: Interpretation) -> bool:
    """Whether names or titles are asked for and a plan gives another attribute."""
    plan, trees = interpretation.candidate.plan, interpretation.question.trees
    asked = [stem(tree.words[at].text.lower()) for tree in trees if (at := find_clauses(tree).asked) is not None]
    named = sum(noun in NAMING for noun in asked)
    given = {part for each in plan.asked for part in _parts(each)}
    return plan.attribute is not None and 2 * named > len(trees) and given.isdisjoint(asked)


def _drops_one_of_two(interpretation: Interpretation) -> bool:
    """Whether of two names side by side ("A or B") a plan has only one."""
    question, plan = interpretation.question, interpretation.candidate.plan
    conditions = [each for part in plan.parts for each in part.conditions]
    ids = {id for each in conditions if each.key == "id" for id in each.values}
    texts = " ".join(str(id) for each in conditions if each.key != "id" for id in each.values).lower()
    aside = {each.lower() for each in interpretation.candidate.aside}
    names = sorted(question.names, key=lambda each: each.start)
    for one, other in pairwise(names):
        if BESIDE.fullmatch(question.text[one.end : other.start]) is not None:
            held = [
                each.text.lower() in texts
                or any(meant.name.lower() in aside or not ids.isdisjoint(meant.ids) for meant in each.meanings)
                for each in (one, other)
            ]
            if held[0] != held[1]:
                return True
    return False


def _doers(interpretation: Interpretation) -> Iterator[tuple[int, Token]]:
    """The nouns that name who does something: actors, followers."""
    for at, token in enumerate(interpretation.question.tokens):
        if is_doer(token.text) and _tag(token, interpretation) in NOUNS:
            yield at, token


def _lacks_a_deed(interpretation: Interpretation, words: Words) -> bool:
    """Whether actors are asked for, and a plan says of them nothing that they did, though the graph does."""
    plan = interpretation.candidate.plan
    if any(plan.wanted.intersection(step.ends) for part in plan.parts for step in part.steps):
        return False
    met = [each for each in interpretation.account.bindings if each.part.startswith(("type ", "relation ", "column "))]
    for _, token in _doers(interpretation):
        done = {each.name for each in words.schema.relationships if words.binds(each.name, token.text)}
        bound = any(each.start <= token.start < each.end for each in met)
        if done and not bound and done.isdisjoint(interpretation.candidate.relationships):
            return True
    return False


def _counts_the_wrong_end(interpretation: Interpretation, words: Words) -> bool:
    """Whether "the most followers" are counted among those who are followed."""
    plan, tokens = interpretation.candidate.plan, interpretation.question.tokens
    counted = {each.of for each in plan.measures if each.function == "count"}
    steps = [step for part in plan.parts for step in part.steps if len(step.relations) == 1 and not step.either_way]
    for at, token in _doers(interpretation):
        if at == 0 or tokens[at - 1].text.lower() not in COUNTED:
            continue
        for step in steps:
            relation = words.schema.relationship(step.relations[0])
            does = words.binds(relation.name, token.text) and words.noun_is_subject(relation.name, token.text)
            one_type = any(ends.subject == ends.object for ends in relation.ends)
            if does and one_type and not relation.symmetric and step.object in counted:
                return True
    return False


def _compares_with_itself(interpretation: Interpretation) -> bool:
    """Whether a value is compared with itself, which says nothing: nurses hired in the year in which they were."""
    conditions = [each for part in interpretation.candidate.plan.parts for each in part.conditions]
    return any(isinstance(each.value, Asked) and each.value == Asked(each.of, each.key) for each in conditions)


def _word(token: Token, interpretation: Interpretation) -> Word | None:
    """A word in the likeliest tree."""
    for tree in interpretation.question.trees[:1]:
        at = tree.at(token.start)
        return None if at is None else tree.words[at]
    return None


def _tag(token: Token, interpretation: Interpretation) -> str:
    word = _word(token, interpretation)
    return "" if word is None else word.tag


def _role(token: Token, interpretation: Interpretation) -> str:
    word = _word(token, interpretation)
    return "" if word is None else word.role


def keys_of(plan: Plan) -> Iterator[str]:
    """The columns that a plan gives, sorts by, compares or aggregates."""
    for part in plan.parts:
        for each in part.conditions:
            yield each.key
            if isinstance(each.value, Asked):
                yield each.value.key or ""
    columns = [*plan.asked, *(each.by for each in plan.sort if each.by is not None)]
    yield from (each.key or "" for each in columns)
    yield from (each.key or "" for each in plan.measures)


def _labels_of(plan: Plan) -> set[str]:
    """The labels of what a plan is about; none if it leaves a type open."""
    if not all(slot.types for slot in plan.slots):
        return set()
    return {label for slot in plan.slots for label in slot.types}


def _parts(column: Asked | None) -> Sequence[str]:
    return _stems(column.key or "") if column is not None else []


def _stems(name: str) -> list[str]:
    """The words of a name, as stems."""
    return [stem(word) for word in plain_name(name).split()]
