"""Run the examples of README.md and write what they print below them.

    .venv/bin/python scripts/example.py
"""

import contextlib
import io
from pathlib import Path

from elision.serving.cli import run

README = Path(__file__).resolve().parent.parent / "README.md"
BEGIN, END = "<!-- example: written by scripts/example.py -->", "<!-- /example -->"
LOG_BEGIN, LOG_END = "<!-- log example: written by scripts/example.py -->", "<!-- /log example -->"
LOG = ["compress", "samples/service.log", "--log", "--keep-ratio", "0.3", "--no-store"]
PLAN_BEGIN, PLAN_END = "<!-- plan example: written by scripts/example.py -->", "<!-- /plan example -->"
PLAN = ["plan", "samples/conversation.json", "--window", "8000"]
SHOWN, WIDTH = range(4, 12), 200  # lines of its output, and characters of each


def main() -> None:
    text = README.read_text(encoding="utf-8")
    text = _between(text, BEGIN, END, _python(text))
    text = _between(text, PLAN_BEGIN, PLAN_END, _plan())
    README.write_text(_between(text, LOG_BEGIN, LOG_END, _log()), encoding="utf-8")


def _python(text: str) -> str:
    code = text.split("```python\n", 1)[1].split("```", 1)[0]
    printed = io.StringIO()
    with contextlib.chdir(README.parent), contextlib.redirect_stdout(printed):
        exec(compile(code, str(README), "exec"), {})
    return printed.getvalue().rstrip()


def _plan() -> str:
    return f"$ elision {' '.join(PLAN)}\n{_printed(PLAN).rstrip()}"


def _printed(command: list[str]) -> str:
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.chdir(README.parent), contextlib.redirect_stdout(printed):
        assert run(command) == 0
    printed.seek(0)
    return printed.read()


def _log() -> str:
    rows = _printed(LOG).split("\n")
    shown = [rows[at] if len(rows[at]) <= WIDTH else rows[at][:WIDTH] + " ..." for at in SHOWN if at < len(rows)]
    return "\n".join([f"$ elision {' '.join(LOG[:-1])}", "...", *shown, "..."])


def _between(text: str, begin: str, end: str, printed: str) -> str:
    before, _, rest = text.partition(begin)
    return f"{before}{begin}\n```\n{printed}\n```\n{end}{rest.partition(end)[2]}"


if __name__ == "__main__":
    main()
