"""Run rival compressors in a venv of their own, and remember what they gave.

Nothing here imports one: their requirements contradict ours. What each gave is kept by its version, the
program that called it and the text, so that only what is new is run.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

REFEREE = "drain3"
# Which package each name of the program runs.
PACKAGES = {
    "headroom-log": "headroom-ai",
    "headroom-router": "headroom-ai",
    "headroom-text": "headroom-ai",
    "furl": "furl-ctx",
    "contextpress": "contextpress",
    "tokenjuice": "tokenjuice-py",
    "tokenjuice-told": "tokenjuice-py",
    "claw": "claw-compactor",
    "distil": "distil-llm",
    REFEREE: REFEREE,
}
_QUIET = {
    "HEADROOM_OFFLINE": "1",
    "HEADROOM_TELEMETRY": "off",
    "HEADROOM_UPDATE_CHECK": "off",
    "HF_HUB_OFFLINE": "1",
    "DISTIL_NO_TELEMETRY": "1",
    "DISTIL_NO_UPDATE_CHECK": "1",
    "NO_PROXY": "*",
}
_RANKS = "lib/python*/site-packages/litellm/litellm_core_utils/tokenizers"


@dataclass(frozen=True, slots=True)
class Output:
    """What a rival made of a text; empty with the reason where it failed."""

    text: str
    error: str = ""


@dataclass(frozen=True)
class Rivals:
    """The rivals that could be installed.

    Attributes:
        folder: Holds the venv, a home for what they write, and what they gave.
        program: Calls them; see its docstring.
        versions: Of the packages that are there.
        missing: Packages that could not be installed, each with pip's reason.
    """

    folder: Path
    program: Path
    versions: dict[str, str]
    missing: dict[str, str] = field(default_factory=dict)

    @classmethod
    def installed(cls, folder: Path, requirements: Path, program: Path) -> "Rivals":
        """Make the venv if there is none, and install what is not there yet.

        Args:
            folder: Where everything of it goes; made if there is none.
            requirements: Pinned packages, one a line.
            program: What calls them.
        """
        python = folder / "venv" / "bin" / "python"
        if not python.exists():
            folder.mkdir(parents=True, exist_ok=True)
            subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        missing = {}
        for wanted in _pinned(requirements):
            name, _, version = wanted.partition("==")
            if _versions(python).get(name) != version:
                failed = _install(python, wanted)
                if failed:
                    missing[name] = failed
        return cls(folder, program, _versions(python), missing)

    @property
    def names(self) -> list[str]:
        """Rivals that can be run, the referee not among them."""
        return [name for name, package in PACKAGES.items() if package in self.versions and name != REFEREE]

    @property
    def known(self) -> dict[str, str]:
        """Versions of what is measured, and of the referee."""
        return {name: self.versions[name] for name in PACKAGES.values() if name in self.versions}

    def outputs(self, rival: str, texts: Mapping[str, str], keep_ratio: float) -> dict[str, Output]:
        """What a rival makes of each text, by the text's name.

        Args:
            rival: One of `names`, or the referee.
            texts: By their names, which some rivals are told.
            keep_ratio: For a rival that can be told.
        """
        paths = {name: self._path(rival, name, text, keep_ratio) for name, text in texts.items()}
        new = [name for name, path in paths.items() if not path.exists()]
        asked = [{"name": name, "text": texts[name], "keep_ratio": keep_ratio} for name in new]
        failed = self._run(rival, asked, {name: paths[name] for name in new}) if new else {}
        return {name: failed.get(name) or _load(path) for name, path in paths.items()}

    def _run(
        self, rival: str, asked: list[dict[str, object]], paths: Mapping[str, Path]
    ) -> dict[str, Output]:
        """Ask for what is not there yet; what failed."""
        done = subprocess.run(
            [self.folder / "venv" / "bin" / "python", self.program, rival],
            input="".join(json.dumps(one) + "\n" for one in asked),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            env=self._environment(),
        )
        answers = {one["name"]: one for one in map(json.loads, done.stdout.splitlines())}
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        failed = {}
        for name in paths:
            answer = answers.get(name, {"text": "", "error": last})
            if answer["error"]:  # not kept: a slow machine is no property of a rival
                failed[name] = Output("", answer["error"])
                continue
            paths[name].parent.mkdir(parents=True, exist_ok=True)
            paths[name].write_text(json.dumps(answer), encoding="utf-8")
        return failed

    def _path(self, rival: str, name: str, text: str, keep_ratio: float) -> Path:
        version = self.versions[PACKAGES[rival]]
        key = [rival, version, self.program.read_text(encoding="utf-8"), name, text, repr(keep_ratio)]
        digest = hashlib.sha256(json.dumps(key).encode()).hexdigest()
        return self.folder / "outputs" / f"{rival}-{version}" / f"{digest[:32]}.json"

    def _environment(self) -> dict[str, str]:
        home = (self.folder / "home").resolve()
        home.mkdir(parents=True, exist_ok=True)
        ranks = next((self.folder / "venv").glob(_RANKS), None)
        known = {"TIKTOKEN_CACHE_DIR": str(ranks.resolve())} if ranks else {}
        path = os.environ.get("PATH", "")
        return {"PATH": path, "HOME": str(home), "DISTIL_HOME": str(home / "distil"), **_QUIET, **known}


def _pinned(requirements: Path) -> list[str]:
    lines = (line.strip() for line in requirements.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _versions(python: Path) -> dict[str, str]:
    listing = [str(python), "-m", "pip", "--disable-pip-version-check", "list", "--format", "json"]
    done = subprocess.run(listing, check=True, capture_output=True, text=True)
    return {one["name"].lower(): one["version"] for one in json.loads(done.stdout)}


def _install(python: Path, wanted: str) -> str:
    """Install one package; pip's reason where that fails."""
    command = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", wanted]
    done = subprocess.run(command, capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    return "" if done.returncode == 0 else " ".join(errors[-1:]) or f"pip ended with {done.returncode}"


def _load(path: Path) -> Output:
    answer = json.loads(path.read_text(encoding="utf-8"))
    return Output(answer["text"])
