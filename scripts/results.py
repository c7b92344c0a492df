"""Measure everything README.md states, and write it there.

    .venv/bin/python scripts/results.py [--bundle FOLDER] [--only NAME ...]

Runs each command below in turn (about an hour on two free cores), keeps its JSON under
runs/results/NAME@HASH/, one folder per bundle, and rewrites the table between the two markers of
README.md. A figure whose JSON is there already is not measured again; delete the file to do so. With
--only the others' rows stay as they are, marked as of an earlier bundle.
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
from elision.training.audits.audit import EXCEPTIONS_ALLOWED, Check
from elision.training.passages import rewritten

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
    "chain": f"{PYTHON} scripts/bench_chain.py --passes 30 --json",
}
# A stand-in scores, or nothing has to: these are about structure, time and memory.
NO_MODEL = frozenset({"messages", "worst", "big", "chain"})
BEGIN, END = "<!-- results: written by scripts/results.py -->", "<!-- /results -->"
HEAD = ["| | Elision | best rule | printed by |", "| --- | --- | --- | --- |"]
KIND_HEAD = ["| by kind, keep ratio .33 | Elision | best rule |", "| --- | --- | --- |"]
EARLIER = " \\*"
WITH = "Measured with `{}`."
NEVER = [check.value for check in Check if check not in EXCEPTIONS_ALLOWED]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--bundle",
        type=Path,
        default=os.environ.get("ELISION_BUNDLE") or None,
        help="bundle folder [default: ELISION_BUNDLE, else the shipped one]",
    )
    parser.add_argument("--only", nargs="+", choices=COMMANDS, metavar="NAME", help=f"of {', '.join(COMMANDS)}")
    args = parser.parse_args()
    if not (ROOT / DEV).is_file():
        parser.error(f"no labels at {(ROOT / DEV).resolve()}")
    try:
        bundle = load_bundle(args.bundle)
    except ElisionError as error:
        parser.error(str(error))
    names = args.only or list(COMMANDS)
    found = {name: measured(name, COMMANDS[name], bundle) for name in names}
    readme = ROOT / "README.md"
    page = readme.read_text(encoding="utf-8")
    standing = page.partition(BEGIN)[2].partition(END)[0]
    if WITH.format(bundle.identity) not in standing:
        standing = "\n".join(map(earlier, standing.split("\n")))
    lines = [*HEAD, *rows(found, standing), "", *KIND_HEAD, *by_kind(found, standing), "", WITH.format(bundle.identity)]
    if any(EARLIER + " |" in line for line in lines):
        lines[-1] += " \\* With an earlier bundle."
    table = "\n".join(lines)
    readme.write_text(rewritten(page, BEGIN, END, table), encoding="utf-8")


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


def rows(found: dict[str, dict[str, Any]], standing: str) -> list[str]:
    """The table's rows: those of what was measured now, and the others as they stand."""
    lines = []
    for name, command in COMMANDS.items():
        if name in found:
            lines += [f"| {what} | {ours} | {rule} | `{command}` |" for what, ours, rule in ROWS[name](found[name])]
        else:
            lines += [line for line in standing.split("\n") if line.endswith(f"| `{command}` |")]
    return lines


def earlier(line: str) -> str:
    """A row that was measured with an earlier bundle, marked so; other lines as they are."""
    if not line.startswith("| ") or any(line.endswith(f"| `{COMMANDS[name]}` |") for name in NO_MODEL):
        return line
    what, rest = line.removeprefix("| ").split(" |", 1)
    return f"| {what.removesuffix(EARLIER)}{EARLIER} |{rest}"


Figures = list[tuple[str, str, str]]
"""What was measured, ours, and the best rule's."""


def of_judged(its: dict[str, Any]) -> Figures:
    """How well lines and words are ranked, and what is left of the essential ones."""
    names = {
        "line_auc_ge2": "lines ranked, within a text (`line_auc_ge2`)",
        "pooled_auc_ge2": "lines ranked, over all texts (`pooled_auc_ge2`)",
        "essential@0.33": "essential text in the best third (`essential@0.33`)",
        "e2e_essential@0.33": "essential text left, end to end, keep ratio .33",
        "e2e_essential@0.50": "essential text left, end to end, keep ratio .50",
    }
    ranked = [(name, f"{its[figure]:.3f}", _best_rule(its, figure)) for figure, name in names.items()]
    return [*ranked, ("words ranked (`word_auc`)", f"{its['word_auc']:.3f}", "")]


def of_blind(its: dict[str, Any]) -> Figures:
    return [("lines ranked, within a text, without a query", f"{its['line_auc_ge2']:.3f}", "")]


def of_next_action(its: dict[str, Any]) -> Figures:
    """What the agent used next and is still there."""
    figures = []
    for ratio in ("@0.33", "@0.50"):
        methods = {name: found["support"] for name, found in its[ratio].items()}
        ours = methods.pop("elision")
        name = max(methods, key=methods.__getitem__)
        what = f"next-action support, keep ratio {ratio[2:]}"
        figures.append((what, f"{ours:.3f}", f"{methods[name]:.3f} ({name})"))
    return figures


def of_survival(its: dict[str, Any]) -> Figures:
    return [
        ("answers that survive, keep ratio .33 (`xquad`, twelve languages)", *survives(its, "xquad")),
        ("evidence that survives, keep ratio .33 (`qmsum`)", *survives(its, "qmsum")),
    ]


