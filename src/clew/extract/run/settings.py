"""The run directory: which stages it has and in which order, what a user may choose, and what that means for each.

A finished stage is a sealed directory whose identity names its settings and the seals of the stages it read, so `look`
can say of each whether it is finished, stands in part, or was made from something that has changed since.
"""

import json
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from clew.errors import DerivedError, InputError, UnknownName
from clew.extract.chains.injection import InjectionSettings
from clew.extract.corpus import CorpusSettings
from clew.extract.filter.tails import FilterSettings
from clew.extract.mentions.heads import HeadSettings
from clew.extract.predict.relation_matching import RelationMatching
from clew.extract.predict.tails import DecoderSettings
from clew.extract.ranking.examples import ExampleSettings
from clew.extract.ranking.settings import RankingSettings
from clew.extract.seed.reserved import ReserveSettings
from clew.extract.seed.selection import SelectionSettings
from clew.extract.sequences.packing import SequenceSettings
from clew.extract.stage import read_counts, seal_checksum
from clew.extract.training.duration import check_duration
from clew.files import write_text
from clew.sealed import SEAL, check_seal

__all__ = [
    "PRESETS",
    "ROLES",
    "STAGES",
    "Choices",
    "RunSettings",
    "Stage",
    "Standing",
    "TrainingSettings",
    "look",
    "read_trained",
    "write_trained",
]

RECORD = "run.json"
TRAINED = "trained.json"  # beside the pre-trained model, whose own seal knows nothing of the run
ROLES = ("heads", "relations", "tails")  # what a helper model may do


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage: its directory in the run, the command that makes it, the stages whose seals it names, what it holds."""

    name: str
    command: str
    reads: tuple[str, ...]
    holds: str
    counted: tuple[str, ...]  # the counts that say most


STAGES = (
    Stage("corpus", "prepare", (), "documents and their sentences", ("documents", "kept")),
    Stage("sequences", "prepare", ("corpus",), "token sequences and the tokenizer", ("sequences", "tokens")),
    Stage("heads", "prepare", ("sequences",), "mentions of entities of the seed", ("heads",)),
    Stage("reserved", "prepare", ("heads",), "seed triples kept for teaching", ("pairs withheld",)),
    Stage("matches", "prepare", ("heads",), "seed triples near each head's text", ("matches",)),
    Stage("injected", "prepare", ("matches",), "the triple each head is given", ("injected",)),
    Stage("chains", "prepare", ("injected", "sequences"), "leafy chain graphs, for training", ("leaves",)),
    Stage("examples", "prepare", ("heads", "injected"), "queries with the mentions to choose from", ("queries",)),
    Stage("pretrained", "train", ("chains",), "the encoder before it is taught", ()),
    Stage("model", "train", ("pretrained", "examples"), "the trained encoder", ()),
    Stage("asked", "predict", ("heads",), "heads and relations to ask", ("queries",)),
    Stage("queries", "predict", ("asked",), "the same as arrays", ()),
    Stage("predictions", "predict", ("queries", "model"), "what the model says of each tail", ("queries",)),
    Stage("tails", "predict", ("predictions",), "tails as phrases", ("tails",)),
    Stage("triples", "filter", ("tails",), "final triples, as a table and as KGX", ("assertions", "triples")),
)


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How a model is trained; what is None is that of the model's own settings.

    Most leaves are masked: with the paper's 0.15, a model has seen a fifth as many after as many steps.
    """

    steps: int | None = None
    epochs: float = 25.0
    batch: int = 128  # sequences
    rate: float = 4e-4
    seed: int = 0
    leaf_share: float = 0.8
    dropout: float | None = None
    checkpoint_every: int = 200

    def __post_init__(self) -> None:
        check_duration(self.steps, self.epochs)


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings of every stage: by default those that the models of benchmarks/extraction.md were made with.

    Only batches are smaller, and the rate with them, so that a corpus of some thousand texts gives steps enough.
    """

    size: str = "small"
    corpus: CorpusSettings = field(default_factory=CorpusSettings)
    sequences: SequenceSettings = field(default_factory=SequenceSettings)
    heads: HeadSettings = field(default_factory=HeadSettings)
    reserve: ReserveSettings = field(default_factory=ReserveSettings)
    selection: SelectionSettings = field(default_factory=SelectionSettings)
    injection: InjectionSettings = field(default_factory=lambda: InjectionSettings(repeats=20, alternatives=4))
    training: TrainingSettings = field(default_factory=TrainingSettings)
    examples: ExampleSettings = field(default_factory=ExampleSettings)
    teaching: RankingSettings = field(default_factory=lambda: RankingSettings(rate=2e-4))
    matching: RelationMatching = field(default_factory=RelationMatching)
    tokens: int = 20  # of each slot, kept of a prediction
    decoder: DecoderSettings = field(default_factory=DecoderSettings)
    filters: FilterSettings = field(default_factory=FilterSettings)


# `tiny` learns a few hundred triples by heart in a minute on two cores; the others are for real corpora.
PRESETS = {
    "tiny": RunSettings(
        size="tiny",
        sequences=SequenceSettings(vocabulary_size=2000),
        selection=SelectionSettings(fewest=1),
        injection=InjectionSettings(quantile=0.0, repeats=8),
        training=TrainingSettings(steps=600, batch=32, rate=3e-3, leaf_share=0.5, dropout=0.0, checkpoint_every=50),
        teaching=RankingSettings(rate=1e-3, tokens=2048, dropout=0.0),
        filters=FilterSettings(most=2, least=0.15),
    ),
    "small": RunSettings(size="small"),
    "paper": RunSettings(size="paper"),
}


@dataclass(frozen=True, slots=True)
class Choices:
    """What a user chooses for a run, remembered in its run.json; what is None is settled by the size.

    `alpha` and `beta` are quantiles, `teach` the epochs of teaching, 0 for none. A `helper` is a language model by
    name, path or URL; `helper_for` says what it does: list heads beside those that the seed names, choose relations,
    form tails (this alone unless it is said).
    """

    inputs: tuple[str, ...] | None = None
    license: str | None = None
    keep: tuple[str, ...] | None = None
    seed_graph: str | None = None
    tokenizer: str | None = None
    size: str | None = None
    encoder: str | None = None
    helper: str | None = None
    helper_for: tuple[str, ...] | None = None
    alpha: float | None = None
    beta: float | None = None
    confidence: float | None = None
    across: bool | None = None
    new_kinds: bool | None = None
    steps: int | None = None
    epochs: float | None = None
    teach: int | None = None
    batch: int | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        for role in self.helper_for or ():
            if role not in ROLES:
                raise UnknownName(f"a helper model can do {' or '.join(ROLES)}, not {role!r}", close=ROLES)
        if self.size is not None and self.size not in PRESETS:
            raise UnknownName(f"no size is called {self.size!r}: known: {', '.join(PRESETS)}", close=tuple(PRESETS))

    def over(self, earlier: "Choices") -> "Choices":
        """These choices, and those of `earlier` where nothing is chosen anew."""
        chosen = {each.name: getattr(self, each.name) for each in fields(self)}
        return replace(earlier, **{name: value for name, value in chosen.items() if value is not None})

    @property
    def roles(self) -> tuple[str, ...]:
        """What the helper model does; nothing where there is none."""
        return () if self.helper is None else self.helper_for or ("tails",)

    def settings(self) -> RunSettings:
        """The settings of all stages."""
        settings = PRESETS[self.size or "tiny"]
        training, filters = settings.training, settings.filters
        if self.epochs is not None:
            training = replace(training, steps=None, epochs=self.epochs)
        if self.steps is not None:
            training = replace(training, steps=self.steps)
        training = replace(training, batch=self.batch or training.batch, seed=self.seed or training.seed)
        if self.beta is not None:
            filters = replace(filters, beta=self.beta)
        if self.confidence is not None:
            filters = replace(filters, least=self.confidence)
        if self.across is not None:
            filters = replace(filters, across=self.across)
        if self.new_kinds is not None:
            filters = replace(filters, new_kinds=self.new_kinds)
        teaching = replace(settings.teaching, seed=training.seed)
        if self.teach is not None:
            teaching = replace(teaching, epochs=self.teach)
        tokenizer = None if self.tokenizer is None else Path(self.tokenizer)
        injection = settings.injection if self.alpha is None else replace(settings.injection, quantile=self.alpha)
        return replace(
            settings,
            corpus=replace(settings.corpus, keep=self.keep or settings.corpus.keep),
            sequences=replace(settings.sequences, tokenizer=tokenizer),
            injection=injection,
            training=training,
            teaching=teaching,
            filters=filters,
        )

    def write(self, run: Path) -> None:
        """Remember the choices in a run directory, which is made where it is not there."""
        try:
            Path(run).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{run} cannot be a run directory: {error.strerror or error}") from error
        write_text(Path(run) / RECORD, json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n")

    @classmethod
    def read(cls, run: Path) -> "Choices":
        """The choices of a run; an error where there is none."""
        path = Path(run) / RECORD
        try:
            body: dict[str, Any] = json.loads(path.read_text("utf-8"))
            return cls(**{name: _from_json(value) for name, value in body.items()})
        except FileNotFoundError:
            raise InputError(
                f"{run} is no run directory (no {RECORD}): begin with `clew extract prepare {run}`"
            ) from None
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise InputError(f"{path} cannot be read ({error}): remove it and prepare the run again") from error


def _from_json(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a stage stands: missing, in part, finished, or outdated; and what it counted."""

    stage: Stage
    state: str
    counts: dict[str, Any] = field(default_factory=dict)


