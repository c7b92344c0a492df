"""Let transformers say only what went wrong: its bars and load reports drown what a command says."""

from transformers.utils import logging


def quieten() -> None:
    """For the rest of the process."""
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
