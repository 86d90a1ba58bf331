"""`clew eval`: evaluate answers, extracted triples and Cypher coverage on benchmarks with gold; compare runs."""

from pathlib import Path
from typing import Annotated

import typer

from clew.app.assemble import DEFAULT_STRATEGY
from clew.app.cli.evaluation.options import Model, Questions, RunJournal, Sample, Seed
from clew.app.cli.terminal.groups import new_group
from clew.app.cli.terminal.options import AsJson, Choose, Compose, NoEmbedding, QuestionTimeout
from clew.errors import InputError

__all__ = ["application"]

REPORTS = (".json", ".md", ".html")
GraphToAsk = Annotated[
    str | None,
    typer.Option(
        "--graph", metavar="GRAPH", help="Query this graph instead of the benchmark's own.", show_default=False
    ),
]
Data = Annotated[
    str,
    typer.Option("--data", metavar="DIR", help="The folder of data sets; HPO needs none."),
]
Paraphrases = Annotated[bool, typer.Option("--paraphrases", help="Ask the paraphrases instead of the questions.")]
StrategyName = Annotated[
    str, typer.Option("--strategy", metavar="NAME", help="Which strategy answers (see `clew ask --help`).")
]
NoPhrase = Annotated[bool, typer.Option("--no-phrase", help="Do not let the model rephrase answers.")]
Baseline = Annotated[
    str | None, typer.Option("--baseline", metavar="RUN.json", help="Compare with a saved run.", show_default=False)
]
Out = Annotated[
    str | None,
    typer.Option("--out", "-o", metavar="FILE", help="Also write FILE.json, .md or .html.", show_default=False),
]


def application() -> typer.Typer:
    """The commands below `clew eval`."""
    from clew.app.cli.evaluation.diagnosis import diagnosis, patients, quality, rounds
    from clew.app.cli.evaluation.extraction import application as extraction

    app = new_group("eval", "Evaluate answers, extracted triples and Cypher coverage; compare runs.")
    for command in (qa, mcq, paths, graphs, diagnosis, rounds, quality, patients, trust, cypher, compare):
        app.command(command.__name__)(command)
    app.add_typer(extraction(), name="extraction")
    return app


