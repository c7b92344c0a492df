"""The scorer's ONNX graph, built layer by layer from the weights of an XLM-RoBERTa or a BERT.

Built rather than traced, because the runner lives on what a trace loses: fused attention without a
mask (one window a call has no padding), the embedding kept in its 4-bit rows, and 8-bit weights in
just the places that keep the figures. The two families differ in their names and in the position of
the first piece; everything after the embedding is the same post-norm encoder. Inputs ``input_ids`` int64 ``(batch, length)``, all of one
length; output ``logits`` float32 ``(batch, length, labels)``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from transformers import PreTrainedConfig, PreTrainedModel

from elision.training.bundles.quantise import int8_blocks, q4_rows
from elision.training.errors import BadBase

MICROSOFT = "com.microsoft"
OPSET = 21
BLOCK = 32  # inputs that share a scale
_PART = 16_384  # embedding rows quantised at once

# As transformers names them: operator and its attributes. An exact and an approximate GELU differ by 1e-3.
ACTIVATIONS: dict[str, tuple[str, dict[str, str]]] = {
    "gelu": ("Gelu", {"approximate": "none"}),
    "gelu_new": ("Gelu", {"approximate": "tanh"}),
    "gelu_pytorch_tanh": ("Gelu", {"approximate": "tanh"}),
    "relu": ("Relu", {}),
}

State = dict[str, NDArray[np.float32]]


@dataclass
class _Graph:
    """Nodes and initialisers as they come; each method returns the name of what it made."""

    nodes: list[onnx.NodeProto] = field(default_factory=list)
    weights: list[onnx.TensorProto] = field(default_factory=list)

    def weight(self, name: str, array: NDArray[Any]) -> str:
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, kind: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, domain=domain, **attributes))
        return output


def build(model: PreTrainedModel, *, quantised: bool, row_bits: int = 4) -> onnx.ModelProto:
    """The graph of ``model``.

    Args:
        model: Its token type row 0 is used, and no dropout.
        quantised: 8-bit matrices and an embedding of ``row_bits``; False: float32 throughout.
        row_bits: 4 for rows that already are 4-bit blocks, as those of every base of ours; 8 for others.

    Raises:
        BadBase: If the model computes something that the graph cannot.
    """
    state = {name: tensor.detach().float().cpu().numpy() for name, tensor in model.state_dict().items()}
    config, family = model.config, str(model.base_model_prefix)
    if config.hidden_act not in ACTIVATIONS:
        raise BadBase(f"hidden_act is {config.hidden_act!r}, a graph can have {', '.join(ACTIVATIONS)}")
    graph = _Graph()
    x = _embeddings(graph, state, f"{family}.embeddings", config, row_bits if quantised else 32)
    for layer in range(config.num_hidden_layers):
        x = _layer(graph, state, f"{family}.encoder.layer.{layer}", x, config, quantised)
    head = graph.weight("classifier.weight", state["classifier.weight"].T)
    logits = graph.node("MatMul", [x, head], "classifier.product")
    graph.node("Add", [logits, graph.weight("classifier.bias", state["classifier.bias"])], "logits")
    return _model(graph, len(state["classifier.bias"]))


def first_position(config: PreTrainedConfig) -> int:
    """Position of a text's first piece: XLM-R counts from the padding piece's id on, BERT from 0."""
    return 0 if config.model_type == "bert" else int(config.pad_token_id or 0) + 1


def _embeddings(graph: _Graph, state: State, prefix: str, config: PreTrainedConfig, bits: int) -> str:
    rows = _ROWS[bits](graph, state[f"{prefix}.word_embeddings.weight"])
    table = state[f"{prefix}.position_embeddings.weight"][first_position(config) :]
    table = table + state[f"{prefix}.token_type_embeddings.weight"][0]
    shape = graph.node("Shape", ["input_ids"], "length", start=1, end=2)
    zero, axis = graph.weight("zero", np.array([0])), graph.weight("axis", np.array([0]))
    places = graph.node("Slice", [graph.weight("positions", table), zero, shape, axis], "places")
    total = graph.node("Add", [rows, places], "embedded")
    return _norm(graph, state, f"{prefix}.LayerNorm", total, config.layer_norm_eps)


def _gather(graph: _Graph, words: NDArray[np.float32]) -> str:
    return graph.node("Gather", [graph.weight("words", words), "input_ids"], "rows")


def _gather_q4(graph: _Graph, words: NDArray[np.float32]) -> str:
    packed = q4_rows(_padded(words))
    tensor = helper.make_tensor("words", TensorProto.INT4, packed.values.shape, packed.nibble_bytes(), raw=True)
    graph.weights.append(tensor)
    # Stored as f16, dequantised in f32: the product of an int4 and an f16 does not fit f16.
    scales = graph.node("Cast", [graph.weight("words.scales", packed.scales)], "words.scales.f32", to=TensorProto.FLOAT)
    rows = graph.node(
        "GatherBlockQuantized",
        ["words", "input_ids", scales],
        _name("rows", words),
        MICROSOFT,
        gather_axis=0,
        quantize_axis=1,
        block_size=packed.block,
    )
    return _cut(graph, rows, words)


def _gather_q8(graph: _Graph, words: NDArray[np.float32]) -> str:
    # Part by part: 250,000 rows of 1024 are a gigabyte, and quantising takes several copies.
    parts = [int8_blocks(_padded(words[at : at + _PART]).T, BLOCK) for at in range(0, len(words), _PART)]
    values = np.concatenate([part.values for part in parts]).reshape(len(words), -1)
    scales = np.concatenate([part.scales for part in parts])
    found = [
        graph.node("Gather", [graph.weight("words", values), "input_ids"], "rows.values"),
        graph.node("Gather", [graph.weight("words.scales", scales), "input_ids"], "rows.scales"),
    ]
    rows = graph.node("DequantizeLinear", found, _name("rows", words), axis=2, block_size=BLOCK)
    return _cut(graph, rows, words)


_ROWS: dict[int, Callable[[_Graph, NDArray[np.float32]], str]] = {4: _gather_q4, 8: _gather_q8, 32: _gather}


def _padded(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """``matrix`` with columns of zeros up to whole blocks."""
    return np.pad(matrix, ((0, 0), (0, -matrix.shape[1] % BLOCK)))


def _name(name: str, words: NDArray[np.float32]) -> str:
    return f"{name}.padded" if words.shape[1] % BLOCK else name


def _cut(graph: _Graph, rows: str, words: NDArray[np.float32]) -> str:
    """The columns that are not padding."""
    hidden = words.shape[1]
    if hidden % BLOCK == 0:
        return rows
    bounds = [graph.weight(f"rows.{name}", np.array([value])) for name, value in (("from", 0), ("to", hidden), ("axis", 2))]
    return graph.node("Slice", [rows, *bounds], "rows")


def _layer(graph: _Graph, state: State, prefix: str, x: str, config: PreTrainedConfig, quantised: bool) -> str:
    def dense(place: str, source: str) -> str:
        name = f"{prefix}.{place}"
        return _dense(graph, name, source, state[f"{name}.weight"], state[f"{name}.bias"], quantised)

    eps = config.layer_norm_eps
    q, k, v = (dense(f"attention.self.{part}", x) for part in ("query", "key", "value"))
    heads = config.num_attention_heads
    mixed = graph.node("MultiHeadAttention", [q, k, v], f"{prefix}.attention", MICROSOFT, num_heads=heads)
    attended = graph.node("Add", [dense("attention.output.dense", mixed), x], f"{prefix}.attended")
    x = _norm(graph, state, f"{prefix}.attention.output.LayerNorm", attended, eps)
    operator, attributes = ACTIVATIONS[config.hidden_act]
    inner = graph.node(operator, [dense("intermediate.dense", x)], f"{prefix}.inner", **attributes)
    out = graph.node("Add", [dense("output.dense", inner), x], f"{prefix}.out")
    return _norm(graph, state, f"{prefix}.output.LayerNorm", out, eps)


def _dense(graph: _Graph, name: str, x: str, weight: NDArray[np.float32], bias: NDArray[np.float32], quantised: bool) -> str:
    biased = graph.weight(f"{name}.bias", bias)
    if not quantised:
        product = graph.node("MatMul", [x, graph.weight(f"{name}.weight", weight.T)], f"{name}.product")
        return graph.node("Add", [product, biased], f"{name}.sum")
    # Activations are rounded in blocks of one row, so a piece's rounding does not depend on the others.
    # One scale per tensor (DynamicQuantizeMatMul) is twice as fast and costs up to 0.026 of a figure.
    packed = int8_blocks(_padded(weight).T, BLOCK)
    stored = (packed.values.astype(np.int16) + 128).astype(np.uint8)
    product = graph.node(
        "MatMulNBits",
        [x, graph.weight(f"{name}.weight", stored), graph.weight(f"{name}.scales", packed.scales.reshape(-1))],
        f"{name}.product",
        MICROSOFT,
        K=weight.shape[1],
        N=weight.shape[0],
        bits=8,
        block_size=BLOCK,
        accuracy_level=4,
    )
    return graph.node("Add", [product, biased], f"{name}.sum")


def _norm(graph: _Graph, state: State, name: str, x: str, eps: float) -> str:
    weight, bias = (graph.weight(f"{name}.{part}", state[f"{name}.{part}"]) for part in ("weight", "bias"))
    return graph.node("LayerNormalization", [x, weight, bias], f"{name}.norm", axis=-1, epsilon=float(eps))


def _model(graph: _Graph, labels: int) -> onnx.ModelProto:
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"])
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", "length", labels])
    body = helper.make_graph(graph.nodes, "elision", [ids], [logits], graph.weights)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=10, producer_name="elision")
