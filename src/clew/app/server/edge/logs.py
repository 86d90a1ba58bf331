"""Structured logs: one JSON object a line on stderr."""

import json
import logging
import sys
from datetime import UTC, datetime

__all__ = ["log_as_json"]

PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


class _Lines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        said = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **{name: value for name, value in vars(record).items() if name not in PLAIN},
        }
        if record.exc_info:
            said["traceback"] = self.formatException(record.exc_info)
        return json.dumps(said, ensure_ascii=False, default=str)


def log_as_json(level: int = logging.INFO) -> None:
    """Log what the server and Clew say to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines())
    for name, least in (("clew", level), ("uvicorn.error", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(least)
