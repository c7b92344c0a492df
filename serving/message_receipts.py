"""What became of a conversation as JSON: the same from the command line and over HTTP."""

from collections.abc import Sequence
from typing import Any

from elision.compaction.cuts import Problem
from elision.compaction.messages import LeafOutcome
from elision.compaction.types import TokenCounter
from elision.serving.conversations import Answer
from elision.serving.receipts import spans_json


def report(answer: Answer) -> dict[str, Any]:
    """Everything about an answer but its body."""
    counter, scorer = answer.job.shortener.counter, answer.job.shortener.scorer
    return {
        "format": answer.job.conversation.format,
        "tokens_before": answer.before,
        "tokens_after": answer.after,
        "tokens_saved": answer.before - answer.after,
        "target_met": answer.target_met,
        "changed": answer.done.changed or bool(answer.job.repairs),
        "reason": answer.reason,
        "leaves": [leaf_json(leaf, counter, answer.keeps) for leaf in answer.done.leaves],
        "problems": problems_json(answer.done.problems),
        "repairs": answer.job.repairs,
        "bundle": scorer.bundle,
        "runner": scorer.runner,
        "token_counter": {"encoding": counter.encoding, "exact": answer.done.before.exact},
    }


def leaf_json(leaf: LeafOutcome, counter: TokenCounter, keeps: bool) -> dict[str, Any]:
    """What became of one text; its handle where originals can be had back."""
    planned, receipt = leaf.planned, leaf.compressed.receipt if leaf.compressed else None
    before = receipt.tokens_before if receipt else counter.count(planned.leaf.text)
    return {
        "path": planned.leaf.path,
        "message": planned.index,
        "tool": planned.tool,
        "changed": leaf.changed,
        "reason": leaf.reason,
        "tokens_before": before,
        "tokens_after": receipt.tokens_after if receipt else before,
        "handle": leaf.handle if keeps and leaf.handle else None,
        "bundle": receipt.bundle if receipt else None,
        **(spans_json(receipt) if receipt else {"dropped": [], "pinned": []}),
    }


def problems_json(problems: Sequence[Problem]) -> list[dict[str, str]]:
    """What a provider would refuse."""
    return [{"pointer": p.pointer, "rule": p.rule, "detail": p.detail} for p in problems]
