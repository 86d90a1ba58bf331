"""Files that hide much, never end, or are not what they say: read, or refused by one sentence, in little memory.

`Bombs(seed)` makes cases without end; a case writes its files into a folder and gives the command that reads them.
"""

import gzip
import json
import os
import random
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

import clew
from attack.tally import Tally
from attack.zygote import Commands

__all__ = ["MEMORY", "Bombs", "attack"]

MEMORY = 3 << 30  # bytes that any of them may take: 256 MiB of text, several times
SMALL = Path(__file__).resolve().parents[2] / "weights" / "small"
ODD_TEXTS = (
    b"\xff\xfes\x00u\x00b\x00", b"\x00" * 4096, b"\xef\xbb\xbf", b"subject,relation,object\n\xff\xfe,a,b\n",
    b'subject,relation,object\n"a,b,c\n' * 50, b"PAR1", b"ARROW1\0\0", b"\x1f\x8b", b"PK\x03\x04", b"{}",
    b"[" * 100_000, b"subject,relation,object\n" + b"a" * 9_000_000 + b",b,c\n",
    b"subject\trelation\tobject\r\ra\tb\tc\r",
)  # fmt: skip
SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet", ".arrow", ".feather", ".jsonl", ".json", ".txt", ".ttl")
MODEL_FILES = ("config.json", "relations.json", "training.json", "tokenizer.json", "weights.safetensors", "seal.json")
ODD_JSON: tuple[bytes, ...] = (
    b"", b"null", b"[]", b"{", b'"x"', b"1e999", b"[" * 200_000, b'{"a":' * 100_000, b"\xff", b"{}",
    json.dumps({"layers": 10**9, "width": 10**9, "vocabulary": 10**9, "relations": 10**9}).encode(),
    json.dumps({"layers": "2", "width": None, "vocabulary": [], "relations": {}}).encode(),
    json.dumps({"layers": 2, "width": 1 << 20, "heads": 1, "vocabulary": 1 << 20, "relations": 3}).encode(),
)  # fmt: skip
Case = tuple[str, Callable[[Path], list[str]]]


