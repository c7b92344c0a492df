"""Which numbers a run multiplies in: bf16 takes half the time of float32, or twice it, as the machine has it."""

import time
from functools import cache

import torch

from elision.training.config import TrainConfig

_SHAPES = (2048, 384, 1536)  # of one layer's largest product, for a batch
_TRIES = 3


def use_bf16(config: TrainConfig) -> bool:
    """Whether to multiply in bf16; where the configuration leaves it open, always on a GPU, on a CPU if it is faster."""
    if config.precision != "auto":
        return config.precision == "bf16"
    return torch.cuda.is_available() or _bf16_is_quicker()


@cache
def _bf16_is_quicker() -> bool:
    """Asked once a process: runs in one process must multiply alike."""
    return seconds(torch.bfloat16) < seconds(torch.float32)


def seconds(dtype: torch.dtype) -> float:
    """The quickest of a few products of matrices as training has them; milliseconds, on any CPU."""
    rows, inner, columns = _SHAPES
    left, right = torch.ones(rows, inner, dtype=dtype), torch.ones(columns, inner, dtype=dtype)
    return min(_timed(left, right) for _ in range(1 + _TRIES))


def _timed(left: torch.Tensor, right: torch.Tensor) -> float:
    before = time.perf_counter()
    torch.nn.functional.linear(left, right)
    return time.perf_counter() - before
