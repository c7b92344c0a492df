"""Next-action support of whole methods: what is left of the outputs whose content the agent used next.

A rule keeps whole lines or sentences within the tokens that ours used, so that both spent alike.
JSON outputs, which the product leaves whole, are left out for all methods and counted apart.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from elision.compaction.compress import compress
from elision.compaction.cut import rebuild
from elision.compaction.guard.segment import segment
from elision.compaction.guard.whole_json import is_json
from elision.compaction.tokens import counter
from elision.compaction.types import Budget, Drop
from elision.model.types import Scorer
from elision.training.errors import BadTranscript
from elision.training.evaluation.baselines import Ranker
from elision.training.evaluation.end_to_end import keep_whole
from elision.training.evaluation.next_action import (
    Mention,
    bootstrap,
    common_words,
    means_by,
    needed,
    supported,
)
from elision.training.transcripts.files import read_transcripts
from elision.training.transcripts.outputs import ToolOutput, outputs_of

RATIOS = (0.33, 0.50)
MIN_TOKENS = 300
OURS = "elision"

Used = tuple[ToolOutput, set[Mention]]
"""An output, and what the agent used next and can only have from it."""


@dataclass(frozen=True, slots=True)
class Cases:
    """The outputs that support is measured on.

    Attributes:
        used: Outputs of which the agent used something.
        texts: All that are long enough and no JSON, used or not.
        json_left_out: Long enough, but JSON.
    """

    used: tuple[Used, ...]
    texts: tuple[str, ...]
    json_left_out: int


def outputs_under(path: Path) -> Iterator[ToolOutput]:
    """Tool outputs of a transcript file, or of every one of a folder.

    Raises:
        BadTranscript: If there is no such file, or one breaks the schema.
    """
    paths = [path] if not path.is_dir() else sorted([*path.glob("*.jsonl.gz"), *path.glob("*.jsonl")])
    if not paths:
        raise BadTranscript(f"{path}: no .jsonl or .jsonl.gz file in it")
    for file in paths:
        for transcript in read_transcripts(file):
            yield from outputs_of(transcript)


def cases(outputs: Iterable[ToolOutput], min_tokens: int = MIN_TOKENS) -> Cases:
    """Those outputs of ``min_tokens`` or more that told the agent something it used next."""
    long = [output for output in outputs if counter().count(output.text) >= min_tokens]
    plain = [output for output in long if not is_json(output.text)]
    common = common_words([output.text for output in plain] + [said for o in plain for said in o.later])
    used = tuple((output, mentions) for output in plain if (mentions := needed(output, common)))
    return Cases(used, tuple(output.text for output in plain), len(long) - len(plain))


def shortened(output: ToolOutput, ratio: float, scorer: Scorer) -> tuple[str, int]:
    """What the product leaves and its tokens; markers are taken out, so they support nothing."""
    budget = Budget(keep_ratio=ratio)
    receipt = compress(output.text, budget, scorer=scorer, counter=counter(), query=output.query).receipt
    unmarked = [
        Drop(d.span, "\n" if d.replacement.strip() else d.replacement, d.reason) for d in receipt.dropped
    ]
    return rebuild(output.text, unmarked), receipt.tokens_after


def ruled(output: ToolOutput, tokens: int, rule: Ranker) -> str:
    """What a rule leaves within ``tokens``: whole lines or sentences."""
    spans = [passage.span for passage in segment(output.text).passages]
    values = rule(output.text, spans, output.query)
    left = keep_whole(output.text, spans, values, tokens, counter())
    return rebuild(output.text, [Drop(span, "", "") for span in left.dropped])


def versions(
    output: ToolOutput, ratio: float, scorer: Scorer, rules: Mapping[str, Ranker]
) -> Iterator[tuple[str, str]]:
    """``(method, shortened text)``, ours first."""
    text, tokens = shortened(output, ratio, scorer)
    yield OURS, text
    for name, rule in rules.items():
        yield name, ruled(output, tokens, rule)


def support(
    used: Sequence[Used], scorer: Scorer, rules: Mapping[str, Ranker], ratio: float
) -> dict[str, dict[str, Any]]:
    """Support of each method at one ratio: mean, interval, lead of ours over it, per sort and per kind.

    The intervals draw whole transcripts.
    """
    shares: dict[str, list[float]] = defaultdict(list)
    sorts: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for output, mentions in used:
        for method, text in versions(output, ratio, scorer, rules):
            there = supported(mentions, text)
            shares[method].append(len(there) / len(mentions))
            for mention in mentions:
                sorts[method][mention.sort].append(mention in there)
    groups = [output.transcript for output, _ in used]
    kinds = [output.kind for output, _ in used]
    report = {}
    for method, values in shares.items():
        lead = np.subtract(shares[OURS], values)
        report[method] = {
            "support": float(np.mean(values)),
            "interval": bootstrap(values, groups),
            "lead_of_ours": float(lead.mean()),
            "lead_interval": bootstrap(lead.tolist(), groups),
            "by_sort": {sort: float(np.mean(there)) for sort, there in sorted(sorts[method].items())},
            "by_kind": means_by(kinds, values),
        }
    return report
