"""A `Scorer` over a PyTorch model: the same windows and sums as the shipped runner, for training."""

from collections.abc import Callable

import numpy as np
import torch

from elision.model.tokeniser import PieceTokeniser
from elision.model.types import Scores, nothing
from elision.model.windows import LINES, QUERY_PIECES, Window, input_of


class TorchScorer:
    """Scores texts with a token classifier of one logit (keep) or two (label 1 = keep).

    Args:
        model: The classifier.
        tokeniser: Its tokeniser.
        window_pieces: Longest input.
        bf16: Whether it computes in bfloat16.
        reads: What it reads, one of `elision.model.windows.INPUTS`; training is always on lines.
    """

    bundle = "in training"
    runner = "torch"

    def __init__(
        self,
        model: torch.nn.Module,
        tokeniser: PieceTokeniser,
        window_pieces: int,
        *,
        bf16: bool = False,
        reads: str = LINES,
    ) -> None:
        self.model, self.tokeniser, self.bf16 = model, tokeniser, bf16
        self.input = input_of(reads, tokeniser, window_pieces)

    def score(self, text: str, query: str = "", tick: Callable[[], None] = nothing) -> Scores:
        """See `elision.model.types.Scorer`."""
        asked = self.tokeniser.query(query, QUERY_PIECES)
        found = list(self.input.windows(self.tokeniser.lines(text)))
        values = [self._values(asked, window) for window in found]
        starts = np.array([s for window in found for s in window.starts], dtype=np.int64)
        stops = np.array([s for window in found for s in window.stops], dtype=np.int64)
        flat = np.concatenate(values) if values else np.zeros(0, dtype=np.float32)
        real = stops > starts
        return Scores(starts[real], stops[real], flat[real])

    @torch.no_grad()
    def _values(self, query: list[int], window: Window) -> np.ndarray:
        self.model.eval()
        device = next(self.model.parameters()).device
        ids = torch.tensor([self.input.ids(query, window)], device=device)
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=self.bf16):
            logits = self.model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits[0].float()
        keep = torch.sigmoid(logits[:, 0]) if logits.shape[1] == 1 else torch.softmax(logits, -1)[:, 1]
        return keep[-len(window.ids) :].cpu().numpy().astype(np.float32)