class Bombs:
    """Cases of all kinds, in an order that the seed decides."""

    def __init__(self, seed: int, graph: Path) -> None:
        self.rng = random.Random(seed)
        self.graph = graph  # a small one, for commands that need it

    def __iter__(self) -> Iterator[Case]:
        kinds = [name.removeprefix("make_") for name in dir(self) if name.startswith("make_")]
        while True:
            for kind in self.rng.sample(kinds, len(kinds)):
                yield kind, getattr(self, f"make_{kind}")

    def _build(self, source: Path) -> list[str]:
        return ["build", str(source), "--out", str(source.parent / "out.clew")]

    def make_gzip(self, folder: Path) -> list[str]:
        """Up to 3 GB of rows in up to 3 MB; in many parts, as they are quick to make."""
        delimiter, suffix = self.rng.choice([(b",", ".csv.gz"), (b"\t", ".tsv.gz")])
        row = delimiter.join([b"A:1", b"causes", b"B:1"]) + b"\n"
        block = gzip.compress(row * (1 << 19))
        path = folder / f"bomb{suffix}"
        with path.open("wb") as file:
            file.write(gzip.compress(delimiter.join([b"subject", b"relation", b"object"]) + b"\n"))
            for _ in range(self.rng.randrange(80, 400)):
                file.write(block)
        return self._build(path)

    def make_json_lines(self, folder: Path) -> list[str]:
        """KGX of many alike lines, packed."""
        (folder / "x_nodes.jsonl").write_text('{"id": "A:1"}\n{"id": "B:1"}\n')
        row = b'{"subject": "A:1", "predicate": "biolink:causes", "object": "B:1"}\n'
        (folder / "x_edges.jsonl.gz").write_bytes(gzip.compress(row * (1 << 17)) * self.rng.randrange(200, 400))
        (folder / "x_nodes.jsonl.gz").write_bytes(gzip.compress((folder / "x_nodes.jsonl").read_bytes()))
        (folder / "x_nodes.jsonl").unlink()
        return self._build(folder / "x_edges.jsonl.gz")

    def make_parquet_rows(self, folder: Path) -> list[str]:
        """One row, some hundred million times."""
        path, count = folder / "rows.parquet", self.rng.randrange(30, 120)
        ends = [
            pa.DictionaryArray.from_arrays(pa.array([0] * (1 << 20), pa.int32()), pa.array([each])) for each in "abc"
        ]
        batch = pa.table(dict(zip(("subject", "relation", "object"), ends, strict=True)))
        with pq.ParquetWriter(path, batch.schema, compression="zstd") as writer:
            for _ in range(count):
                writer.write_table(batch)
        return self._build(path)

    def make_parquet_text(self, folder: Path) -> list[str]:
        """One long text, once in the file and in every row."""
        path, long = folder / "text.parquet", "x" * self.rng.randrange(1 << 20, 1 << 23)
        rows = self.rng.randrange(1 << 14, 1 << 18)
        column = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([long]))
        plain = pa.array([f"A:{at}" for at in range(rows)])
        pq.write_table(pa.table({"subject": plain, "relation": column, "object": plain}), path)
        return self._build(path)

    def make_arrow(self, folder: Path) -> list[str]:
        """Buffers that unpack to gigabytes."""
        path = folder / "bomb.arrow"
        column = pa.array([""] * (1 << 23))  # whose buffers are all zero
        batch = pa.record_batch([column] * 3, names=["subject", "relation", "object"])
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, batch.schema, options=options) as writer:
            for _ in range(self.rng.randrange(30, 80)):
                writer.write_batch(batch)
        return self._build(path)

    def make_long_line(self, folder: Path) -> list[str]:
        """A table without line breaks; the file has holes, so it takes no room."""
        path = folder / f"line{self.rng.choice(['.csv', '.tsv', '.jsonl'])}"
        path.write_bytes(b"subject,relation,object\n")
        os.truncate(path, self.rng.randrange(1 << 27, 1 << 30))
        return self._build(path)

    def make_pipe(self, folder: Path) -> list[str]:
        """A pipe that nobody writes to, or a device without end."""
        path = folder / f"endless{self.rng.choice(SUFFIXES)}"
        if self.rng.random() < 0.5:
            os.mkfifo(path)
        else:
            path.symlink_to("/dev/zero")
        if self.rng.random() < 0.3:
            return ["extract", "prepare", str(folder / "run"), str(path), "--seed-graph", str(self.graph)]
        return self._build(path)

    def make_odd_text(self, folder: Path) -> list[str]:
        """Bytes that are not what the name says."""
        path = folder / f"odd{self.rng.choice(SUFFIXES)}"
        content = self.rng.choice(ODD_TEXTS)
        if self.rng.random() < 0.3:
            content = gzip.compress(content)[: self.rng.randrange(8, 40)]
        if self.rng.random() < 0.2:
            content = self.rng.randbytes(self.rng.randrange(1, 5000))
        path.write_bytes(content)
        return self._build(path)

    def make_damaged_table(self, folder: Path) -> list[str]:
        """A Parquet or Arrow file with bytes changed, or cut short."""
        table = pa.table(
            {"subject": [f"A:{at}" for at in range(500)], "relation": ["is"] * 500, "object": ["B:1"] * 500}
        )
        path = folder / self.rng.choice(["t.parquet", "t.arrow"])
        if path.suffix == ".parquet":
            pq.write_table(table, path)
        else:
            with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table)
        content = bytearray(path.read_bytes())
        for _ in range(self.rng.randrange(1, 9)):
            content[self.rng.randrange(len(content))] = self.rng.randrange(256)
        path.write_bytes(content[: len(content) if self.rng.random() < 0.7 else self.rng.randrange(len(content))])
        return self._build(path)

    def make_words(self, folder: Path) -> list[str]:
        """Words for asking that are none."""
        (folder / "t.csv").write_text("subject,relation,object\na,b,c\n")
        (folder / "words.json").write_bytes(self.rng.choice(ODD_JSON))
        return [*self._build(folder / "t.csv"), "--words", str(folder / "words.json")]

    def make_model_folder(self, folder: Path) -> list[str]:
        """A model folder of which one file is something else; its seal says so, is gone, or was made again."""
        shutil.copytree(SMALL / "model", folder / "model", copy_function=os.link)
        target = folder / "model" / self.rng.choice(MODEL_FILES)
        content = bytearray(target.read_bytes())
        target.unlink()
        if target.suffix == ".json" and self.rng.random() < 0.7:
            target.write_bytes(self.rng.choice(ODD_JSON))
        elif self.rng.random() < 0.8:
            for _ in range(self.rng.randrange(1, 5)):
                content[self.rng.randrange(min(len(content), 4000))] = self.rng.randrange(256)
            target.write_bytes(content[: len(content) if self.rng.random() < 0.6 else self.rng.randrange(len(content))])
        _reseal(folder / "model")
        (folder / "text.txt").write_text("Aspirin may induce asthma in adults. Asthma after aspirin is known.")
        given = ["--seed-graph", str(self.graph), "--text", str(folder / "text.txt")]
        return ["extract", "predict", "--model", str(folder / "model"), *given]

    def make_language_model(self, folder: Path) -> list[str]:
        """A file that calls itself a language model."""
        path = folder / "model.gguf"
        head = b"GGUF" + self.rng.choice([b"\3\0\0\0", b"\xff" * 4]) + self.rng.randbytes(self.rng.randrange(0, 200))
        path.write_bytes(self.rng.choice([b"", b"GGUF", head, self.rng.randbytes(4000)]))
        return ["ask", str(self.graph), "What does Aspirin cause?", "--model", str(path), "--no-embedding"]

    def make_corpus(self, folder: Path) -> list[str]:
        """Texts in a small file that do not end, or lines that are nested too deep."""
        lines = [b'{"text": "Aspirin causes asthma."}\n' * 40_000, b'{"text": ' + b"[" * 100_000 + b"\n", b"\0" * 5000]
        path = folder / "corpus.jsonl.gz"
        path.write_bytes(gzip.compress(self.rng.choice(lines)) * self.rng.choice([1, 1, 400]))
        return ["extract", "prepare", str(folder / "run"), str(path), "--seed-graph", str(self.graph)]


