"""The settings of every stage of a run, and the presets by size.

The defaults are those that the models of benchmarks/extraction.md were made with; only batches are smaller, and the
rate with them, so that a corpus of some thousand texts gives enough steps.
"""

from dataclasses import dataclass, field

from clew.extract.chains.injection import InjectionSettings
from clew.extract.corpus import CorpusSettings
from clew.extract.filter.tails import FilterSettings
from clew.extract.mentions.heads import HeadSettings
from clew.extract.predict.relation_matching import RelationMatching
from clew.extract.predict.tails import DecoderSettings
from clew.extract.ranking.examples import ExampleSettings
from clew.extract.ranking.settings import RankingSettings
from clew.extract.seed.held_out import HoldOutSettings
from clew.extract.seed.reserved import ReserveSettings
from clew.extract.seed.selection import SelectionSettings
from clew.extract.sequences.packing import SequenceSettings
from clew.extract.training.settings import TrainingSettings
from clew.extract.training.stages import ModelSettings

__all__ = ["DEFAULT_SIZE", "PRESETS", "RunSettings"]

DEFAULT_SIZE = "tiny"


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings of each stage; `held_out` is used only if facts are held out at all (`--hold-out`)."""

    model: ModelSettings = field(default_factory=ModelSettings)
    corpus: CorpusSettings = field(default_factory=CorpusSettings)
    sequences: SequenceSettings = field(default_factory=SequenceSettings)
    heads: HeadSettings = field(default_factory=HeadSettings)
    held_out: HoldOutSettings = field(default_factory=HoldOutSettings)
    reserve: ReserveSettings = field(default_factory=ReserveSettings)
    selection: SelectionSettings = field(default_factory=SelectionSettings)
    injection: InjectionSettings = field(default_factory=lambda: InjectionSettings(repeats=20, alternatives=4))
    training: TrainingSettings = field(default_factory=lambda: TrainingSettings(checkpoint_every=200))
    examples: ExampleSettings = field(default_factory=ExampleSettings)
    ranking: RankingSettings = field(default_factory=lambda: RankingSettings(rate=2e-4))
    matching: RelationMatching = field(default_factory=RelationMatching)
    tokens: int = 20  # kept of each slot of a prediction
    decoder: DecoderSettings = field(default_factory=DecoderSettings)
    filters: FilterSettings = field(default_factory=FilterSettings)


# `tiny` memorises a few hundred triples in a minute on two cores; the others are for real corpora.
PRESETS = {
    "tiny": RunSettings(
        model=ModelSettings(size="tiny", leaf_share=0.5, dropout=0.0),
        sequences=SequenceSettings(vocabulary_size=2000),
        held_out=HoldOutSettings(fewest=1),
        selection=SelectionSettings(fewest=1),
        injection=InjectionSettings(quantile=0.0, repeats=8),
        training=TrainingSettings(steps=600, sequences=32, rate=3e-3, checkpoint_every=50),
        ranking=RankingSettings(rate=1e-3, tokens=2048, dropout=0.0),
        filters=FilterSettings(most=2, confidence=0.15),
    ),
    "small": RunSettings(),
    "paper": RunSettings(model=ModelSettings(size="paper")),
}
