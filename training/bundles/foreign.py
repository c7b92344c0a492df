"""Somebody else's token classifier as a bundle: a Hugging Face folder or hub id goes in.

    elision models import ../checkpoints/llmlingua-2-xlm-roberta-large-meetingbank --out bundles/large

What it is comes from its configuration, never from its name: XLM-R, RoBERTa or BERT, one logit (keep)
or two (label 1 = keep). Its embedding is stored in 8 bits, for its rows are no 4-bit blocks; what that
and the 8-bit matrices cost is measured on a few texts and stands in the manifest. The size that a
shipped bundle may have is no limit here.

What it was trained on its weights do not show. Most were trained on plain text, ``<s> text </s>``, so
that is what the bundle reads, without queries, unless the caller or the checkpoint's own
``config.json`` says otherwise (`SAID`: folders that Elision wrote have it). It gets the pieces that
its tokeniser makes of the whole text: XLM-R's and BERT's take a line end for a space, so that lines
can be encoded one by one. RoBERTa's do not; there blank lines and the indentation behind a line end
may come out as other pieces.
"""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Set
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from elision.model.bundle import MANIFEST, MODEL, TOKENIZER, load_bundle, write_manifest
from elision.model.scorer import load_scorer
from elision.model.tokeniser import PieceTokeniser
from elision.model.windows import INPUTS, PLAIN
from elision.training.bundles.checkpoint import Checkpoint, read_checkpoint
from elision.training.bundles.graph import build
from elision.training.errors import BadBase
from elision.training.torch_scorer import TorchScorer

FLOAT32, INT8 = "float32", "int8"
_STORED = {FLOAT32: "float32", INT8: "int8 embedding rows, int8 matrices"}
_PROTOBUF = 1_900_000_000  # bytes; one protobuf message holds less than 2 GiB
DATA = f"{MODEL}.data"
SAID = "elision_input"  # key of config.json: the input that the weights were trained on

# A log, prose in three scripts and code; ours, so that every import is measured on the same.
TEXTS = (
    "2026-03-01 12:00:01 INFO worker 7 started\n"
    "2026-03-01 12:00:02 ERROR cannot open /var/lib/app/state.db: permission denied\n"
    "2026-03-01 12:00:02 INFO retry 1 of 3\n",
    "The meeting began with the minutes of last week. Nobody objected, so the budget of 12,400 euros was "
    "approved; the roof, however, must not wait until autumn.\n",
    "Die Prüfung schlug fehl, weil der Server nicht antwortete.\nПроверка не прошла: сервер не ответил.\n"
    "测试失败，因为服务器没有响应。\n",
    "def mean(values):\n    if not values:\n        raise ValueError('no values')\n    return sum(values) / len(values)\n",
)


def import_checkpoint(
    source: str,
    out: Path,
    *,
    precision: str = INT8,
    name: str = "",
    reads: str | None = None,
    log: Callable[[str], None] = print,
) -> Path:
    """Write the bundle of a token classifier to ``out``.

    Args:
        source: Local folder or hub id.
        out: Folder of the bundle; an earlier bundle there is replaced whole.
        precision: `INT8` or `FLOAT32`.
        name: Name of the bundle; none, the last part of ``source``.
        reads: What it is to read, one of `elision.model.windows.INPUTS`; none, what its
            configuration says, and if that says nothing plain text.
        log: Told what is being done.

    Raises:
        BadBase: If it is no token classifier of a kind that a graph can compute, or ``out`` is in use.
    """
    if precision not in _STORED:
        raise BadBase(f"precision is {precision!r}, known are {', '.join(_STORED)}")
    check_no_loss(out)
    found = read_checkpoint(source)
    reads = _reads(found, source, reads)
    log(f"{source}: {found.kind}, {found.labels} logits, windows of {found.window_pieces} pieces")
    log("it reads plain text; queries change nothing" if reads == PLAIN else "it reads a query and lines with borders")
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as scratch:
        folder = Path(scratch) / "bundle"
        folder.mkdir()
        _save(build(found.model, quantised=precision == INT8, row_bits=8), folder)
        found.tokenizer.save(str(folder / TOKENIZER), pretty=False)
        fields = _fields(found, source, precision, name or _name(source), reads)
        write_manifest(folder, fields)
        log("comparing its scores with those of PyTorch in float32")
        write_manifest(folder, {**fields, "against_float32": difference(found, folder)})
        load_bundle(folder)
        check_no_loss(out)
        if out.exists():
            shutil.rmtree(out)
        os.replace(folder, out)
    return out


