"""A folder of cases: JSON files, some of which leave their text to the folder's ``gen_large.py``."""

import importlib.util
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Case:
    """One report: an input, what is asked of the service, and what must hold afterwards."""

    id: str
    format: str
    input: dict[str, Any]
    request: dict[str, Any]
    must: tuple[str, ...]


def folder() -> Path:
    """The folder to run: ``ELISION_CASES`` or our own."""
    return Path(os.environ.get("ELISION_CASES") or DATA)


def load(folder: Path) -> list[Case]:
    """Every case of ``folder``, by file name, with its text."""
    return [_case(path, _generators(folder)) for path in sorted(folder.glob("*.json"))]


def _case(path: Path, generators: dict[str, Callable[..., Any]]) -> Case:
    raw = json.loads(path.read_text(encoding="utf-8"))
    given = dict(raw["input"])
    if recipe := given.pop("generate", None):
        made = generators[recipe["name"]](**recipe["args"])
        given = (made if isinstance(made, dict) else {"text": made}) | given
    return Case(raw["id"], raw["format"], given, raw.get("request", {}), tuple(raw["must"]))


def _generators(folder: Path) -> dict[str, Callable[..., Any]]:
    own = folder / "gen_large.py"
    spec = importlib.util.spec_from_file_location("gen_large", own if own.exists() else DATA / own.name)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, Callable[..., Any]] = module.GENERATORS
    return found
