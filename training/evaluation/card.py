"""A bundle's model card in markdown: what it is, what it learnt from, how good it is and where it fails.

`elision evaluate --card FILE` writes it. Every number stands in the manifest or was measured in the same
run; none is typed, so a card cannot claim what nobody measured.
"""

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from elision.model.bundle import Bundle, list_bundles
from elision.training.bundles.provenance import package_licence
from elision.training.evaluation.against import Measurement, Report
from elision.training.evaluation.compare import BETTER, WORSE, Comparison
from elision.training.evaluation.tables import PER_KIND, cost_line, difference_of, verdicts

WORST = 3
JUDGED_BY = ("line_auc_ge2", "essential@0.33")
TAGS = ("elision", "prompt-compression", "context-compression", "onnx")
_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
_LANGUAGE = re.compile(r"(?:xquad-)?([a-z]{2})(?:-article)?")  # how sources in one language are called


def model_card(report: Report, bundle: Bundle, command: str) -> str:
    """The card of the bundle that a report is about.

    Args:
        report: What was measured.
        bundle: Ours.
        command: The command line that measured it.
    """
    parts: list[list[str]] = [
        front_matter(bundle),
        _what(bundle),
        _use(bundle),
        _learnt(bundle.manifest),
        _trained(bundle.manifest["config"]),
        *(_labels(found) for found in report.labels),
        _actions(report.actions),
        _cost(report),
        _badly(report),
        _reproduce(report, command),
    ]
    return "\n".join(line for part in parts if part for line in [*part, ""]).rstrip("\n") + "\n"


def write_card(path: Path, card: str) -> None:
    """Write a card whole or not at all."""
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(card, encoding="utf-8")
    os.replace(partial, path)


def front_matter(bundle: Bundle) -> list[str]:
    """What a model hub reads; JSON values, which are YAML too."""
    manifest = bundle.manifest
    base = str(manifest["base"].get("model", ""))
    fields: dict[str, object] = {
        "license": licence(bundle),
        "base_model": base if _HUB_ID.fullmatch(base) else None,
        "language": languages(manifest["label_sources"]),
        "pipeline_tag": "token-classification",
        "tags": list(TAGS),
    }
    return ["---", *(f"{key}: {json.dumps(value)}" for key, value in fields.items() if value), "---"]


def licence(bundle: Bundle) -> str:
    """Licence of the weights: as the manifest says, of a shipped bundle this package's, else ``other``."""
    said = bundle.manifest.get("licence")
    if not said and bundle.path.resolve() in {path.resolve() for path in list_bundles()}:
        said = package_licence()
    return str(said).lower() if said else "other"


def languages(sources: Iterable[Mapping[str, Any]]) -> list[str]:
    """Languages that the labels' sources name, sorted."""
    found = (_LANGUAGE.fullmatch(str(source["source"])) for source in sources)
    return sorted({match[1] for match in found if match})


def worst_kinds(found: Measurement, figure: str) -> list[tuple[str, float]]:
    """The kinds of text where a figure of ours is lowest, the worst first."""
    its = {kind: found.figures.get(f"{figure}[kind={kind}]") for kind in found.kinds}
    ranked = sorted((value, kind) for kind, value in its.items() if value is not None)
    return [(kind, value) for value, kind in ranked[:WORST]]


def _what(bundle: Bundle) -> list[str]:
    manifest = bundle.manifest
    size = sum(bundle.file(name).stat().st_size for name in manifest["files"])
    stored = f", {manifest['stored']}" if manifest.get("stored") else ""
    return [
        f"# {bundle.name}",
        "",
        "A token classifier that says of every piece of a text how much an agent needs it, from 0 to 1, given"
        " what the agent was after. Elision uses it to shorten tool outputs, logs and prose: the best lines and"
        " words stay as they stand, the rest is left out.",
        "",
        f"`{bundle.identity}`: {size / 1e6:.1f} MB{stored}, windows of {bundle.window_pieces} pieces, "
        f"{bundle.labels} {'logit' if bundle.labels == 1 else 'logits'} a piece, for ONNX Runtime.",
    ]


def _use(bundle: Bundle) -> list[str]:
    return [
        "## How to use it",
        "",
        "With Elision installed, and this folder at hand:",
        "",
        "```",
        f'elision compress build.log --bundle {bundle.path.name} --keep-ratio 0.33 --query "why does it fail"',
        f"elision explain build.log --bundle {bundle.path.name}    # the values as colours",
        f"ELISION_BUNDLE={bundle.path.name} elision serve",
        "```",
    ]


def _learnt(manifest: Mapping[str, Any]) -> list[str]:
    base = manifest["base"]
    named = f"{base.get('model') or base.get('source') or 'not named'} ({base.get('licence') or 'licence not named'})"
    lines = ["## What it learnt from", "", f"Base: {named}."]
    sources = manifest["label_sources"]
    if not sources:
        return [*lines, "The manifest names no labels."]
    rows = [[s["source"], str(s["chunks"]), s["origin"], s["licence"]] for s in sources]
    chunks = sum(int(source["chunks"]) for source in sources)
    lines += [f"Labels: {chunks} chunks. Texts are under the licences of their sources:", ""]
    return [*lines, *_table(["source", "chunks", "origin", "licence"], rows)]


