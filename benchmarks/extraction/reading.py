"""A blind reading of statements that the seed does not hold: a sheet for readers who see no score, and what they said.

    python -m benchmarks.extraction.reading sheet pubmed.xml.gz --without read_statements.tsv --before old --out blind
    python -m benchmarks.extraction.reading score blind/key.tsv reader1.tsv reader2.tsv --json reading.json

Documents are taken in the order of a hash of their id, whatever they are about, without those in a column `document` of
the tables of `--without` and the abstracts of the gold in `--data`. Statements of another model (`--before`) are mixed
with those of the first. A fifth of the rows are controls known to be false: the opposite of a likely statement, or an
end that the document does not name. At most a third of the rows has one relation. A reader fills the column `verdict`
of reader.tsv with right, wrong or unsure; key.tsv is kept apart.
"""

import argparse
import csv
import hashlib
import json
import random
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.report import write_json
from clew.extract.corpus.document import Document, lay_out
from clew.extract.corpus.readers import read_file
from clew.extract.corpus.source_files import source_files
from clew.extract.facts.finding import FactFinder
from clew.extract.facts.review import VERDICTS, Precision
from clew.extract.facts.status import STATED
from clew.extract.statements.gold import read_development, read_training
from clew.graph.staging import Problems

__all__ = ["draw_rows", "score", "sheet", "unread_documents"]

OPPOSITE = {"treats": "induces", "induces": "treats"}
SURE = 0.9  # from here on the opposite of a statement counts as false
CONTROLS, OF_ONE_RELATION = 0.2, 1 / 3
NEW, BEFORE = "new", "before"
STATEMENT, TURNED, ABSENT = "statement", "control: opposite", "control: end not named"
SHEET = ("id", "statement", "title", "sentence", "verdict")
KEY = ("id", "document", "subject", "relation", "object", "confidence", "source", "models")
Row = dict[str, Any]


def unread_documents(texts: Sequence[str], known: Collection[str], salt: str) -> list[Document]:
    """The documents of these files with other ids than these, in the order of a hash."""
    problems = Problems(on_error="skip")
    found = [each for file in source_files(texts, problems) for each in read_file(file, problems)]
    kept = [each for each in found if each.passages and each.id.removeprefix("PMID:") not in known]
    return sorted(kept, key=lambda each: hashlib.sha256(f"{salt}{each.id}".encode()).digest())


def statements_of(finders: Mapping[str, FactFinder], document: Document) -> list[Row]:
    """What the defaults of each model state in a document, as rows with the models that do."""
    laid_out = lay_out(document)
    rows: dict[tuple[str, str, str], Row] = {}
    for name, finder in finders.items():
        named = finder.mentions(laid_out.text)
        judged = [each for each in finder.judge(laid_out.text, named) if each.stated]
        for fact in finder.describe(laid_out.text, named, judged):
            if fact.status == STATED:
                about = {"document": document.id, "title": laid_out.title, "named": [head.text for head, _ in named]}
                row = rows.setdefault((fact.subject, fact.relation, fact.object), {**asdict(fact), **about, "by": ()})
                row["by"] += (name,)
    return list(rows.values())


