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
    "survival": f"{PYTHON} scripts/answer_survival.py --sample 30 --json",
    "audit": f"{PYTHON} scripts/audit_text.py --json",
    "messages": f"{PYTHON} scripts/audit_messages.py --json",
    "worst": f"{PYTHON} scripts/worst_inputs.py --json",
    "speed": f"{PYTHON} scripts/bench_speed.py --service --cold --json",
    "logs": f"{PYTHON} scripts/bench_logs.py --json",
    "big": f"{PYTHON} scripts/batch_big.py --megabytes 2000",
}
# A stand-in scores, or nothing has to: these are about structure, time and memory.
NO_MODEL = frozenset({"messages", "worst", "big"})
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
    table = "\n".join([*rows(found), "", *by_kind(found)])
    readme.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")


def measured(name: str, command: str, bundle: Bundle) -> dict[str, Any]:
    kept = KEPT / bundle.identity / f"{name}.json"
    if not kept.exists():
        whole = command.split() + ([] if name in NO_MODEL else ["--bundle", str(bundle.path.resolve())])
        print("$", *whole, file=sys.stderr)
        done = subprocess.run(whole, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        if not done.stdout.strip():
            raise SystemExit(f"{command} printed nothing, exit code {done.returncode}")
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(done.stdout)
    return dict(json.loads(kept.read_text()))


def rows(found: dict[str, dict[str, Any]]) -> list[str]:
    judged, blind, used = found["evaluate"], found["blind"], found["next_action"]
    audit, speed, messages, worst = found["audit"], found["speed"], found["messages"], found["worst"]

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
        ("answers that survive, keep ratio .33 (`xquad`, twelve languages)", *survives(found["survival"], "xquad"), "survival"),
        ("evidence that survives, keep ratio .33 (`qmsum`)", *survives(found["survival"], "qmsum"), "survival"),
        (f"target met, of {audit['texts']} long texts", f"{audit['target_met']:.1%}", "", "audit"),
        ("promises broken on them", str(sum(audit[check] for check in NEVER)), "", "audit"),
        (f"requests broken, of {messages['transcripts']} transcripts in four wire formats", str(sum(messages["failures"].values())), "", "messages"),
        ("prefixes broken among them, cold and warm store", str(sum(n for name, n in messages["failures"].items() if "prefix" in name)), "", "messages"),
        ("most CPU time for 1 MB of anything", f"{max(its['cpu_s'] for its in worst.values()):.1f} s", "", "worst"),
        ("speed, text path over bare model", f"{speed['ratio']:.2f}", "", "speed"),
        ("peak memory of the service", f"{speed['peak_mib']:.0f} MiB", "", "speed"),
        ("CPU time of a cold `elision compress`", f"{speed['cold_compress_cpu_s']:.1f} s", "", "speed"),
    ]
    figures += of_logs(found["logs"], found["big"])
    lines = ["| | Elision | best rule | printed by |", "| --- | --- | --- | --- |"]
    return lines + [f"| {what} | {ours} | {rule} | `{COMMANDS[by]}` |" for what, ours, rule, by in figures]


def of_logs(logs: dict[str, Any], big: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """What is left of logs, against the other tools; and how fast."""
    rivals = logs["rivals"]
    best = max(rivals, key=lambda name: rivals[name]["theirs"])
    least = min(rivals, key=lambda name: rivals[name]["errors_lost"])
    few, many = f"{rivals[best]['theirs']:.3f} ({best})", f"{rivals[least]['errors_lost']} ({least})"
    return [
        (f"rare lines left, {logs['logs']} logs, keep ratio .3; best peer at equal tokens", f"{logs['share']:.3f}", few, "logs"),
        (f"of {logs['errors']} error templates in them lost", str(logs["errors_lost"]), many, "logs"),
        ("a repetitive log of 2 GB, two processes", f"{big['mb_s']:.1f} MB/s", "", "big"),
        ("peak memory over all processes", f"{big['peak_mb']:.0f} MB", "", "big"),
        ("rare lines of it left", f"{big['survived']} of {big['rare']}", "", "big"),
    ]


def survives(found: dict[str, Any], kind: str) -> tuple[str, str]:
    """Ours with the query at .33, and the best rule."""
    its = dict(found["@0.33 with query"][kind])
    ours = its.pop("elision")
    name = max(its, key=lambda rule: its[rule])
    return f"{ours:.3f}", f"{its[name]:.3f} ({name})"


def by_kind(found: dict[str, dict[str, Any]]) -> list[str]:
    """What survives, kind by kind, at keep ratio .33."""
    used, survival = found["next_action"], found["survival"]["@0.33 with query"]
    lines = ["| by kind, keep ratio .33 | Elision | best rule |", "| --- | --- | --- |"]
    for kind in used["by_kind"]:
        others = {name: its["by_kind"][kind] for name, its in used["@0.33"].items()}
        lines.append(_line(f"next-action support, {kind}", others))
    return lines + [_line(f"answer survival, {kind}", survival[kind]) for kind in survival]


def _line(what: str, methods: dict[str, float]) -> str:
    others = {name: value for name, value in methods.items() if name != "elision"}
    name = max(others, key=lambda rule: others[rule])
    return f"| {what} | {methods['elision']:.3f} | {others[name]:.3f} ({name}) |"


if __name__ == "__main__":
    main()
