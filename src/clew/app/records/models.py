"""Models, and whether they are on this machine."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.models import Standing

__all__ = ["models_record"]


def models_record(standings: "Sequence[Standing]", *, directory: str, fetched: Sequence[str]) -> dict[str, Any]:
    """The models Clew knows, with the files of each, and what was fetched just now."""
    return {"directory": directory, "models": [_model(each) for each in standings], "fetched": list(fetched)}


def _model(standing: "Standing") -> dict[str, Any]:
    model = standing.model
    return {
        "name": model.name,
        "kind": model.kind,
        "summary": model.summary,
        "license": model.license,
        "at_hand": standing.at_hand,
        "problem": standing.problem,
        "bytes": model.size,
        "files": [
            {
                "path": str(standing.directory / file.name),
                "bytes": file.size,
                "sha256": file.sha256,
                "package": file.requirement,
            }
            for file in model.files
        ],
    }
