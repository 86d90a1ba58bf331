"""Model files: which ones Clew knows, where they are stored, and the one command that downloads them.

`locate` finds the files of a model, `fetch` downloads them from the package index (only ever when asked to), and
`file_checksum` tells any file's SHA-256 without reading it twice.
"""

from clew.models.catalogue import MODELS, Model, ModelFile, find_model
from clew.models.download import Fetched, fetch
from clew.models.facts import file_checksum, file_fact
from clew.models.packaged import PACKAGED, PackagedModel, fetch_packaged, installed
from clew.models.place import models_directory
from clew.models.presence import ModelStatus, locate, model_status

__all__ = [
    "MODELS",
    "PACKAGED",
    "Fetched",
    "Model",
    "ModelFile",
    "ModelStatus",
    "PackagedModel",
    "fetch",
    "fetch_packaged",
    "file_checksum",
    "file_fact",
    "find_model",
    "installed",
    "locate",
    "model_status",
    "models_directory",
]
