"""Settings of the service: read once from ``ELISION_*``, checked before anything starts."""

import os
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from elision.compaction.tokens import ENCODINGS
from elision.serving.errors import BadSettings

MEMORY, NO_STORE = "memory", "none"
_MIB = 1024 * 1024


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Settings(BaseSettings):
    """How the service runs; each field is ``ELISION_<NAME>`` in the environment."""

    model_config = SettingsConfigDict(env_prefix="ELISION_", extra="ignore", frozen=True)

    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8377
    bundle: Path | None = None
    bundle_file: Path | None = None
    bundle_folder: Path | None = None
    encoding: str = "o200k_base"
    floor_tokens: Annotated[int, Field(ge=0)] = 200
    max_body_bytes: Annotated[int, Field(ge=1)] = 32 * 1024 * 1024
    deadline_seconds: Annotated[float, Field(gt=0, le=3600)] = 10.0
    workers: Annotated[int, Field(ge=1, le=1024)] = Field(default_factory=_cores)
    queue_limit: Annotated[int, Field(ge=0)] = 64
    writers: str = ""
    summary_seconds: Annotated[float, Field(gt=0, le=3600)] = 120.0
    compactions: Annotated[int, Field(ge=1, le=1024)] = 8
    store: str = MEMORY
    store_ttl_seconds: Annotated[float, Field(gt=0, le=3.2e9)] = 7 * 24 * 3600.0
    session_ttl_seconds: Annotated[float, Field(gt=0, le=3.2e9)] = 30 * 24 * 3600.0
    store_max_bytes: Annotated[int | None, Field(ge=1)] = None
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["json", "console"] = "console"

    @field_validator("encoding")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in ENCODINGS:
            raise ValueError(f"unknown encoding {value!r}, known are {', '.join(ENCODINGS)}")
        return value

    @field_validator("store")
    @classmethod
    def _place(cls, value: str) -> str:
        if value not in (MEMORY, NO_STORE) and not {"/", "\\", "."} & set(value):
            raise ValueError(f"{value!r} is not {MEMORY}, {NO_STORE} or a path such as ./store.sqlite")
        return value

    @property
    def store_bytes(self) -> int:
        """What the store may hold: if not set, less in memory than in a file."""
        return self.store_max_bytes or (128 if self.store == MEMORY else 512) * _MIB


def read_settings(**flags: Any) -> Settings:
    """Settings from the environment, flags that are not None first.

    Raises:
        BadSettings: If a value makes no sense; the message names each variable.
    """
    try:
        return Settings(**{name: value for name, value in flags.items() if value is not None})
    except ValidationError as error:
        problems = (f"ELISION_{'_'.join(map(str, e['loc'])).upper()}: {e['msg']}" for e in error.errors())
        raise BadSettings("; ".join(problems)) from None