def of_audit(its: dict[str, Any]) -> Figures:
    broken = str(sum(its[check] for check in NEVER))
    return [
        (f"target met, of {its['texts']} long texts", f"{its['target_met']:.1%}", ""),
        ("promises broken on them", broken, ""),
    ]


def of_messages(its: dict[str, Any]) -> Figures:
    failures = its["failures"]
    prefixes = str(sum(n for name, n in failures.items() if "prefix" in name))
    what = f"requests broken, of {its['transcripts']} transcripts in four wire formats"
    return [
        (what, str(sum(failures.values())), ""),
        ("prefixes broken among them, cold and warm store", prefixes, ""),
    ]


def of_worst(its: dict[str, Any]) -> Figures:
    return [("most CPU time for 1 MB of anything", f"{max(one['cpu_s'] for one in its.values()):.1f} s", "")]


def of_speed(its: dict[str, Any]) -> Figures:
    return [
        ("speed, text path over bare model", f"{its['ratio']:.2f}", ""),
        ("peak memory of the service", f"{its['peak_mib']:.0f} MiB", ""),
        ("CPU time of a cold `elision compress`", f"{its['cold_compress_cpu_s']:.1f} s", ""),
    ]


def of_logs(its: dict[str, Any]) -> Figures:
    """What is left of logs, against the other tools."""
    rivals = its["rivals"]
    best = max(rivals, key=lambda name: rivals[name]["theirs"])
    least = min(rivals, key=lambda name: rivals[name]["errors_lost"])
    few, many = f"{rivals[best]['theirs']:.3f} ({best})", f"{rivals[least]['errors_lost']} ({least})"
    return [
        (f"rare lines left, {its['logs']} logs, keep ratio .3; best peer at equal tokens", f"{its['share']:.3f}", few),
        (f"of {its['errors']} error templates in them lost", str(its["errors_lost"]), many),
    ]


def of_big(its: dict[str, Any]) -> Figures:
    return [
        ("a repetitive log of 2 GB, two processes", f"{its['mb_s']:.1f} MB/s", ""),
        ("peak memory over all of them", f"{its['peak_mb']:.0f} MB", ""),
        ("rare lines of it left", f"{its['survived']} of {its['rare']}", ""),
    ]


def of_chain(its: dict[str, Any]) -> Figures:
    """What thirty compactions leave, against the policies whose views stay within the window."""
    policies = dict(its["policies"])
    ours = policies.pop("elision")
    others = {name: row for name, row in policies.items() if row["over"] <= row["total"] / 2}

    def alive(row: dict[str, Any], kind: str) -> float:
        return float(row["survival"][kind]["30"])

    figures = []
    for kind, told in (("constraint", "constraints"), ("goal", "goals"), ("decision", "decisions"), ("file", "files")):
        best = max(others, key=lambda name: (alive(others[name], kind), -others[name]["tokens"]))
        left = f"{alive(others[best], kind):.0%} ({best})"
        figures.append((f"{told} still told after 30 compactions; best other policy", f"{alive(ours, kind):.0%}", left))
    best = max(others, key=lambda name: sum(alive(others[name], kind) for kind in ("constraint", "goal", "file")))
    tokens = f"{others[best]['tokens']:,.0f} ({best})"
    return [*figures, ("tokens of a view meanwhile", f"{ours['tokens']:,.0f}", tokens)]


ROWS = {
    "evaluate": of_judged,
    "blind": of_blind,
    "next_action": of_next_action,
    "survival": of_survival,
    "audit": of_audit,
    "messages": of_messages,
    "worst": of_worst,
    "speed": of_speed,
    "logs": of_logs,
    "big": of_big,
    "chain": of_chain,
}


def _best_rule(its: dict[str, Any], figure: str) -> str:
    prefix = "baseline."
    others = {k.split(".")[1]: v for k, v in its.items() if k.startswith(prefix) and k.split(".", 2)[2] == figure}
    name = max(others, key=lambda rule: others[rule])
    return f"{others[name]:.3f} ({name})"


def survives(found: dict[str, Any], kind: str) -> tuple[str, str]:
    """Ours with the query at .33, and the best rule."""
    its = dict(found["@0.33 with query"][kind])
    ours = its.pop("elision")
    name = max(its, key=lambda rule: its[rule])
    return f"{ours:.3f}", f"{its[name]:.3f} ({name})"


def by_kind(found: dict[str, dict[str, Any]], standing: str) -> list[str]:
    """What survives, kind by kind, at keep ratio .33; what was not measured now as it stands."""

    def as_it_stands(what: str) -> list[str]:
        return [line for line in standing.split("\n") if line.startswith(f"| {what},")]

    lines = []
    if its := found.get("next_action"):
        for kind in its["by_kind"]:
            others = {name: method["by_kind"][kind] for name, method in its["@0.33"].items()}
            lines.append(_line(f"next-action support, {kind}", others))
    else:
        lines += [line for line in as_it_stands("next-action support") if "keep ratio" not in line]
    if its := found.get("survival"):
        kinds = its["@0.33 with query"]
        return lines + [_line(f"answer survival, {kind}", kinds[kind]) for kind in kinds]
    return lines + as_it_stands("answer survival")


def _line(what: str, methods: dict[str, float]) -> str:
    others = {name: value for name, value in methods.items() if name != "elision"}
    name = max(others, key=lambda rule: others[rule])
    return f"| {what} | {methods['elision']:.3f} | {others[name]:.3f} ({name}) |"


if __name__ == "__main__":
    main()
