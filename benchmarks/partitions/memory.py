"""What this process has used: its peak memory since a moment, and what it read from the disk. Linux only."""

from pathlib import Path

__all__ = ["bytes_read", "peak_bytes", "reset_peak"]

SELF = Path("/proc/self")


def reset_peak() -> None:
    """Measure the peak from now on."""
    (SELF / "clear_refs").write_text("5", "ascii")


def peak_bytes() -> int:
    """The most memory that was resident at once, mapped files included."""
    return int(_field("status", "VmHWM").split()[0]) * 1024


def bytes_read() -> int:
    """What was fetched from the disk so far: not what was in the page cache."""
    return int(_field("io", "read_bytes"))


def _field(file: str, name: str) -> str:
    lines = (SELF / file).read_text("ascii").splitlines()
    return next(line.split(":", 1)[1].strip() for line in lines if line.startswith(f"{name}:"))
