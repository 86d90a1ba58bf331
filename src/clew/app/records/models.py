"""Models, and whether they are on this machine."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.lm.clients.llama_states import KeptFiles
    from clew.models import ModelStatus

__all__ = ["models_record"]


def models_record(
    statuses: "Sequence[ModelStatus]",
    *,
    directory: str,
    extraction: Sequence[str],
    prompts: "KeptFiles",
    fetched: Sequence[str] = (),
    removed: Sequence[str] = (),
) -> dict[str, Any]:
    """The models Clew knows, with the files of each, the installed extraction models, the prompts kept on disk, and
    what was fetched or removed just now."""
    return {
        "directory": directory,
        "models": [_model(each) for each in statuses],
        "extraction": list(extraction),
        "prompts": {
            "directory": None if prompts.folder is None else str(prompts.folder),
            "files": len(prompts.paths),
            "bytes": prompts.size,
        },
        "fetched": list(fetched),
        "removed": list(removed),
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
