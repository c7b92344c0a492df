"""From trained weights to a bundle: graph, tokeniser, manifest.

    elision export --weights runs/first-light-2 --out model/bundles/first-light --labels FILE

The shipped form keeps the embedding in its 4-bit rows and the encoder's matrices in 8 bits.
`cost_of_quantising` measures what that costs against float32, figure by figure.
"""

import dataclasses
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from transformers import AutoModelForTokenClassification, PreTrainedModel

from elision.model.bundle import LINE_HEAD, SHIPPED, TOKENIZER, load_bundle, write_manifest
from elision.model.line_head import read_weights, write_weights
from elision.model.scorer import load_scorer
from elision.model.types import FloatArray
from elision.training.bundles.foreign import check_no_loss
from elision.training.bundles.graph import BLOCK, build
from elision.training.bundles.provenance import manifest_fields
from elision.training.bundles.quantise import q4_rows
from elision.training.bundles.sharing import (
    check_alike,
    check_beside,
    check_sharers,
    leave_out,
    save_apart,
    shipped_bytes,
)
from elision.training.bundles.weights import check_replaceable, save_folder
from elision.training.config import TrainConfig, read_back
from elision.training.errors import BadBase
from elision.training.evaluation.evaluate import evaluate
from elision.training.labels.rows import read_labels
from elision.training.line_head import starting_head
from elision.training.start import one_logit, start_of, word_rows

LARGEST, LARGEST_FILE = 60_000_000, 50_000_000  # bytes of all shipped bundles together, and of any file


def export(
    weights: Path,
    out: Path,
    labels: Path | None = None,
    *,
    quantised: bool = True,
    huggingface: Path | None = None,
    name: str | None = None,
    share: Path | None = None,
) -> Path:
    """Write the bundle of a training run to ``out``; an existing one there, with nothing else in it, is replaced whole.

    Args:
        weights: ``OUT`` of a run: ``best/``, ``tokenizer.json``, ``config.json`` and, where it has one, its
            line head.
        out: Folder of the bundle.
        labels: Judged labels whose figures go into the manifest; none, no figures.
        quantised: False writes float32 throughout (for measuring what quantising costs).
        huggingface: Also write the network's weights there as transformers reads them, in float32; an earlier
            Hugging Face folder there is replaced whole.
        name: Of the bundle; by default the run's.
        share: A bundle beside ``out`` whose tokeniser and embedding are used, and not stored again.

    Raises:
        BadBase: If the run has no weights, a bundle that ships would be too large, ``share`` has another
            tokeniser or embedding, a bundle beside ``out`` shares what would change, or ``huggingface``
            or ``out`` holds something else, or they are not apart.
        BadConfig: If the run's configuration contradicts itself.
        BundleError: If ``share`` is missing, incomplete or corrupt.
    """
    if not (weights / "best" / "config.json").is_file():
        raise BadBase(f"{weights}: no best/config.json; is it the OUT of a training run?")
    check_no_loss(out)
    other = load_bundle(share) if share is not None else None
    if other is not None:
        check_beside(other, out)
    if huggingface is not None:
        _check_apart(huggingface, out)
        check_replaceable(huggingface)
    config = json.loads((weights / "config.json").read_text())
    model = final_model(weights, config)
    exact = has_q4_rows(model)
    scale = read_back(config).line_head  # of a run from before there were line heads, the default
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent) as scratch:
        folder = Path(scratch) / "bundle"
        folder.mkdir()
        save_apart(build(model, quantised=quantised, row_bits=4 if exact else 8), folder)
        shutil.copy(weights / TOKENIZER, folder / TOKENIZER)
        head = scale > 0 and (weights / LINE_HEAD).is_file()
        if head:
            write_weights(folder / LINE_HEAD, final_head(weights, config))
        stored = f"int{4 if exact else 8} embedding rows, int8 matrices" if quantised else "float32"
        fields = {**manifest_fields(config), "stored": stored, **({"line_head": scale} if head else {}), **({"name": name} if name else {})}
        write_manifest(folder, fields)
        if other is not None:
            check_alike(folder, other)
        check_sharers(folder, out, shared=other is not None)
        if out.resolve().parent == SHIPPED.resolve():
            _check_size(folder, out, shared=other is not None)
        if labels is not None:
            figures = evaluate(read_labels(labels), load_scorer(folder))
            write_manifest(folder, {**fields, "metrics": {key: round(value, 4) for key, value in figures.items()}})
        if other is not None:
            leave_out(folder, other)
        if huggingface is not None:
            save_folder(model, weights / TOKENIZER, fields["window_pieces"], huggingface)
        check_no_loss(out)
        if out.exists():
            shutil.rmtree(out)
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


def final_model(weights: Path, config: Mapping[str, Any]) -> PreTrainedModel:
    """The best model of a run, or its mean with those it started from where the configuration says so.

    Raises:
        BadConfig: If it says so of a run that left out layers of what it started from.
    """
    model: PreTrainedModel = AutoModelForTokenClassification.from_pretrained(weights / "best")
    befores = [_start(one) for one in _averaged(read_back(config))]
    if befores:
        states = [one.state_dict() for one in (model, *befores)]
        model.load_state_dict({name: sum(state[name] for state in states) / len(states) for name in states[0]})
    return model


def final_head(weights: Path, config: Mapping[str, Any]) -> FloatArray:
    """The line head of a run, or its mean with those it started from where the configuration says so."""
    own = read_back(config)
    befores = [starting_head(dataclasses.replace(one, line_head=own.line_head)) for one in _averaged(own)]
    mean: FloatArray = np.mean([read_weights(weights / LINE_HEAD), *befores], axis=0).astype(np.float32)
    return mean


def _averaged(config: TrainConfig) -> Iterator[TrainConfig]:
    """The runs whose starts go into the mean: this one and, as long as each says so, those before it."""
    while config.mean_with_init:
        yield config
        run = Path(config.init)
        if not (run / "best").is_dir():
            return
        config = read_back(json.loads((run / "config.json").read_text()))


def _start(config: TrainConfig) -> PreTrainedModel:
    """What a run started from, with one logit."""
    model: PreTrainedModel = AutoModelForTokenClassification.from_pretrained(start_of(config)[0])
    one_logit(model)
    return model


def _check_apart(one: Path, other: Path) -> None:
    """Neither folder lies in the other, which is replaced whole."""
    first, second = one.resolve(), other.resolve()
    if first.is_relative_to(second) or second.is_relative_to(first):
        raise BadBase(f"{one} and {other}: one lies in the other; write them apart")


def _check_size(folder: Path, out: Path, *, shared: bool) -> None:
    size, largest = shipped_bytes(folder, out, shared=shared), max(path.stat().st_size for path in folder.iterdir())
    if size > LARGEST:
        raise BadBase(f"what ships would have {size:,} bytes, {LARGEST:,} are allowed: trim the vocabulary, or share it")
    if largest > LARGEST_FILE:
        raise BadBase(f"the bundle has a file of {largest:,} bytes, {LARGEST_FILE:,} are allowed: trim the vocabulary further")


def has_q4_rows(model: PreTrainedModel) -> bool:
    """Whether the word embedding is made of 4-bit blocks, so that storing it so loses nothing."""
    words = word_rows(model).detach().float().numpy()
    return words.shape[1] % BLOCK == 0 and bool(np.array_equal(q4_rows(words).dequantised(), words))
