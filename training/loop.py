"""The training loop: AdamW over length-bucketed windows, resumable, judged on held-out documents.

    elision train --config training/configs/first-light-1.toml

Embeddings stay frozen: they are most of the weights, arrive as 4-bit rows and leave as the same.
Every few minutes the whole state is saved under ``OUT/state``; the same command goes on from there.
The weights that did best on the held-out documents are in ``OUT/best`` as a plain Hugging Face folder,
the line head fitted at the end beside it.
"""

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState
from datasets import Dataset, concatenate_datasets
from transformers import PreTrainedModel

from elision.model.bundle import LINE_HEAD
from elision.model.line_head import write_weights
from elision.model.tokeniser import PieceTokeniser
from elision.training.config import TrainConfig
from elision.training.dataset import IGNORED, Example, batches, encode, examples
from elision.training.distil import taught
from elision.training.evaluation.evaluate import evaluate
from elision.training.labels.rows import LabelRow
from elision.training.line_head import fit_line_head
from elision.training.loss import Loss, keep_loss
from elision.training.mixture import Mixture, drawn, gather
from elision.training.precision import use_bf16
from elision.training.processes import as_main, own_batches, silent
from elision.training.run_files import (
    Progress,
    check_same,
    check_sources,
    file_hashes,
    load_state,
    put_back,
    record,
    save_best,
    save_state,
    write_config,
)
from elision.training.start import starting_point
from elision.training.torch_scorer import TorchScorer

CHOSEN_BY = ("line_auc_ge2", "pooled_auc_ge2", "word_auc")


def train(config: TrainConfig, log: Callable[[str], None] = print) -> Path:
    """Run, or go on with, one training run; returns the folder of the best weights.

    Raises:
        BadConfig: If ``OUT`` holds another run, or what the configuration names is not there.
        BadLabels: If a label file breaks the schema.
    """
    _seed(config.seed)
    out = Path(config.out)
    precision = "bf16" if use_bf16(config) else "no"
    AcceleratorState._reset_state()  # a run before this one in the same process may have multiplied otherwise
    accelerator = Accelerator(mixed_precision=precision, cpu=not torch.cuda.is_available())
    told = log if accelerator.is_main_process else silent
    check_sources(config)
    mixture = gather(config if config.passes else replace(config, held_out=0.0), told)  # a head alone has nothing to choose
    hashes = file_hashes(config)
    check_same(out, config, hashes)
    with accelerator.main_process_first():  # it makes the folders that the others read
        out.mkdir(parents=True, exist_ok=True)
        if accelerator.is_main_process:
            write_config(out, config, hashes)
            put_back(out)
        model, tokeniser = starting_point(config)
    if config.passes:
        _Run(config, out, model, tokeniser, mixture, accelerator, told).go()
    if accelerator.is_main_process:
        if not config.passes:
            save_best(out, model, {})
        if config.line_head:
            weights = fit_line_head([*mixture.own, *mixture.replayed], tokeniser, config, told)
            write_weights(out / LINE_HEAD, weights)
    accelerator.wait_for_everyone()
    return out / "best"


