"""What the training of a model that writes queries starts from: graphs as it is shown them, each with some questions.

    python -m benchmarks.questions.training.query_packs packs.json --epochs 4
    python -m benchmarks.questions.training.query_packs packs.json --new thirty_four thirty_five

Every epoch shows a schema anew: other examples, another order, without some of what no question needs, and now and then
without something that one does need, whose answer is then NONE. Packs of files that an earlier adapter did not learn
from (`--new`) are marked: what it writes for them shows what it gets wrong.
"""

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from string import ascii_uppercase

from benchmarks.questions.training.queries import NAMELESS, Row, WrittenSchema, read_names, read_queries, shown
from clew.answer.models.schema_grammar import NONE
from clew.answer.models.shown_schema import variables_of
from clew.answer.models.trained import INSTRUCTION, brief
from clew.store.cypher.write import quote
from clew.store.layout import upper_snake

VALUE = re.compile(r"(\w+\.q_\w+) = '([^']+)'")
FOLDER = Path(__file__).parents[1] / "queries"
TOGETHER = 12  # questions of a pack
LESS, GONE = 0.4, 0.25  # most of what no question needs that is left out, and how often something needed is
OTHERWISE, LOW, OPEN = 0.12, 0.12, 0.15  # how often a name may mean two things, and questions lose capitals, their mark
DOTTED = 0.15  # how often relations are named behind what they are of
TERSE = 0.12  # how often relations and attributes go by their keys, as abbreviated as some graphs have them
CODED = 0.3  # how often types are codes, and relations and attributes too
CUT = 0.65  # how often these are cut down from their names, rather than their keys
LONG = (2, 3, 3, 4)  # letters of what is cut down
NO_TYPE, NO_TYPE_CODED = 0.1, 0.5  # how often things of one type have none
WIDER, MOST_WIDER = 0.4, 0.4  # how often relations have further types at their ends, and at most how many of them
DENIED = 0.1  # how often some relations have one beside them that states their absence
NAMED = 0.1  # how often a value of a statement that a question says is the name of something too
UNTYPED = 0.1  # how often the names of a question have no type
SMALL_WORDS = ("at", "by", "for", "from", "had", "has", "have", "in", "is", "of", "on", "the", "to", "was", "with")
SHORT = 2  # letters of keys that say nothing, unless all names are codes
HELD = 20  # one schema of so many is measured and not learned from


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument(
        "--new", nargs="+", default=[], metavar="NAME", help="files whose packs are marked, without .txt"
    )
    given = parser.parse_args()
    paths = sorted(given.folder.glob("*.txt"))
    if unknown := set(given.new) - {path.stem for path in paths}:
        known = ", ".join(path.stem for path in paths)
        parser.error(f"{given.folder} has no file {', '.join(sorted(unknown))}: choose among {known}")
    schemas = [each for each in read_queries(paths) if each.rows]
    called = read_names(given.folder / "names.tsv")
    print(len(schemas), "schemas,", sum(len(each.rows) for each in schemas), "questions,", end=" ")
    print(sum(each.unreadable for each in schemas), "unreadable")
    names = sorted({each.name for each in schemas})[::HELD]
    held, learned = (
        [each for each in schemas if each.name in names],
        [each for each in schemas if each.name not in names],
    )
    draw = random.Random(7)
    epochs = [
        [{**pack, "new": schema.file in given.new} for schema in learned for pack in packs(schema, draw, called)]
        for _ in range(given.epochs)
    ]
    for epoch in epochs:
        draw.shuffle(epoch)
    measured = [pack for schema in held for pack in packs(schema, draw, called, plain=True)]
    given.out.write_text(json.dumps({"instruction": INSTRUCTION, "epochs": epochs, "held": measured}))


