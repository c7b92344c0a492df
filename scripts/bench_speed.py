"""What the product costs on top of its model: CPU time, memory of the service, a cold start.

    .venv/bin/python scripts/bench_speed.py [--texts 60] [--service] [--cold] [--json]

The ratio is CPU time of the bare runner over CPU time from text in to text out, on the same
windows, one process, both alternated text by text: 1 would be a product that costs nothing but
its model. CPU time counts all threads, so it holds on a busy machine too.
"""

import argparse
import gzip
import json
import os
import resource
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from elision.compaction.compress import compress
from elision.compaction.guard.whole_json import is_json
from elision.compaction.tokens import counter
from elision.compaction.types import Budget
from elision.model.bundle import TOKENIZER, load_bundle
from elision.model.scorer import WindowScorer, runner_of
from elision.model.tokeniser import PieceTokeniser
from elision.model.windows import QUERY_PIECES
from elision.serving.local import ELISION, running_service
from elision.training.transcripts.outputs import tool_outputs

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
LONG = 500  # tokens
REQUESTS, CLIENTS, LARGE = 200, 8, 10_000_000
ANSWER_S = 1800


class Parts:
    """The product's scorer and, beside it, the runner and the windows it is made of."""

    def __init__(self, path: Path | None) -> None:
        bundle = load_bundle(path)
        self.tokeniser = PieceTokeniser.load(bundle.file(TOKENIZER))
        self.runner = runner_of(bundle)
        self.scorer = WindowScorer(bundle, self.tokeniser, self.runner)

    def windows(self, text: str, query: str) -> list[list[int]]:
        """Piece ids of each window, as the runner gets them."""
        asked = self.tokeniser.query(query, QUERY_PIECES)
        return [self.scorer.input.ids(asked, window) for window in self.scorer.windows(text)]


def texts(data: Path) -> list[tuple[str, str]]:
    """``(text, query)`` of real outputs of `LONG` tokens or more that the product may shorten."""
    if data.exists():
        found = [(output.text, output.query) for output in tool_outputs(data / "transcripts" / "dev")]
    else:
        found = [(path.read_text(), "") for path in sorted((ROOT / "samples").glob("*")) if path.is_file()]
    return [(text, query) for text, query in found if counter().count(text) >= LONG and not is_json(text)]


def overhead(parts: Parts, chosen: list[tuple[str, str]], keep_ratio: float) -> dict[str, float]:
    """CPU seconds of the runner alone and of the whole path, and pieces per CPU second."""
    budget = Budget(keep_ratio=keep_ratio, floor_tokens=0)
    _timed(parts, *chosen[0], budget)  # warms both up
    bare, whole, pieces = (
        sum(column) for column in zip(*(_timed(parts, *job, budget) for job in chosen), strict=True)
    )
    return {
        "texts": len(chosen),
        "pieces": int(pieces),
        "runner_cpu_s": bare,
        "text_path_cpu_s": whole,
        "ratio": bare / whole,
        "runner_pieces_per_cpu_s": pieces / bare,
        "text_path_pieces_per_cpu_s": pieces / whole,
    }


def _timed(parts: Parts, text: str, query: str, budget: Budget) -> tuple[float, float, float]:
    """CPU seconds of the runner and of the text path on one text, and its pieces."""
    windows = parts.windows(text, query)
    began = time.process_time()
    for window in windows:
        parts.runner.run(window)
    between = time.process_time()
    compress(text, budget, scorer=parts.scorer, counter=counter(), query=query)
    return between - began, time.process_time() - between, sum(len(window) for window in windows)


def service(chosen: list[tuple[str, str]], data: Path) -> dict[str, Any]:
    """Peak memory of `elision serve` after real outputs by concurrent clients and one large text."""
    with running_service() as (process, url):
        idle = _peak_mib(process.pid)
        began = time.perf_counter()
        jobs = [chosen[i % len(chosen)] for i in range(REQUESTS)]
        with ThreadPoolExecutor(CLIENTS) as pool:
            answers = Counter(pool.map(lambda job: _ask(url, *job), jobs))
        seconds = time.perf_counter() - began
        after_outputs = _peak_mib(process.pid)
        large = _ask(url, _large(chosen, data), "")
        peak = _peak_mib(process.pid)
    return {
        "requests": REQUESTS,
        "clients": CLIENTS,
        "answers": dict(answers),
        "seconds": seconds,
        "large_text_bytes": LARGE,
        "large_answer": large,
        "idle_mib": idle,
        "after_outputs_mib": after_outputs,
        "peak_mib": peak,
    }


def cold(chosen: list[tuple[str, str]], runs: int = 3) -> dict[str, float]:
    """CPU seconds of `elision compress` of 2 kB in a new process: the median of three."""
    spent = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "output.txt"
        path.write_bytes(chosen[0][0].encode("utf-8", "replace")[:2048])
        for _ in range(runs):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([ELISION, "compress", path], check=True, stdout=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return {"cold_compress_cpu_s": sorted(spent)[runs // 2]}


def _ask(url: str, text: str, query: str) -> str:
    """Post one text; status and reason of the answer."""
    body = json.dumps({"text": text, "query": query, "keep_ratio": 0.33}).encode()
    request = urllib.request.Request(f"{url}/v1/compress/text", body, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=ANSWER_S) as answer:
            return f"{answer.status} {json.load(answer)['reason']}".strip()
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.read(300).decode(errors='replace')}"


def _large(chosen: list[tuple[str, str]], data: Path) -> str:
    logs = sorted((data / "logs" / "dev").glob("*.log.gz"))
    some = "\n".join(gzip.open(path, "rt", errors="replace").read() for path in logs)
    some = some or "\n".join(text for text, _ in chosen)
    encoded = (some + "\n").encode("ascii", "replace")
    return (encoded * (LARGE // len(encoded) + 1))[:LARGE].decode()


def _peak_mib(pid: int) -> float:
    """Peak resident memory of a process and its children so far."""
    status = Path(f"/proc/{pid}/status").read_text()
    peak = int(status.split("VmHWM:")[1].split()[0]) / 1024
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return peak + sum(_peak_mib(int(child)) for child in children)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument(
        "--bundle",
        type=Path,
        default=os.environ.get("ELISION_BUNDLE") or None,
        help="bundle folder [default: ELISION_BUNDLE, else the shipped one]",
    )
    parser.add_argument(
        "--texts", type=int, default=60, help="texts to time, spread evenly over those there are"
    )
    parser.add_argument("--keep-ratio", type=float, default=0.33)
    parser.add_argument("--service", action="store_true", help="also the memory of the service")
    parser.add_argument(
        "--deadline-seconds", type=float, help="of the service; long enough, the large text is scored"
    )
    parser.add_argument("--cold", action="store_true", help="also a cold command")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.bundle:
        os.environ["ELISION_BUNDLE"] = str(args.bundle.resolve())  # for the service and the command
    if args.deadline_seconds:
        os.environ["ELISION_DEADLINE_SECONDS"] = str(args.deadline_seconds)
    chosen = texts(args.data)
    if not chosen:
        parser.error(f"no texts of {LONG} tokens under {args.data} or samples/")
    few = chosen[:: max(1, len(chosen) // args.texts)][: args.texts]
    report: dict[str, Any] = overhead(Parts(args.bundle), few, args.keep_ratio)
    if args.service:
        report |= service(chosen, args.data)
    if args.cold:
        report |= cold(chosen)
    if args.json:
        print(json.dumps(report, indent=2))
        return
    for key, value in report.items():
        print(f"{key:28} {value:.3f}" if isinstance(value, float) else f"{key:28} {value}")


if __name__ == "__main__":
    main()
