"""Who writes summaries, by the settings: ``ELISION_WRITERS``, and keys from the environment."""

import os

from elision.compaction.prices.price_package import window_of
from elision.serving.errors import BadInput, BadSettings
from elision.serving.llm.open import list_price, open_writers, parse_writers
from elision.serving.llm.writer import Writer
from elision.serving.settings import Settings


def writers_of(settings: Settings) -> list[Writer]:
    """The writers in the order in which they are asked; none if the settings name none.

    Raises:
        BadSettings: If they make no sense, or a key is missing.
    """
    return writers_from(settings.writers, "ELISION_WRITERS")


def writers_from(text: str, where: str) -> list[Writer]:
    """The writers that a text names, see `elision.serving.llm.open`.

    Args:
        where: Where the text stands, for errors.

    Raises:
        BadSettings: If it makes no sense, or a key is missing.
    """
    try:
        return open_writers(parse_writers(text, os.environ, window_of), list_price)
    except BadInput as error:
        raise BadSettings(f"{where}: {error}") from None
