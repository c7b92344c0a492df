"""One service with a scripted writer, and one session of it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx
import pytest
from scripted_writer import Script, script
from session_service import NOTES, Session, service

if TYPE_CHECKING:
    from tests.serving.conftest import WordScorer


@pytest.fixture
def writer() -> Script:
    return script(NOTES)


@pytest.fixture
def client(scorer: "WordScorer", writer: Script) -> Iterator[httpx.Client]:
    with service(scorer, writer) as found:
        yield found


@pytest.fixture
def session(client: httpx.Client) -> Session:
    return Session(client)
