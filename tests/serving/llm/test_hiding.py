"""Nothing of a key is told, wherever a provider says it and wherever its words are cut."""

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.summary.types import SummaryCall, SummaryFailed
from elision.serving.llm.endpoint import Endpoint, Patience
from elision.serving.llm.openai_chat import OpenAIWriter

CALL = SummaryCall("You write.", "Summarise.", 50)
LONGEST_PIECE = 3  # letters of a key that may stand anywhere by chance
KEYS = {
    "plain": "sk-proj-Q7w3E9r1T5y8U2i6O4p0-zXcVbNmAsD",
    "of base64": "Zm9v+YmFy/cXV4+Q29y/Z2Fy+bHk/ZnJl+ZA==",
    "of signs": r'k"Q7w3\E9r1<T5y8>U2i6&O4p0\"zXc\\VbNm',
}


def net(text: str) -> str:
    """As JSON is spelled where it may stand in a page."""
    signs = {sign: f"\\u{ord(sign):04X}" for sign in "+<>&'/"}
    return "".join(signs.get(letter, letter) for letter in json.dumps(text))


def under(status: int, body: str) -> Exception:
    """An SDK's error for such an answer."""
    error = RuntimeError("refused")
    error.status_code = status  # type: ignore[attr-defined]
    error.response = SimpleNamespace(status_code=status, headers={}, content=body.encode())  # type: ignore[attr-defined]
    return error


# What a provider answers when it says these words, as an error to raise or as a body under status 200.
WAYS: dict[str, Any] = {
    "words of an error": lambda words: under(401, json.dumps({"error": {"message": words}})),
    "an error as others spell it": lambda words: under(401, f'{{"error": {{"message": {net(words)}}}}}'),
    "slashes escaped": lambda words: under(500, json.dumps({"error": words}).replace("/", "\\/")),
    "an error within an error": lambda words: under(
        400, json.dumps({"error": {"message": "upstream said " + json.dumps({"error": words})}})
    ),
    "a page": lambda words: under(502, f"<html>\n<p>{words}</p>\n</html>"),
    "an error under 200": lambda words: json.dumps({"error": {"message": words, "code": 401}}),
    "no JSON": lambda words: words,
    "another shape": lambda words: json.dumps({words: 1}),
    "a list": lambda words: json.dumps([words]),
    "an error of the client": lambda words: ValueError(words),
    "an error of the network": lambda words: OSError(words),
    "an error that quotes": lambda words: ValueError(repr(words)),
}
FILLS = ("x", " ", "\n", "<i>", "x <br>\n")


class Telling(OpenAIWriter):
    """A writer to whom this is answered."""

    answer: Any = None

    def _connect(self) -> Any:
        return SimpleNamespace(close=lambda: asyncio.sleep(0))

    async def _send(self, client: Any, call: SummaryCall) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return SimpleNamespace(content=self.answer.encode())


def told(answer: Any, key: str, **settings: Any) -> str:
    """What is told of an answer."""
    patience = Patience(retries=0, backoff=0.0)
    endpoint = Endpoint("openai", "m", "http://127.0.0.1:1/v1", key, patience=patience, **settings)
    with Telling(endpoint) as asked, pytest.raises(SummaryFailed) as failed:
        asked.answer = answer
        asked(CALL)
    return str(failed.value)


def pieces(secret: str, text: str) -> list[str]:
    """The pieces of a secret that stand in a text, as they are or as JSON or Python would quote them."""
    windows = {secret[at : at + LONGEST_PIECE + 1] for at in range(len(secret) - LONGEST_PIECE)}
    spelled = {
        piece: {piece, repr(piece)[1:-1], json.dumps(piece)[1:-1], net(piece)[1:-1]} for piece in windows
    }
    return [piece for piece, ways in spelled.items() if any(way in text for way in ways)]


def at_each_cut(way: str, key: str, fill: str, pads: Any) -> None:
    for pad in pads:
        words = f"{fill * (pad // len(fill))}{'x' * (pad % len(fill))}{key} is no key"
        shown = told(WAYS[way](words), key)

        assert not pieces(key, shown), (pad, shown)


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("cut", [80, 160, 240, 400, 4000])
def test_a_key_is_hidden_where_words_are_cut(way: str, key: str, cut: int) -> None:
    """A few of the offsets before each cut, in each filling."""
    for fill in FILLS:
        at_each_cut(way, key, fill, range(cut - 2 * len(key), cut + 8, 17))


@pytest.mark.law
@given(
    way=st.sampled_from(sorted(WAYS)),
    key=st.sampled_from(sorted(KEYS.values())),
    fill=st.sampled_from(FILLS),
    pad=st.integers(0, 320) | st.integers(3900, 4100),
)
def test_a_key_is_hidden_at_every_offset(way: str, key: str, fill: str, pad: int) -> None:
    at_each_cut(way, key, fill, [pad])


@pytest.mark.parametrize("way", WAYS)
def test_values_of_headers_are_hidden_whole_where_one_holds_another(way: str) -> None:
    headers = {"x-gate": "gate Q7w3E9", "x-pass": "gate Q7w3E9r1T5y8 U2i6O4p0"}

    shown = told(WAYS[way](f"{'x' * 60} not with {headers['x-pass']} here"), "", headers=headers)

    assert not pieces("Q7w3E9r1T5y8", shown) and not pieces("U2i6O4p0", shown)


def test_what_a_failure_is_does_not_hang_on_what_is_hidden() -> None:
    """The value of a header may be any word, such as one by which failures are known."""
    answer = under(429, json.dumps({"error": {"message": "insufficient_quota", "code": 429}}))

    shown = told(answer, "", headers={"x-level": "quota", "x-number": "4", "x-sign": '"'})

    assert shown.startswith("rate_limit") and "quota" not in shown


def test_what_is_no_secret_is_told() -> None:
    shown = told(WAYS["words of an error"]("Incorrect API key provided"), KEYS["plain"])

    assert shown == "auth: openai/m: status 401: Incorrect API key provided"
