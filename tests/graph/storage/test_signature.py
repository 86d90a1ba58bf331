"""Signatures in the format of minisign, made here with the same primitives."""

import base64
import hashlib
import secrets
from pathlib import Path

import pyarrow as pa
import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519

import clew
from clew.errors import InputError, SignatureError
from clew.graph.storage.signature import SIGNATURE, check_signature, read_key
from clew.graph.storage.snapshots import snapshot_folder

COMMENT = "timestamp:1700000000\tfile:manifest.json\thashed"


class Signer:
    """What `minisign -G` and `minisign -S` do."""

    def __init__(self) -> None:
        self.secret, self.id = ed25519.Ed25519PrivateKey.generate(), secrets.token_bytes(8)
        public = self.secret.public_key().public_bytes_raw()
        self.key = base64.b64encode(b"Ed" + self.id + public).decode()

    def sign(self, folder: Path, *, kind: bytes = b"ED", comment: str = COMMENT) -> None:
        content = (folder / "manifest.json").read_bytes()
        signature = self.secret.sign(hashlib.blake2b(content).digest() if kind == b"ED" else content)
        whole = self.secret.sign(signature + comment.encode())
        lines = (
            "untrusted comment: signature from minisign secret key",
            base64.b64encode(kind + self.id + signature).decode(),
            f"trusted comment: {comment}",
            base64.b64encode(whole).decode(),
        )
        (folder / SIGNATURE).write_text("\n".join(lines) + "\n")


@pytest.fixture
def signer() -> Signer:
    return Signer()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    clew.build(pa.table({"subject": ["a"], "relation": ["r"], "object": ["b"]}), out=tmp_path / "g.clew")
    return tmp_path / "g.clew"


@pytest.fixture
def folder(path: Path) -> Path:
    return snapshot_folder(path)


@pytest.mark.parametrize("kind", [b"ED", b"Ed"])
def test_a_signed_graph(folder: Path, signer: Signer, tmp_path: Path, kind: bytes) -> None:
    signer.sign(folder, kind=kind)
    (tmp_path / "g.pub").write_text(f"untrusted comment: minisign public key 0123\n{signer.key}\n")
    for given in (signer.key, str(tmp_path / "g.pub")):
        found = check_signature(folder, read_key(given))
        assert found.comment == COMMENT
        assert found.key == signer.id[::-1].hex().upper()


def test_a_key_of_minisign_itself_is_read() -> None:
    key = read_key("RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3")  # from minisign's own documentation
    assert len(key.bytes) == 32


class TestRefused:
    def test_without_a_signature(self, folder: Path, signer: Signer) -> None:
        with pytest.raises(SignatureError, match=r"minisig does not exist: sign it with `minisign -Sm "):
            check_signature(folder, read_key(signer.key))

    def test_by_another_key(self, folder: Path, signer: Signer) -> None:
        signer.sign(folder)
        with pytest.raises(SignatureError, match="was made with the key"):
            check_signature(folder, read_key(Signer().key))

    def test_by_another_key_of_the_same_name(self, folder: Path, signer: Signer) -> None:
        other = Signer()
        other.id = signer.id
        other.sign(folder)
        with pytest.raises(SignatureError, match="does not fit"):
            check_signature(folder, read_key(signer.key))

    def test_a_manifest_changed_after_it_was_signed(self, folder: Path, signer: Signer) -> None:
        signer.sign(folder)
        with open(folder / "manifest.json", "a") as file:
            file.write(" ")
        with pytest.raises(SignatureError, match=r"does not fit manifest\.json"):
            check_signature(folder, read_key(signer.key))

    def test_a_changed_comment(self, folder: Path, signer: Signer) -> None:
        signer.sign(folder)
        (folder / SIGNATURE).write_text((folder / SIGNATURE).read_text().replace("1700000000", "1800000000"))
        with pytest.raises(SignatureError, match="does not fit"):
            check_signature(folder, read_key(signer.key))

    @pytest.mark.parametrize("content", [b"", b"\xff", b"a\nb\nc\nd\n", b"\n" * 9, b"x" * 100_000])
    def test_what_is_no_signature(self, folder: Path, signer: Signer, content: bytes) -> None:
        (folder / SIGNATURE).write_bytes(content)
        with pytest.raises(SignatureError, match="minisig") as error:
            check_signature(folder, read_key(signer.key))
        assert "\n" not in str(error.value)

    @pytest.mark.parametrize("given", ["", "RW", "RWQ=", "nowhere.pub", "RW" + "A" * 54, "/dev/zero"])
    def test_what_is_no_key(self, given: str) -> None:
        with pytest.raises(InputError, match=r"not a minisign public key|neither a public key nor a file"):
            read_key(given)
