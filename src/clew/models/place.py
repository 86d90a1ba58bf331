"""Where model files are stored (CLEW_MODELS, else `models` in the user's data directory)."""

import os
from pathlib import Path

from clew.models.catalogue import Model, ModelFile

__all__ = ["file_path", "models_directory"]


def models_directory() -> Path:
    """The folder of all models; it may not exist yet."""
    if named := os.environ.get("CLEW_MODELS"):
        return Path(named).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("clew", appauthor=False) / "models"


def file_path(model: Model, file: ModelFile) -> Path:
    """The path of a file of a model."""
    return models_directory() / model.name / file.name