def draw_rows(found: Sequence[Row], rows: int, seed: int) -> list[Row]:
    """Statements and controls in random order; fewer where there are not enough of a relation."""
    choice = random.Random(seed)
    order = sorted(found, key=lambda each: (each["document"], each["subject"], each["object"]))
    choice.shuffle(order)
    most = int(rows * OF_ONE_RELATION)
    controls = _controls(order, int(CONTROLS * rows), most // 5, choice)
    counts = Counter(each["relation"] for each in controls)
    taken: list[Row] = []
    for each in (each for each in order if not each["known"]):
        if counts[each["relation"]] < most and len(taken) + len(controls) < rows:
            counts[each["relation"]] += 1
            taken.append({**each, "source": STATEMENT})
    drawn = [*taken, *controls]
    choice.shuffle(drawn)
    return [{**each, "id": number} for number, each in enumerate(drawn, start=1)]


def _controls(found: Sequence[Row], wanted: int, of_one: int, choice: random.Random) -> list[Row]:
    """Half opposites of sure statements, half statements with the object of another document."""
    sure = [each for each in found if each["relation"] in OPPOSITE and (each["known"] or each["confidence"] >= SURE)]
    made = [{**each, "relation": OPPOSITE[each["relation"]], "source": TURNED} for each in sure[: wanted // 2]]
    counts = Counter[str]()
    for each in reversed(found):
        if len(made) == wanted:
            break
        others = [
            other
            for other in choice.sample(found, min(50, len(found)))
            if other["object_type"] == each["object_type"]
            and other["document"] != each["document"]
            and not _names(each["named"], other["object_name"], other["object_text"])
        ]
        if others and counts[each["relation"]] < max(of_one, wanted // 4):
            counts[each["relation"]] += 1
            ends = {name: others[0][name] for name in ("object", "object_name", "object_text")}
            made.append({**each, **ends, "source": ABSENT})
    return made


def _names(texts: Sequence[str], *names: str) -> bool:
    """Whether a text has a word of a name, so that it may be meant."""
    words = {word for text in texts for word in text.casefold().split()}
    return any(word in words for name in names for word in name.casefold().split())


def sheet(given: argparse.Namespace) -> dict[str, Any]:
    """Write reader.tsv, key.tsv and counts.json."""
    models = {NEW: given.model, **({BEFORE: given.before} if given.before else {})}
    finders = {name: FactFinder.open(Path(folder), threads=given.threads) for name, folder in models.items()}
    known = {row["document"].removeprefix("PMID:") for path in given.without for row in _table(path)}
    if given.data:
        known |= {each.id for each in (*read_training(given.data), *read_development(given.data))}
    documents = unread_documents(given.texts, known, given.salt)[: given.documents]
    found = [row for document in documents for row in statements_of(finders, document)]
    return write_sheet(Path(given.out), found, given.rows, given.seed, len(documents))


def write_sheet(out: Path, found: Sequence[Row], rows: int, seed: int, documents: int) -> dict[str, Any]:
    """The files of a reading; counts of what the defaults state come back."""
    drawn = draw_rows(found, rows, seed)
    out.mkdir(parents=True, exist_ok=True)
    _write(out / "key.tsv", KEY, [{**each, "models": " ".join(each["by"])} for each in drawn])
    _write(out / "reader.tsv", SHEET, [{**each, "statement": _told(each), "verdict": ""} for each in drawn])
    models = [name for name in (NEW, BEFORE) if any(name in each["by"] for each in found)]
    counts = {
        "documents": documents,
        "stated": {
            name: _relations(each for each in found if name in each["by"] and not each["known"]) for name in models
        },
        "stated_and_known": {
            name: _relations(each for each in found if name in each["by"] and each["known"]) for name in models
        },
        "drawn": {
            source: _relations(each for each in drawn if each["source"] == source)
            for source in (STATEMENT, TURNED, ABSENT)
        },
    }
    write_json(out / "counts.json", counts)
    return counts


def _relations(rows: Iterable[Row]) -> dict[str, int]:
    return dict(sorted(Counter(each["relation"] for each in rows).items()))


def _told(row: Mapping[str, Any]) -> str:
    def end(which: str) -> str:
        name, text = row[f"{which}_name"], row[f"{which}_text"]
        return name if name.casefold() == text.casefold() else f"{name} (written {text!r})"

    return f"{end('subject')} -- {row['relation']} -- {end('object')}"


def score(given: argparse.Namespace) -> dict[str, Any]:
    """Precision by each reader: of all statements, by relation, and at the mix of relations that the defaults state."""
    key = {row["id"]: row for row in _table(Path(given.key))}
    said = [{row["id"]: row["verdict"].strip().lower() for row in _table(Path(path))} for path in given.readers]
    for path, verdicts in zip(given.readers, said, strict=True):
        wrong = [number for number in key if verdicts.get(number) not in VERDICTS]
        if wrong:
            raise SystemExit(f"{path} has no verdict ({', '.join(VERDICTS)}) for row {', '.join(wrong[:5])}")
    counts = json.loads(Path(given.key).with_name("counts.json").read_text("utf-8"))
    rows = list(key)
    agreed = sum(len({verdicts[number] for verdicts in said}) == 1 for number in rows)
    controls = [number for number in rows if key[number]["source"] != STATEMENT]
    refused = sum(all(verdicts[number] == "wrong" for verdicts in said) for number in controls)
    models = {
        name: {
            "statements_a_document": round(sum(stated.values()) / counts["documents"], 3),
            **{f"reader_{at}": _reader(key, verdicts, name, stated) for at, verdicts in enumerate(said, start=1)},
        }
        for name, stated in counts["stated"].items()
    }
    return {
        "documents": counts["documents"],
        "rows": len(rows),
        "agreed": agreed,
        "controls": len(controls),
        "controls_called_wrong_by_all": refused,
        **models,
    }


def _reader(key: Mapping[str, Row], said: Mapping[str, str], model: str, stated: Mapping[str, int]) -> dict[str, Any]:
    of_model = ((number, row) for number, row in key.items() if model in row["models"].split())
    mine = [(row["relation"], said[number]) for number, row in of_model if row["source"] == STATEMENT]
    by = {name: _precision(verdict for each, verdict in mine if each == name) for name in sorted(stated)}
    judged = {name: each.value for name, each in by.items() if each.value is not None}
    mix = sum(stated[name] * value for name, value in judged.items()) / max(1, sum(stated[name] for name in judged))
    return {
        "all": _figures(_precision(verdict for _, verdict in mine)),
        **{name: _figures(each) for name, each in by.items()},
        "at_the_mix_of_the_defaults": round(mix, 4),
    }


def _precision(verdicts: Iterator[str]) -> Precision:
    counts = Counter(verdicts)
    return Precision(*(counts[each] for each in VERDICTS))


def _figures(each: Precision) -> dict[str, Any]:
    low, high = each.interval
    return {
        **asdict(each),
        "precision": None if each.value is None else round(each.value, 4),
        "interval": [round(low, 4), round(high, 4)],
    }


def _table(path: Path) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def _write(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns, delimiter="\t", extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Make a sheet, or print what readers said."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    make = commands.add_parser("sheet", help=sheet.__doc__)
    make.set_defaults(run=sheet)
    make.add_argument("texts", nargs="+")
    make.add_argument("--without", type=Path, action="append", default=[], help="table with a column document")
    make.add_argument("--data", type=Path, help="folder of the gold, whose abstracts are left out")
    make.add_argument("--documents", type=int, default=1500)
    make.add_argument("--rows", type=int, default=200)
    make.add_argument("--salt", default="reading", help="decides the order of documents")
    make.add_argument("--seed", type=int, default=0)
    make.add_argument("--out", required=True)
    make.add_argument("--model", default="small")
    make.add_argument("--before", help="another model, read beside the first")
    make.add_argument("--threads", type=int)
    read = commands.add_parser("score", help=score.__doc__)
    read.set_defaults(run=score)
    read.add_argument("key")
    read.add_argument("readers", nargs="+")
    for command in (make, read):
        command.add_argument("--json")
    given = parser.parse_args(arguments)
    report = given.run(given)
    for name, value in report.items():
        print(name, value)
    if given.json:
        write_json(Path(given.json), report)


if __name__ == "__main__":
    main()
