"""The scorer's ONNX graph, built layer by layer from the trained weights.

Built rather than traced, because the runner lives on what a trace loses: fused attention without a
mask (one window a call has no padding), the embedding kept in its 4-bit rows, and 8-bit weights in
just the places that keep the figures. Inputs ``input_ids`` int64 ``(batch, length)``, all of one
length; output ``logits`` float32 ``(batch, length, labels)``.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from transformers import XLMRobertaConfig, XLMRobertaForTokenClassification

from elision.training.quantise import int8_blocks, q4_rows

MICROSOFT = "com.microsoft"
OPSET = 21
BLOCK = 32  # inputs that share a scale

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


def build(model: XLMRobertaForTokenClassification, *, quantised: bool) -> onnx.ModelProto:
    """The graph of ``model``: float32 throughout, or 4-bit embedding and 8-bit matrices."""
    state = {name: tensor.detach().float().cpu().numpy() for name, tensor in model.state_dict().items()}
    config = model.config
    graph = _Graph()
    x = _embeddings(graph, state, config, quantised)
    for layer in range(config.num_hidden_layers):
        x = _layer(graph, state, f"roberta.encoder.layer.{layer}", x, config, quantised)
    head = graph.weight("classifier.weight", state["classifier.weight"].T)
    logits = graph.node("MatMul", [x, head], "classifier.product")
    graph.node("Add", [logits, graph.weight("classifier.bias", state["classifier.bias"])], "logits")
    return _model(graph, len(state["classifier.bias"]))


def _embeddings(graph: _Graph, state: State, config: XLMRobertaConfig, quantised: bool) -> str:
    prefix = "roberta.embeddings"
    words = state[f"{prefix}.word_embeddings.weight"]
    rows = _gather_q4(graph, words) if quantised else _gather(graph, words)
    table = state[f"{prefix}.position_embeddings.weight"][int(config.pad_token_id or 0) + 1 :]
    table = table + state[f"{prefix}.token_type_embeddings.weight"][0]
    shape = graph.node("Shape", ["input_ids"], "length", start=1, end=2)
    zero, axis = graph.weight("zero", np.array([0])), graph.weight("axis", np.array([0]))
    places = graph.node("Slice", [graph.weight("positions", table), zero, shape, axis], "places")
    total = graph.node("Add", [rows, places], "embedded")
    return _norm(graph, state, f"{prefix}.LayerNorm", total, config.layer_norm_eps)


def _gather(graph: _Graph, words: NDArray[np.float32]) -> str:
    return graph.node("Gather", [graph.weight("words", words), "input_ids"], "rows")


def _gather_q4(graph: _Graph, words: NDArray[np.float32]) -> str:
    packed = q4_rows(words)
    tensor = helper.make_tensor("words", TensorProto.INT4, words.shape, packed.nibble_bytes(), raw=True)
    graph.weights.append(tensor)
    # Stored as f16, dequantised in f32: the product of an int4 and an f16 does not fit f16.
    scales = graph.node("Cast", [graph.weight("words.scales", packed.scales)], "words.scales.f32", to=TensorProto.FLOAT)
    return graph.node(
        "GatherBlockQuantized",
        ["words", "input_ids", scales],
        "rows",
        MICROSOFT,
        gather_axis=0,
        quantize_axis=1,
        block_size=packed.block,
    )


def _layer(graph: _Graph, state: State, prefix: str, x: str, config: XLMRobertaConfig, quantised: bool) -> str:
    def dense(place: str, source: str, bias: bool = True) -> str:
        name = f"{prefix}.{place}"
        return _dense(graph, name, source, state[f"{name}.weight"].T, state[f"{name}.bias"], quantised)

    eps = config.layer_norm_eps
    q, k, v = (dense(f"attention.self.{part}", x) for part in ("query", "key", "value"))
    heads = config.num_attention_heads
    mixed = graph.node("MultiHeadAttention", [q, k, v], f"{prefix}.attention", MICROSOFT, num_heads=heads)
    attended = graph.node("Add", [dense("attention.output.dense", mixed), x], f"{prefix}.attended")
    x = _norm(graph, state, f"{prefix}.attention.output.LayerNorm", attended, eps)
    inner = graph.node("Gelu", [dense("intermediate.dense", x)], f"{prefix}.gelu", approximate="none")
    out = graph.node("Add", [dense("output.dense", inner), x], f"{prefix}.out")
    return _norm(graph, state, f"{prefix}.output.LayerNorm", out, eps)


def _dense(graph: _Graph, name: str, x: str, weight: NDArray[np.float32], bias: NDArray[np.float32], quantised: bool) -> str:
    biased = graph.weight(f"{name}.bias", bias)
    if not quantised:
        product = graph.node("MatMul", [x, graph.weight(f"{name}.weight", weight)], f"{name}.product")
        return graph.node("Add", [product, biased], f"{name}.sum")
    # Activations are rounded in blocks of one row, so a piece's rounding does not depend on the others.
    # One scale per tensor (DynamicQuantizeMatMul) is twice as fast and costs up to 0.026 of a figure.
    packed = int8_blocks(weight, BLOCK)
    stored = (packed.values.astype(np.int16) + 128).astype(np.uint8)
    product = graph.node(
        "MatMulNBits",
        [x, graph.weight(f"{name}.weight", stored), graph.weight(f"{name}.scales", packed.scales.reshape(-1))],
        f"{name}.product",
        MICROSOFT,
        K=weight.shape[0],
        N=weight.shape[1],
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
