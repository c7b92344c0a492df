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
    logits: torch.Tensor, targets: torch.Tensor, groups: torch.Tensor, kept: torch.Tensor, config: TrainConfig
) -> Loss:
    """Loss of one batch.

    Args:
        logits: Shape ``(batch, length)``.
        targets: Keep values, NaN where there is none, shape ``(batch, length)``, float32.
        groups: Judged line of each piece within its window, -1 where there is none, shape
            ``(batch, length)``, int64.
        kept: 1 for a kept word, 0 for a dropped one, -1 where words were not judged, shape
            ``(batch, length)``, int64.
    """
    judged = groups >= 0
    word = _word_loss(logits.float(), kept)
    logits, targets = logits.float()[judged], targets[judged]
    window = torch.arange(groups.shape[0], device=groups.device)[:, None].expand_as(groups)[judged]
    keys, line_of = torch.unique(window * 100_000 + groups[judged], return_inverse=True)
    piece = F.binary_cross_entropy_with_logits(logits, targets)
    values = _means(torch.sigmoid(logits), line_of, len(keys))
    wanted = _means(targets, line_of, len(keys))
    line = F.binary_cross_entropy(values.clamp(1e-4, 1 - 1e-4), wanted)
    rank = _rank_loss(values, wanted, keys // 100_000, config.rank_scale)
    total = piece + config.line_weight * line + config.rank_weight * rank + config.word_weight * word
    return Loss(total, piece.detach(), line.detach(), rank.detach(), word.detach())


def _means(values: torch.Tensor, index: torch.Tensor, count: int) -> torch.Tensor:
    sums = torch.zeros(count, device=values.device).index_add(0, index, values)
    return sums / torch.bincount(index, minlength=count)


def _word_loss(logits: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
    """Over all pairs of a kept and a dropped piece of the batch: what the area under the curve counts."""
    ahead = logits[kept == 1][:, None] - logits[kept == 0][None, :]
    return F.softplus(-ahead).mean() if ahead.numel() else logits.sum() * 0


def _rank_loss(values: torch.Tensor, wanted: torch.Tensor, window: torch.Tensor, scale: float) -> torch.Tensor:
    gap = wanted[:, None] - wanted[None, :]
    pair = (window[:, None] == window[None, :]) & (gap > 0.1)
    if not pair.any():
        return values.sum() * 0
    ahead = (values[:, None] - values[None, :])[pair] / scale
    return (F.softplus(-ahead) * gap[pair]).sum() / gap[pair].sum()
