"""A run in several processes: they share the batches of a pass out and decide everything alike."""

import torch
from accelerate import Accelerator
from accelerate.utils import broadcast


def own_batches(order: list[list[int]], processes: int, own: int, count: int) -> list[list[int]]:
    """The ``count`` batches of process ``own``; passes differ by a batch or two, a short one begins anew."""
    return (order * (processes + 1))[own::processes][:count]


def as_main(accelerator: Accelerator, number: float) -> float:
    """The main process's number, in every process: what they do next must not differ by a rounding."""
    told = broadcast(torch.tensor(number, dtype=torch.float32, device=accelerator.device))
    return float(told)


def silent(line: str) -> None:
    """The log of the other processes, which would say the same."""
