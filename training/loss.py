"""What the scorer is trained for: right values on pieces, on lines, and in the order of lines.

Four terms over one logit per piece. The piece term fits the graded targets; the line term fits the
mean over each line's pieces, which is the line's score, so that a short line counts as much as a
long one; the rank term asks that a better line of the same window scores higher, which is what
choosing needs; the word term asks that a kept word scores above a dropped one, in any sentence.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F

from elision.training.config import TrainConfig


@dataclass(frozen=True)
class Loss:
    """The four terms and their weighted sum."""

    total: torch.Tensor
    piece: torch.Tensor
    line: torch.Tensor
    rank: torch.Tensor
    word: torch.Tensor


def keep_loss(
    logits: torch.Tensor,
    targets: torch.Tensor,
    groups: torch.Tensor,
    kept: torch.Tensor,
    weights: torch.Tensor,
    config: TrainConfig,
) -> Loss:
    """Loss of one batch.

    Args:
        logits: Shape ``(batch, length)``.
        targets: Keep values, NaN where there is none, shape ``(batch, length)``, float32.
        groups: Judged line of each piece within its window, -1 where there is none, shape
            ``(batch, length)``, int64.
        kept: 1 for a kept word, 0 for a dropped one, -1 where words were not judged, shape
            ``(batch, length)``, int64.
        weights: What each window counts for, shape ``(batch,)``, float32; all terms are weighted means.
    """
    judged = groups >= 0
    word = _word_loss(logits.float(), kept, weights)
    logits, targets = logits.float()[judged], targets[judged]
    window = torch.arange(groups.shape[0], device=groups.device)[:, None].expand_as(groups)[judged]
    keys, line_of = torch.unique(window * 100_000 + groups[judged], return_inverse=True)
    piece = _weighted(F.binary_cross_entropy_with_logits(logits, targets, reduction="none"), weights[window])
    values = _means(torch.sigmoid(logits), line_of, len(keys))
    wanted = _means(targets, line_of, len(keys))
    window = keys // 100_000
    by_line = F.binary_cross_entropy(values.clamp(1e-4, 1 - 1e-4), wanted, reduction="none")
    line = _weighted(by_line, weights[window])
    rank = _rank_loss(values, wanted, window, weights, config.rank_scale)
    total = piece + config.line_weight * line + config.rank_weight * rank + config.word_weight * word
    return Loss(total, piece.detach(), line.detach(), rank.detach(), word.detach())


def _means(values: torch.Tensor, index: torch.Tensor, count: int) -> torch.Tensor:
    sums = torch.zeros(count, device=values.device).index_add(0, index, values)
    return sums / torch.bincount(index, minlength=count)


def _weighted(values: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    return (values * weights).sum() / weights.sum().clamp(min=1e-6)


def _word_loss(logits: torch.Tensor, kept: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Over all pairs of a kept and a dropped piece of the batch: what the area under the curve counts."""
    each = weights[:, None].expand_as(kept)
    ahead = logits[kept == 1][:, None] - logits[kept == 0][None, :]
    if not ahead.numel():
        return logits.sum() * 0
    return _weighted(F.softplus(-ahead), each[kept == 1][:, None] * each[kept == 0][None, :])


def _rank_loss(
    values: torch.Tensor, wanted: torch.Tensor, window: torch.Tensor, weights: torch.Tensor, scale: float
) -> torch.Tensor:
    """Over the pairs of lines of each window, and then over windows: a long one counts no more than a short one."""
    gap = wanted[:, None] - wanted[None, :]
    pair = (window[:, None] == window[None, :]) & (gap > 0.1)
    if not pair.any():
        return values.sum() * 0
    ahead = (values[:, None] - values[None, :])[pair] / scale
    of = window[:, None].expand_as(gap)[pair]
    gaps = torch.zeros_like(weights).index_add(0, of, gap[pair])
    return _weighted(F.softplus(-ahead), gap[pair] * (weights / gaps.clamp(min=1e-6))[of])