def _trained(config: Any) -> list[str]:
    stages = [stage for stage in (config if isinstance(config, list) else [config]) if stage]
    if not stages:
        return []
    fields = dict.fromkeys(field for stage in stages for field in stage)
    head = ["", *(f"stage {number}" for number in range(1, len(stages) + 1))] if len(stages) > 1 else ["", ""]
    rows = [[field, *(_said(stage.get(field)) for stage in stages)] for field in fields]
    return ["## How it was trained", "", *_table(head, rows)]


def _labels(found: Measurement) -> list[str]:
    counts = f"{found.items} judged chunks of {found.groups} documents, `{found.source}` (SHA-256 {found.sha256})"
    return [
        f"## How good it is: {Path(found.source).name}",
        "",
        f"{counts}. Intervals are 95 %, drawing whole {found.drawn} with replacement, both methods on the same draws.",
        *_against(found),
        "",
        "### By kind",
        "",
        *_kinds(found),
    ]


def _against(found: Measurement) -> list[str]:
    lines: list[str] = []
    for name, comparisons in (("another bundle", found.bundle), ("the best rule that needs no model", found.rules)):
        rows = [
            [one.figure, f"{one.ours:.3f}", f"{one.theirs:.3f} ({one.other})", difference_of(one), one.verdict]
            for one in comparisons
            if one.kind is None
        ]
        if rows:
            lines += ["", f"Against {name}:", ""]
            lines += _table(["figure", "this", "the other", "difference", "verdict"], rows)
    return lines


def _kinds(found: Measurement) -> list[str]:
    there = [figure for figure in PER_KIND if figure in found.figures]
    leads = [(side, name) for side, name in ((found.bundle, "bundle"), (found.rules, "rule")) if side]
    figure = JUDGED_BY[0]
    rows = []
    for kind, chunks in found.kinds.items():
        values = [found.figures.get(f"{name}[kind={kind}]") for name in there]
        row = [kind, str(chunks), *("" if value is None else f"{value:.3f}" for value in values)]
        for side, _ in leads:
            row.append(next((difference_of(one) for one in side if (one.kind, one.figure) == (kind, figure)), ""))
        rows.append(row)
    return _table(["kind", "chunks", *there, *(f"{figure} less the {name}'s" for _, name in leads)], rows)


def _actions(found: Measurement | None) -> list[str]:
    if found is None:
        return []
    return [
        "## What the agent used next",
        "",
        f"Of what the agent's next calls and texts use and only this output had told it, the share still there, over"
        f" {found.items} outputs of {found.groups} transcripts, `{found.source}`; intervals draw whole {found.drawn}.",
        *_against(found),
    ]


def _cost(report: Report) -> list[str]:
    if report.cost is None:
        return []
    what = f"{report.cost.texts} texts, {report.cost.rounds} times each in turn, one thread, {report.runner}."
    return ["## What it costs", "", f"{cost_line(report.cost, report.against)}. On {what}"]


def _badly(report: Report) -> list[str]:
    lines = ["## What it does badly", ""]
    for found in report.labels:
        for figure in JUDGED_BY:
            its = worst_kinds(found, figure)
            worst = ", ".join(f"{kind} {value:.3f} ({_chunks(found.kinds[kind])})" for kind, value in its)
            if worst:
                lines.append(f"- Lowest `{figure}` on {Path(found.source).name}, by kind: {worst}.")
    for found in (*report.labels, *([report.actions] if report.actions else [])):
        for name, side in ((report.against, found.bundle), ("the best rule", found.rules)):
            if said := "; ".join(_one(one) for one in side if _is_bad(one, side is found.rules)):
                lines.append(f"- On {Path(found.source).name}, against {name}: {said}.")
    return lines


def _is_bad(one: Comparison, against_rule: bool) -> bool:
    """Whether it is worse, or, over all kinds, no better than a rule."""
    return one.verdict == WORSE or (against_rule and one.kind is None and one.verdict != BETTER)


def _one(one: Comparison) -> str:
    where = f" on {one.kind}" if one.kind is not None else ""
    return f"`{one.figure}`{where} {one.verdict} ({one.ours:.3f} against {one.theirs:.3f}, {one.other})"


def _reproduce(report: Report, command: str) -> list[str]:
    summary = [
        f"- {Path(found.source).name}, against {name}: {verdicts(side)}"
        for found in (*report.labels, *([report.actions] if report.actions else []))
        for name, side in ((report.against, found.bundle), ("the best rule", found.rules))
        if side
    ]
    return ["## Verdicts", "", *summary, "", "## How to reproduce", "", "```", command, "```"]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines]


def _said(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _chunks(count: int) -> str:
    return f"{count} {'chunk' if count == 1 else 'chunks'}"
