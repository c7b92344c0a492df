"""What a manifest says of where weights come from: base, labels, runs and licence.

A run that started from a bundle passes on what that one says, so that a bundle names everything that
its weights ever learnt from.
"""

import json
from collections.abc import Mapping
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

from elision.model.bundle import MANIFEST, load_bundle
from elision.training.labels.licences import label_sources, merged_sources
from elision.training.labels.rows import read_labels

NOT_NAMED = "not named"


def manifest_fields(config: Mapping[str, Any]) -> dict[str, Any]:
    """What the manifest of a run says besides how the weights are stored and the hashes of its files.

    A run that started from a bundle keeps what that one says of its base, its labels, its runs and its
    licence; one with a teacher learnt from that one's labels too.
    """
    parent = _parent(config)
    own = label_sources(row for key in ("labels", "replay") for path in config.get(key, ()) for row in read_labels(Path(path)))
    teacher = load_bundle(Path(config["teacher"])) if config.get("teacher") else None
    sources = merged_sources(parent["label_sources"], own)
    licence = _licence(parent)
    return {
        "name": config["name"],
        "base": parent["base"],
        "label_sources": merged_sources(sources, teacher.manifest["label_sources"]) if teacher else sources,
        **({"teacher": teacher.identity} if teacher else {}),
        **({"licence": licence} if licence else {}),
        "config": [*parent["config"], dict(config)],
        "metrics": {},
        "window_pieces": config["window_pieces"],
        "labels": 1,
    }


def package_licence() -> str:
    """The licence of this package, which is that of the weights it makes from its own base."""
    return str(metadata("elision")["License-Expression"])


def _licence(parent: Mapping[str, Any]) -> str | None:
    """Of weights that began with the parent's: its own, this package's if we made them, else its base's."""
    if parent.get("licence"):
        return str(parent["licence"])
    if parent["config"]:
        return package_licence()
    base = parent["base"].get("licence")
    return str(base) if base and base != NOT_NAMED else None


def _parent(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The manifest of what a run started from; for the base, what there is to say of it."""
    init = config.get("init")
    if not init:
        base = {"source": config["base"], "model": "intfloat/multilingual-e5-small", "licence": "MIT"}
        return {"base": base, "label_sources": [], "config": [], "licence": package_licence()}
    if (Path(init) / MANIFEST).is_file():
        return load_bundle(Path(init)).manifest
    if (Path(init) / "best").is_dir():
        return manifest_fields(json.loads((Path(init) / "config.json").read_text()))
    return {"base": {"source": init, "model": init, "licence": NOT_NAMED}, "label_sources": [], "config": []}