def qa(
    bench: Annotated[str, typer.Argument(metavar="BENCH", help="hpo-60, hpo-held, ibkh or alzkb.", show_default=False)],
    graph: GraphToAsk = None,
    data: Data = "data",
    paraphrases: Paraphrases = False,
    no_embedding: NoEmbedding = False,
    strategy: StrategyName = DEFAULT_STRATEGY,
    model: Model = None,
    choose: Choose = "never",
    compose: Compose = None,
    no_phrase: NoPhrase = False,
    baseline: Baseline = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Answer every question of a benchmark and score the answers against the gold standard.

    A result matches if it has exactly the entities of one accepted interpretation; a query matches if it is equivalent
    to its gold query. Abstentions and failures score 0. The evidence of every answer is verified in the graph.

    \b
    Examples:
      clew eval qa hpo-60
      clew eval qa hpo-60 --paraphrases --out report.html
      clew eval qa ibkh --data data --out words.json --no-embedding
      clew eval qa ibkh --data data --baseline words.json
      clew eval qa alzkb --data data
    """
    from clew.app.cli.evaluation.questions import Asking, evaluate_questions

    path = None if out is None else _checked(out)
    asking = Asking(
        graph=graph,
        data=Path(data),
        paraphrases=paraphrases,
        embedding=not no_embedding,
        strategy=strategy,
        model=model,
        choose=choose,
        compose=compose,
        phrase=not no_phrase,
    )
    evaluate_questions(bench, asking, baseline=Path(baseline) if baseline else None, out=path, as_json=as_json)


def mcq(
    graph: Annotated[
        str,
        typer.Argument(
            metavar="GRAPH",
            help="A graph directory, hpo, hetionet, ibkh or disease-genes; or biomixqa or biomixqa-statements.",
            show_default=False,
        ),
    ],
    data: Data = "data",
    without: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE", help="Ask what this source states, of the graph without it.", show_default=False
        ),
    ] = None,
    count: Annotated[
        int | None,
        typer.Option(
            "--count",
            metavar="N",
            min=1,
            help="Number of questions (default: 500; 300 with --without; all of a set).",
            show_default=False,
        ),
    ] = None,
    seed: Seed = 0,
    rows: Annotated[
        str | None,
        typer.Option(
            metavar="ROW,ROW",
            help="Rows to ask (default: all; those with a model if one is named).",
            show_default=False,
        ),
    ] = None,
    model: Model = None,
    sample: Sample = 100,
    ablations: Annotated[
        bool, typer.Option("--ablations", help="Also ask the adaptive pipeline with each stage switched off.")
    ] = False,
    no_embedding: NoEmbedding = False,
    out: RunJournal = None,
    as_json: AsJson = False,
) -> None:
    """Ask strategies and baselines multiple-choice questions from a graph, or BiomixQA's.

    Half of the questions name their entity by a synonym (by its name where synonyms are rare), half need two hops; in a
    fifth no option is right, and abstaining is. Distractors are as popular as the right option. With --without the gold
    is of a source that the graph does not have, and the table is split by how the rest of the graph supports it.

    random: any option or none. prior: the most popular option. elsewhere: the option that is right most often in
    the other questions. vectors: the name nearest to the question. exhaustive: all paths of two hops. evidence: rag
    without a model. adaptive-evidence: adaptive without one. stated: whether a triple connects what a statement
    names. stored-context: the option that SPOKE's stored context names most often. With a model: no-context, vector-rag
    (entities by vectors alone, nothing pruned), rag, rag-json, adaptive, local, stored-read (SPOKE's stored context);
    where the graph has a prior.txt also prior-only, rag-prior and rag-json-prior.

    \b
    Examples:
      clew eval mcq hpo.clew
      clew eval mcq hpo.clew --rows evidence,prior --count 50 --out run.jsonl
      clew eval mcq hpo.clew --rows adaptive-evidence --ablations --out run.jsonl
      clew eval mcq hpo.clew --model smollm2 --sample 20 --out run.jsonl
      clew eval mcq disease-genes --data data --without DISEASES
      clew eval mcq biomixqa --data data
    """
    from clew.app.cli.evaluation.choices import QuestionSet, evaluate_choices

    evaluate_choices(
        QuestionSet(graph, Path(data), count, seed, without),
        rows=rows,
        model=model,
        sample=sample,
        ablations=ablations,
        embedding=not no_embedding,
        out=out,
        as_json=as_json,
    )


def paths(
    graph: Annotated[str, typer.Argument(metavar="GRAPH", help="A graph directory, or fb15k237.", show_default=False)],
    data: Data = "data",
    count: Questions = 1000,
    seed: Seed = 0,
    part: Annotated[str, typer.Option(metavar="PART", help="development or test: they share no chain.")] = "test",
    row: Annotated[
        list[str] | None,
        typer.Option(
            "--row",
            metavar="ROW",
            help="Ask this row; may be repeated (default: all; those with a model if one is named).",
            show_default=False,
        ),
    ] = None,
    model: Model = None,
    sample: Sample = 100,
    absence: Annotated[
        bool, typer.Option("--absence", help="Also decide absence at 1 to 3 steps, and compare with brute force.")
    ] = False,
    no_embedding: NoEmbedding = False,
    out: RunJournal = None,
    as_json: AsJson = False,
) -> None:
    """Generate questions of two and three hops from a graph, and compare searches over relations on them.

    The topic is given; the answer is at the end of a chain of relations that is used for one question only. Rows: a
    random scorer, ToG (also held to 7 calls), super-relations by names, by clusters and in random groups of equal size,
    single relations, and these with no more triples than ToG followed; N and L in 1, 3, 5; the last relation removed.

    \b
    Examples:
      clew eval paths fb15k237 --data data --absence --out run.jsonl
      clew eval paths films.clew --count 50 --row random --row tog --row names
      clew eval paths films.clew --part development --count 100 --absence --json
      clew eval paths fb15k237 --data data --model smollm2 --sample 100 --row "names, model" --row "tog, model"
    """
    from clew.app.cli.evaluation.paths import evaluate_paths

    evaluate_paths(
        graph,
        data=Path(data),
        count=count,
        seed=seed,
        part=part,
        rows=row,
        model=model,
        sample=sample,
        absence=absence,
        embedding=not no_embedding,
        out=out,
        as_json=as_json,
    )


def graphs(
    questions: Annotated[
        str,
        typer.Argument(
            metavar="QUESTIONS",
            help="A file of facts (columns subject, relation, object: ids and a relation), or pubmedqa.",
            show_default=False,
        ),
    ],
    graph: Annotated[
        list[str],
        typer.Option("--graph", metavar="NAME=GRAPH", help="Ask this graph; repeat it.", show_default=False),
    ],
    data: Data = "data",
    count: Annotated[int, typer.Option("--count", metavar="N", min=1, help="Questions for each seed.")] = 300,
    seeds: Annotated[int, typer.Option("--seeds", metavar="N", min=1, help="Times that questions are drawn.")] = 3,
    model: Model = None,
    no_embedding: NoEmbedding = False,
    out: RunJournal = None,
    as_json: AsJson = False,
) -> None:
    """Ask several graphs the same questions by local search: what do their contexts have, and what does a model read?

    This is GraphMERT's comparison at the level of graphs: a seed graph, the seed with extracted triples, the seed with
    those of a language model, and no graph. Facts are some that the seed was built without: a question names the
    subject and asks for the object among five. PubMedQA's questions are answered by yes, no or maybe. stated: a triple
    connects two entities of the question (of a fact: it is that fact). recall: a line of the tables (512 tokens) has
    both. right: what the model chooses; read: how often it is right where a line has both. Differences between graphs,
    and from no graph, are paired.

    \b
    Examples:
      clew eval graphs held-out.tsv --graph seed=seed.clew --graph extracted=seed-and-extracted.clew
      clew eval graphs pubmedqa --data data --graph seed=seed.clew --graph more=both.clew --model smollm2
    """
    from clew.app.cli.evaluation.graph_comparison import evaluate_graphs
    from clew.app.cli.terminal.options import pairs

    evaluate_graphs(
        questions,
        pairs(graph, "--graph"),
        data=Path(data),
        count=count,
        seeds=seeds,
        model=model,
        embedding=not no_embedding,
        out=out,
        as_json=as_json,
    )


def trust(
    questions: Annotated[
        str, typer.Argument(metavar="QUESTIONS.jsonl", help="Questions with gold.", show_default=False)
    ],
    graph: Annotated[
        list[str] | None,
        typer.Option(
            "--graph",
            metavar="[NAME=]GRAPH",
            help="The graph, or one for each name (default: the graphs of benchmarks/questions/unseen).",
            show_default=False,
        ),
    ] = None,
    data: Data = "data",
    model: Model = None,
    compose: Compose = None,
    strategy: StrategyName = DEFAULT_STRATEGY,
    timeout: QuestionTimeout = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="FILE.json", help="Keep every answer; resumes.", show_default=False),
    ] = None,
    list_wrong: Annotated[
        bool, typer.Option("--list", help="List the questions that were not answered right.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Ask your own questions once each: how many are right, and how many wrong answers came without a warning.

    A line of the file holds a question and every answer that is accepted for it; without one, the graph cannot know
    and should decline. A warning is an answer called doubtful, or words that were left over.

    In a source checkout the graphs of benchmarks/questions/unseen are built on first use and kept in the cache.

    \b
    Examples:
      clew eval trust questions.jsonl --graph my.clew --list
      clew eval trust questions.jsonl --graph hpo=hpo.clew --graph world=world.clew --out run.json
      clew eval trust benchmarks/questions/unseen/one.jsonl --list
      clew eval trust benchmarks/questions/unseen/two.jsonl --data data --strategy cypher
      clew eval trust questions.jsonl --graph my.clew --model FILE.gguf --compose --timeout 300
    \b
    A line:
      {"question": "What borders France?", "gold": [{"ids": ["country:ES", "country:BE"]}]}
    """
    from clew.app.cli.evaluation.trust import evaluate_trust

    evaluate_trust(
        Path(questions),
        graph or [],
        data=Path(data),
        model=model,
        compose=compose,
        strategy=strategy,
        timeout=timeout,
        out=None if out is None else Path(out),
        list_wrong=list_wrong,
        as_json=as_json,
    )


def cypher(data: Data = "data", out: Out = None, as_json: AsJson = False) -> None:
    """Measure Cypher coverage on Neo4j's text2cypher: the share of queries that parse and become plans.

    \b
    Examples:
      clew eval cypher --data data
      clew eval cypher --data data --out rates.json
    """
    from clew.app.cli.evaluation.cypher import evaluate_cypher

    evaluate_cypher(Path(data), out=None if out is None else _checked(out), as_json=as_json)


def compare(
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN.json", help="Saved runs; the first is the baseline.", show_default=False),
    ] = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Compare saved runs with a baseline run: paired tests, and what a language model changed.

    \b
    Examples:
      clew eval compare words.json model.json
      clew eval compare words.json model.json --out compared.md
    """
    from clew.app.cli.evaluation.compare import evaluate_runs

    evaluate_runs([Path(run) for run in runs or ()], out=None if out is None else _checked(out), as_json=as_json)


def _checked(out: str) -> Path:
    path = Path(out)
    if path.suffix not in REPORTS:
        raise InputError(f"--out takes a file that ends in .json, .md or .html, not {path.name!r}")
    return path
