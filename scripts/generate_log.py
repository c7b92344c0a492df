"""Write a log of any size: several services that repeat themselves, and a few lines that must not be lost.

    .venv/bin/python scripts/generate_log.py OUT.log --megabytes 2000 [--seed 1]

The same seed gives the same bytes. Prints as JSON what was written: lines, records of each kind, and the
rare ones (their marks ``RARE-<n>`` can be searched for in whatever became of the log).
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

BLOCK_LINES = 20_000
BLOCKS = 16  # prepared ones; the log is made of them, each time with other times
RARE_PER_BLOCK = 0.7

SERVICES = ("gateway", "billing", "search", "mailer", "worker-3", "worker-7")
KINDS = (
    (40, "INFO {service} GET /api/v2/items/{n} 200 {ms}ms client=10.0.{b}.{b}"),
    (20, "INFO {service} request {hex} done in {ms} ms, {n} bytes sent"),
    (12, "DEBUG {service} cache hit key=user:{n} ttl={b}s"),
    (8, "INFO {service} heartbeat seq={n} lag={ms}ms"),
    (6, "INFO {service} job {hex} finished, attempt 1, queue length {b}"),
    (4, "WARN {service} slow query took {ms} ms on shard {b}, rows={n}"),
    (2, "ERROR {service} upstream timed out after {ms} ms, request {hex} is tried again"),
)
TRACE = (
    "ERROR {service} unhandled error in job {hex}",
    "java.lang.IllegalStateException: pool {b} is exhausted",
    "    at app.pool.Pool.take(Pool.java:214)",
    "    at app.jobs.Runner.step(Runner.java:88)",
    "    at app.jobs.Runner.run(Runner.java:41)",
    "Caused by: java.net.SocketTimeoutException: read timed out",
    "    ... 12 more",
)
RARE = (
    "ERROR {service} RARE-{rare} checksum of volume vol-{n} does not match its journal, writes are off",
    "WARN {service} RARE-{rare} certificate of peer {hex} expires in {b} hours",
    "INFO {service} RARE-{rare} operator switched feature {hex} off for tenant {n}",
    "FATAL {service} RARE-{rare} cannot allocate segment {n}, shutting down",
)


def blocks(seed: int) -> list[str]:
    """Some stretches of log; ``@@`` stands where the seconds of the stretch go."""
    dice = random.Random(seed)
    return ["".join(_lines(dice)) for _ in range(BLOCKS)]


def write(path: Path, megabytes: float, seed: int) -> dict[str, int]:
    """Write the log and say what it holds."""
    prepared, dice = blocks(seed), random.Random(seed + 1)
    written = lines = rare = 0
    with path.open("wb", buffering=1 << 20) as file:
        number = 0
        while written < megabytes * 1e6:
            hour, minute = divmod(number, 60)
            stamp = f"2026-{1 + hour // 24 // 28 % 12:02}-{1 + hour // 24 % 28:02}T{hour % 24:02}:{minute:02}"
            text = prepared[dice.randrange(BLOCKS)].replace("@@", stamp)
            if dice.random() < RARE_PER_BLOCK:
                text += f"{stamp}:59.990Z {_filled(dice, dice.choice(RARE), rare)}\n"
                rare += 1
            data = text.encode()
            file.write(data)
            written, lines, number = written + len(data), lines + text.count("\n"), number + 1
    return {"bytes": written, "lines": lines, "rare": rare, "seed": seed}


def _lines(dice: random.Random) -> Iterator[str]:
    weights, texts = zip(*KINDS, strict=True)
    for at, text in enumerate(dice.choices(texts, weights, k=BLOCK_LINES)):
        second = at * 59.9 / BLOCK_LINES
        yield f"@@:{second:06.3f}Z {_filled(dice, text)}\n"
        if dice.random() < 0.0005:
            head, *rest = TRACE
            yield f"@@:{second:06.3f}Z {_filled(dice, head)}\n"
            yield from (f"{_filled(dice, line)}\n" for line in rest)


def _filled(dice: random.Random, text: str, rare: int = 0) -> str:
    return text.format(
        service=dice.choice(SERVICES),
        n=dice.randrange(1_000_000),
        ms=dice.randrange(1, 5000),
        b=dice.randrange(256),
        hex=f"{dice.getrandbits(48):012x}",
        rare=f"{rare:06}",
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--megabytes", type=float, required=True)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    try:
        print(json.dumps(write(args.out, args.megabytes, args.seed)))
    except OSError as error:
        parser.error(f"cannot write {args.out}: {error.strerror}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
