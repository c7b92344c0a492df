"""From trained weights to a bundle: graph, tokeniser, manifest.

    elision export --weights runs/first-light-2 --out model/bundles/first-light --labels FILE

The shipped form keeps the embedding in its 4-bit rows and the encoder's matrices in 8 bits.
`cost_of_quantising` measures what that costs against float32, figure by figure.
"""

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import onnx
from transformers import XLMRobertaForTokenClassification

from elision.model.bundle import MODEL, TOKENIZER, load_bundle, write_manifest
from elision.model.scorer import load_scorer
from elision.training.errors import BadBase
from elision.training.evaluate import evaluate
from elision.training.graph import build
from elision.training.labels.licences import label_sources
from elision.training.labels.rows import read_labels

LARGEST = 48_000_000  # bytes of a shipped bundle


def export(weights: Path, out: Path, labels: Path | None = None, *, quantised: bool = True) -> Path:
    """Write the bundle of a training run to ``out``; an existing one there is replaced whole.

    Args:
        weights: ``OUT`` of a run: ``best/``, ``tokenizer.json`` and ``config.json``.
        out: Folder of the bundle.
        labels: Judged labels whose figures go into the manifest; none, no figures.
        quantised: False writes float32 throughout (for measuring what quantising costs).

    Raises:
        BadBase: If the run has no weights, or the bundle would be too large to ship.
    """
    if not (weights / "best" / "config.json").is_file():
        raise BadBase(f"{weights}: no best/config.json; is it the OUT of a training run?")
    stages = stages_of(weights)
    model = final_model(weights, stages[-1])
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent) as scratch:
        folder = Path(scratch) / "bundle"
        folder.mkdir()
        onnx.save(build(model, quantised=quantised), folder / MODEL)
        shutil.copy(weights / TOKENIZER, folder / TOKENIZER)
        fields = manifest_fields(stages, int(model.config.num_labels or 1), quantised)
        write_manifest(folder, fields)
        size = sum(path.stat().st_size for path in folder.iterdir())
        if quantised and size > LARGEST:
            raise BadBase(f"the bundle has {size:,} bytes, {LARGEST:,} are allowed: trim the vocabulary further")
        if labels is not None:
            figures = evaluate(read_labels(labels), load_scorer(folder))
            write_manifest(folder, {**fields, "metrics": {key: round(value, 4) for key, value in figures.items()}})
        shutil.rmtree(out, ignore_errors=True)
        folder.rename(out)
    load_bundle(out)
    return out


def cost_of_quantising(weights: Path, labels: Path) -> dict[str, tuple[float, float]]:
    """Each figure in float32 and as shipped, on the same labels."""
    with tempfile.TemporaryDirectory() as scratch:
        exact = export(weights, Path(scratch) / "exact", quantised=False)
        small = export(weights, Path(scratch) / "small")
        rows = read_labels(labels)
        before, after = (evaluate(rows, load_scorer(path)) for path in (exact, small))
    return {key: (before[key], after[key]) for key in before if "[" not in key}


def final_model(weights: Path, config: Mapping[str, Any]) -> XLMRobertaForTokenClassification:
    """The best model of a run, or its mean with the one it started from where the configuration says so."""
    model = XLMRobertaForTokenClassification.from_pretrained(weights / "best")
    if config.get("mean_with_init"):
        before = XLMRobertaForTokenClassification.from_pretrained(Path(config["init"]) / "best").state_dict()
        state = model.state_dict()
        model.load_state_dict({name: (state[name] + before[name]) / 2 for name in state})
    return model


def stages_of(weights: Path) -> list[dict[str, Any]]:
    """Configurations of a run and of those it started from, the first stage first."""
    config = json.loads((weights / "config.json").read_text())
    before = stages_of(Path(config["init"])) if config.get("init") else []
    return [*before, config]


def manifest_fields(stages: Sequence[Mapping[str, Any]], labels: int, quantised: bool) -> dict[str, Any]:
    """What a manifest says besides the hashes of its files."""
    config = stages[-1]
    return {
        "name": config["name"],
        "base": {"source": config["base"], "model": "intfloat/multilingual-e5-small", "licence": "MIT"},
        "label_sources": label_sources(row for path in config["labels"] for row in read_labels(Path(path))),
        "config": [dict(stage) for stage in stages],
        "metrics": {},
        "window_pieces": config["window_pieces"],
        "labels": labels,
        "stored": "int4 embedding rows, int8 matrices" if quantised else "float32",
    }
