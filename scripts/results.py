"""Measure everything README.md states, and write it there.

    .venv/bin/python scripts/results.py [--bundle FOLDER]

Runs each command below in turn (about half an hour on two free cores), keeps its JSON under
runs/results/NAME@HASH/, one folder per bundle, and rewrites the table between the two markers of
README.md. A figure whose JSON is there already is not measured again; delete the file to do so.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from elision.model.bundle import Bundle, load_bundle
from elision.model.errors import ElisionError
from elision.training.audit import EXCEPTIONS_ALLOWED, Check

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "runs" / "results"
DEV = "../shared/data/labels/dev.jsonl.gz"
ELISION, PYTHON = ".venv/bin/elision", ".venv/bin/python"
COMMANDS = {
    "evaluate": f"{ELISION} evaluate --labels {DEV} --baselines --end-to-end --json",
    "blind": f"{ELISION} evaluate --labels {DEV} --no-query --json",
    "next_action": f"{PYTHON} scripts/next_action.py --json",
    "audit": f"{PYTHON} scripts/audit_text.py --json",
    "speed": f"{PYTHON} scripts/bench_speed.py --service --cold --json",
}
BEGIN, END = "<!-- results: written by scripts/results.py -->", "<!-- /results -->"
NEVER = [check.value for check in Check if check not in EXCEPTIONS_ALLOWED]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--bundle",
        type=Path,
        default=os.environ.get("ELISION_BUNDLE") or None,
        help="bundle folder [default: ELISION_BUNDLE, else the shipped one]",
    )
    args = parser.parse_args()
    if not (ROOT / DEV).is_file():
        parser.error(f"no labels at {(ROOT / DEV).resolve()}")
    try:
        bundle = load_bundle(args.bundle)
    except ElisionError as error:
        parser.error(str(error))
    found = {name: measured(name, command, bundle) for name, command in COMMANDS.items()}
    readme = ROOT / "README.md"
    before, _, rest = readme.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    table = "\n".join(rows(found))
    readme.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")


def measured(name: str, command: str, bundle: Bundle) -> dict[str, Any]:
    kept = KEPT / bundle.identity / f"{name}.json"
    if not kept.exists():
        whole = [*command.split(), "--bundle", str(bundle.path.resolve())]
        print("$", *whole, file=sys.stderr)
        done = subprocess.run(whole, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        if not done.stdout.strip():
            raise SystemExit(f"{command} printed nothing, exit code {done.returncode}")
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(done.stdout)
    return dict(json.loads(kept.read_text()))


def rows(found: dict[str, dict[str, Any]]) -> list[str]:
    judged, blind, used = found["evaluate"], found["blind"], found["next_action"]
    audit, speed = found["audit"], found["speed"]

    def best(figure: str) -> str:
        prefix = "baseline."
        others = {k.split(".")[1]: v for k, v in judged.items() if k.startswith(prefix) and k.split(".", 2)[2] == figure}
        name = max(others, key=lambda rule: others[rule])
        return f"{others[name]:.3f} ({name})"

    def support(ratio: str) -> str:
        others = {name: its["support"] for name, its in used[ratio].items() if name != "elision"}
        name = max(others, key=lambda rule: others[rule])
        return f"{others[name]:.3f} ({name})"

    figures = [
        ("lines ranked, within a text (`line_auc_ge2`)", f"{judged['line_auc_ge2']:.3f}", best("line_auc_ge2"), "evaluate"),
        ("the same without a query", f"{blind['line_auc_ge2']:.3f}", "", "blind"),
        ("lines ranked, over all texts (`pooled_auc_ge2`)", f"{judged['pooled_auc_ge2']:.3f}", best("pooled_auc_ge2"), "evaluate"),
        ("essential text in the best third (`essential@0.33`)", f"{judged['essential@0.33']:.3f}", best("essential@0.33"), "evaluate"),
        ("words ranked (`word_auc`)", f"{judged['word_auc']:.3f}", "", "evaluate"),
        ("essential text left, end to end, keep ratio .33", f"{judged['e2e_essential@0.33']:.3f}", best("e2e_essential@0.33"), "evaluate"),
        ("essential text left, end to end, keep ratio .50", f"{judged['e2e_essential@0.50']:.3f}", best("e2e_essential@0.50"), "evaluate"),
        ("next-action support, keep ratio .33", f"{used['@0.33']['elision']['support']:.3f}", support("@0.33"), "next_action"),
        ("next-action support, keep ratio .50", f"{used['@0.50']['elision']['support']:.3f}", support("@0.50"), "next_action"),
        (f"target met, of {audit['texts']} long texts", f"{audit['target_met']:.1%}", "", "audit"),
        ("promises broken on them", str(sum(audit[check] for check in NEVER)), "", "audit"),
        ("speed, text path over bare model", f"{speed['ratio']:.2f}", "", "speed"),
        ("peak memory of the service", f"{speed['peak_mib']:.0f} MiB", "", "speed"),
        ("CPU time of a cold `elision compress`", f"{speed['cold_compress_cpu_s']:.1f} s", "", "speed"),
    ]
    lines = ["| | Elision | best rule | printed by |", "| --- | --- | --- | --- |"]
    return lines + [f"| {what} | {ours} | {rule} | `{COMMANDS[by]}` |" for what, ours, rule, by in figures]


if __name__ == "__main__":
    main()
