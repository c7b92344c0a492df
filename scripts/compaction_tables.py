"""Write what the benches of compaction printed into docs/compaction.md.

    .venv/bin/python scripts/bench_chain.py --passes 30 --json > runs/chain.json
    .venv/bin/python scripts/bench_summary.py --gguf MODEL --json > runs/summary.json
    .venv/bin/python scripts/compaction_tables.py --chain runs/chain.json --summary runs/summary.json
"""

import argparse
import json
from pathlib import Path
from typing import Any

from elision.training.passages import rewritten

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "compaction.md"
END = {"chain": "<!-- /chain -->", "summary": "<!-- /summary -->"}
BEGIN = {name: f"<!-- {name}: written by scripts/compaction_tables.py -->" for name in END}
KINDS = {
    "constraint": "constraints",
    "goal": "goals",
    "file": "files",
    "decision": "decisions",
    "rejected": "rejected options",
    "number": "numbers",
    "error": "errors",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--chain", type=Path, help="what bench_chain.py --json printed")
    parser.add_argument("--summary", type=Path, help="what bench_summary.py --json printed")
    args = parser.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    for name, table in (("chain", chain_table), ("summary", summary_table)):
        found: Path | None = getattr(args, name)
        if found is not None:
            text = "\n".join(table(json.loads(found.read_text(encoding="utf-8"))))
            page = rewritten(page, BEGIN[name], END[name], text)
    PAGE.write_text(page, encoding="utf-8")


def chain_table(its: dict[str, Any]) -> list[str]:
    """Survival after each number of passes, tokens and cost, a row a policy."""
    policies: dict[str, Any] = its["policies"]
    marks = list(next(iter(policies.values()))["survival"]["goal"])
    lines = [
        f"| alive after {', '.join(marks)} | {' | '.join(KINDS.values())} | tokens a view | calls | cost |",
        f"| --- | {' | '.join('---' for _ in KINDS)} | ---: | ---: | ---: |",
    ]
    for name, row in policies.items():
        shares = " | ".join(" ".join(f"{share:.0%}" for share in row["survival"][kind].values()) for kind in KINDS)
        over = f", over the window in {row['over']} of {row['total']}" if row["over"] else ""
        lines.append(f"| {name} | {shares} | {row['tokens']:,.0f}{over} | {row['calls']} | ${row['cost']:.2f} |")
    return [
        *lines,
        "",
        f"Written by {its['writer']}. Is ours at least as good as the best other on constraints, goals and files at "
        f"equal or fewer tokens? {its['verdict'].capitalize()}. Printed by `scripts/bench_chain.py --passes 30`.",
    ]


def summary_table(its: dict[str, Any]) -> list[str]:
    """Survival, tokens and what was made up, a row a way."""
    arms: dict[str, Any] = its["arms"]
    lines = [
        f"| told | {' | '.join(KINDS.values())} | tokens | made up | written by |",
        f"| --- | {' | '.join('---' for _ in KINDS)} | ---: | ---: | --- |",
    ]
    for name, row in arms.items():
        shares = " | ".join(f"{row['survival'][kind]:.0%}" for kind in KINDS)
        by = ", ".join(f"{who} {times}x" for who, times in row["by"].items())
        lines.append(f"| {name} | {shares} | {row['tokens']:,.0f} | {row['invented']} | {by} |")
    kept = "; ".join(its["broken"]) or "with pins no goal and no constraint is lost, and nothing is made up"
    said = its["llm_over_extractive"].rstrip(".")
    return [*lines, "", f"The writer is {its['writer']}. {said}; {kept}. Printed by `scripts/bench_summary.py`."]


if __name__ == "__main__":
    main()