class _Run:
    """The state of one run: where it stands, what it has best."""

    def __init__(
        self,
        config: TrainConfig,
        out: Path,
        model: PreTrainedModel,
        tokeniser: PieceTokeniser,
        mixture: Mixture,
        accelerator: Accelerator,
        log: Callable[[str], None],
    ) -> None:
        self.config, self.out, self.tokeniser, self.held, self.log = config, out, tokeniser, mixture.held_out, log
        self.accelerator = accelerator
        with self.accelerator.main_process_first():  # it asks the teacher, the others read the answers
            self.own = self._encoded(mixture.own)
            self.replayed = self._encoded(mixture.replayed) if mixture.replayed else None
        trainable = [p for p in model.parameters() if p.requires_grad]
        optimiser = torch.optim.AdamW(trainable, lr=config.learning_rate, weight_decay=config.weight_decay)
        self.steps_per_pass = max(1, len(self._pass(0)[1]) // self.accelerator.num_processes)
        self.steps = self.steps_per_pass * config.passes
        schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: rate(step / self.steps, config))
        self.model, self.optimiser = self.accelerator.prepare(model, optimiser)
        self.schedule = schedule  # not prepared: it would count the steps of all processes
        self.accelerator.register_for_checkpointing(schedule)
        resumed = load_state(out, accelerator)
        progress = resumed or Progress()
        self.step, self.best, self.worse = progress.step, progress.best, progress.worse
        if resumed:
            self.log(f"resumed at step {self.step} of {self.steps}")

    def go(self) -> None:
        saved = time.monotonic()
        every = max(1, self.steps_per_pass // self.config.evaluations)
        for number, found, batch in self._batches():
            loss = self._learn(found, batch)
            self.step += 1
            if self.step % 20 == 0:
                self._record({"step": self.step, "of": self.steps, "pass": number, "rate": self.schedule.get_last_lr()[0], **loss})
            if self.step % every == 0 or self.step == self.steps:
                self._judge()
                if self.config.patience and self.worse >= self.config.patience:
                    self.log(f"stopped at step {self.step} of {self.steps}: {self.worse} evaluations without a better score")
                    break
            # All processes must save at the same step, and their clocks differ.
            if as_main(self.accelerator, time.monotonic() - saved) > self.config.checkpoint_minutes * 60:
                self._save()
                saved = time.monotonic()
        self._save()

    def _encoded(self, rows: Sequence[LabelRow]) -> Dataset:
        data = encode(rows, self.tokeniser, self.config)
        return taught(data, self.tokeniser, self.config, self.log) if self.config.teacher else data

    def _pass(self, number: int) -> tuple[list[Example], list[list[int]]]:
        """Windows of a pass and their batches; the same for the same number and seed, in every process."""
        rows = self.own
        if self.replayed is not None:
            some = drawn(len(self.replayed), len(self.own), self.config, number)
            rows = concatenate_datasets([rows, self.replayed.select(some)])
        found = examples(rows, self.tokeniser, self.config, number)
        return found, batches(found, self.config, number)

    def _batches(self) -> Iterator[tuple[int, list[Example], list[int]]]:
        """This process's batches from where the run stands: each pass has its own order, fixed by its number."""
        processes, own = self.accelerator.num_processes, self.accelerator.process_index
        done = self.step
        for number in range(self.config.passes):
            if done >= self.steps_per_pass:
                done -= self.steps_per_pass
                continue
            found, order = self._pass(number)
            for batch in own_batches(order, processes, own, self.steps_per_pass)[done:]:
                yield number, found, batch
            done = 0

    def _learn(self, found: list[Example], batch: list[int]) -> dict[str, float]:
        self.model.train()
        tensors = collate([found[i] for i in batch], self.tokeniser.pad, self.accelerator.device)
        ids, mask, targets, groups, kept, weights = tensors
        with self.accelerator.autocast():
            logits = self.model(input_ids=ids, attention_mask=mask).logits.squeeze(-1)
        loss = keep_loss(logits, targets, groups, kept, weights, self.config)
        self.accelerator.backward(loss.total)
        self.accelerator.clip_grad_norm_(self.model.parameters(), self.config.clip)
        self.optimiser.step()
        self.schedule.step()
        self.optimiser.zero_grad()
        return _figures(loss)

    def _judge(self) -> None:
        """Score the held-out sets; every process finds the same, one writes."""
        model = self.accelerator.unwrap_model(self.model)
        scorer = TorchScorer(model, self.tokeniser, self.config.window_pieces, bf16=self.accelerator.mixed_precision == "bf16")
        sets = [evaluate(rows, scorer) for rows in self.held]
        score = as_main(self.accelerator, float(np.mean([_score(figures) for figures in sets])) if sets else float(self.step))
        self._record({"step": self.step, "held_out": [{k: v for k, v in figures.items() if "[" not in k} for figures in sets]})
        self.worse += 1
        if score > self.best:
            self.best, self.worse = score, 0
            if self.accelerator.is_main_process:
                save_best(self.out, model, sets[0] if sets else {})

    def _record(self, row: dict[str, object]) -> None:
        if self.accelerator.is_main_process:
            self.log(record(self.out, row))

    def _save(self) -> None:
        save_state(self.out, self.accelerator, Progress(self.step, self.best, self.worse))


def rate(progress: float, config: TrainConfig) -> float:
    """Share of the peak learning rate at ``progress`` in [0, 1]: up, level, then down to zero."""
    if progress < config.warmup:
        return progress / config.warmup
    return min(1.0, (1 - progress) / config.decay) if config.decay else 1.0


def collate(found: Sequence[Example], pad: int, device: torch.device) -> tuple[torch.Tensor, ...]:
    """Pad examples to one length: ids, mask, targets, groups, kept, each ``(batch, length)``, and weights ``(batch,)``."""
    length = max(len(example.ids) for example in found)

    def padded(rows: list[np.ndarray], fill: float) -> torch.Tensor:
        wide = np.full((len(rows), length), fill, dtype=rows[0].dtype)
        for row, values in enumerate(rows):
            wide[row, : len(values)] = values
        return torch.from_numpy(wide).to(device)

    return (
        padded([example.ids for example in found], pad),
        padded([np.ones_like(example.ids) for example in found], 0),
        padded([example.targets for example in found], np.nan),
        padded([example.groups for example in found], IGNORED),
        padded([example.kept for example in found], IGNORED),
        torch.tensor([example.weight for example in found], device=device),
    )


def _score(figures: Mapping[str, float]) -> float:
    """What checkpoints are chosen by."""
    return float(np.mean([figures[key] for key in CHOSEN_BY if key in figures] or [0.0]))


def _figures(loss: Loss) -> dict[str, float]:
    return {name: round(float(getattr(loss, name)), 4) for name in ("piece", "line", "rank", "word")}


def _seed(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
