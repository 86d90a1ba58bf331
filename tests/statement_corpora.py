"""A small BC5CDR and BioRED that can be learnt by heart, and a tiny BERT to start from."""

import json
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from clew.extract.statements.gold import CORPORA

DRUGS = ("aspirin", "lithium", "heparin", "morphine")
ILLS = ("nausea", "gout", "tremor", "fever")
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
COMMON = ("caused", "relieved", "was", "were", "seen", "measured", "with", "and", "in", "patients", ".")
WORDS = (*SPECIAL, "chemical", "gene", "variant", "disease", *COMMON)
WIDTH, LAYERS, INNER, POSITIONS = 16, 3, 32, 140


def write_corpora(folder: Path, *, documents: int = 8) -> Path:
    """Training and development files of both corpora; document 0 of each training set is in the other's development."""
    for corpus in CORPORA.values():
        (folder / corpus.name).mkdir(parents=True, exist_ok=True)
    bc5cdr, biored = CORPORA["bc5cdr"], CORPORA["biored"]
    _write(folder / bc5cdr.training, [_abstract(100 + each, each, "bc5cdr") for each in range(documents)])
    _write(folder / biored.training, [_abstract(200 + each, each, "biored") for each in range(documents)])
    _write(folder / bc5cdr.development, [_abstract(each, 1, "bc5cdr") for each in (200, 300)])
    _write(folder / biored.development, [_abstract(each, 2, "biored") for each in (100, 301)])
    return folder


def write_start(folder: Path) -> Path:
    """A random BERT with the words of the corpora as its vocabulary."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = {word: number for number, word in enumerate((*WORDS, *DRUGS, *ILLS))}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = BertNormalizer(), BertPreTokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {
        "vocab_size": len(vocabulary),
        "hidden_size": WIDTH * 2,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": 2,
        "intermediate_size": INNER,
        "layer_norm_eps": 1e-12,
    }
    (folder / "config.json").write_text(json.dumps(config))
    random = torch.Generator().manual_seed(0)
    width = WIDTH * 2
    shapes = {
        "embeddings.word_embeddings.weight": (len(vocabulary), width),
        "embeddings.position_embeddings.weight": (POSITIONS, width),
        "embeddings.token_type_embeddings.weight": (2, width),
        "embeddings.LayerNorm.weight": (width,),
        "embeddings.LayerNorm.bias": (width,),
    }
    for layer in range(LAYERS):
        for part, size in {
            "attention.self.query": (width, width),
            "attention.self.key": (width, width),
            "attention.self.value": (width, width),
            "attention.output.dense": (width, width),
            "attention.output.LayerNorm": (width,),
            "intermediate.dense": (INNER, width),
            "output.dense": (width, INNER),
            "output.LayerNorm": (width,),
        }.items():
            shapes[f"encoder.layer.{layer}.{part}.weight"] = size
            shapes[f"encoder.layer.{layer}.{part}.bias"] = size[:1]
    tensors = {
        name: torch.ones(size) if name.endswith("LayerNorm.weight") else torch.randn(size, generator=random) * 0.1
        for name, size in shapes.items()
    }
    save_file(tensors, folder / "model.safetensors")
    return folder


def _abstract(identifier: int, number: int, corpus: str) -> str:
    """One drug causes (even numbers) or relieves (odd ones) an illness, and another illness was only measured."""
    drug, ill = DRUGS[number % 4], ILLS[number // 2 % 4]
    other = ILLS[(number // 2 + 1) % 4]
    title = f"{drug} {'caused' if number % 2 == 0 else 'relieved'} {ill} ."
    text = f"{title} {other} was measured in patients ."
    chemical, disease = (
        ("Chemical", "Disease") if corpus == "bc5cdr" else ("ChemicalEntity", "DiseaseOrPhenotypicFeature")
    )
    lines = [f"{identifier}|t|{title}", f"{identifier}|a|{other} was measured in patients ."]
    for name, kind in ((drug, chemical), (ill, disease), (other, disease)):
        start = text.index(name)
        lines.append(f"{identifier}\t{start}\t{start + len(name)}\t{name}\t{kind}\tID:{name}")
    if corpus == "biored":
        relation = "Positive_Correlation" if number % 2 == 0 else "Negative_Correlation"
        lines.append(f"{identifier}\t{relation}\tID:{ill}\tID:{drug}\tNovel")
    elif number % 2 == 0:
        lines.append(f"{identifier}\tCID\tID:{drug}\tID:{ill}")
    return "\n".join(lines) + "\n"


def _write(path: Path, abstracts: list[str]) -> None:
    path.write_text("\n".join(abstracts), "utf-8")
