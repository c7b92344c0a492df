"""A bundle is one scorer on disk: ``model.onnx``, ``words.bin``, ``tokenizer.json`` and ``manifest.json``.

The manifest names every file with its SHA-256, and all are checked before anything is loaded, so
that a half-copied or mixed-up bundle is an error that says so and never a scorer that is subtly off.

Scorers of one vocabulary have the same tokeniser and the same embedding, which are most of their
bytes. So a manifest may say that such a file is that of a bundle beside it, under ``shares``:
``{"words.bin": "../first-light/words.bin"}``. It is checked as the bundle's own files are. A bundle
without ``words.bin`` has its embedding in ``model.onnx``. One with ``lines.bin`` has a line head beside the network
(`elision.model.line_head`), which counts for what its manifest says under ``line_head``.
"""

import hashlib
import json
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elision.model.errors import BundleCorrupt, BundleIncomplete, BundleNotFound
from elision.model.windows import INPUTS, LINES, QUERY_PIECES

SCHEMA = 1
MODEL, WORDS, TOKENIZER, MANIFEST = "model.onnx", "words.bin", "tokenizer.json", "manifest.json"
LINE_HEAD = "lines.bin"
SHARED = (TOKENIZER, WORDS)  # what may be another bundle's
SHIPPED = Path(__file__).parent / "bundles"
SHORTEST = QUERY_PIECES + 16  # pieces of a window: room for the query, its borders and some text
_REQUIRED = ("schema", "name", "base", "label_sources", "config", "metrics", "window_pieces", "labels", "files")
_PLAIN = r"(?!\.\.?(?:/|$))[^/\\:\0]+"  # one step down, on any system


@dataclass(frozen=True)
class Bundle:
    """A bundle whose files have been checked against its manifest.

    Attributes:
        path: Its folder.
        name: As the manifest gives it.
        hash: First 12 hex digits of the manifest's SHA-256; with the name it identifies the weights.
        manifest: Base, label sources and licences, training config, metrics and file hashes.
        window_pieces: Longest input the model was trained for, query included.
        labels: Logits per piece: 1 (keep) or 2 (label 1 = keep).
        input: What the model reads, one of `INPUTS`; a manifest that says nothing means lines.
    """

    path: Path
    name: str
    hash: str
    manifest: dict[str, Any]
    window_pieces: int
    labels: int
    input: str = LINES

    @property
    def identity(self) -> str:
        """How receipts name the bundle."""
        return f"{self.name}@{self.hash}"

    def file(self, name: str) -> Path:
        """Where a file of the manifest lies: in the folder, or in that of the bundle it is shared with."""
        places: dict[str, str] = self.manifest.get("shares", {})
        return self.path / places.get(name, name)

    @property
    def words(self) -> Path | None:
        """Its embedding, if that is a file of its own."""
        return self.file(WORDS) if WORDS in self.manifest["files"] else None

    @property
    def line_head(self) -> Path | None:
        """The weights of its line head, if it has one."""
        return self.file(LINE_HEAD) if LINE_HEAD in self.manifest["files"] else None


def load_bundle(path: Path | None = None) -> Bundle:
    """Check and describe the bundle at ``path``; without one, the bundle in use.

    Raises:
        BundleNotFound: If there is no folder or no manifest.
        BundleIncomplete: If a file of the manifest is missing.
        BundleCorrupt: If the manifest cannot be read, names a file that is neither in the folder nor
            one to be shared, or a file is not the one it names.
    """
    folder = path if path is not None else default_path()
    manifest_path = folder / MANIFEST
    if not manifest_path.is_file():
        raise BundleNotFound(f"no bundle at {folder}: {MANIFEST} is not there")
    raw = manifest_path.read_bytes()
    manifest = _parsed(manifest_path, raw)
    bundle = Bundle(
        path=folder,
        name=manifest["name"],
        hash=hashlib.sha256(raw).hexdigest()[:12],
        manifest=manifest,
        window_pieces=manifest["window_pieces"],
        labels=manifest["labels"],
        input=manifest.get("input", LINES),
    )
    for name, digest in manifest["files"].items():
        _check(bundle.file(name), digest)
    return bundle


def default_path() -> Path:
    """Folder of the bundle in use: the first of the shipped ones.

    Raises:
        BundleNotFound: If nothing is shipped.
    """
    shipped = list_bundles()
    if not shipped:
        raise BundleNotFound(f"no bundle under {SHIPPED}; name one with --bundle")
    return shipped[0]


