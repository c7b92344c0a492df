"""The training loop: AdamW over length-bucketed windows, resumable, judged on held-out documents.

    elision train --config training/configs/first-light-1.toml

Embeddings stay frozen: they are most of the weights, arrive as 4-bit rows and leave as the same.
Every few minutes the whole state is saved under ``OUT/state``; the same command goes on from there.
The weights that did best on the held-out documents are in ``OUT/best`` as a plain Hugging Face folder.
"""

import dataclasses
import json
import math
import random
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from accelerate import Accelerator
from transformers import XLMRobertaForTokenClassification

from elision.model.tokeniser import PieceTokeniser
from elision.training.config import TrainConfig
from elision.training.dataset import IGNORED, Example, batches, encode, examples, split_documents
from elision.training.evaluate import evaluate
from elision.training.labels.rows import LabelRow, read_labels
from elision.training.loss import Loss, keep_loss
from elision.training.start import starting_point
from elision.training.torch_scorer import TorchScorer

CHOSEN_BY = ("line_auc_ge2", "pooled_auc_ge2", "word_auc")


def train(config: TrainConfig, log: Callable[[str], None] = print) -> Path:
    """Run, or go on with, one training run; returns the folder of the best weights."""
    _seed(config.seed)
    out = Path(config.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "config.json").write_text(json.dumps(dataclasses.asdict(config), indent=2) + "\n")
    model, tokeniser = starting_point(config)
    rows = [row for path in config.labels for row in read_labels(Path(path))]
    learn, held = split_documents(rows, config.held_out, config.seed)
    log(f"{len(learn)} chunks to learn from, {len(held)} held out")
    run = _Run(config, out, model, tokeniser, learn, held, log)
    run.go()
    return out / "best"


class _Run:
    """The state of one run: where it stands, what it has best."""

    def __init__(
        self,
        config: TrainConfig,
        out: Path,
        model: XLMRobertaForTokenClassification,
        tokeniser: PieceTokeniser,
        learn: Sequence[LabelRow],
        held: Sequence[LabelRow],
        log: Callable[[str], None],
    ) -> None:
        self.config, self.out, self.tokeniser, self.held, self.log = config, out, tokeniser, held, log
        self.accelerator = Accelerator(mixed_precision="bf16", cpu=not torch.cuda.is_available())
        self.dataset = encode(learn, tokeniser, config)
        trainable = [p for p in model.parameters() if p.requires_grad]
        optimiser = torch.optim.AdamW(trainable, lr=config.learning_rate, weight_decay=config.weight_decay)
        first = batches(examples(self.dataset, tokeniser, config, 0), config, 0)
        self.steps_per_pass = len(first)
        self.steps = self.steps_per_pass * config.passes
        schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: rate(step / self.steps, config))
        self.model, self.optimiser, self.schedule = self.accelerator.prepare(model, optimiser, schedule)
        self.step, self.best = 0, -math.inf
        self._resume()

    def go(self) -> None:
        saved = time.monotonic()
        every = max(1, self.steps_per_pass // self.config.evaluations)
        for number, found, batch in self._batches():
            loss = self._learn(found, batch)
            self.step += 1
            if self.step % 20 == 0:
                self._record({"step": self.step, "pass": number, "rate": self.schedule.get_last_lr()[0], **loss})
            if self.step % every == 0 or self.step == self.steps:
                self._judge()
            if time.monotonic() - saved > self.config.checkpoint_minutes * 60:
                self._save()
                saved = time.monotonic()
        self._save()

    def _batches(self) -> Iterator[tuple[int, list[Example], list[int]]]:
        """Batches from where the run stands: each pass has its own order, fixed by its number."""
        done = self.step
        for number in range(self.config.passes):
            found = examples(self.dataset, self.tokeniser, self.config, number)
            order = batches(found, self.config, number)
            order = (order * 2)[: self.steps_per_pass]  # passes differ by a batch or two
            if done >= len(order):
                done -= len(order)
                continue
            for batch in order[done:]:
                yield number, found, batch
            done = 0

    def _learn(self, found: list[Example], batch: list[int]) -> dict[str, float]:
        self.model.train()
        tensors = collate([found[i] for i in batch], self.tokeniser.pad, self.accelerator.device)
        ids, mask, targets, groups, kept = tensors
        with self.accelerator.autocast():
            logits = self.model(input_ids=ids, attention_mask=mask).logits.squeeze(-1)
        loss = keep_loss(logits, targets, groups, kept, self.config)
        self.accelerator.backward(loss.total)
        self.accelerator.clip_grad_norm_(self.model.parameters(), self.config.clip)
        self.optimiser.step()
        self.schedule.step()
        self.optimiser.zero_grad()
        return _figures(loss)

    def _judge(self) -> None:
        model = self.accelerator.unwrap_model(self.model)
        figures = evaluate(self.held, TorchScorer(model, self.tokeniser, self.config.window_pieces))
        score = float(np.mean([figures[key] for key in CHOSEN_BY if key in figures]))
        self._record({"step": self.step, "held_out": {k: v for k, v in figures.items() if "[" not in k}})
        if score > self.best:
            self.best = score
            folder = self.out / "best.partial"
            model.save_pretrained(folder)
            (folder / "figures.json").write_text(json.dumps(figures, indent=2) + "\n")
            _swap(folder, self.out / "best")

    def _record(self, row: dict[str, object]) -> None:
        line = json.dumps({"at": round(time.time()), **row})
        with (self.out / "metrics.jsonl").open("a") as stream:
            stream.write(line + "\n")
        self.log(line)

    def _save(self) -> None:
        partial = self.out / "state.partial"
        shutil.rmtree(partial, ignore_errors=True)
        self.accelerator.save_state(str(partial))
        (partial / "progress.json").write_text(json.dumps({"step": self.step, "best": self.best}))
        _swap(partial, self.out / "state")

    def _resume(self) -> None:
        state = next((s for s in (self.out / "state", self.out / "state.old") if s.exists()), self.out / "state")
        if state.exists():
            self.accelerator.load_state(str(state))
            progress = json.loads((state / "progress.json").read_text())
            self.step, self.best = progress["step"], progress["best"]
            self.log(f"resumed at step {self.step} of {self.steps}")


def _swap(new: Path, final: Path) -> None:
    """Put ``new`` where ``final`` is; a kill at any moment leaves one of them, or ``final.old``, whole."""
    old = final.with_name(f"{final.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if final.exists():
        final.rename(old)
    new.rename(final)
    shutil.rmtree(old, ignore_errors=True)


def rate(progress: float, config: TrainConfig) -> float:
    """Share of the peak learning rate at ``progress`` in [0, 1]: up, level, then down to zero."""
    if progress < config.warmup:
        return progress / config.warmup
    return min(1.0, (1 - progress) / config.decay) if config.decay else 1.0


def collate(found: Sequence[Example], pad: int, device: torch.device) -> tuple[torch.Tensor, ...]:
    """Pad examples to one length: ids, mask, targets, groups, kept, each ``(batch, length)``."""
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
    )


def _figures(loss: Loss) -> dict[str, float]:
    return {name: round(float(getattr(loss, name)), 4) for name in ("piece", "line", "rank", "word")}


def _seed(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
