"""Detached signatures over a manifest, in the format of minisign: who vouches for a graph.

A manifest lists the SHA-256 of every block of every file, so a signature over it covers the whole snapshot.
`minisign -Sm GRAPH/snapshots/ID/manifest.json` writes `manifest.json.minisig` beside it; `check_signature` verifies it
with a public key. Both kinds of minisign are read: of the file's BLAKE2b hash ("ED"), and of the file itself ("Ed").
"""

import base64
import binascii
import hashlib
from dataclasses import dataclass
from pathlib import Path

from clew.errors import InputError, MissingDependency, SignatureError
from clew.files import read_regular
from clew.graph.storage.manifest import MANIFEST

__all__ = ["SIGNATURE", "Signature", "check_signature", "read_key"]

SIGNATURE = f"{MANIFEST}.minisig"
UNTRUSTED, TRUSTED = "untrusted comment:", "trusted comment: "
MOST_BYTES = 64 << 10  # of a key or a signature


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature that was verified: by which key, and what its signer said with it."""

    key: str  # hexadecimal, as minisign prints it
    comment: str


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A minisign public key."""

    id: bytes
    bytes: bytes


def read_key(given: str) -> PublicKey:
    """A public key: the file that `minisign -G` wrote, or the line of base64 in it."""
    text = given.strip()
    if not text.startswith("RW"):
        try:
            text = read_regular(Path(given), most=MOST_BYTES).decode("utf-8")
        except (OSError, ValueError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            raise InputError(f"{given} is neither a public key nor a file of one: {reason}") from error
    lines = [line for line in text.splitlines() if line and not line.startswith(UNTRUSTED)]
    try:
        content = base64.b64decode(lines[0], validate=True)
    except (IndexError, binascii.Error, ValueError):
        content = b""
    if len(content) != 42 or content[:2] != b"Ed":
        raise InputError(f"{given} is not a minisign public key: expected a line of 56 characters that begins with RW")
    return PublicKey(content[2:10], content[10:])


def check_signature(folder: Path, key: PublicKey) -> Signature:
    """Verify the signature of a snapshot's manifest; raises `SignatureError` unless this key made it."""
    path = folder / SIGNATURE
    try:
        manifest = read_regular(folder / MANIFEST)
        lines = read_regular(path, most=MOST_BYTES).decode("utf-8").splitlines()
    except FileNotFoundError as error:
        how = f"sign it with `minisign -Sm {folder / MANIFEST}`"
        raise SignatureError(f"{error.filename} does not exist: {how}") from None
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "it is not text"
        raise SignatureError(f"cannot read {path}: {reason}") from error
    try:
        (_, first, comment, last), content = lines, b""
        content, whole = (base64.b64decode(each, validate=True) for each in (first, last))
    except (binascii.Error, ValueError):
        content, whole, comment = b"", b"", ""
    if len(content) != 74 or len(whole) != 64 or content[:2] not in (b"ED", b"Ed") or not comment.startswith(TRUSTED):
        raise SignatureError(f"{path} is not a minisign signature")
    if content[2:10] != key.id:
        raise SignatureError(f"{path} was made with the key {_shown(content[2:10])}, not with {_shown(key.id)}")
    said = comment.removeprefix(TRUSTED)
    message = hashlib.blake2b(manifest).digest() if content[:2] == b"ED" else manifest
    if not _verifies(key, content[10:], message) or not _verifies(key, whole, content[10:] + said.encode()):
        raise SignatureError(f"{path} does not fit {MANIFEST}: one of them was altered, or the key is another's")
    return Signature(_shown(key.id), said)


def _shown(key: bytes) -> str:
    return f"{int.from_bytes(key, 'little'):016X}"


def _verifies(key: PublicKey, signature: bytes, message: bytes) -> bool:
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as error:
        raise MissingDependency("signatures need the library 'cryptography': pip install 'clew[signatures]'") from error
    try:
        Ed25519PublicKey.from_public_bytes(key.bytes).verify(signature, message)
    except InvalidSignature:
        return False
    return True
