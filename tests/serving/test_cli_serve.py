"""`elision serve`: says what to try, answers it, and ends when told."""

import shlex
import signal
import socket
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from elision.serving.commands.serve import listen, try_it
from elision.serving.errors import AddressUnavailable

if TYPE_CHECKING:
    from tests.serving.conftest import Ran

Cold = Callable[..., "Ran"]


@pytest.fixture
def taken() -> Any:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_the_printed_command_works_from_any_folder(spawn: Callable[..., Any]) -> None:
    server = spawn("serve", "--port", 0, "--workers", 1)
    command = server.stdout.readline().decode()
    assert command.startswith("curl -s http://127.0.0.1:")

    answer = subprocess.run(shlex.split(command), capture_output=True, text=True, cwd="/").stdout

    assert '"bundle": "flat@0"' in answer
    server.send_signal(signal.SIGINT)
    assert server.wait(20) == 130


def test_a_request_under_way_is_answered_before_the_end(
    spawn: Callable[..., Any], log_text: str, eventually: Callable[..., None]
) -> None:
    server = spawn("serve", "--port", 0, SLOW="1")
    url = server.stdout.readline().split()[2].decode()
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(httpx.post, url, json={"text": log_text}, timeout=20)
        eventually(lambda: "running 1.0" in httpx.get(url.replace("/v1/compress/text", "/metrics")).text)
        server.send_signal(signal.SIGTERM)

        assert asked.result().status_code == 200
    assert server.wait(20) == -signal.SIGTERM


def test_without_a_checkout_the_printed_command_brings_its_own_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elision.serving.commands.serve.SAMPLE", Path("/missing"))

    assert """-d '{"text": """ in try_it("http://127.0.0.1:1")


def test_a_port_in_use_is_said_with_exit_code_2(cold: Cold, taken: int) -> None:
    ran = cold("serve", "--port", taken)

    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"elision: error: port {taken} of 127.0.0.1 is in use, choose another with --port\n"


@pytest.mark.parametrize("host", ["no.such.host.invalid", "192.0.2.1"])
def test_a_host_that_is_not_ours_is_said(host: str) -> None:
    with pytest.raises(AddressUnavailable, match=f"cannot listen on {host}, port 8377"):
        listen(host, 8377)


def test_a_bad_setting_stops_the_start(cold: Cold) -> None:
    ran = cold("serve", ELISION_DEADLINE_SECONDS="soon")

    assert ran.code == 2
    assert ran.err.startswith("elision: error: ELISION_DEADLINE_SECONDS: ") and ran.err.count("\n") == 1


def test_a_missing_bundle_stops_the_start(cold: Cold) -> None:
    ran = cold("serve", "--port", 0, "--bundle", "no/such/bundle", real=True)

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("elision: error: ") and "no/such/bundle" in ran.err
