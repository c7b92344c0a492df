"""Settings are read once, and a bad one stops the start."""

from pathlib import Path

import pytest

from elision.serving.errors import BadSettings
from elision.serving.settings import read_settings


def test_the_defaults_serve_this_machine_only() -> None:
    settings = read_settings()

    assert (settings.host, settings.port, settings.bundle) == ("127.0.0.1", 8377, None)
    assert (settings.encoding, settings.floor_tokens) == ("o200k_base", 200)
    assert (settings.max_body_bytes, settings.deadline_seconds) == (32 * 1024 * 1024, 10.0)
    assert settings.workers >= 1


def test_the_environment_is_read_and_flags_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELISION_PORT", "9000")
    monkeypatch.setenv("ELISION_BUNDLE", "/some/bundle")
    monkeypatch.setenv("ELISION_WORKERS", "3")

    settings = read_settings(port=9001, workers=None)

    assert (settings.port, settings.bundle, settings.workers) == (9001, Path("/some/bundle"), 3)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "http"),
        ("PORT", "70000"),
        ("HOST", ""),
        ("ENCODING", "p50k_base"),
        ("FLOOR_TOKENS", "-1"),
        ("MAX_BODY_BYTES", "0"),
        ("DEADLINE_SECONDS", "0"),
        ("DEADLINE_SECONDS", "nan"),
        ("WORKERS", "0"),
        ("QUEUE_LIMIT", "many"),
        ("LOG_LEVEL", "loud"),
        ("LOG_FORMAT", "xml"),
    ],
)
def test_a_bad_value_is_named_by_its_variable(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"ELISION_{name}", value)

    with pytest.raises(BadSettings, match=f"ELISION_{name}: "):
        read_settings()
