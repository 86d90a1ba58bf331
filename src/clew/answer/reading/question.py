"""A question, understood as far as words go: the entities it names, the types it mentions, and what it wants done.

Names are found first and set apart (`naming`), so that "Parkinson disease" asks for no disease; so are filters on
sources and time (`filter_words`). The rest is read by small rules (`intent`).
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from clew.answer.lexicon.forms import Token, stem, tokens_of
from clew.answer.lexicon.frames import Frame, find_frame, sentence_behind, sentences_before
from clew.answer.lexicon.type_words import TypeWord
from clew.answer.lexicon.words import Said, Words
from clew.answer.names.coreference import with_antecedent
from clew.answer.names.meanings import Anchor, Meaning, either, inside
from clew.answer.names.name_search import SHORTEST_NAME
from clew.answer.names.naming import find_anchors
from clew.answer.names.said_types import is_beside, tells_type, types_of_names
from clew.answer.plans.assertions.filters import Filters
from clew.answer.quantities.aside import Choice, choose_among, set_aside
from clew.answer.quantities.compared import find_compared
from clew.answer.quantities.quantifier_words import (
    NOTHING_SAID,
    Quantity,
    find_quantity,
    padded,
    with_quantity,
)
from clew.answer.quantities.recast import Stretch, affirmed, recast, with_stretches
from clew.answer.reading.contrasts import Contrast, find_contrast
from clew.answer.reading.intent import (
    Bound,
    Operation,
    asked_word,
    find_bound,
    find_operation,
    hierarchy_direction,
    is_cue,
    judges_number,
    mask,
    negate,
    with_role,
)
from clew.answer.statements.column_words import is_time
from clew.answer.statements.filter_words import find_filters, provenance_of
from clew.answer.statements.past_words import as_former
from clew.answer.statements.qualifier_words import find_qualifiers
from clew.answer.values.find import find_values
from clew.answer.values.said import NOTHING_SAID as NO_VALUES
from clew.answer.values.said import ValueWords
from clew.answer.values.vocabulary import Vocabulary
from clew.link import Linker, Paraphrases
from clew.store.deadline import Deadline

if TYPE_CHECKING:
    from clew.answer.grammar.parse import Known, Parser, Tree

__all__ = ["Anchor", "Meaning", "ParsedQuestion", "understand"]

BEFORE_NOUNS = frozenset(
    {"the", "a", "an", "of", "no", "any", "its", "their", "most", "more", "fewest", "common", "same", "which", "what"}
)  # words after which a word is no verb
COMPOUND = re.compile(r"[-–](\w+)")  # what makes an adjective of a name


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """What the words of a question say."""

    text: str
    anchors: tuple[Anchor, ...]
    tokens: tuple[Token, ...]  # outside the anchors
    type_words: tuple[TypeWord, ...]
    operation: str  # list, count, top, exists or path
    asked: tuple[str, ...]  # labels that may be asked for; empty where the words do not say
    mentioned: tuple[str, ...]  # labels of other type words, in order
    names: tuple[Anchor, ...] = ()  # each by itself, also what is set aside or compared with
    foreign: bool = False  # asks for a type that this graph does not have
    type_hints: tuple[str, ...] = ()  # labels that say what a named entity is: "seizures as a symptom"
    number: int | None = None
    descending: bool = True
    bound: Bound | None = None  # how many there must be of something
    denied: bool = False  # asks about absence, with nothing to subtract from
    lacking: bool = False  # there must be none of a type: "genes with no disease that shows A"
    explicit: bool = False  # what is absent must be said to be so
    followed: bool = False  # "Is there a …? If so, which?" asks for a list
    subclasses: bool = False  # "any kind of": subclasses of named terms count as well
    others: bool = False  # asks for entities other than the named ones
    direction: str | None = None  # "up" or "down" a hierarchy
    filters: Filters = field(default_factory=Filters)
    column: str | None = None  # what is asked of a statement itself, such as q_frequency or evidence
    column_values: tuple[tuple[int, int, str], ...] = ()  # where words stand that a column of statements holds
    quantity: Quantity = NOTHING_SAID  # how many of its names must hold
    every: tuple[str, ...] = ()  # labels of which every entity is meant
    contrast: Contrast | None = None  # "a different ward than": another one of a type
    aside: tuple[Meaning, ...] = ()  # entities that are set aside: "except Austria"
    among: tuple[str, ...] = ()  # ids of the entities that are compared
    judged: tuple[str, ...] = ()  # ids of which a yes-or-no question says that they have more than the others
    values: ValueWords = NO_VALUES  # conditions on attributes, orders by them, and attributes that are asked for
    held: Mapping[str, frozenset[str]] = field(default_factory=dict)  # id of a name → columns of statements with it
    unmet: tuple[str, ...] = ()  # words that need what no statement of this graph has, such as a date
    said: Mapping[str, Said] = field(default_factory=dict)  # relationships that are mentioned
    unrecognised: tuple[str, ...] = ()  # words that nothing above accounts for
    of_names: tuple[Token, ...] = ()  # words that only say of what type a name is: "the painting A"
    stems: tuple[str, ...] = field(default=(), repr=False)
    trees: "tuple[Tree, ...]" = field(default=(), repr=False)  # of its grammar, the likeliest first


def understand(
    text: str,
    linker: Linker,
    words: Words,
    *,
    paraphrases: Paraphrases | None = None,
    parser: "Parser | None" = None,
    vocabulary: Vocabulary | None = None,
    deadline: Deadline | None = None,
) -> ParsedQuestion:
    """Read a question as far as its words go; `paraphrases` finds names that are said in other words.

    With a `vocabulary` of attributes, what it says of their values is read first, and the rest without it.
    """

    def is_right(word: str) -> bool:
        known = parser is not None and parser.knows(word)
        return known or linker.index.phrases.count(word) > 0 or (vocabulary is not None and vocabulary.knows(word))

    def read_words(said: str) -> list[Token]:
        return words.read(said, is_right=is_right, more=() if vocabulary is None else vocabulary.spelt)

    def names_in(said: str, tokens: Sequence[Token]) -> list[Anchor]:
        return find_anchors(said, tokens, linker, words, is_cue=is_cue, paraphrases=paraphrases, deadline=deadline)

    def types_in(said: str) -> dict[int, tuple[str, ...]]:
        tokens = tokens_of(said)
        return {tokens[word.last - 1].end: word.labels for word in words.find_types(tokens)}

    def is_dated(said: str) -> bool:
        tokens = tokens_of(said)
        typed = {at for word in words.find_types(tokens) if not word.implied for at in range(word.first, word.last)}
        mentioned = words.relations_said([token.stem for at, token in enumerate(tokens) if at not in typed])
        return any(is_time(each.name) for name in mentioned for each in words.schema.relationship(name).properties)

    def is_in_name(said: str, start: int, end: int) -> bool:
        longer = (each for each in names_in(said, read_words(said)) if each.end - each.start > end - start)
        return any(each.start <= start and end <= each.end for each in longer)

    def is_person(noun: str) -> bool:
        return any(words.is_agent(label) for each in words.find_types(tokens_of(noun)) for label in each.labels)

    text = affirmed(text)
    text = as_former(text, is_person=is_person, in_name=partial(is_in_name, text))
    text = with_antecedent(text, sentences_before(text), lambda said: names_in(said, tokens_of(said)))
    frame = find_frame(text)
    plain = _blanked(text, frame.spans)
    idle = [
        (start, end)
        for start, end in (*sentences_before(plain), *sentence_behind(plain))
        if not types_in(plain[start:end]) and not names_in(plain[start:end], tokens_of(plain[start:end]))
    ]
    plain = _blanked(plain, idle)
    values = NO_VALUES
    if vocabulary is not None:
        values = find_values(
            plain,
            read_words(plain),
            vocabulary,
            types=types_in,
            names=lambda said: names_in(said, tokens_of(said)),
            is_dated=is_dated,
        )
    plain = _blanked(plain, values.spans)
    known = provenance_of(linker.engine, words.schema)

    def says_something_else(said: str, relations: Collection[str]) -> bool:
        own = any(words.is_own(name, word) for name in relations for word in said.split())
        idle = any(words.is_class(each, said) for each in ("frame", "filler", "negation", "quantifier", "comparison"))
        return own or idle or linker.link(said, last_stage="normalised").best is not None

    statements = find_qualifiers(
        plain,
        words.schema,
        is_type=lambda said: bool(words.find_types(tokens_of(said))),
        values=known.spoken_values(linker.engine),
        is_word=says_something_else,
        in_name=partial(is_in_name, plain),
    )
    plain = _blanked(plain, statements.spans)
    spoken_filters = find_filters(plain, linker.engine, words.schema)
    plain = _blanked(plain, spoken_filters.spans)
    read = read_words(plain)
    names = names_in(plain, read)
    compared_with = [each.than for each in values.conditions if each.than is not None]
    anchors: Sequence[Anchor] = either(names, plain)
    turned, choice = recast(padded(plain, anchors)), Choice()
    if find_compared(padded(plain, anchors), anchors) is None:
        anchors, choice = choose_among(plain, anchors, words)
    stretches = (*turned.stretches, *choice.stretches)
    plain, read = _rewritten(plain, stretches), with_stretches(read, stretches)
    plain, anchors, aside = set_aside(plain, anchors, read, words)
    read = [token for token in read if not any(start <= token.start < end for start, end in aside.spans)]
    quantity = find_quantity(padded(plain, anchors), anchors)
    compared = find_compared(padded(plain, anchors), anchors)
    plain = _blanked(plain, quantity.spans)
    tokens = [
        token
        for token in read
        if not inside(token, anchors) and not any(start <= token.start < end for start, end in quantity.spans)
    ]
    anchors = with_quantity(anchors, quantity) if compared is None else ()
    spoken = words.find_types(tokens)
    found = [word for word in spoken if not is_beside(word, tokens, anchors)]
    rest = mask(plain, anchors).strip()
    operation = _framed(frame, find_operation(rest, tokens, anchors, found), anchors)
    if operation.name == "list" and judges_number(rest, tokens, anchors) and not frame.lists:
        operation = Operation("exists")
    if turned.single and operation.name == "top":
        operation = replace(operation, number=1)
    if statements.column is not None and len(anchors) > 1:
        operation = Operation("exists")  # the statement between them, of which a column is asked for
    known_or_not = sorted([*found, *words.find_foreign(tokens)], key=lambda word: word.first)
    asked = asked_word(tokens, known_or_not, operation.name, followed=frame.lists)
    if compared is not None:
        operation = Operation("top", None if compared.judged else 1, compared.descending)
        asked = TypeWord(0, 0, (words.schema.label_of(compared.type),))
    roles = list(words.find_roles(tokens, [*found, *spoken]))
    asked = with_role(text, asked, roles, tokens) if compared is None else asked
    others = (
        [TypeWord(at, at + 1, asked.labels) for at in range(len(tokens)) if tokens[at].text.lower() == "others"]
        if asked
        else []
    )
    bound = find_bound(tokens, [*(word for word in found if word is not asked), *roles, *others])
    if bound is not None and operation.name == "list":
        operation = Operation("top")  # all that pass, those with most first
    others = [word for word in found if word is not asked and not word.implied]
    hints = [word for word in others if tells_type(word, tokens, anchors)]
    others = [word for word in others if word not in hints]
    denial = negate(rest, anchors)
    if quantity.kind == "none":
        denied = {anchors[number].start for number in quantity.names}
        denial = replace(
            denial,
            denied=False,
            anchors=tuple(replace(each, negated=each.negated or each.start in denied) for each in denial.anchors),
        )
    return ParsedQuestion(
        text=text,
        anchors=tuple(_with_relations(plain, denial.anchors, tokens, found, words)),
        names=tuple(sorted([*names, *compared_with], key=lambda each: each.start)),
        tokens=tuple(tokens),
        type_words=tuple(word for word in found if word not in hints),
        operation=operation.name,
        asked=asked.labels if asked is not None else (),
        foreign=asked is not None and not asked.labels,
        mentioned=tuple(dict.fromkeys(label for word in others for label in word.labels)),
        type_hints=tuple(dict.fromkeys(label for word in hints for label in word.labels)),
        number=operation.number,
        descending=operation.descending,
        bound=bound,
        denied=denial.denied,
        lacking=_lacks(tokens, found, asked),
        explicit=denial.explicit,
        followed=frame.lists,
        subclasses=frame.subclasses,
        others=any(token.text.lower() in ("other", "others", "else") for token in tokens),
        direction=hierarchy_direction(rest, operation.name),
        filters=replace(spoken_filters.filters, qualifiers=statements.qualifiers),
        column=statements.column,
        column_values=statements.values,
        quantity=quantity,
        every=_every(tokens, found, asked),
        contrast=find_contrast(padded(plain, anchors), tokens, found, anchors),
        aside=aside.meanings,
        among=choice.ids if compared is None else compared.ids,
        judged=() if compared is None else compared.judged,
        values=values,
        held=known.holding(linker.engine, {id for name in names for meant in name.meanings for id in meant.ids}),
        unmet=statements.unmet,
        said=words.relations_said([token.stem for token in tokens]),
        unrecognised=_unexplained(tokens, spoken, words),
        of_names=types_of_names(tokens, spoken, anchors, words),
        stems=tuple(token.stem for token in tokens),
        trees=tuple(_trees(parser, plain, tokens, _known(tokens, spoken, denial.anchors, stretches, words)))
        if parser is not None
        else (),
    )


def _trees(parser: "Parser", text: str, tokens: Sequence[Token], known: "Sequence[Known]") -> "Iterator[Tree]":
    """The grammar of a question, whose words are spelt rightly in it."""
    right = {token.start: token.text for token in tokens if token.text != text[token.start : token.end]}
    return (tree.respelt(right) for tree in parser.trees(text, known))


def _framed(frame: Frame, operation: Operation, anchors: Sequence[Anchor]) -> Operation:
    """What is wanted, given what the frame of the question asks for."""
    if frame.lists and operation.name == "exists":
        return Operation("list")
    return Operation("exists") if frame.judges and len(anchors) > 1 else operation


def _known(
    tokens: Sequence[Token],
    spoken: Sequence[TypeWord],
    anchors: Sequence[Anchor],
    stretches: Sequence[Stretch],
    words: Words,
) -> "list[Known]":
    """What the parser need not guess: names, nouns for types, verbs for relations, and what is read otherwise."""
    from clew.answer.grammar.parse import Known

    known = [Known(anchor.start, anchor.end, "name", number) for number, anchor in enumerate(anchors)]
    known += [Known(each.start, each.end, "written", written=each.written) for each in stretches]
    named = [word for word in spoken if not word.implied]
    known += [Known(tokens[word.first].start, tokens[word.last - 1].end, "noun") for word in named]
    taken = {at for word in named for at in range(word.first, word.last)}
    for at, token in enumerate(tokens):
        before = tokens[at - 1].text.lower() if at else "the"
        if at not in taken and before not in BEFORE_NOUNS and words.is_verb(token.text):
            known.append(Known(token.start, token.end, "verb"))
    return known


def _lacks(tokens: Sequence[Token], found: Sequence[TypeWord], asked: TypeWord | None) -> bool:
    """Whether there must be none of a type that is not asked for: "no disease", "without any symptom"."""
    for word in found:
        before = [token.text.lower() for token in tokens[max(0, word.first - 2) : word.first]]
        none = before[-1:] == ["no"] or before == ["without", "any"] or before == ["not", "any"]
        if none and asked is not None and word is not asked and not set(word.labels) & set(asked.labels):
            return True
    return False


def _every(tokens: Sequence[Token], found: Sequence[TypeWord], asked: TypeWord | None) -> tuple[str, ...]:
    """Labels of which every entity is meant: "in every disease", "by all of the drugs"; not what is asked for."""
    labels: list[str] = []
    for word in found:
        before = [token.text.lower() for token in tokens[max(0, word.first - 3) : word.first]]
        while before and before[-1] in ("the", "of", "known", "these", "its"):
            before.pop()
        if asked is not None and word is not asked and before[-1:] and before[-1] in ("every", "each", "all"):
            labels += word.labels
    return tuple(dict.fromkeys(label for label in labels if asked is None or label not in asked.labels))


def _blanked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with spaces where filters are said, so that everything else stays in its place."""
    for start, end in spans:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def _rewritten(text: str, stretches: Sequence[Stretch]) -> str:
    """The text with what is read in place of some stretches, as far as there is room for it."""
    for each in stretches:
        length = each.end - each.start
        if len(each.written) <= length:
            text = f"{text[: each.start]}{each.written.ljust(length)}{text[each.end :]}"
    return text


