"""A tiny model folder as it is shipped, a statement model and a seed, that reads the words of `statement_corpora`."""

from dataclasses import replace
from pathlib import Path

import torch

import clew
from clew.extract.packaging.locate import SEED, STATEMENTS
from clew.extract.packaging.seed_tables import write_seed
from clew.extract.statements.gold import read_training
from clew.extract.statements.learning.export import export
from clew.extract.statements.learning.fitting import Settings, train
from clew.extract.statements.marking import Marker
from statement_corpora import DRUGS, ILLS, write_corpora, write_start

CAUSED = "aspirin caused tremor. Fever was measured in patients."
RELIEVED = "lithium relieved nausea. Gout was measured in patients."
TREATED = ("lithium", "nausea")  # the one fact that the seed knows


def write_shipped(folder: Path) -> Path:
    """Write `folder`/statements and `folder`/seed."""
    work = folder.parent / "work"
    corpora, start = write_corpora(work / "data"), write_start(work / "start")
    torch.manual_seed(0)
    marker = Marker.for_start(start)
    examples = [marker.mark_gold(each) for each in read_training(corpora)]
    settings = Settings(epochs=40, batch=7, rate=1e-3, head_rate=3e-3, held_out=0)
    trained = train(examples, start, settings)
    training = {**trained.training, "relations": {name: {"threshold": 0.5} for name in trained.training["relations"]}}
    training["calibration"] = {corpus: {"scale": 1.0} for corpus in trained.training["calibration"]}
    export(folder / STATEMENTS, replace(trained, training=training))
    named = {"Chemical": DRUGS, "Disease": ILLS}
    entities = [
        (f"ID:{name}", name, kind, f"{name}s", f"OTHER:{name}") for kind, names in named.items() for name in names
    ]
    (work / "entities.tsv").write_text(
        "id\tname\ttype\tsynonyms\txrefs\n" + "".join("\t".join(each) + "\n" for each in entities)
    )
    drug, ill = TREATED
    (work / "triples.tsv").write_text(
        f"subject\trelation\tobject\tsource\tlicense\nID:{drug}\ttreats\tID:{ill}\tmade\tCC0 1.0\n"
    )
    clew.build(work / "triples.tsv", out=work / "seed.clew", entities=work / "entities.tsv")
    write_seed(clew.open(work / "seed.clew"), folder / SEED, relations=["treats"])
    return folder
