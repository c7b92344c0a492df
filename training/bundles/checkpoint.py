"""Read a foreign checkpoint: what it is, its weights, its tokeniser and what its card says.

Every check is on the configuration or on the weights, and what cannot become a bundle is one error
that names what was found.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from huggingface_hub.repocard import metadata_load
from tokenizers import Tokenizer
from transformers import (
    AutoConfig,
    AutoTokenizer,
    BertForTokenClassification,
    PreTrainedConfig,
    RobertaForTokenClassification,
    XLMRobertaForTokenClassification,
)
from transformers.utils.hub import cached_file

from elision.model.bundle import SHORTEST, TOKENIZER
from elision.model.tokeniser import PieceTokeniser
from elision.training.bundles.graph import first_position
from elision.training.errors import BadBase

NOT_NAMED = "not named"
KINDS: dict[str, Any] = {
    "xlm-roberta": XLMRobertaForTokenClassification,
    "roberta": RobertaForTokenClassification,
    "bert": BertForTokenClassification,
}
# From none of these transformers makes a tokeniser of five pieces, without a word.
_OLDER = ("sentencepiece.bpe.model", "tokenizer.model", "vocab.txt", "vocab.json")
_HUB_ID = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")
_SCRATCH = re.compile(r"\[NEW\d+\]")  # what LLMLingua-2 adds at run time, with random rows


@dataclass(frozen=True)
class Checkpoint:
    """A token classifier that can become a bundle.

    Attributes:
        kind: Name of its class in transformers.
        named: What its configuration or its source calls it.
        model: Its weights in float32.
        tokenizer: Its tokeniser, without truncation, padding and scratch pieces.
        labels: Logits: 1 (keep) or 2 (label 1 = keep).
        window_pieces: Longest input.
        licence: As its card says, else `NOT_NAMED`.
    """

    kind: str
    named: str
    model: Any
    tokenizer: Tokenizer
    labels: int
    window_pieces: int
    licence: str


def read_checkpoint(source: str) -> Checkpoint:
    """Read a local folder or a hub id.

    Raises:
        BadBase: If there is none, or it is no token classifier with a keep logit; names what was found.
    """
    if not Path(source).is_dir() and not _HUB_ID.fullmatch(source):
        raise BadBase(f"{source}: no such folder, and no hub id either")
    try:
        config = AutoConfig.from_pretrained(source)
    except (OSError, ValueError) as error:
        raise BadBase(f"{source}: no checkpoint that can be read: {_first_line(error)}") from error
    kind = _kind(source, config)
    labels = _labels(source, config)
    window = int(config.max_position_embeddings) - first_position(config)
    if window < SHORTEST:
        raise BadBase(f"{source}: reads {window} pieces at once, a bundle needs {SHORTEST} or more")
    tokenizer = _tokenizer(source)
    model = _model(source, kind)
    _fit(source, model, tokenizer)
    return Checkpoint(kind.__name__, _named(source), model, tokenizer, labels, window, _licence(source))


def _kind(source: str, config: PreTrainedConfig) -> Any:
    architectures = ", ".join(config.architectures or []) or "no architecture"
    kind = KINDS.get(config.model_type)
    if kind is None or kind.__name__ not in (config.architectures or []):
        known = ", ".join(known.__name__ for known in KINDS.values())
        raise BadBase(f"{source}: a {config.model_type} with {architectures}; expected {known}")
    if getattr(config, "position_embedding_type", "absolute") not in ("absolute", None):
        raise BadBase(f"{source}: {config.position_embedding_type} positions, expected absolute ones")
    return kind


def _labels(source: str, config: PreTrainedConfig) -> int:
    names = [name for _, name in sorted((int(number), str(name)) for number, name in (config.id2label or {}).items())]
    if len(names) not in (1, 2):
        raise BadBase(f"{source}: {len(names)} labels ({', '.join(names[:6])}), expected 1 (keep) or 2 (label 1 = keep)")
    if names[0].lower() in ("keep", "preserve", "1") and len(names) == 2:
        raise BadBase(f"{source}: label 0 is called {names[0]!r}, expected keep to be label 1")
    return len(names)


def _model(source: str, kind: Any) -> Any:
    try:
        model, told = kind.from_pretrained(source, dtype=torch.float32, output_loading_info=True)
    except (OSError, ValueError, RuntimeError) as error:
        raise BadBase(f"{source}: {_first_line(error)}") from error
    if told["missing_keys"]:
        missing = sorted(told["missing_keys"])
        raise BadBase(f"{source}: {len(missing)} weights are missing, {missing[0]} is one: was it trained as a classifier?")
    model.eval()
    return model


def _tokenizer(source: str) -> Tokenizer:
    """The fast tokeniser as it is written, or the one that transformers makes of an older form."""
    try:
        path = _file(source, TOKENIZER)
        if path is None and not any(_file(source, name) for name in _OLDER):
            raise FileNotFoundError(f"none of {TOKENIZER}, {', '.join(_OLDER)} is there")
        written = path.read_text("utf-8") if path else AutoTokenizer.from_pretrained(source).backend_tokenizer.to_str()
        tokenizer = Tokenizer.from_str(_without_scratch(written))
    except Exception as error:  # tokenizers raises bare Exception
        raise BadBase(f"{source}: no fast tokeniser, and none can be made: {_first_line(error)}") from error
    tokenizer.no_truncation()  # a saved limit of 512 pieces would end long lines
    tokenizer.no_padding()
    PieceTokeniser(tokenizer)
    return tokenizer


def _without_scratch(written: str) -> str:
    whole = json.loads(written)
    whole["added_tokens"] = [token for token in whole["added_tokens"] if not _SCRATCH.fullmatch(token["content"])]
    return json.dumps(whole, ensure_ascii=False)


def _fit(source: str, model: Any, tokenizer: Tokenizer) -> None:
    """Leave out the embedding rows that no piece has."""
    pieces = max(tokenizer.get_vocab().values()) + 1
    words = model.base_model.embeddings.word_embeddings
    if pieces > len(words.weight):
        raise BadBase(f"{source}: the tokeniser has {pieces} pieces, the embedding {len(words.weight)} rows")
    words.weight = torch.nn.Parameter(words.weight.detach()[:pieces].clone(), requires_grad=False)
    words.num_embeddings = model.config.vocab_size = pieces


def _named(source: str) -> str:
    return Path(source).resolve().name if Path(source).is_dir() else source


def _licence(source: str) -> str:
    try:
        card = _file(source, "README.md")
        told = metadata_load(card) if card else None
    except (OSError, ValueError):
        told = None
    found = (told or {}).get("license") or NOT_NAMED
    return ", ".join(map(str, found)) if isinstance(found, list) else str(found)


def _file(source: str, name: str) -> Path | None:
    found = cached_file(source, name, _raise_exceptions_for_missing_entries=False)
    return Path(found) if found else None


def _first_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