def packs(
    written: WrittenSchema, draw: random.Random, called: Mapping[str, Sequence[str]], *, plain: bool = False
) -> Iterator[dict[str, object]]:
    """A schema with some of its questions at a time: {"graph": …, "asked": [[question, query], …]}.

    `called` is what things are called, by their type in lower case, or a schema and a type that is a code there.
    """
    written = replace(written, rows=draw.sample(written.rows, len(written.rows)))
    for start in range(0, len(written.rows), TOGETHER):
        coded = not plain and draw.random() < CODED
        others = _codes(written.types, draw) if coded else {}
        if not plain and draw.random() < (NO_TYPE_CODED if coded else NO_TYPE):
            others[draw.choice(written.types)] = NAMELESS
        schema = _retyped(written, others)
        names = {others.get(type, type): _called(written.name, type, called) for type in written.types}
        some = schema.rows[start : start + TOGETHER]
        without = frozenset() if plain else _left_out(schema, some, draw)
        asked = [list(_asked(row, schema, draw, without, plain=plain)) for row in some]
        wider = draw.random() * MOST_WIDER if not plain and draw.random() < WIDER else 0.0
        if coded and draw.random() < CUT:
            own = _cut(schema, draw)
        else:
            own = _terse(schema, SHORT - coded) if coded or (not plain and draw.random() < TERSE) else schema
        denied = draw.randint(1, 3) if not plain and draw.random() < DENIED else 0
        graph = brief(shown(own, draw, without, wider=wider, denied=denied, names=names))
        if own is not schema:
            asked = [[q, _as_in(query, schema, own)] for q, query in asked]
        elif not plain and draw.random() < DOTTED:
            graph, asked = _dotted(graph, schema), [[q, _dotted(query, schema)] for q, query in asked]
        yield {"graph": graph, "asked": asked}


def _called(schema: str, type: str, called: Mapping[str, Sequence[str]]) -> Sequence[str]:
    return called.get(f"{schema}/{type}".lower()) or called.get(type.lower(), ())


def _codes(types: Sequence[str], draw: random.Random) -> dict[str, str]:
    """Types as codes of two or three letters each, as old databases have them: CTR, RG, EMP."""
    codes: dict[str, str] = {}
    long = draw.choice((2, 3))
    by_consonants = draw.random() < 0.5
    for type in types:
        letters = re.sub(r"[^A-Z]", "", type.upper()) or "X"
        kept = letters[0] + (re.sub(r"[AEIOU]", "", letters[1:]) if by_consonants else letters[1:])
        ways = [
            kept[:long],
            letters[:long],
            letters[0] + letters[-long + 1 :],
            *(letters[0] + x for x in ascii_uppercase),
        ]
        codes[type] = next(each for each in ways if len(each) > 1 and each not in codes.values())
    return codes


def _retyped(schema: WrittenSchema, others: Mapping[str, str]) -> WrittenSchema:
    """The schema with other names for some types, and variables of its queries that say these."""
    if not others:
        return schema
    variables, new = variables_of(schema.types), variables_of([others.get(type, type) for type in schema.types])
    words = {variables[type]: new[others.get(type, type)] for type in schema.types}
    named = re.compile(rf"'[^']*'|(?<![.:|`$\w])({'|'.join(map(re.escape, words))})(\d*)\b(?!:)")

    def changed(found: re.Match[str]) -> str:
        return words[found[1]] + found[2] if found[1] else found[0]

    return replace(
        schema,
        relations={
            key: (others.get(subject, subject), name, others.get(object_, object_), columns)
            for key, (subject, name, object_, columns) in schema.relations.items()
        },
        attributes={key: (others.get(type, type), *rest) for key, (type, *rest) in schema.attributes.items()},
        rows=[
            replace(row, named=tuple(others.get(type, type) for type in row.named), query=named.sub(changed, row.query))
            for row in schema.rows
        ],
    )


def _terse(schema: WrittenSchema, short: int = SHORT) -> WrittenSchema:
    """The schema with relations and attributes by their keys, where these have more than so many letters."""
    counts = Counter(name for _, name, _, _ in schema.relations.values())  # one of several types keeps its name
    return replace(
        schema,
        relations={
            key: (subject, upper_snake(key) if len(key) > short and counts[name] == 1 else name, object_, columns)
            for key, (subject, name, object_, columns) in schema.relations.items()
        },
        attributes={
            key: (type, key if len(key) > short else name, kind)
            for key, (type, name, kind) in schema.attributes.items()
        },
    )


def _cut(schema: WrittenSchema, draw: random.Random) -> WrittenSchema:
    """The schema with relations, attributes and columns cut down to a few letters each: RCL, est, q_rk."""
    long = draw.choice(LONG)
    relations = _cuts([name for _, name, _, _ in schema.relations.values()], draw, long)
    columns = _cuts([f"q_{column}" for *_, own in schema.relations.values() for column in own], draw, long)
    fields = _cuts([name for _, name, _ in schema.attributes.values()], draw, long)
    return replace(
        schema,
        relations={
            key: (subject, relations[name].upper(), object_, {columns[f"q_{each}"]: own[each] for each in own})
            for key, (subject, name, object_, own) in schema.relations.items()
        },
        attributes={key: (type, fields[name], kind) for key, (type, name, kind) in schema.attributes.items()},
    )


