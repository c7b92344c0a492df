"""``elision serve``: the HTTP service on this machine."""

import errno
import shlex
import socket
from pathlib import Path
from typing import Annotated

import typer

from elision.serving.commands import tools
from elision.serving.errors import AddressUnavailable

# Recorded from this repository's own commands; not part of the wheel.
SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "request.json"


def serve(
    ctx: typer.Context,
    host: Annotated[
        str | None, typer.Option("--host", help="Address to listen on. [default: 127.0.0.1]")
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", help="Port; 0 takes a free one. [default: 8377]")
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", help="Scoring threads. [default: one per core]")
    ] = None,
    bundle: tools.GivenBundle = None,
) -> None:
    """Serve texts over HTTP. Every setting is an ELISION_* variable; flags go first."""
    import uvicorn

    from elision.serving.app import create_app
    from elision.serving.choice import in_use
    from elision.serving.settings import read_settings

    settings = read_settings(host=host, port=port, workers=workers, bundle=bundle)
    if ctx.obj.scorer is None:
        _check_bundle(in_use(settings.bundle, settings.bundle_file).path)
    listening = listen(settings.host, settings.port)
    url = _url(listening)
    app = create_app(settings, ctx.obj.scorer, on_ready=lambda: print(try_it(url), flush=True))
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=int(settings.deadline_seconds) + 5,
    )
    uvicorn.Server(config).run(sockets=[listening])


def listen(host: str, port: int) -> socket.socket:
    """Bind before anything slow begins.

    Raises:
        AddressUnavailable: If the port is in use or may not be taken, or the host is not ours.
    """
    listening = None
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, proto)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(2048)
        return listening
    except (OSError, UnicodeError) as error:
        if listening:
            listening.close()
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            raise AddressUnavailable(f"port {port} of {host} is in use, choose another with --port") from None
        raise AddressUnavailable(f"cannot listen on {host}, port {port}: {error}") from None


def try_it(url: str) -> str:
    """One command that shows the service at work, from any folder."""
    data = (
        f"--data-binary {shlex.quote(f'@{SAMPLE}')}"
        if SAMPLE.exists()
        else """-d '{"text": "hello", "floor_tokens": 0}'"""
    )
    return f"curl -s {url}/v1/compress/text -H 'content-type: application/json' {data}"


def _url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _check_bundle(bundle: Path | None) -> None:
    """Stop on a broken bundle while there is someone to read why."""
    from elision.model.bundle import load_bundle

    load_bundle(bundle)
