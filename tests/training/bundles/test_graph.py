"""The ONNX graph computes what PyTorch computes, for any length and batch."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
import torch
from tiny import tiny_model

from elision.training.bundles.graph import build


@pytest.mark.parametrize("labels", [1, 2])
@pytest.mark.parametrize("shape", [(1, 4), (1, 37), (3, 128), (1, 512)])
def test_float32_agrees_with_pytorch(tmp_path: Path, labels: int, shape: tuple[int, int]) -> None:
    model = tiny_model(labels)
    onnx.save(build(model, quantised=False), tmp_path / "model.onnx")
    ids = np.random.default_rng(0).integers(4, 100, shape)
    with torch.no_grad():
        expected = model(input_ids=torch.tensor(ids)).logits.numpy()

    found = ort.InferenceSession(tmp_path / "model.onnx").run(None, {"input_ids": ids})[0]

    assert np.abs(found - expected).max() <= 1e-3


def test_the_stored_form_stays_close(tmp_path: Path) -> None:
    model = tiny_model()
    onnx.save(build(model, quantised=True), tmp_path / "model.onnx")
    ids = np.random.default_rng(0).integers(4, 100, (1, 200))
    with torch.no_grad():
        expected = model(input_ids=torch.tensor(ids)).logits.numpy()

    found = ort.InferenceSession(tmp_path / "model.onnx").run(None, {"input_ids": ids})[0]

    assert np.corrcoef(found.ravel(), expected.ravel())[0, 1] >= 0.95


def test_the_graph_is_valid_onnx() -> None:
    onnx.checker.check_model(build(tiny_model(), quantised=False), full_check=False)