def look(run: Path) -> list[Standing]:
    """The stages of a run in order, each with its state."""
    run = Path(run)
    Choices.read(run)
    standings: list[Standing] = []
    outdated: set[str] = set()
    for stage in STAGES:
        state = _state(run, stage, outdated)
        if state == "outdated":
            outdated.add(stage.name)
        counted = state in ("finished", "outdated") and (run / stage.name / "counts.json").is_file()
        standings.append(Standing(stage, state, read_counts(run / stage.name) if counted else {}))
    return standings


def _state(run: Path, stage: Stage, outdated: set[str]) -> str:
    try:
        identity = check_seal(run / stage.name, {}, what=stage.name, remedy="clew extract run")
    except DerivedError:
        begun = (run / f".{stage.name}.parts").is_dir() or (run / f"{stage.name}.checkpoint").is_dir()
        return "in part" if begun else "missing"
    if stage.name == "pretrained":
        identity = read_trained(run)
    changed = any(other in outdated or not _is_of(run, other, identity.get(other)) for other in stage.reads)
    return "outdated" if changed else "finished"


def read_trained(run: Path) -> dict[str, Any]:
    """What a run's model was pre-trained from, as `write_trained` left it; empty where nobody says."""
    try:
        body = json.loads((Path(run) / TRAINED).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return body if isinstance(body, dict) else {}


def write_trained(run: Path, about: dict[str, Any]) -> None:
    """Note what a run's model was pre-trained from."""
    write_text(Path(run) / TRAINED, json.dumps(about, indent=1) + "\n")


def _is_of(run: Path, stage: str, checksum: object) -> bool:
    if stage == "model" and not (run / stage).exists():  # predicted with a model from elsewhere
        return True
    return (run / stage / SEAL).is_file() and seal_checksum(run / stage) == checksum
