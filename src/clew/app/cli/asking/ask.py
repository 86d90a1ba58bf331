"""`clew ask`: a question in plain English, the answer with its query and supporting triples."""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from clew.app.assemble import DEFAULT_STRATEGY, Settings, assemble
from clew.app.cli.terminal.conversation import ask_back, ask_shown, is_terminal, read_questions
from clew.app.cli.terminal.failures import print_failure
from clew.app.cli.terminal.options import (
    AsJson,
    AsOf,
    Choose,
    Compose,
    GraphPath,
    Layer,
    MinConfidence,
    NoEmbedding,
    QuestionTimeout,
    SourceNames,
    check_limit,
    pairs,
)
from clew.app.cli.terminal.output import (
    bold,
    one_line,
    print_json,
    print_table,
    printable,
    say,
    shorten,
    terminal_width,
)
from clew.app.cli.terminal.progress import announced, terminal_progress
from clew.app.cli.terminal.quotations import quoted
from clew.app.cli.terminal.spelling import as_options
from clew.app.records import answer_record, answers_record
from clew.errors import InputError
from clew.plurals import counted

if TYPE_CHECKING:
    from clew import GraphEngine
    from clew.answer import Answer, Asker, Question, Step

__all__ = ["ask", "mention_missing_encoder", "show_answer"]

SHOWN = 10
CITED = 6  # triples shown as evidence
CHOOSING = ("rag", "adaptive", "local")  # strategies that choose among options
PATIENCE = 1.0  # seconds of preparing a graph before that is announced


QuestionWords = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="QUESTION", help="Without one, questions are read from the terminal or stdin.", show_default=False
    ),
]
StoreName = Annotated[str, typer.Option(metavar="STORE", help="embedded, a path, or bolt://…")]
StrategyName = Annotated[
    str,
    typer.Option(
        "--strategy",
        metavar="NAME",
        help="readers, cypher (the first reader alone), rag, adaptive, local, super-relations, tog or two-rounds.",
    ),
]
Compare = Annotated[
    str | None,
    typer.Option(
        "--compare", metavar="NAME,NAME", help="Answer by several strategies, as far as they agree.", show_default=False
    ),
]
Mode = Annotated[
    int,
    typer.Option(metavar="N", help="Context of rag: 0 sentences, 1 JSON, 2 with the graph's prior knowledge, 3 both."),
]
Without = Annotated[
    list[str] | None,
    typer.Option(
        "--without", metavar="STAGE", help="Switch a stage of adaptive off; may be repeated.", show_default=False
    ),
]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="TEXT", help="One of several possible answers; repeat it.", show_default=False),
]
Steps = Annotated[bool, typer.Option("--steps", help="Print each step on stderr as it happens.")]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        help="A language model to word answers, and to read what is declined: a name (writer reads questions best), "
        "a .gguf file or a URL.",
        show_default=False,
    ),
]
Meaning = Annotated[
    list[str] | None,
    typer.Option(
        "--meaning", metavar="NAME=ID", help="The entity that a name means; may be repeated.", show_default=False
    ),
]
Subclasses = Annotated[
    bool | None,
    typer.Option(
        "--subclasses/--no-subclasses",
        help="Include subclasses of named terms (default: only if nothing matches directly).",
        show_default=False,
    ),
]
AllEvidence = Annotated[
    bool, typer.Option("--all-evidence", help="Gather and show the evidence of every item, not only of the first 25.")
]
Explain = Annotated[bool, typer.Option("--explain", help="Also show how the question was interpreted.")]
Draw = Annotated[
    str | None, typer.Option(metavar="FILE", help="Draw the evidence: FILE.html or FILE.svg.", show_default=False)
]
Limit = Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Maximum number of items shown.")]


