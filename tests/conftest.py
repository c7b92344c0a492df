"""What every room's tests share."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tiny import write_tiny_bundle

# No test is timed: on a busy machine a clock tells nothing about the code.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# For scripts/laws.py.
settings.register_profile("thorough", parent=settings.get_profile("untimed"), max_examples=1000)
settings.load_profile("untimed")

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The shared data; a stranger's clone has none."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"no shared data at {SHARED}")
    return SHARED


@pytest.fixture(scope="session")
def tiny_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bundle(tmp_path_factory.mktemp("bundles") / "tiny")
