"""Trimming drops pieces, never coverage, and copies the rows it keeps."""

from collections import Counter

import torch
from tiny import tiny_model, tiny_tokenizer

from elision.training.bundles.trim import choose_pieces, count_pieces, trim_model, trimmed_tokenizer


def test_special_pieces_and_single_characters_always_stay() -> None:
    tokenizer = tiny_tokenizer()

    kept = choose_pieces(tokenizer, Counter(), 1)

    pieces = {tokenizer.id_to_token(i) for i in kept}
    assert {"<s>", "<pad>", "</s>", "<unk>", "<mask>", "▁", "a", "я", "不"} <= pieces
    assert "▁error" not in pieces


def test_pieces_in_use_come_before_likely_ones() -> None:
    tokenizer = tiny_tokenizer()
    counts = count_pieces(tokenizer, ["path path\npath"])
    always = len(choose_pieces(tokenizer, Counter(), 1))

    kept = choose_pieces(tokenizer, counts, always + 1)

    assert "▁path" in {tokenizer.id_to_token(i) for i in kept}


def test_a_trimmed_tokeniser_spells_with_what_is_left_and_knows_every_character() -> None:
    tokenizer = tiny_tokenizer()
    kept = choose_pieces(tokenizer, Counter(), 1)

    trimmed = trimmed_tokenizer(tokenizer, kept)

    assert trimmed.encode("error", add_special_tokens=False).tokens == ["▁", "e", "r", "r", "o", "r"]
    assert trimmed.token_to_id("<unk>") not in trimmed.encode("path я 不").ids


def test_kept_rows_are_copies_and_padding_is_found_again() -> None:
    model, kept = tiny_model().roberta, [0, 1, 2, 3, 10, 20]
    before = model.embeddings.word_embeddings.weight.detach().clone()

    trim_model(model, kept)

    assert torch.equal(model.embeddings.word_embeddings.weight, before[kept])
    assert model.embeddings.word_embeddings.padding_idx == 1
    assert not model.embeddings.word_embeddings.weight.requires_grad
