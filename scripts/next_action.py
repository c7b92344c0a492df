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
from collections import Counter
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from elision.model.scorer import load_scorer
from elision.training.evaluation.action_support import MIN_TOKENS, OURS, RATIOS, cases, support
from elision.training.evaluation.baselines import baselines
from elision.training.transcripts.outputs import tool_outputs

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument(
        "--bundle",
        type=Path,
        default=os.environ.get("ELISION_BUNDLE") or None,
        help="bundle folder [default: ELISION_BUNDLE, else the shipped one]",
    )
    parser.add_argument("--min-tokens", type=int, default=MIN_TOKENS)
    parser.add_argument("--sample", type=int, help="measure only so many outputs, drawn by --seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    found = cases(tool_outputs(args.data / "transcripts" / "dev"), args.min_tokens)
    if not found.texts and not found.json_left_out:
        parser.error(f"no tool outputs under {args.data}")
    used = list(found.used)
    if args.sample and args.sample < len(used):
        used = random.Random(args.seed).sample(used, args.sample)
    scorer, rules = load_scorer(args.bundle), baselines(found.texts)
    report = {
        "bundle": scorer.bundle,
        "outputs": len(used),
        "transcripts": len({output.transcript for output, _ in used}),
        "mentions": sum(len(mentions) for _, mentions in used),
        "by_kind": dict(Counter(output.kind for output, _ in used)),
        "json_left_out": found.json_left_out,
        "nothing_used_next": len(found.texts) - len(used) if not args.sample else None,
        **{f"@{ratio:.2f}": support(used, scorer, rules, ratio) for ratio in RATIOS},
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
