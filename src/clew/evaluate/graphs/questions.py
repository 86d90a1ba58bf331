"""The questions that graphs are compared on: facts that a graph was built without, and PubMedQA's.

Both are multiple choice. A fact's subject is named and its object asked for, among objects of other facts. A question
of PubMedQA is answered by yes, no or maybe; the entities that it names are found in a graph.
"""

import gzip
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from clew.errors import InputError
from clew.evaluate.choices.generate import ChoiceQuestion
from clew.evaluate.choices.wording import one_hop_question
from clew.link import Linker
from clew.traverse import GraphEngine

__all__ = ["ask_facts", "name_entities", "read_facts", "read_pubmedqa"]

COLUMNS = ("subject", "relation", "object")
OPTIONS = 5  # for a fact
PUBMEDQA = Path("pubmedqa", "ori_pqal.json.gz")
DECISIONS = ("yes", "no", "maybe")
Triple = tuple[str, str, str]


def read_facts(path: Path) -> list[Triple]:
    """The rows of a file with the columns subject, relation and object, separated by tabs; each once."""
    if not path.is_file():
        raise InputError(f"{path} is missing: expected pubmedqa, or facts in columns {', '.join(COLUMNS)}")
    lines = path.read_text("utf-8").splitlines()
    names = lines[0].split("\t") if lines else []
    if missing := [name for name in COLUMNS if name not in names]:
        raise InputError(f"{path} has no column {missing[0]!r}: expected {', '.join(COLUMNS)}, separated by tabs")
    places = [names.index(name) for name in COLUMNS]
    rows = [line.split("\t") for line in lines[1:] if line.strip()]
    if short := [at for at, row in enumerate(rows, 2) if len(row) <= max(places)]:
        raise InputError(f"{path}, line {short[0]}: expected {len(names)} columns")
    if not rows:
        raise InputError(f"{path} has no facts below its header")
    return list(dict.fromkeys((row[places[0]], row[places[1]], row[places[2]]) for row in rows))


def ask_facts(facts: Sequence[Triple], engine: GraphEngine) -> list[ChoiceQuestion]:
    """Facts as questions, in the words of a graph that has both ends; others are left out.

    The wrong options are objects of other facts of the relation, of the same type, that neither a fact nor the graph
    connects with the subject: whatever makes an object likely in general makes each of them likely.
    """
    ids = list(dict.fromkeys(end for subject, _, object_ in facts for end in (subject, object_)))
    found = dict(zip(ids, engine.lookup(ids).tolist(), strict=True))
    kept = [each for each in facts if found[each[0]] >= 0 and found[each[2]] >= 0]
    rows = engine.describe([found[id] for id in ids if found[id] >= 0]).to_pylist()
    described = {row["id"]: row for row in rows}
    objects: dict[tuple[str, str], list[str]] = {}
    for _, relation, object_ in kept:
        objects.setdefault((relation, described[object_]["type"]), []).append(object_)
    made = []
    for at, (subject, relation, object_) in enumerate(facts):
        if (subject, relation, object_) not in kept:
            continue
        asked, random = described[object_], Random(f"{subject} {relation} {object_}")
        near = set(engine.hop([found[subject]], 1, direction="both").ids.tolist())
        true = {each for named, _, each in kept if named == subject} | {subject}
        wrong = [
            each
            for each in dict.fromkeys(objects[relation, asked["type"]])
            if each not in true and found[each] not in near and described[each]["name"] != asked["name"]
        ]
        options = [object_, *random.sample(wrong, min(OPTIONS - 1, len(wrong)))]
        random.shuffle(options)
        made.append(
            ChoiceQuestion(
                id=f"f{at + 1}",
                kind=relation,
                question=one_hop_question(relation, described[subject]["name"], asked["type"], asked_is_subject=False),
                options=tuple(described[each]["name"] for each in options),
                ids=tuple(options),
                gold=asked["name"],
                named=(subject,),
            )
        )
    return made


def read_pubmedqa(data: Path) -> list[ChoiceQuestion]:
    """PubMedQA's labelled questions; ids are those of the abstracts that they were made from."""
    path = data / PUBMEDQA
    if not path.is_file():
        raise InputError(f"{path} is missing: expected the data folder that holds pubmedqa, see --data")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        stored = json.load(file)
    return [
        ChoiceQuestion(id, "pubmedqa", each["QUESTION"], DECISIONS, ("",) * 3, each["final_decision"], ())
        for id, each in stored.items()
    ]


def name_entities(questions: Sequence[ChoiceQuestion], linker: Linker) -> list[ChoiceQuestion]:
    """The questions with the entities that each names in a graph."""
    named = []
    for question in questions:
        found = (each.linked.best for each in linker.detect(question.question))
        named.append(replace(question, named=tuple(dict.fromkeys(each.id for each in found if each is not None))))
    return named
