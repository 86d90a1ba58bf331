"""Whether a model's files are installed: sizes are always checked, checksums on request."""

from dataclasses import dataclass
from pathlib import Path

from clew.errors import MissingModel, ModelError
from clew.models.catalogue import Model, ModelFile, find_model
from clew.models.facts import file_checksum
from clew.models.place import file_path, models_directory

__all__ = ["ModelStatus", "check_file", "locate", "model_status"]


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """Whether a model is installed, and if not, the reason."""

    model: Model
    directory: Path
    problem: str | None

    @property
    def installed(self) -> bool:
        return self.problem is None


def locate(name: str, *, verify: bool = False) -> dict[str, Path]:
    """The files of a model by name; raises `MissingModel` if one is missing or has the wrong size.

    With `verify` the contents are compared with their checksums too; a file that has not changed since it was last
    compared is not read again.
    """
    model = find_model(name)
    return {file.name: check_file(model, file, verify=verify) for file in model.files}


def model_status(name: str, *, verify: bool = False) -> ModelStatus:
    """The status of a model on this machine."""
    model = find_model(name)
    directory = models_directory() / model.name
    try:
        locate(name, verify=verify)
    except ModelError as error:
        return ModelStatus(model, directory, str(error))
    return ModelStatus(model, directory, None)


def check_file(model: Model, file: ModelFile, *, verify: bool) -> Path:
    """The path of one file of a model; raises `MissingModel` if it is missing or damaged."""
    path = file_path(model, file)
    remedy = f"run `clew models get {model.name}`"
    try:
        size = path.stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        raise MissingModel(f"the model {model.name!r} is not on this machine ({path} is missing): {remedy}") from None
    except OSError as error:
        raise MissingModel(f"the model {model.name!r} cannot be read: {path}: {error.strerror}") from error
    if size != file.size:
        raise MissingModel(f"{path} has {size:,} bytes, not {file.size:,}: {remedy}")
    if verify and file_checksum(path) != file.sha256:
        raise MissingModel(f"{path} is damaged (its checksum differs): {remedy}")
    return path