def ask(
    graph: GraphPath,
    question: QuestionWords = None,
    strategy: StrategyName = DEFAULT_STRATEGY,
    compare: Compare = None,
    mode: Mode = 0,
    without: Without = None,
    option: Options = None,
    store: StoreName = "embedded",
    model: Model = None,
    choose: Choose = "never",
    compose: Compose = None,
    meaning: Meaning = None,
    subclasses: Subclasses = None,
    layer: Layer = "all",
    source: SourceNames = None,
    as_of: AsOf = None,
    min_confidence: MinConfidence = None,
    all_evidence: AllEvidence = False,
    explain: Explain = False,
    steps: Steps = False,
    draw: Draw = None,
    limit: Limit = SHOWN,
    no_embedding: NoEmbedding = False,
    timeout: QuestionTimeout = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question about a graph, with the query that ran and the evidence behind the answer.

    Names are linked to entities and the rest of the question is matched with the graph's schema; nothing leaves the
    machine. Without a question, you are prompted for questions until an empty line, and asked about ambiguous names;
    from a pipe, each line is a question.

    \b
    Examples:
      clew ask hpo.clew "Which genes are linked to arachnodactyly?"
      clew ask hpo.clew "Which diseases show ectopia lentis but not arachnodactyly?" --explain
      clew ask hpo.clew "How is FBN1 connected to arachnodactyly?" --draw fbn1.html
      clew ask hpo.clew "Which genes may explain ectopia lentis?" --meaning "ectopia lentis=HP:0001083"
      clew ask hpo.clew "Which genes are linked to arachnodactyly?" --compare readers,rag
      clew ask hpo.clew "Which gene causes Marfan syndrome?" --strategy adaptive --option FBN1 --option TTN --steps
    """
    check_limit(limit)
    if without and "adaptive" not in (strategy, *_compared(compare)):
        raise InputError("--without goes with --strategy adaptive, which has stages")
    given = " ".join(question or ()).strip()
    if question and not given:
        raise InputError("the question is empty: write one after the graph, or leave it out to be prompted")
    meant = pairs(meaning, "--meaning")
    useless = [("--draw", draw is not None), ("--meaning", bool(meant)), ("--json", as_json and is_terminal())]
    if not given and (options := [option for option, used in useless if used]):
        raise InputError(f"{options[0]} goes with a question: give one after the graph")
    if draw is not None:
        from clew.app.drawing.write import check_drawing_name

        check_drawing_name(draw)
    from clew.answer import Filters, Question

    filters = Filters(layer=layer, sources=tuple(source or ()), as_of=as_of, min_confidence=min_confidence)
    asked = Question(
        given,
        options=_choices(option, _compared(compare) or (strategy,)),
        meaning=meant,
        filters=filters,
        subclasses=subclasses,
        timeout=timeout,
        all_evidence=all_evidence,
        report=_show_step if steps else None,
    )
    encoder = None if no_embedding else "default"
    settings = Settings(
        graph,
        strategy=strategy,
        compare=_compared(compare),
        mode=mode,
        without=tuple(without or ()),
        store=store,
        model=model,
        choose=choose,
        compose=compose,
        encoder=encoder,
    )
    with terminal_progress() as progress:
        asker = assemble(
            settings, progress=announced(progress, f"preparing {graph} for questions, once", after=PATIENCE)
        )
        if not no_embedding:
            mention_missing_encoder(asker)
        answer = ask_shown(asker, asked) if given else None
    engine = asker.resources.engine
    snapshot = engine.snapshot.id
    if answer is None:
        answered = _converse(asker, asked, quietly=as_json, limit=limit, explain=explain)
        if not answered and not is_terminal():
            raise InputError("no question was given: put one after the graph, or send one line each through the pipe")
        if as_json:
            print_json(answers_record(answered, graph=graph, snapshot=snapshot))
        failed = any(isinstance(each, tuple) or each.abstained is not None for each in answered)
        raise typer.Exit(int(failed and not is_terminal()))
    drawn = None if draw is None else _drawn(engine, answer, draw)
    if as_json:
        print_json(answer_record(answer, graph=graph, snapshot=snapshot, drawing=drawn))
    else:
        show_answer(answer, limit=limit, explain=explain, cited=None if all_evidence else CITED)
        if drawn is not None:
            say()
            say(f"drawn in {printable(drawn)}")
    if answer.abstained is not None:
        for suggestion in answer.suggestions if not as_json else ():
            print(f"clew: --strategy {suggestion}", file=sys.stderr)
        raise typer.Exit(1)


def _choices(options: list[str] | None, strategies: tuple[str, ...]) -> tuple[str, ...]:
    """The possible answers, each once."""
    listed = tuple(dict.fromkeys(each.strip() for each in options or () if each.strip()))
    if options and (others := [name for name in strategies if name not in CHOOSING]):
        raise InputError(f"{others[0]} does not choose among options: --option goes with {', '.join(CHOOSING)}")
    if options and len(listed) < 2:
        raise InputError("--option is one of several possible answers: give two or more of them")
    return listed


def _show_step(step: "Step") -> None:
    print(f"clew: {step.seconds:.1f} s, {step.name}: {one_line(step.text)}", file=sys.stderr)


def _compared(names: str | None) -> tuple[str, ...]:
    """The strategies to compare, each once."""
    listed = tuple(dict.fromkeys(name.strip() for name in (names or "").split(",") if name.strip()))
    if names is not None and len(listed) < 2:
        raise InputError(f"--compare takes two or more strategies, such as {DEFAULT_STRATEGY},rag, not {names!r}")
    return listed


def mention_missing_encoder(asker: "Asker") -> None:
    """Tell on stderr that there is no encoder, which the second reader and the ranking of interpretations need."""
    if asker.resources.encoder is None:
        print(
            "clew: reading questions by words alone, without embeddings; to use them, run `clew models get minilm`",
            file=sys.stderr,
        )


def _converse(
    asker: "Asker", asked: "Question", *, quietly: bool, limit: int, explain: bool
) -> "list[Answer | tuple[str, Exception]]":
    """Answer question after question; one that fails is kept with its error."""
    answered: list[Answer | tuple[str, Exception]] = []
    for text in read_questions():
        question = replace(asked, text=text)
        try:
            answer = ask_back(asker, question) if is_terminal() else ask_shown(asker, question)
        except Exception as error:  # whatever one question does, the others have their answers
            answered.append((text, error))
            print_failure(error)
            continue
        answered.append(answer)
        if not quietly:
            show_answer(answer, limit=limit, explain=explain)
            say()
    return answered


def show_answer(answer: "Answer", *, limit: int = SHOWN, explain: bool = False, cited: int | None = CITED) -> None:
    """The answer for people: text, items, query, evidence."""
    say(bold(one_line(answer.text)))
    if answer.unrecognised and answer.abstained is None:
        say(f"Ignored (not recognised): {printable(', '.join(answer.unrecognised))}")
    if answer.late:
        say(f"{printable(as_options(answer.late))}.")
    if answer.certainty == "doubtful" and answer.abstained is None:
        said = "; ".join(each.interpretation for each in answer.alternatives)
        say(printable(f"Doubtful. Other interpretations: {said}" if said else "Doubtful."))
    for each in answer.ambiguities if answer.abstained is None else ():
        others = ", ".join(map(str, each.others))
        say(printable(f'Interpreted "{each.text}" as {each.chosen}; other matches: {others}'))
    if answer.items:
        say()
        days = any(item.value is not None for item in answer.items)
        titles: tuple[str, ...] = ("id", "name", "type", "value" if days else "number")
        rows: list[tuple[str | int | float | None, ...]]
        rows = [
            (item.id, item.name, item.type, item.value if item.number is None else item.number)
            for item in answer.items[:limit]
        ]
        if all(item.number is None and item.value is None for item in answer.items):
            titles, rows = titles[:3], [row[:3] for row in rows]
        further = next((tuple(cell.column for cell in item.beside[0]) for item in answer.items if item.beside), ())
        places = range(len(further))
        rows = [(*row, *map(item.column, places)) for row, item in zip(rows, answer.items, strict=False)]
        print_table((*titles, *further), rows, shrink=("name", *further))
        if answer.total > limit:
            say(f"{min(limit, answer.total):,} of {answer.total:,}{' or more' if answer.truncated else ''} (--limit)")
    if answer.query:
        say()
        for line in answer.query.splitlines():
            say(f"  {printable(line)}")
    _show_evidence(answer, cited)
    if explain:
        _show_interpretation(answer)


def _show_evidence(answer: "Answer", most: int | None) -> None:
    evidence = answer.evidence
    if not evidence.triples:
        return
    say()
    say(_evidence_line(answer))
    width = terminal_width()
    for triple in evidence.triples[:most]:
        cited = list(dict.fromkeys(each for assertion in triple.assertions for each in assertion.evidence))
        sources = list(dict.fromkeys(assertion.source or "" for assertion in triple.assertions))
        line = one_line(f"{triple}  [{', '.join(cited[:4] or sources)}]")
        say("  " + (line if width is None else shorten(line, width - 2)))
        for sentence in filter(None, map(quoted, triple.assertions)):
            said = one_line(sentence)
            say("    " + (said if width is None else shorten(said, width - 4)))
    if most is not None and len(evidence.triples) > most:
        say(f"  and {len(evidence.triples) - most:,} more (--all-evidence, --json, --draw)")


def _evidence_line(answer: "Answer") -> str:
    """How much evidence there is, and whether it is all of it."""
    evidence = answer.evidence
    said = f"evidence: {counted(len(evidence.triples), 'triple')}, {counted(len(evidence.documents), 'reference')}"
    if evidence.complete:
        return said
    items = len({support.item for support in evidence.supports} - {None})
    of = f"; partial: for {items:,} of {counted(answer.total, 'item')}" if 0 < items < answer.total else "; partial"
    return f"{said}{of} (--all-evidence gives all)"


def _show_interpretation(answer: "Answer") -> None:
    say()
    decided = [answer.decided] if answer.decided is not None else []
    for line in (*answer.interpretation, *decided, *(f"repaired: {each}" for each in answer.repairs)):
        say(f"- {printable(line)}")
    for each in answer.alternatives:
        say(f"- less likely ({each.score:.2f}): {printable(each.interpretation)}")
    usage = answer.usage
    say(
        f"- {usage.seconds * 1000:.0f} ms: {usage.understanding * 1000:.0f} to understand, "
        f"{usage.execution * 1000:.0f} to run; confidence {answer.confidence:.2f}; {usage.calls} model calls"
    )


def _drawn(engine: "GraphEngine", answer: "Answer", path: str) -> str | None:
    """Draw the evidence; None where there is none."""
    if not answer.evidence.triples:
        print("clew: there is nothing to draw: no triple supports this answer", file=sys.stderr)
        return None
    from clew.app.drawing import scene_of_triples, write_drawing

    starts = [item.id for item in answer.items[:SHOWN]]
    supports = [each for each in answer.evidence.supports if not starts or each.item in starts]
    numbers = [number for each in supports for number in each.triples] or [t.triple for t in answer.evidence.triples]
    scene = scene_of_triples(engine, numbers, starts, answer.named, title=answer.question, description=answer.text)
    write_drawing(scene, path)
    return path