def check_no_loss(out: Path) -> None:
    """A bundle may be written to ``out``: nothing is there, or a bundle and nothing else.

    Raises:
        BadBase: If not.
    """
    check_free(out, "bundle", lambda: _names(out))


def check_free(out: Path, kind: str, written: Callable[[], Set[str]]) -> None:
    """A folder may be written to ``out``, where whatever is there is removed: nothing of the user's is.

    Args:
        out: Folder to write.
        kind: What it will be, for the message.
        written: Asked for the names of the files that may be removed; none, if what is there is of another kind.

    Raises:
        BadBase: If a file, a link, or a folder with anything but such files is there.
    """
    if out.name in ("", ".."):
        raise BadBase(f"{out}: a {kind} cannot take its place; name the folder itself")
    if out.is_symlink():
        raise BadBase(f"{out} is a link, and a {kind} would take its place; name the folder itself")
    if not out.exists():
        return
    if not out.is_dir():
        raise BadBase(f"{out} exists and is no {kind} but a file; choose another")
    found, known = sorted(out.iterdir()), written()
    if found and not known:
        raise BadBase(f"{out} exists and is no {kind}; choose another")
    others = [path.name for path in found if path.name not in known or path.is_dir()]
    if others:
        raise BadBase(f"{out} exists and is no {kind} alone, it also holds {others[0]}; choose another")


def _names(folder: Path) -> Set[str]:
    """The files of a bundle, whole or not; none if the folder is no bundle."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return set()
    if not isinstance(manifest, dict) or "schema" not in manifest or not isinstance(manifest.get("files"), dict):
        return set()
    return {MANIFEST, *manifest["files"]}


def difference(found: Checkpoint, bundle: Path) -> dict[str, float]:
    """How far a bundle's keep values are from PyTorch's in float32 on `TEXTS`."""
    tokeniser, reads = PieceTokeniser.load(bundle / TOKENIZER), load_bundle(bundle).input
    exact = TorchScorer(found.model, tokeniser, found.window_pieces, reads=reads)
    stored = load_scorer(bundle)
    gaps = np.concatenate([np.abs(exact.score(text).values - stored.score(text).values) for text in TEXTS])
    return {"pieces": len(gaps), "largest": round(float(gaps.max()), 6), "mean": round(float(gaps.mean()), 6)}


def _save(graph: onnx.ModelProto, folder: Path) -> None:
    large = sum(len(tensor.raw_data) for tensor in graph.graph.initializer) > _PROTOBUF
    apart: dict[str, Any] = {"save_as_external_data": True, "location": DATA} if large else {}
    onnx.save(graph, folder / MODEL, **apart)


def _reads(found: Checkpoint, source: str, asked: str | None) -> str:
    reads = asked or getattr(found.model.config, SAID, PLAIN)
    if reads not in INPUTS:
        raise BadBase(f"{source}: input is {reads!r}, known are {', '.join(INPUTS)}")
    return str(reads)


def _fields(found: Checkpoint, source: str, precision: str, name: str, reads: str) -> dict[str, Any]:
    return {
        "name": name,
        "base": {"source": source, "model": found.named, "licence": found.licence},
        "label_sources": [],
        "config": [],
        "metrics": {},
        "window_pieces": found.window_pieces,
        "labels": found.labels,
        "input": reads,
        "stored": _STORED[precision],
    }


def _name(source: str) -> str:
    last = Path(source).resolve().name if Path(source).exists() else source.rsplit("/", 1)[-1]
    return re.sub(r"[^A-Za-z0-9._-]+", "-", last) or "imported"
