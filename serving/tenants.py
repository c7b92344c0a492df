"""Whose a request is: callers are told apart by the key that they send, which is kept nowhere."""

import hashlib

from starlette.requests import HTTPConnection

_HEADERS = ("authorization", "x-api-key", "x-goog-api-key")


def tenant_of(request: HTTPConnection) -> str:
    """SHA-256 of the caller's API key, whichever header it comes in; empty where there is none."""
    for name in _HEADERS:
        scheme, _, rest = request.headers.get(name, "").strip().partition(" ")
        key = rest.strip() if scheme.lower() == "bearer" else f"{scheme} {rest}".strip()
        if key:
            return hashlib.sha256(key.encode()).hexdigest()
    return ""
