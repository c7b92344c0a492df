"""Read a provider's reply, strictly: anything may come under status 200.

The SDKs build their objects without checking them, and give back a plain string where a proxy sends a
page. So the body is read here: what is not such a reply is named as malformed, never half understood.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from elision.compaction.summary.types import Failure, Finish, SummaryReply
from elision.serving.llm.failing import Failed, from_error

FINISH = {
    **dict.fromkeys(("stop", "end_turn", "stop_sequence", "eos", "eos_token"), Finish.STOP),
    **dict.fromkeys(("length", "max_tokens", "model_length", "model_context_window_exceeded"), Finish.LENGTH),
    **dict.fromkeys(("content_filter", "refusal", "safety"), Finish.REFUSAL),
    **dict.fromkeys(("tool_calls", "function_call", "tool_use"), Finish.TOOL_CALL),
}
"""Why a model stopped, as OpenAI, Anthropic and servers that speak like them call it; pause_turn is none of these."""

Reader = Callable[[bytes], SummaryReply | Failed]


def well_formed(text: str) -> str:
    """The text with each half of a surrogate pair that stands alone replaced: such text cannot be sent or kept."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def read_openai(body: bytes) -> SummaryReply | Failed:
    """What a chat completion says; of several choices the first."""
    reply = _object(body)
    if isinstance(reply, Failed):
        return reply
    choices = reply.get("choices")
    if not isinstance(choices, list):
        return _malformed("no list of choices", body)
    if not choices:
        return Failed(Failure.EMPTY, "no choices")
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    text = _text(message.get("content")) if isinstance(message, dict) else None
    if message is None or text is None:
        return _malformed("no message with a content", body)
    if choice.get("finish_reason") == "error":  # a gateway whose provider broke off
        return Failed(Failure.UNAVAILABLE, "the provider broke off")
    refusal = message.get("refusal")
    finish = _finish(choice.get("finish_reason"))
    if isinstance(refusal, str) and refusal:
        text, finish = text or refusal, Finish.REFUSAL
    elif message.get("tool_calls") and not text:
        finish = Finish.TOOL_CALL
    tokens_in, tokens_out = _tokens(reply, ("prompt_tokens",)), _tokens(reply, ("completion_tokens",))
    return SummaryReply(well_formed(text), finish, tokens_in, tokens_out)


def read_anthropic(body: bytes) -> SummaryReply | Failed:
    """What a message says: its text blocks, without its thinking."""
    reply = _object(body)
    if isinstance(reply, Failed):
        return reply
    content = reply.get("content")
    text = _text(content)
    if text is None or not isinstance(content, list):
        return _malformed("no list of content blocks", body)
    finish = _finish(reply.get("stop_reason"))
    if any(block.get("type") == "tool_use" for block in content) and not text:
        finish = Finish.TOOL_CALL
    cached = ("cache_creation_input_tokens", "cache_read_input_tokens")
    tokens_in, tokens_out = _tokens(reply, ("input_tokens", *cached)), _tokens(reply, ("output_tokens",))
    return SummaryReply(well_formed(text), finish, tokens_in, tokens_out)


def _object(body: bytes) -> dict[str, Any] | Failed:
    try:
        reply = json.loads(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        return Failed(Failure.MALFORMED, f"not UTF-8 at byte {error.start} of {len(body)}")
    except (ValueError, RecursionError):
        return _malformed("not JSON", body)
    if not isinstance(reply, dict):
        return _malformed("not a JSON object", body)
    told = reply.get("error")
    if told and isinstance(told, str | dict):  # gateways answer so under status 200
        return from_error(told)
    return reply


def _text(content: Any) -> str | None:
    """A content that is a text, nothing, or a list of blocks; None if it is neither."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
        return None
    texts = [block.get("text") for block in content if block.get("type") == "text"]
    return "".join(texts) if all(isinstance(text, str) for text in texts) else None


def _finish(reason: Any) -> Finish:
    return FINISH.get(reason.lower(), Finish.OTHER) if isinstance(reason, str) else Finish.OTHER


def _tokens(reply: Mapping[str, Any], names: Sequence[str]) -> int:
    usage = reply.get("usage")
    counts = [usage.get(name) for name in names] if isinstance(usage, dict) else []
    return sum(
        count for count in counts if isinstance(count, int) and not isinstance(count, bool) and count > 0
    )


def _malformed(what: str, body: bytes) -> Failed:
    start = " ".join(body[:400].decode("utf-8", "replace").split())[:80]
    return Failed(Failure.MALFORMED, f"{what} in {len(body)} bytes: {start!r}" if body else "an empty body")
