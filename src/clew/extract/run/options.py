"""What a user may choose for a run: one record from which the command line makes its options.

Each field says what it means, which commands take it, and which setting of which stage it sets; values are checked by
the settings themselves. What is chosen is remembered in the run directory; what is None is left to the size.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from clew.errors import InputError, UnknownName
from clew.extract.run.settings import DEFAULT_SIZE, PRESETS, RunSettings
from clew.files import write_text

__all__ = ["RECORD", "ROLES", "RunOptions", "flag_of"]

RECORD = "run.json"
ROLES = ("heads", "relations", "tails")  # what a helper model may do
ALL = ("prepare", "train", "predict", "filter")


def _option(
    help: str, metavar: str, *, commands: Sequence[str] = ALL, sets: Sequence[str] = (), clears: Sequence[str] = ()
) -> Any:
    """A field with its option: `sets` and `clears` name settings as "stage.setting"."""
    about = {"help": help, "metavar": metavar, "commands": tuple(commands), "sets": sets, "clears": clears}
    return field(default=None, metadata=about)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of a run; paths are kept absolute, so that a run can be resumed from another directory."""

    inputs: tuple[str, ...] | None = _option(
        "Files or folders: PubMed XML, PubTator, JSONL, CSV, plain text, …", "[TEXTS]...", commands=("prepare",)
    )
    seed_graph: str | None = _option("The seed graph: its names, relations and triples are the supervision.", "GRAPH")
    size: str | None = _option(f"Model size and settings: {', '.join(PRESETS)} (default: {DEFAULT_SIZE}).", "SIZE")
    license: str | None = _option("Licence for documents that state none.", "NAME", commands=("prepare",))
    keep: tuple[str, ...] | None = _option(
        "Also read sentences flagged as negated, speculative or animal; repeatable.",
        "FLAG",
        commands=("prepare", "predict"),
        sets=("corpus.keep",),
    )
    whole: tuple[str, ...] | None = _option(
        "Keep every sentence of this source, for texts with gold annotations; repeatable.",
        "SOURCE",
        commands=("prepare",),
        sets=("corpus.whole",),
    )
    tokenizer: str | None = _option(
        "A WordPiece tokenizer.json (default: trained on the texts).",
        "FILE",
        commands=("prepare",),
        sets=("sequences.tokenizer",),
    )
    hold_out: float | None = _option(
        "Hold out this share of the seed's entity pairs from training, for evaluation.",
        "SHARE",
        commands=("prepare",),
        sets=("held_out.share",),
    )
    alpha: float | None = _option(
        "Inject matches above this quantile of scores.", "Q", commands=("prepare",), sets=("injection.quantile",)
    )
    start: str | None = _option(
        "Begin with this BERT (config.json, model.safetensors, tokenizer.json) instead of random weights.",
        "DIR",
        commands=("train",),
        sets=("model.start",),
    )
    epochs: float | None = _option(
        "Epochs of pre-training.", "N", commands=("train",), sets=("training.epochs",), clears=("training.steps",)
    )
    steps: int | None = _option(
        "Steps of pre-training, instead of epochs.", "N", commands=("train",), sets=("training.steps",)
    )
    rate: float | None = _option("Peak learning rate.", "R", commands=("train",), sets=("training.rate",))
    batch: int | None = _option("Sequences in a batch.", "N", commands=("train",), sets=("training.sequences",))
    rank_epochs: int | None = _option(
        "Epochs of fine-tuning for candidate ranking; 0 for none.", "N", commands=("train",), sets=("ranking.epochs",)
    )
    random_seed: int | None = _option(
        "Random seed of training.", "N", commands=("train",), sets=("training.seed", "ranking.seed")
    )
    helper: str | None = _option(
        "A language model that assists: a name, a .gguf file or a URL.", "MODEL", commands=("prepare", "predict")
    )
    helper_for: tuple[str, ...] | None = _option(
        f"What the language model assists with: {', '.join(ROLES)} (default: tails); repeatable.",
        "TASK",
        commands=("prepare", "predict"),
    )
    confidence: float | None = _option(
        "Minimum confidence.", "P", commands=("filter", "predict"), sets=("filters.confidence",)
    )
    beta: float | None = _option(
        "Minimum similarity to the text (quantile of matched scores).",
        "Q",
        commands=("filter", "predict"),
        sets=("filters.beta",),
    )
    encoder: str | None = _option(
        "The encoder that compares triples with the text (default: minilm).", "NAME", commands=("filter", "predict")
    )
    cross_sentence: bool | None = _option(
        "Keep triples whose head and tail are in different sentences.",
        "",
        commands=("filter", "predict"),
        sets=("filters.cross_sentence",),
    )
    new_is_a: bool | None = _option(
        "Keep is_a triples absent from the seed hierarchy.",
        "",
        commands=("filter", "predict"),
        sets=("filters.new_is_a",),
    )

    def __post_init__(self) -> None:
        for name in ("inputs", "seed_graph", "tokenizer", "start"):
            object.__setattr__(self, name, _absolute(getattr(self, name)))
        for role in self.helper_for or ():
            if role not in ROLES:
                raise UnknownName(f"--helper-for {role}: expected {' or '.join(ROLES)}", close=ROLES)
        if self.size is not None and self.size not in PRESETS:
            raise UnknownName(f"--size {self.size}: known: {', '.join(PRESETS)}", close=tuple(PRESETS))

    def over(self, earlier: "RunOptions") -> "RunOptions":
        """These options, and those of `earlier` where nothing is chosen now."""
        chosen = {each.name: getattr(self, each.name) for each in fields(self)}
        return replace(earlier, **{name: value for name, value in chosen.items() if value is not None})

    @property
    def roles(self) -> tuple[str, ...]:
        """What the helper model does; nothing where there is none."""
        return () if self.helper is None else self.helper_for or ("tails",)

    def settings(self) -> RunSettings:
        """The settings of all stages."""
        settings = PRESETS[self.size or DEFAULT_SIZE]
        for each in fields(self):
            value = getattr(self, each.name)
            if value is None:
                continue
            try:
                for place in each.metadata["clears"]:
                    settings = _with(settings, place, None)
                for place in each.metadata["sets"]:
                    settings = _with(settings, place, value)
            except InputError as error:
                raise InputError(f"{flag_of(each.name)} {value}: {error}") from error
        return settings

    def write(self, run: Path) -> None:
        """Remember the options in a run directory, which is made where it is not there."""
        try:
            Path(run).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{run} cannot be a run directory: {error.strerror or error}") from error
        write_text(Path(run) / RECORD, json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n")

    @classmethod
    def read(cls, run: Path) -> "RunOptions":
        """The options of a run; an error where there is none."""
        path = Path(run) / RECORD
        try:
            body: dict[str, Any] = json.loads(path.read_text("utf-8"))
            stored: dict[str, Any] = {
                name: tuple(value) if isinstance(value, list) else value for name, value in body.items()
            }
            return cls(**stored)
        except FileNotFoundError:
            raise InputError(
                f"{run} is not a run directory (no {RECORD}): start with `clew extract prepare {run}`"
            ) from None
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise InputError(f"{path} cannot be read ({error}): remove it and prepare the run again") from error


def flag_of(name: str) -> str:
    """The option of a field.

    >>> flag_of("seed_graph")
    '--seed-graph'
    """
    return f"--{name.replace('_', '-')}"


def _with(settings: RunSettings, place: str, value: Any) -> RunSettings:
    """Settings with one value of one stage changed; `place` is "stage.setting"."""
    stage, _, name = place.partition(".")
    changed = replace(getattr(settings, stage), **{name: value})
    return replace(settings, **{stage: changed})


def _absolute(given: str | tuple[str, ...] | None) -> str | tuple[str, ...] | None:
    if given is None:
        return None
    return (
        str(Path(given).absolute()) if isinstance(given, str) else tuple(str(Path(each).absolute()) for each in given)
    )
