"""Log lines as JSON or for a console, each with its request id, none with anybody's text.

Our lines and uvicorn's take the same road to stderr. Loggers of other libraries are left
alone, and so is the root logger of whoever mounts the app.
"""

import logging
import sys
import traceback
from typing import TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from elision.serving.settings import Settings

_LOGGERS = ("elision", "uvicorn")


def configure(settings: Settings) -> None:
    """Send our lines and uvicorn's to stderr in the form the settings ask for."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    render: Processor = (
        structlog.processors.JSONRenderer()
        if settings.log_format == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    handler = _Stderr()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, render],
            foreign_pre_chain=[*shared, _plain],
        )
    )
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(settings.log_level.upper())


def get_logger() -> structlog.stdlib.BoundLogger:
    """The service's logger."""
    logger: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger("elision.serving")
    return logger


def where(error: BaseException) -> dict[str, str]:
    """Type and frames of an error. Its message is left out: it may quote the text."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    return {"error": type(error).__name__, "exception": frames}


class _Stderr(logging.StreamHandler[TextIO]):
    """Writes to whatever is stderr at that moment, so that replacing it later is safe."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        return sys.stderr


def _plain(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    event.pop("color_message", None)  # uvicorn's second copy of the line
    return event