def _unexplained(tokens: Sequence[Token], found: Sequence[TypeWord], words: Words) -> tuple[str, ...]:
    typed = {at for word in found for at in range(word.first, word.last)}
    return tuple(
        token.text
        for at, token in enumerate(tokens)
        if at not in typed and not words.explains(token.stem) and len(token.text) >= SHORTEST_NAME
    )


def _with_relations(
    text: str, anchors: Sequence[Anchor], tokens: Sequence[Token], found: Sequence[TypeWord], words: Words
) -> Iterator[Anchor]:
    """Each name with the relations that the words before it mention, back to the type or name before.

    The word that makes an adjective of it may mention one ("French-speaking"), and so may a type: "treatments of
    asthma", or "asthma treatments", where it follows the name.
    """
    named = [word for word in found if not word.implied]
    for anchor in anchors:
        borders = [other.end for other in anchors if other.end <= anchor.start]
        borders += [tokens[word.first].start for word in named if tokens[word.last - 1].end <= anchor.start]
        start = max(borders, default=0)
        said = _said([token for token in tokens if start <= token.start < anchor.start], words)
        made = COMPOUND.match(text, anchor.end)
        said = said or (tuple(words.relations_said([stem(made[1])])) if made else ())
        behind = [word for word in named if tokens[word.first].start - anchor.end == 1]
        if not said and behind:
            said = _said(tokens[behind[0].first : behind[0].last], words)
        yield replace(anchor, beside=said)


def _said(tokens: Sequence[Token], words: Words) -> tuple[str, ...]:
    return tuple(words.relations_said([token.stem for token in tokens]))
