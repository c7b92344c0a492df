"""Next-action support on dev transcripts: ours against the baselines, at equal tokens.

    .venv/bin/python scripts/next_action.py [--sample 40] [--json]

Of what the agent's next five texts and calls use and only this tool output had told it, the
share still there in the shortened output; mean over outputs, with a 95 % interval that draws
whole transcripts, and per kind of transcript. A baseline keeps whole lines or sentences within the tokens ours used. JSON
outputs, which the product leaves whole, are left out for all methods and counted apart.
"""

import argparse
import json
import os
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from elision.compaction.compress import compress
from elision.compaction.cut import rebuild
from elision.compaction.guard.segment import segment
from elision.compaction.guard.whole_json import is_json
from elision.compaction.tokens import counter
from elision.compaction.types import Budget, Drop
from elision.model.scorer import load_scorer
from elision.model.types import Scorer
from elision.training.baselines import Ranker, baselines
from elision.training.end_to_end import keep_whole
from elision.training.next_action import Mention, bootstrap, common_words, means_by, needed, supported
from elision.training.transcripts.outputs import ToolOutput, tool_outputs

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
RATIOS = (0.33, 0.50)
OURS = "elision"


def versions(
    output: ToolOutput, ratio: float, scorer: Scorer, rules: dict[str, Ranker]
) -> Iterator[tuple[str, str]]:
    """``(method, shortened text)``, ours first; markers are taken out, so they support nothing."""
    budget = Budget(keep_ratio=ratio)
    receipt = compress(output.text, budget, scorer=scorer, counter=counter(), query=output.query).receipt
    unmarked = [
        Drop(d.span, "\n" if d.replacement.strip() else d.replacement, d.reason) for d in receipt.dropped
    ]
    yield OURS, rebuild(output.text, unmarked)
    spans = [passage.span for passage in segment(output.text).passages]
    for name, rule in rules.items():
        values = rule(output.text, spans, output.query)
        left = keep_whole(output.text, spans, values, receipt.tokens_after, counter())
        yield name, rebuild(output.text, [Drop(span, "", "") for span in left.dropped])


def measure(
    wanted: list[tuple[ToolOutput, set[Mention]]], scorer: Scorer, rules: dict[str, Ranker], ratio: float
) -> dict[str, Any]:
    """Support of each method at one ratio: mean, interval, lead of ours over it, per sort and per kind."""
    shares: dict[str, list[float]] = defaultdict(list)
    sorts: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for output, mentions in wanted:
        for method, text in versions(output, ratio, scorer, rules):
            there = supported(mentions, text)
            shares[method].append(len(there) / len(mentions))
            for mention in mentions:
                sorts[method][mention.sort].append(mention in there)
    groups = [output.transcript for output, _ in wanted]
    kinds = [output.kind for output, _ in wanted]
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


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument(
        "--bundle",
        type=Path,
        default=os.environ.get("ELISION_BUNDLE") or None,
        help="bundle folder [default: ELISION_BUNDLE, else the shipped one]",
    )
    parser.add_argument("--min-tokens", type=int, default=300)
    parser.add_argument("--sample", type=int, help="measure only so many outputs, drawn by --seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    outputs = [
        o
        for o in tool_outputs(args.data / "transcripts" / "dev")
        if counter().count(o.text) >= args.min_tokens
    ]
    if not outputs:
        parser.error(f"no tool outputs under {args.data}")
    texts = [o for o in outputs if not is_json(o.text)]
    common = common_words([o.text for o in texts] + [said for o in texts for said in o.later])
    wanted = [(o, mentions) for o in texts if (mentions := needed(o, common))]
    if args.sample and args.sample < len(wanted):
        wanted = random.Random(args.seed).sample(wanted, args.sample)
    scorer, rules = load_scorer(args.bundle), baselines([o.text for o in texts])
    report = {
        "bundle": scorer.bundle,
        "outputs": len(wanted),
        "transcripts": len({o.transcript for o, _ in wanted}),
        "mentions": sum(len(mentions) for _, mentions in wanted),
        "by_kind": dict(Counter(output.kind for output, _ in wanted)),
        "json_left_out": len(outputs) - len(texts),
        "nothing_used_next": len(texts) - len(wanted) if not args.sample else None,
        **{f"@{ratio:.2f}": measure(wanted, scorer, rules, ratio) for ratio in RATIOS},
    }
    if args.json:
        print(json.dumps(report, indent=2))
    else:
        show(report)
    return 0


def show(report: dict[str, Any]) -> None:
    console = Console(width=130)
    console.print({key: value for key, value in report.items() if not key.startswith("@")})
    for ratio in (key for key in report if key.startswith("@")):
        sorts = list(report[ratio][OURS]["by_sort"])
        table = Table(ratio, "support (95 %)", "lead of ours (95 %)", *sorts)
        for method, its in report[ratio].items():
            support = "{:.3f} ({:.2f} to {:.2f})".format(its["support"], *its["interval"])
            lead = "{:+.3f} ({:+.2f} to {:+.2f})".format(its["lead_of_ours"], *its["lead_interval"])
            shares = (f"{its['by_sort'][sort]:.3f}" for sort in sorts)
            table.add_row(method, support, "" if method == OURS else lead, *shares)
        console.print(table)
        kinds = list(report["by_kind"])
        table = Table(f"{ratio} by kind", *kinds)
        for method, its in report[ratio].items():
            table.add_row(method, *(f"{its['by_kind'][kind]:.3f}" for kind in kinds))
        console.print(table)


if __name__ == "__main__":
    sys.exit(main())