def list_bundles() -> list[Path]:
    """Folders of the shipped bundles."""
    return sorted(path.parent for path in SHIPPED.glob(f"*/{MANIFEST}"))


def write_manifest(folder: Path, fields: dict[str, Any], shared: Mapping[str, str] | None = None) -> None:
    """Write the manifest of the files in ``folder``; last, so an unfinished bundle has none.

    Args:
        folder: Of the bundle.
        fields: All but the schema and the files.
        shared: SHA-256 of each file that ``fields["shares"]`` says is another bundle's.
    """
    files = {path.name: file_hash(path) for path in sorted(folder.iterdir()) if path.name != MANIFEST}
    manifest = {"schema": SCHEMA, **fields, "files": {**files, **(shared or {})}}
    partial = folder / f"{MANIFEST}.partial"
    partial.write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    os.replace(partial, folder / MANIFEST)


def file_hash(path: Path) -> str:
    """SHA-256 of a file in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _parsed(path: Path, raw: bytes) -> dict[str, Any]:
    try:
        manifest = json.loads(raw)
    except ValueError as error:
        raise BundleCorrupt(f"{path}: not JSON: {error}") from error
    missing = [key for key in _REQUIRED if not isinstance(manifest, dict) or key not in manifest]
    if missing:
        raise BundleCorrupt(f"{path}: lacks {', '.join(missing)}")
    if manifest["schema"] != SCHEMA:
        raise BundleCorrupt(f"{path}: schema {manifest['schema']}, this version reads {SCHEMA}")
    if not isinstance(manifest["files"], dict):
        raise BundleCorrupt(f"{path}: files is no object of names and hashes")
    unlisted = [name for name in (MODEL, TOKENIZER) if name not in manifest["files"]]
    if unlisted:
        raise BundleCorrupt(f"{path}: names no {', '.join(unlisted)}")
    if not isinstance(manifest["window_pieces"], int) or manifest["window_pieces"] < SHORTEST:
        raise BundleCorrupt(f"{path}: windows of {manifest['window_pieces']} pieces, must be {SHORTEST} or more")
    if manifest["labels"] not in (1, 2):
        raise BundleCorrupt(f"{path}: {manifest['labels']} labels, a token classifier here has 1 or 2")
    if manifest.get("input", LINES) not in INPUTS:
        raise BundleCorrupt(f"{path}: input is {manifest['input']!r}, this version knows {' and '.join(INPUTS)}")
    if LINE_HEAD in manifest["files"]:
        _check_line_head(path, manifest)
    _check_places(path, manifest)
    return dict(manifest)


def _check_line_head(path: Path, manifest: Mapping[str, Any]) -> None:
    """A line head reads lines, and the manifest says what it counts for."""
    scale = manifest.get("line_head")
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not math.isfinite(scale):
        raise BundleCorrupt(f"{path}: line_head is {scale!r}, must be the number that {LINE_HEAD} counts for")
    if manifest.get("input", LINES) != LINES:
        raise BundleCorrupt(f"{path}: has {LINE_HEAD}, which reads {LINES}, but its input is {manifest['input']!r}")


def _check_places(path: Path, manifest: dict[str, Any]) -> None:
    """Every file lies in the bundle's folder; or, one that may be shared, in a folder beside it."""
    for name in manifest["files"]:
        if not re.fullmatch(_PLAIN, name):
            raise BundleCorrupt(f"{path}: {name!r} is not the name of a file in its folder")
    shares = manifest.get("shares", {})
    if not isinstance(shares, dict):
        raise BundleCorrupt(f"{path}: shares is no object of names and places")
    for name, place in shares.items():
        if name not in SHARED or name not in manifest["files"]:
            raise BundleCorrupt(f"{path}: shares {name!r}, can share {' and '.join(SHARED)} where files names them")
        if not isinstance(place, str) or not re.fullmatch(rf"\.\./{_PLAIN}/{re.escape(name)}", place):
            raise BundleCorrupt(f"{path}: shares {name} with {place!r}, must be ../BUNDLE/{name}")


def _check(path: Path, digest: str) -> None:
    if not path.is_file():
        raise BundleIncomplete(f"{path} is missing, the manifest names it")
    found = file_hash(path)
    if found != digest:
        raise BundleCorrupt(f"{path}: SHA-256 {found[:12]}..., the manifest says {str(digest)[:12]}...")
