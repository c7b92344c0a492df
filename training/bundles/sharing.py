"""Two bundles of one vocabulary: the embedding in a file of its own, stored once for both.

Most bytes of a small scorer are its word embedding and its tokeniser, and a scorer trained from
another has the same, because embeddings do not learn. ``words.bin`` holds the rows as the graph
stores them, one tensor after the other; the graph says at which byte each begins.
"""

import json
from pathlib import Path

import onnx
from onnx.external_data_helper import set_external_data

from elision.model.bundle import (
    MANIFEST,
    MODEL,
    SHARED,
    TOKENIZER,
    WORDS,
    Bundle,
    file_hash,
    list_bundles,
    load_bundle,
    write_manifest,
)
from elision.model.errors import BundleError
from elision.training.errors import BadBase

EMBEDDING = ("words", "words.scales")  # as `elision.training.bundles.graph` names them
_PAGE = 4096  # bytes; each tensor begins a page, so that a runner may map it


def save_apart(graph: onnx.ModelProto, folder: Path) -> None:
    """Save a graph to a folder, its embedding in ``words.bin``; it is taken out of ``graph``."""
    with (folder / WORDS).open("wb") as stream:
        for tensor in graph.graph.initializer:
            if tensor.name in EMBEDDING:
                stream.write(bytes(-stream.tell() % _PAGE))
                set_external_data(tensor, WORDS, offset=stream.tell(), length=len(tensor.raw_data))
                stream.write(tensor.raw_data)
                tensor.ClearField("raw_data")
    onnx.save(graph, folder / MODEL)


def same_tokeniser(one: Path, other: Path) -> bool:
    """Whether two ``tokenizer.json`` make the same pieces; how they are laid out does not matter."""
    return bool(json.loads(one.read_bytes()) == json.loads(other.read_bytes()))


def check_beside(other: Bundle, out: Path) -> None:
    """A bundle can be shared by one that lies beside it, and has an embedding to share.

    Raises:
        BadBase: If not.
    """
    if other.path.resolve().parent != out.resolve().parent or other.path.resolve() == out.resolve():
        raise BadBase(f"{out}: not beside {other.path}; only a bundle in the same folder can be shared")
    if other.words is None:
        raise BadBase(f"{other.path}: its embedding lies in {MODEL}, there is no {WORDS} to share; export it anew")


def check_alike(folder: Path, other: Bundle) -> None:
    """The bundle in ``folder`` has the tokeniser and the embedding of the other.

    Raises:
        BadBase: If not; says which.
    """
    if not same_tokeniser(folder / TOKENIZER, other.file(TOKENIZER)):
        raise BadBase(f"{other.path}: its tokeniser differs, so it cannot be shared; start the run from that bundle")
    if file_hash(folder / WORDS) != other.manifest["files"][WORDS]:
        raise BadBase(f"{other.path}: its embedding rows differ, so they cannot be shared; start the run from that bundle")


def leave_out(folder: Path, other: Bundle) -> None:
    """Take from the bundle in ``folder`` what the other has as well, and say so in its manifest."""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    fields = {key: value for key, value in manifest.items() if key not in ("schema", "files")}
    for name in SHARED:
        (folder / name).unlink()
    # What the other shares itself lies with a third bundle, beside them both.
    first = other.manifest.get("shares", {})
    shares = {name: first.get(name, f"../{other.path.resolve().name}/{name}") for name in SHARED}
    write_manifest(folder, {**fields, "shares": shares}, {name: other.manifest["files"][name] for name in SHARED})


def check_sharers(folder: Path, out: Path, *, shared: bool) -> None:
    """No bundle beside ``out`` shares a file of it that would be gone or changed with ``folder`` in its place.

    Args:
        folder: The new bundle, whole.
        out: Where it is to lie.
        shared: Whether it will itself leave out what can be shared.

    Raises:
        BadBase: If one does.
    """
    for path in sorted(out.parent.glob(f"*/{MANIFEST}")):
        try:
            beside = load_bundle(path.parent).manifest
        except BundleError:
            continue  # broken already
        for name, place in beside.get("shares", {}).items():
            changes = shared or beside["files"][name] != file_hash(folder / name)
            if place == f"../{out.resolve().name}/{name}" and changes:
                raise BadBase(f"{path.parent} shares {name} with {out}, where it would change; remove that bundle first")


def shipped_bytes(folder: Path, out: Path, *, shared: bool) -> int:
    """Bytes of all shipped bundles once ``folder`` is ``out``, without what it shares."""
    others = [file for path in list_bundles() if path.resolve() != out.resolve() for file in path.iterdir()]
    own = [file for file in folder.iterdir() if not (shared and file.name in SHARED)]
    return sum(file.stat().st_size for file in [*others, *own])
