"""A service in a process of its own on a free port: for scripts that measure it or point others at it."""

import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ELISION = Path(sys.executable).with_name("elision")
START_S = 60.0


@contextmanager
def running_service() -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """The process and its URL, once it is ready; what it wrote goes to stderr if the block fails."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    log = tempfile.TemporaryFile()
    process = subprocess.Popen(
        [ELISION, "serve", "--host", "127.0.0.1", "--port", str(port)], stdout=log, stderr=log
    )
    try:
        _wait_ready(process, url)
        yield process, url
    except BaseException:
        log.seek(0)
        sys.stderr.write(log.read().decode(errors="replace")[-4000:])
        raise
    finally:
        process.terminate()
        process.wait(30)


def _wait_ready(process: subprocess.Popen[bytes], url: str) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/readyz", timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"elision serve is not ready after {START_S} s, exit code {process.poll()}")
