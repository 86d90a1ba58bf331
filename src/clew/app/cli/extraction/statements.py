"""`clew statements`: train a model that judges whether a document states a relation, export it, evaluate it, use it."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.app.cli.terminal.groups import new_group
from clew.app.cli.terminal.options import AsJson
from clew.app.cli.terminal.output import print_json, print_table, printable, say
from clew.app.cli.terminal.progress import terminal_progress
from clew.errors import InputError
from clew.plurals import counted

if TYPE_CHECKING:
    from clew.extract.statements.gold import Mention
    from clew.extract.statements.learning.reader_training import PairRow
    from clew.extract.statements.marking import Marker
    from clew.extract.statements.pairing import HasNarrower
    from clew.progress import Progress

__all__ = ["application"]

Data = Annotated[str, typer.Option(metavar="DIR", help="The folder that holds bc5cdr and biored.", show_default=False)]
Start = Annotated[
    str, typer.Option(metavar="DIR", help="A BERT: config.json, model.safetensors, tokenizer.json.", show_default=False)
]
Out = Annotated[str, typer.Option("--out", "-o", metavar="DIR", help="Where to write the model.", show_default=False)]
Trained = Annotated[str, typer.Argument(metavar="TRAINED", help="A directory that train wrote.", show_default=False)]
Exported = Annotated[str, typer.Argument(metavar="MODEL", help="A directory that export wrote.", show_default=False)]
HierarchyFolder = Annotated[
    str | None,
    typer.Option(
        "--hierarchy", metavar="DIR", help="A seed folder; its is_a tells broader entities.", show_default=False
    ),
]
Texts = Annotated[
    list[str] | None,
    typer.Option("--texts", metavar="FILE", help="Masked-word training first; repeatable.", show_default=False),
]


def application() -> typer.Typer:
    """The commands below `clew statements`."""
    app = new_group("statements", "Judge whether a document states a relation between two of its mentions.")
    for command in (train, train_reader, export, evaluate, judge):
        app.command(command.__name__.replace("_", "-"))(command)
    return app


def train(
    data: Data,
    start: Start,
    out: Out,
    texts: Texts = None,
    hierarchy: HierarchyFolder = None,
    word_epochs: Annotated[int, typer.Option(metavar="N", help="Epochs of masked words.")] = 4,
    epochs: Annotated[int, typer.Option(metavar="N", help="Epochs over the gold documents.")] = 10,
    batch: Annotated[int, typer.Option(metavar="N", help="Documents per batch.")] = 8,
    rate: Annotated[float, typer.Option(metavar="R", help="Learning rate of the encoder.")] = 8e-5,
    head_rate: Annotated[float, typer.Option(metavar="R", help="Learning rate of the head.")] = 3e-4,
    frozen: Annotated[int, typer.Option(metavar="N", help="Lower layers to leave as they are.")] = 0,
    compare: Annotated[bool, typer.Option(help="Let the pairs of a document attend to each other.")] = True,
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed.")] = 0,
    device: Annotated[str, typer.Option(metavar="NAME", help="cpu or cuda.")] = "cpu",
    as_json: AsJson = False,
) -> None:
    """Train on BC5CDR and BioRED, without any abstract of either development set.

    \b
    Examples:
      clew statements train --data data --start minilm --out trained
    """
    from clew.extract.statements.gold import read_development, read_training
    from clew.extract.statements.learning.fitting import Settings
    from clew.extract.statements.learning.fitting import train as fit
    from clew.extract.statements.learning.masked_words import MaskedWordSettings
    from clew.extract.statements.learning.storage import write_trained
    from clew.extract.statements.learning.texts import cut_texts, read_texts
    from clew.extract.statements.marking import Marker

    settings = Settings(
        epochs=epochs,
        batch=batch,
        rate=rate,
        head_rate=head_rate,
        frozen=frozen,
        compare=compare,
        seed=seed,
        device=device,
    )
    words = MaskedWordSettings(epochs=word_epochs, seed=seed, device=device)
    with terminal_progress() as progress:
        tokens = None
        if texts:
            kept_back = {document.id for document in read_development(Path(data))}
            tokens = cut_texts(
                read_texts(texts, without=kept_back), Path(start) / "tokenizer.json", length=words.length
            )
        marker = Marker.for_start(Path(start), has_narrower=_has_narrower(hierarchy))
        examples = [marker.mark_gold(document) for document in read_training(Path(data))]
        trained = fit(examples, Path(start), settings, rows=tokens, words=words, progress=progress)
    write_trained(Path(out), trained)
    if as_json:
        print_json({"model": out, "training": dict(trained.training)})
        return
    rows = [
        (corpus, found["precision"], found["recall"], found["f1"], trained.training["calibration"][corpus]["threshold"])
        for corpus, found in trained.training["held_out_scores"].items()
    ]
    say(f"trained in {trained.training['seconds']:.0f} s; scores on held-out training documents:")
    print_table(["corpus", "precision", "recall", "F1", "threshold"], rows)
    say(f"next: clew statements train-reader {printable(out)} --data {printable(data)} --out COMPLETE")


def train_reader(
    trained: Trained,
    data: Data,
    out: Out,
    read: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Pairs read against their sentences (TSV), or verdicts of review; repeatable.",
            show_default=False,
        ),
    ] = None,
    texts: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="The documents of these pairs; repeatable.", show_default=False),
    ] = None,
    listed: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Abstracts with all their facts (JSONL); repeatable.", show_default=False),
    ] = None,
    names: Annotated[
        str, typer.Option(metavar="MODEL", help="A shipped model that finds the names of these documents.")
    ] = "small",
    epochs: Annotated[int, typer.Option(metavar="N", min=1, help="Epochs over the pairs.")] = 5,
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed.")] = 0,
    device: Annotated[str, typer.Option(metavar="NAME", help="cpu or cuda.")] = "cpu",
    as_json: AsJson = False,
) -> None:
    """Add a reader that looks at the sentences of a pair once more and tells help from harm.

    It learns from BC5CDR and BioRED and from pairs that were read for it (--read: document, subject, object, and one of
    helps, harms, neither, related, not helps, not harms; or FACTS.verdicts.jsonl of clew extract review), or from
    abstracts with all their facts (--listed: title, abstract, entities, facts). Held-out documents decide how much each
    reading counts.

    \b
    Examples:
      clew statements train-reader trained --data data --out complete
      clew statements train-reader trained --data data --read read.tsv --texts pubmed.xml.gz --out complete
    """
    from clew.extract.statements.gold import read_training
    from clew.extract.statements.learning.pair_reader import ReaderSettings
    from clew.extract.statements.learning.reader_training import train_reader as fit
    from clew.extract.statements.learning.storage import read_trained, write_trained
    from clew.extract.statements.marking import Marker

    if bool(read) != bool(texts):
        raise InputError("--read names pairs and --texts their documents: give both, or neither")
    opened = read_trained(Path(trained))
    marker = Marker.of_trained(opened.tokenizer, opened.model.config)
    settings = ReaderSettings(epochs=epochs, seed=seed, device=device, frozen=min(3, opened.model.config.layers - 1))
    with terminal_progress() as progress:
        rows = _read_rows(read or [], texts or [], listed or [], names, marker, progress) if read or listed else []
        made = fit(opened, read_training(Path(data)), marker, settings, read=rows)
    write_trained(Path(out), made)
    if as_json:
        print_json({"model": out, "training": dict(made.training)})
        return
    record = made.training["reader"]
    given = f"{record['read_pairs']:,} of them from --read and --listed"
    say(f"read {counted(record['pairs'], 'pair')}, {given}; held-out documents:")
    figures = [(name, made.training["relations"][name]) for name in made.training["combinations"]]
    rows_shown = [(name, each["precision"], each["recall"], each["f1"], each["threshold"]) for name, each in figures]
    print_table(["relation", "precision", "recall", "F1", "threshold"], rows_shown)
    say(f"next: clew statements export {printable(out)} --out MODEL")


def _read_rows(
    read: list[str], texts: list[str], listed: list[str], names: str, marker: "Marker", progress: "Progress"
) -> list["PairRow"]:
    """The rows of read pairs and of abstracts with listed facts, names found as `clew extract` finds them."""
    from clew.extract.corpus.document import lay_out
    from clew.extract.corpus.readers import read_file
    from clew.extract.corpus.source_files import source_files
    from clew.extract.facts.finding import FactFinder
    from clew.extract.statements.gold import Mention
    from clew.extract.statements.learning.listed_facts import listed_rows
    from clew.extract.statements.learning.reader_training import read_labels, read_rows
    from clew.graph.staging import Problems

    labels = [each for path in read for each in read_labels(Path(path))]
    wanted = {each.document for each in labels}
    problems = Problems(on_error="skip")
    documents = (each for file in source_files(texts, problems) for each in read_file(file, problems))
    known = {
        identifier: lay_out(each).text for each in documents if (identifier := each.id.removeprefix("PMID:")) in wanted
    }
    finder = FactFinder.open(Path(names), threads=1, progress=progress)

    def mentions(text: str) -> list[Mention]:
        named = finder.mentions(text)
        return [Mention(head.start, head.end, type_, (head.entity or "",)) for head, type_ in named]

    return read_rows(marker, labels, known, mentions) + listed_rows(marker, [Path(each) for each in listed], mentions)


def export(trained: Trained, out: Out, as_json: AsJson = False) -> None:
    """Write a trained model as ONNX with 8-bit weights; using it needs no torch.

    \b
    Examples:
      clew statements export trained --out model
    """
    from clew.extract.statements.learning.export import export as write
    from clew.extract.statements.learning.storage import read_trained

    write(Path(out), read_trained(Path(trained)))
    size = sum(file.stat().st_size for file in Path(out).iterdir())
    if as_json:
        print_json({"model": out, "bytes": size})
    else:
        say(f"{printable(out)}: {size / 1e6:.1f} MB")


def evaluate(
    model: Exported,
    data: Data,
    hierarchy: HierarchyFolder = None,
    log: Annotated[
        str | None, typer.Option(metavar="FILE", help="Append the scores to this log (JSONL).", show_default=False)
    ] = None,
    name: Annotated[str, typer.Option(metavar="NAME", help="The configuration, for the log.")] = "unnamed",
    as_json: AsJson = False,
) -> None:
    """Score an exported model on the development sets of BC5CDR and BioRED, with gold mentions.

    \b
    Examples:
      clew statements evaluate model --data data --log dev.jsonl --name minilm-seed0
    """
    from clew.evaluate.statements import evaluate_statements
    from clew.extract.statements.gold import read_development
    from clew.extract.statements.prediction import StatementModel

    with terminal_progress() as progress:
        opened = StatementModel.open(Path(model), has_narrower=_has_narrower(hierarchy))
        found = evaluate_statements(opened, read_development(Path(data)), progress=progress)
    if log is not None:
        with Path(log).open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"name": name, **found}) + "\n")
    if as_json:
        print_json(found)
        return
    rows: list[tuple[str, float, float, float, int]] = []
    for corpus in ("bc5cdr", "biored"):
        rows.append(_row(corpus, found[corpus]))
        rows.append(_row(f"{corpus}: co-occurrence", found[corpus]["co_occurrence"]))
        rows += [_row(f"{corpus}: {each}", scores) for each, scores in found[corpus]["relations"].items()]
    print_table(["what", "precision", "recall", "F1", "gold"], rows)
    both = found["help_or_harm"]
    say(
        f"help or harm, {counted(both['related_pairs'], 'related pair')}: accuracy {both['accuracy']}"
        f" (majority {both['majority']}), recall of help {both['recall']['help']}, of harm {both['recall']['harm']}"
    )


def judge(
    model: Exported,
    documents: Annotated[
        str,
        typer.Argument(metavar="FILE", help="JSONL: id, text, mentions (start, end, type, ids).", show_default=False),
    ],
    hierarchy: HierarchyFolder = None,
    everything: Annotated[bool, typer.Option("--all", help="Also pairs below the threshold.")] = False,
    as_json: AsJson = False,
) -> None:
    """Judge the pairs of linked mentions of your own documents.

    \b
    Examples:
      clew statements judge model linked.jsonl
    """
    from clew.extract.statements.prediction import StatementModel

    opened = StatementModel.open(Path(model), has_narrower=_has_narrower(hierarchy))
    found = [
        {"document": identifier, **asdict(each)}
        for identifier, text, mentions in _read_linked(Path(documents))
        for each in opened.judge(text, mentions)
        if everything or each.stated
    ]
    if as_json:
        print_json({"statements": found})
        return
    rows = [
        (each["document"], each["subject"], each["relation"], each["object"], each["probability"]) for each in found
    ]
    print_table(["document", "subject", "relation", "object", "probability"], rows)
    say(counted(len(found), "statement"))


def _has_narrower(folder: str | None) -> "HasNarrower | None":
    if folder is None:
        return None
    from clew.extract.statements.hierarchy import read_hierarchy

    return read_hierarchy(Path(folder)).has_narrower


def _row(name: str, scores: dict[str, Any]) -> tuple[str, float, float, float, int]:
    return name, scores["precision"], scores["recall"], scores["f1"], scores["gold"]


def _read_linked(path: Path) -> list[tuple[str, str, list["Mention"]]]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    return [_linked(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1) if line.strip()]


def _linked(line: str, place: str) -> tuple[str, str, list["Mention"]]:
    from clew.extract.statements.gold import Mention

    try:
        row = json.loads(line)
        mentions = [Mention(each["start"], each["end"], each["type"], tuple(each["ids"])) for each in row["mentions"]]
        return str(row["id"]), str(row["text"]), mentions
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{place}: expected an object with id, text and mentions (start, end, type, ids); wrong here: {error}"
        ) from error
