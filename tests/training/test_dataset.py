"""Targets say what the judges said, and every judged piece is trained on once a pass."""

import numpy as np
from tiny import tiny_tokenizer

from elision.model.tokeniser import PieceTokeniser
from elision.model.types import Span
from elision.training.config import TrainConfig
from elision.training.dataset import IGNORED, batches, encode, examples, split_documents
from elision.training.labels.rows import JudgedLine, LabelRow

CONFIG = TrainConfig(name="t", labels=(), out="", window_pieces=80, mask_share=0.0, query_dropout=0.5)
TOKENISER = PieceTokeniser(tiny_tokenizer())


def row(text: str, lines: list[JudgedLine], doc: str = "d") -> LabelRow:
    return LabelRow("i", "log", "line", "s", doc, "fix the test", "run", "", text, tuple(lines))


def test_every_judged_piece_is_in_one_window_of_a_pass_with_its_level() -> None:
    text = "error in file\n" * 30
    rows = [row(text, [JudgedLine(14 * n, 14 * n + 13, n % 4, None) for n in range(30)])]

    found = examples(encode(rows, TOKENISER, CONFIG), TOKENISER, CONFIG, 0)

    groups = np.concatenate([example.groups for example in found])
    targets = np.concatenate([example.targets for example in found])
    assert len(found) > 1
    assert set(groups[groups != IGNORED]) == set(range(30))
    assert all(np.allclose(targets[groups == n], CONFIG.levels[n % 4]) for n in range(30))
    assert np.isnan(targets[groups == IGNORED]).all()


def test_kept_words_stand_above_dropped_ones_around_the_lines_level() -> None:
    rows = [row("error the file", [JudgedLine(0, 14, 2, (Span(0, 5), Span(10, 14)))])]

    (example,) = examples(encode(rows, TOKENISER, CONFIG), TOKENISER, CONFIG, 0)

    targets = example.targets[example.groups == 0]
    assert targets[0] > targets[1] < targets[2]
    assert abs(targets.mean() - CONFIG.levels[2]) < 0.1


def test_a_document_is_never_on_both_sides() -> None:
    rows = [row("x", [], doc=f"d{n % 10}") for n in range(100)]

    learn, held = split_documents(rows, 0.2, seed=1)

    assert {r.doc for r in learn}.isdisjoint(r.doc for r in held)
    assert len(held) == 20


def test_batches_hold_every_window_once_and_respect_the_size() -> None:
    rows = [row("error in file\n" * n, [JudgedLine(0, 13, 1, None)]) for n in range(1, 40)]
    found = examples(encode(rows, TOKENISER, CONFIG), TOKENISER, CONFIG, 0)
    config = TrainConfig(name="t", labels=(), out="", batch_pieces=300)

    groups = batches(found, config, 0)

    assert sorted(index for group in groups for index in group) == list(range(len(found)))
    assert all(len(g) == 1 or len(g) * max(len(found[i].ids) for i in g) <= 300 for g in groups)


def test_a_pass_is_the_same_each_time_and_unlike_the_next() -> None:
    data = encode([row("error in file\n" * 60, [JudgedLine(0, 13, 1, None)])], TOKENISER, CONFIG)

    def sizes(number: int) -> list[int]:
        return [len(example.ids) for example in examples(data, TOKENISER, CONFIG, number)]

    assert sizes(0) == sizes(0)
    assert any(sizes(0) != sizes(n) for n in range(1, 5))
