"""Run the Python example of README.md and write what it prints below it.

    .venv/bin/python scripts/example.py
"""

import contextlib
import io
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"
BEGIN, END = "<!-- example: written by scripts/example.py -->", "<!-- /example -->"


def main() -> None:
    text = README.read_text(encoding="utf-8")
    code = text.split("```python\n", 1)[1].split("```", 1)[0]
    printed = io.StringIO()
    with contextlib.chdir(README.parent), contextlib.redirect_stdout(printed):
        exec(compile(code, str(README), "exec"), {})
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    README.write_text(f"{before}{BEGIN}\n```\n{printed.getvalue().rstrip()}\n```\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
