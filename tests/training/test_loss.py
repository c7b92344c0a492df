"""What a window weighs scales what it teaches, and nothing else."""

import pytest
import torch
import torch.nn.functional as F

from elision.training.config import TrainConfig
from elision.training.loss import Loss, keep_loss

CONFIG = TrainConfig(name="t", labels=(), out="", word_weight=1.0)
LENGTH = 12


def batch(windows: int, seed: int = 0) -> tuple[torch.Tensor, ...]:
    """Logits, targets, groups and kept: three lines a window of unlike worth, a piece between them unjudged."""
    torch.manual_seed(seed)
    groups = torch.tensor([0, 0, 0, -1, 1, 1, 1, -1, 2, 2, 2, -1]).repeat(windows, 1)
    targets = torch.tensor([0.02, 0.33, 0.85])[groups.clamp(min=0)].masked_fill(groups < 0, torch.nan)
    kept = torch.tensor([1, 0, 0, -1, 1, 1, 0, -1, -1, -1, -1, -1]).repeat(windows, 1)
    return torch.randn(windows, LENGTH, requires_grad=True), targets, groups, kept


def loss(parts: tuple[torch.Tensor, ...], *weights: float) -> Loss:
    logits, targets, groups, kept = parts
    return keep_loss(logits, targets, groups, kept, torch.tensor(weights), CONFIG)


def gradient(found: Loss, logits: torch.Tensor) -> torch.Tensor:
    (found_gradient,) = torch.autograd.grad(found.total, logits)
    return found_gradient


def test_weights_of_one_give_plain_means() -> None:
    logits, targets, groups, _ = parts = batch(2)
    judged = groups >= 0
    found = loss(parts, 1.0, 1.0)

    lines = torch.stack([torch.sigmoid(logits)[w][groups[w] == line].mean() for w in (0, 1) for line in (0, 1, 2)])
    wanted = torch.tensor([0.02, 0.33, 0.85]).repeat(2)

    assert found.piece == pytest.approx(F.binary_cross_entropy_with_logits(logits[judged], targets[judged]).item())
    assert found.line == pytest.approx(F.binary_cross_entropy(lines, wanted).item(), rel=1e-5)
    assert min(found.rank, found.word) > 0


def test_a_window_of_no_weight_teaches_nothing_and_changes_nothing() -> None:
    logits, *rest = batch(2)
    found = loss((logits, *rest), 1.0, 0.0)
    pull = gradient(found, logits)

    assert pull[0].abs().max() > 0 and pull[1].abs().max() == 0
    assert found.total.item() == pytest.approx(loss((logits[:1], *(part[:1] for part in rest)), 1.0).total.item(), rel=1e-5)


def test_doubling_all_weights_changes_nothing() -> None:
    one, other = loss(batch(3), 0.2, 1.0, 0.5), loss(batch(3), 0.4, 2.0, 1.0)

    for name in ("total", "piece", "line", "rank", "word"):
        assert getattr(one, name).item() == pytest.approx(getattr(other, name).item(), rel=1e-5)


def test_a_heavier_window_pulls_harder() -> None:
    logits, *rest = batch(2)
    pull = gradient(loss((logits, *rest), 1.0, 0.1), logits)

    assert pull[0].abs().sum() > 2 * pull[1].abs().sum()


@pytest.mark.parametrize("judged", [True, False])
def test_nothing_to_learn_is_no_loss_and_no_nan(judged: bool) -> None:
    logits, targets, groups, kept = batch(2)
    if judged:
        found = loss((logits, targets, groups, kept), 0.0, 0.0)
    else:
        nothing = torch.full_like(groups, -1)
        found = loss((logits, torch.full_like(targets, torch.nan), nothing, nothing), 1.0, 1.0)

    assert found.total.item() == 0
    assert not gradient(found, logits).isnan().any()
