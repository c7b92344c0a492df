"""How often a law is tried: so often in any run, and oftener where the profile says so."""

from hypothesis import settings


def at_least(examples: int) -> settings:
    """Settings for a law that deserves more examples than others."""
    return settings(max_examples=max(examples, settings().max_examples))