def _cuts(names: Sequence[str], draw: random.Random, long: int) -> dict[str, str]:
    """A different short form of each name, in lower case."""
    cuts: dict[str, str] = {}
    for name in dict.fromkeys(names):
        plain = name.removeprefix("q_")
        words = [each.lower() for each in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", plain)] or ["x"]
        words = [each for each in words if each not in SMALL_WORDS] or words
        whole, initials = "".join(words), "".join(each[0] for each in words)
        bare = [each[0] + re.sub(r"[aeiou]", "", each[1:]) for each in words]
        forms = [words[0][:long], bare[0][:long], draw.choice(words)[:long], draw.choice(bare)[:long]]
        if len(words) > 1:
            forms += [(initials[:-1] + bare[-1])[:long], (words[0][: long - 1] + words[-1][0])[:long]]
        draw.shuffle(forms)
        forms += [bare[0][: long + 1], whole[: long + 1], whole, *(f"{whole[:long]}{at}" for at in range(2, 50))]
        free = (each for each in forms if len(each) > 1 and each not in cuts.values())
        cuts[name] = next(each for each in free if plain != name or quote(each) == each)  # no word of Cypher
    return cuts


def _as_in(query: str, schema: WrittenSchema, other: WrittenSchema) -> str:
    """A query with the names of relations, attributes and columns that another schema has for the same keys."""
    relations = {name: other.relations[key][1] for key, (_, name, _, _) in schema.relations.items()}
    attributes = {name: other.attributes[key][1] for key, (_, name, _) in schema.attributes.items()}
    for key, (*_, columns) in schema.relations.items():
        attributes |= {f"q_{old}": f"q_{new}" for old, new in zip(columns, other.relations[key][3], strict=True)}
    query = re.sub(r"(?<=[:|])[A-Z][A-Z0-9_]*\b", lambda found: relations.get(found[0], found[0]), query)
    return re.sub(r"(?<=\w\.)`?(\w+)`?", lambda found: attributes.get(found[1], found[0]), query)


def _dotted(text: str, schema: WrittenSchema) -> str:
    """With relations named as some graphs do, behind what they are relations of: BEER_BREWERY."""
    owner = {name: upper_snake(f"{subject}_{name}") for subject, name, _, _ in schema.relations.values()}
    return re.sub(r"(?<=[:|])[A-Z][A-Z0-9_]*\b", lambda found: owner.get(found[0], found[0]), text)


def _left_out(schema: WrittenSchema, rows: Sequence[Row], draw: random.Random) -> frozenset[str]:
    needed = set().union(*(row.keys for row in rows))
    less = draw.random() * LESS
    parts = [*schema.relations, *schema.attributes]
    out = {key for key in parts if key not in needed and draw.random() < less}
    gone = sorted(needed & set(parts))
    if gone and draw.random() < GONE:
        out.add(draw.choice(gone))
    return frozenset(out)


def _asked(
    row: Row, schema: WrittenSchema, draw: random.Random, without: frozenset[str], *, plain: bool
) -> tuple[str, str]:
    """A question and its query with parameters for names: $farm1, $farm2."""
    variables, counts = variables_of(schema.types), dict[str, int]()
    untyped = not plain and draw.random() < UNTYPED

    def parameter(type: str) -> str:
        word = "entity" if untyped else variables[type]
        counts[word] = counts.get(word, 0) + 1
        return f"${word}{counts[word]}"

    said, query = [], row.query
    for at, type in enumerate(row.named):
        other = not plain and not untyped and len(schema.types) > 1 and draw.random() < OTHERWISE
        both = [type, *(draw.sample([each for each in schema.types if each != type], 1) if other else [])]
        draw.shuffle(both)
        names = {each: parameter(each) for each in both}
        said.append(" or ".join(names.values()))
        query = query.replace(f"$n{at}", names[type])
    question = row.question
    stated = VALUE.search(query) if not plain and not untyped and draw.random() < NAMED else None
    if stated is not None and re.search(rf"(?i)\b{re.escape(stated[2])}\b", question):
        name = parameter(draw.choice(schema.types))
        question = re.sub(rf"(?i)\b{re.escape(stated[2])}\b", lambda _: name, question, count=1)
        query = query.replace(stated[0], f"{stated[1]} = {name}", 1)
    if not plain and draw.random() < LOW:
        question = question.lower()
    if not plain and draw.random() < OPEN:
        question = question.rstrip("?. ")
    for at, text in enumerate(said):
        question = question.replace(f"{{{at}}}", text)
    return question, NONE if row.keys & without else query


if __name__ == "__main__":
    main()
