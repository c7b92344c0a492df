"""Runs of a batch, made up but sound: their counts add up."""

from elision.serving.batch.settings import BatchSettings
from elision.serving.batch.types import FileReport, Form, PortionReport, RunReport, Skipped

HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    '"><svg onload=alert(2)>',
    "</style></title></textarea><script>alert(3)</script>",
    "\x1b[31mred\x07\x00\x9bbell",
    "lone \ud800 surrogate \udc80",
    "reversed \u202egnp.exe\u2066 and \u2028 a line",
    "&lt;escaped&gt; & <!-- not closed",
    "]]><plaintext>",
]


def a_log(index: int = 0, name: str = "app.log", lines: int = 1000, kept: int = 300) -> FileReport:
    """A log of which half the lines are of one template, that keeps ``kept`` tokens of a thousand."""
    errors, half = lines // 10, lines // 2
    return FileReport(
        index=index,
        name=name,
        path=f"/in/{name}",
        form=Form.LOG,
        bytes_in=lines * 80,
        bytes_out=lines * kept * 80 // 1000,
        sha256=f"{index:064x}",
        portions=1 + lines // 50_000,
        records_out=lines,
        records_set_aside=0,
        totals=PortionReport(
            records=lines,
            lines=lines,
            tokens_before=lines * 30,
            tokens_after=lines * 30 * kept // 1000,
            reasons={"": 2, "within_budget": 1},
            dropped={"folded": lines * 40, "low_value": lines * 9},
            levels={"INFO": lines - errors, "ERROR": errors},
            templates={
                "GET /health <*> in <*> ms": (half, min(half, 3)),
                "(other)": (lines - half, lines // 5),
            },
            seconds=lines / 1e5,
        ),
        slowest=0,
        slowest_seconds=lines / 2e5,
    )


def some_records(index: int = 1, name: str = "rows.jsonl", set_aside: int = 3) -> FileReport:
    """JSON lines, some of them set aside."""
    return FileReport(
        index=index,
        name=name,
        path=f"/in/{name}",
        form=Form.RECORDS,
        bytes_in=50_000,
        bytes_out=30_000,
        sha256=f"{index:064x}",
        portions=1,
        records_out=100 - set_aside,
        records_set_aside=set_aside,
        totals=PortionReport(
            records=100,
            lines=100,
            tokens_before=12_000,
            tokens_after=6_000,
            reasons={"": 90, "below_floor": 7},
            dropped={"low_value": 20_000},
            seconds=0.5,
        ),
        slowest=0,
        slowest_seconds=0.5,
    )


def a_run(*files: FileReport, skipped: tuple[Skipped, ...] = (), **settings: object) -> RunReport:
    """A run over ``files``."""
    asked = BatchSettings(keep_ratio=0.3, **settings)  # type: ignore[arg-type]
    return RunReport(asked, "a-bundle@bd4805fb51d2", "o200k_base", True, files, skipped)


RUN = a_run(
    a_log(0),
    a_log(1, "big.log", 200_000),
    some_records(2),
    skipped=(Skipped("logo.png", "a picture", False),),
)
