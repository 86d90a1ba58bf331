"""Models, and whether they are on this machine."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.models import ModelStatus

__all__ = ["models_record"]


def models_record(
    statuses: "Sequence[ModelStatus]", *, directory: str, extraction: Sequence[str], fetched: Sequence[str]
) -> dict[str, Any]:
    """The models Clew knows, with the files of each, the installed extraction models, and what was fetched just now."""
    return {
        "directory": directory,
        "models": [_model(each) for each in statuses],
        "extraction": list(extraction),
        "fetched": list(fetched),
    }


def _model(status: "ModelStatus") -> dict[str, Any]:
    model = status.model
    return {
        "name": model.name,
        "kind": model.kind,
        "summary": model.summary,
        "license": model.license,
        "installed": status.installed,
        "problem": status.problem,
        "bytes": model.size,
        "files": [
            {
                "path": str(status.directory / file.name),
                "bytes": file.size,
                "sha256": file.sha256,
                "package": file.requirement,
            }
            for file in model.files
        ],
    }
