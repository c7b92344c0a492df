"""Ask a running service for something, from the command line."""

import json
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

from elision.model.bundle import list_bundles
from elision.serving.errors import ServiceRefused

PATIENCE = 600.0  # seconds: a large bundle is read, hashed and warmed


def use_in_service(url: str, name: str) -> str:
    """Swap the bundle of a service; says what it uses then.

    Args:
        url: Of the service, such as ``http://127.0.0.1:8377``.
        name: A shipped bundle, or a folder: one that is there from here goes out as an absolute path.

    Raises:
        ServiceRefused: If it keeps the bundle that it has, or there is no service; says why.
    """
    shipped = {path.name for path in list_bundles()}
    folder = Path(name).is_dir() and name not in shipped
    asked = {"bundle": str(Path(name).resolve()) if folder else name}
    found = _post(f"{url.rstrip('/')}/v1/models/use", asked)
    return f"{found['bundle']}\tin use: at {url}"


def _post(url: str, body: dict[str, str]) -> dict[str, str]:
    if urlsplit(url).scheme not in ("http", "https"):
        raise ServiceRefused(f"{url} is no address of a service, which begins with http:// or https://")
    data = json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"})
    try:
        with _opener(url).open(request, timeout=PATIENCE) as answer:
            return dict(json.load(answer))
    except urllib.error.HTTPError as error:
        raise ServiceRefused(f"{url}: {error.code}: {_detail(error)}") from None
    except (OSError, ValueError) as error:
        raise ServiceRefused(f"{url}: {getattr(error, 'reason', error)}") from None


def _opener(url: str) -> urllib.request.OpenerDirector:
    """A proxy from the environment cannot reach this machine's own services."""
    local = urlsplit(url).hostname in ("127.0.0.1", "localhost", "::1")
    return urllib.request.build_opener(*([urllib.request.ProxyHandler({})] if local else []))


def _detail(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(error)["detail"])
    except (OSError, ValueError, KeyError, TypeError):
        return str(error.reason)
