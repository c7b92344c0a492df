"""Where decisions and originals are kept between requests: nowhere, in memory, in a SQLite file."""

from elision.serving.stores.open import open_logs, open_stores

__all__ = ["open_logs", "open_stores"]
