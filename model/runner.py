"""Piece ids in, keep values out: what computes a window.

A runner takes one window a call. There is no padding and no batch, so a window's values depend on
its own pieces alone, to the last bit, whatever else is being scored.
"""

import mmap
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Protocol

import numpy as np
import onnxruntime as ort

from elision.model.errors import BundleCorrupt
from elision.model.types import FloatArray

PREFERRED = ("CUDAExecutionProvider", "CPUExecutionProvider")


class Runner(Protocol):
    """Computes windows; may be called from several threads at once."""

    @property
    def name(self) -> str:
        """As receipts give it."""

    def run(self, ids: list[int]) -> FloatArray:
        """Keep values of one window, shape ``(len(ids),)``, in [0, 1]."""


class OnnxRunner:
    """ONNX Runtime on CUDA where it is there, else on one CPU thread per call.

    Callers bring the threads: one session serves them all, so its weights are held once.

    Args:
        model: The graph.
        labels: Logits a piece, 1 or 2.
        words: The embedding, if it is a file of its own; read while the session is made, and no longer.

    Raises:
        BundleCorrupt: If ONNX Runtime cannot load it, or it is another kind of graph.
    """

    def __init__(self, model: Path, labels: int, words: Path | None = None) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        # The arena keeps the largest window's scratch per thread for good; windows are small.
        options.enable_cpu_mem_arena = False
        options.log_severity_level = 3
        providers = [name for name in PREFERRED if name in ort.get_available_providers()]
        try:
            with _mapped(words) as held:
                if words is not None:
                    # Where the graph says it lies, ONNX Runtime would look in the graph's own folder only.
                    options.add_external_initializers_from_files_in_memory([words.name], [held], [len(held)])
                self._session = ort.InferenceSession(str(model), options, providers=providers)
        except Exception as error:  # ONNX Runtime raises a class of its own per failure
            raise BundleCorrupt(f"{model}: ONNX Runtime cannot load it: {error}") from error
        # Falling back to another provider makes the session anew, from bytes that are gone by then; and
        # receipts would go on naming the first one.
        self._session.disable_fallback()
        self._labels = labels
        inputs = [given.name for given in self._session.get_inputs()]
        found = self._session.get_outputs()[0].shape[-1]
        if inputs != ["input_ids"] or found != labels:
            raise BundleCorrupt(f"{model}: takes {inputs} and gives {found} labels, expected input_ids and {labels}")
        used = self._session.get_providers()[0].removesuffix("ExecutionProvider").lower()
        self.name = f"onnxruntime-{ort.__version__}-{used}"

    def run(self, ids: list[int]) -> FloatArray:
        """See `Runner`."""
        logits = self._session.run(None, {"input_ids": np.array([ids], dtype=np.int64)})[0][0]
        margin = logits[:, 0] if self._labels == 1 else logits[:, 1] - logits[:, 0]
        keep: FloatArray = (1 / (1 + np.exp(-margin.astype(np.float64)))).astype(np.float32)
        return keep


def _mapped(path: Path | None) -> AbstractContextManager[mmap.mmap | bytes]:
    """The bytes of a file, copied by nobody but who uses them."""
    if path is None:
        return nullcontext(b"")
    with path.open("rb") as stream:
        return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
