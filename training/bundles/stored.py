"""Read a bundle's graph back into the weights it was built from.

A graph of `elision.training.bundles.graph` loses nothing but what quantising took: every initialiser carries
its weight's name, and the sizes stand in shapes and attributes. Stored blocks are multiplied out to
float32, so quantising the same weights again gives the same embedding rows bit for bit.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnx.external_data_helper import ExternalDataInfo, load_external_data_for_tensor, uses_external_data

from elision.training.errors import BadBase

ROBERTA, BERT = "roberta", "bert"
ACTIVATIONS = {("Gelu", "none"): "gelu", ("Gelu", "tanh"): "gelu_new", ("Relu", ""): "relu"}
_ZERO = 128  # 8-bit weights are stored unsigned

FloatArray = NDArray[np.float32]


@dataclass(frozen=True)
class Stored:
    """The weights of one graph and the sizes that no shape tells.

    Attributes:
        weights: Float32 arrays by the name PyTorch gives them, matrices ``(outputs, inputs)``; besides,
            ``words`` ``(pieces, hidden)`` and ``positions`` ``(positions, hidden)``, token type row included.
        layers: Encoder layers.
        heads: Attention heads.
        activation: As transformers names it.
        epsilon: Of the layer norms.
    """

    weights: dict[str, FloatArray]
    layers: int
    heads: int
    activation: str
    epsilon: float

    @property
    def family(self) -> str:
        """`ROBERTA` or `BERT`, the first part of the encoder's names."""
        return BERT if any(name.startswith(f"{BERT}.") for name in self.weights) else ROBERTA


def read_graph(path: Path, words: Path | None = None) -> Stored:
    """The weights of the graph at ``path``.

    Args:
        path: The graph; what it keeps in other files lies beside it.
        words: Except its embedding, if that is a file of its own and lies elsewhere.

    Raises:
        BadBase: If it is not a graph that `elision.training.bundles.graph.build` made.
    """
    graph = _whole(path, words)
    nodes = list(graph.node)
    try:
        attention = [node for node in nodes if node.op_type == "MultiHeadAttention"]
        norm = next(node for node in nodes if node.op_type == "LayerNormalization")
        inner = next(node for node in nodes if node.op_type in ("Gelu", "Relu"))
        return Stored(
            weights=_weights(graph),
            layers=len(attention),
            heads=_attributes(attention[0])["num_heads"],
            activation=ACTIVATIONS[inner.op_type, _attributes(inner).get("approximate", b"").decode()],
            # The attribute is a float32; its shortest decimal is what the configuration said.
            epsilon=float(str(np.float32(_attributes(norm)["epsilon"]))),
        )
    except (KeyError, IndexError, StopIteration) as error:
        raise BadBase(f"{path}: not a graph of this program: {error!r}") from error


def _whole(path: Path, words: Path | None) -> onnx.GraphProto:
    """A graph with the weights that it keeps in other files."""
    graph: onnx.GraphProto = onnx.load(path, load_external_data=False).graph
    for tensor in graph.initializer:
        if uses_external_data(tensor):
            elsewhere = words is not None and ExternalDataInfo(tensor).location == words.name
            folder = words.parent if words is not None and elsewhere else path.parent
            load_external_data_for_tensor(tensor, str(folder))
            tensor.data_location = TensorProto.DEFAULT
    return graph


def _weights(graph: onnx.GraphProto) -> dict[str, FloatArray]:
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    inputs = {node.input[1]: _attributes(node)["K"] for node in graph.node if node.op_type == "MatMulNBits"}
    found: dict[str, FloatArray] = {"words": _words(tensors)}
    for name, tensor in tensors.items():
        if name in inputs:
            scales = numpy_helper.to_array(tensors[name.removesuffix("weight") + "scales"])
            found[name] = _blocks(numpy_helper.to_array(tensor), scales)[:, : inputs[name]]
        elif tensor.data_type == TensorProto.FLOAT and not name.startswith("words") and not name.endswith(".scales"):
            array = numpy_helper.to_array(tensor)
            found[name] = array.T if array.ndim == 2 and name.endswith(".weight") else array
    return {name: np.array(array, dtype=np.float32, order="C") for name, array in found.items()}


def _words(tensors: dict[str, onnx.TensorProto]) -> FloatArray:
    words = tensors["words"]
    if words.data_type == TensorProto.FLOAT:
        return numpy_helper.to_array(words)
    scales = numpy_helper.to_array(tensors["words.scales"]).astype(np.float32)
    nibbles = words.data_type == TensorProto.INT4
    values = _signed_nibbles(words) if nibbles else numpy_helper.to_array(words).astype(np.float32)
    weights: FloatArray = values * np.repeat(scales, values.shape[1] // scales.shape[1], axis=1)
    return weights[:, : tensors["positions"].dims[1]]


def _blocks(stored: NDArray[np.uint8], scales: FloatArray) -> FloatArray:
    """Weights ``(outputs, inputs)`` of blocks ``(outputs, blocks, block)``, padding included."""
    weights: FloatArray = (stored.astype(np.float32) - _ZERO) * scales.reshape(*stored.shape[:2], 1)
    return weights.reshape(len(stored), -1)


def _signed_nibbles(words: onnx.TensorProto) -> FloatArray:
    packed = np.frombuffer(words.raw_data, np.uint8)
    nibbles = np.stack([packed & 15, packed >> 4], axis=1).reshape(tuple(words.dims))
    return ((nibbles ^ 8).astype(np.int8) - 8).astype(np.float32)  # the sign bit of a nibble


def _attributes(node: onnx.NodeProto) -> dict[str, Any]:
    return {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