def _reseal(folder: Path) -> None:
    """Seal a folder again as a forger would, so that what is inside is read at all."""
    from clew.checksums import json_text, record_files
    from clew.sealed import SEAL

    try:
        body = json.loads((folder / SEAL).read_bytes())
        files = {
            name: {"size": each.size, "sha256": list(each.sha256)}
            for name, each in record_files(folder).items()
            if name != SEAL
        }
        (folder / SEAL).unlink()
        (folder / SEAL).write_text(json_text({"what": body["what"], "identity": body["identity"], "files": files}))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return  # the seal itself was hit


def attack(folder: Path, *, seed: int, tries: int, seconds: float, only: str | None = None) -> Tally:
    """Let commands read bombs until there were enough or the time is over."""
    tally, until = Tally("bombs"), time.monotonic() + seconds
    graph = folder / "small.clew"
    names = {"id": ["C:1", "D:1"], "name": ["Aspirin", "Asthma"], "type": ["Drug", "Disease"]}
    triples = {"subject": ["C:1"], "relation": ["treats"], "object": ["D:1"]}
    clew.build(pa.table(triples), entities=pa.table(names), out=graph)
    with Commands(folder) as commands:
        for number, (kind, make) in enumerate(Bombs(seed, graph)):
            if tally.tries >= tries or time.monotonic() > until:
                break
            if only is not None and kind != only:
                continue
            place = folder / f"bomb{number}"
            place.mkdir()
            args = make(place)
            ran = commands.run(*args, seconds=60)
            tally.largest = max(tally.largest, ran.peak)
            tally.add(kind, "read" if ran.code == 0 else "refused", ran.fault(memory=MEMORY), " ".join(args))
            shutil.rmtree(place)
    return tally
