"""What the cases wish for, in the service's own words. The one place to change when a route changes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.cases.reading import messages

FORMATS = {
    "openai-chat": "openai_chat",
    "openai-responses": "openai_responses",
    "anthropic-messages": "anthropic",
}
ERRORS = {"invalid_fields": "invalid_request", "bad_budget": "invalid_request"}
# The cases' word and ours, where the value is the same.
_SAME = {
    "budget_tokens": "total_tokens",
    "keep_rate": "keep_ratio",
    "keep_last_messages": "protect_recent",
    "protect": "protect",
    "context_window": "context_window",
    "reserve_tokens": "reserve_tokens",
    "count_tools": "count_tools",
    "model": "model",
    "session": "session_id",
    "redact": "redact",
    "compact_tools": "tool_descriptions",
}
# The same for what rewrites a history.
_SAME_OF_COMPACTION = {
    "budget_tokens": "total_tokens",
    "context_window": "context_window",
    "model": "model",
    "redact": "redact",
    "strict_alternation": "alternate",
}
_POLICY = (Path(__file__).parent / "summary.toml").read_text(encoding="utf-8")
_LIMITS = "limits in characters or bytes"
_MISSING = {"max_chars": _LIMITS, "max_bytes": _LIMITS}


def missing(asked: Mapping[str, Any]) -> str | None:
    """What a request wishes for and the service does not have, so that it is not even tried."""
    return next((name for wish, name in _MISSING.items() if wish in asked), None)


def summarises(asked: Mapping[str, Any]) -> bool:
    """Whether a history is to be rewritten, with a summary for what goes."""
    return asked.get("strategy") == "summary"


def text_order(given: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """The body of ``POST /v1/compress/text``."""
    order = {key: given[key] for key in ("text", "texts", "query") if key in given}
    order |= {"floor_tokens": asked.get("min_tokens", 0), "clean": True, "redact": asked.get("redact", False)}
    if "budget_tokens" in asked:
        order |= {"target_tokens": asked["budget_tokens"], "overflow": "clip"}
    elif asked.get("strategy") == "lossless":
        order["keep_ratio"] = 1.0
    elif "keep_rate" in asked:
        order["keep_ratio"] = asked["keep_rate"]
    return order | _pins(asked)


def messages_order(given: Mapping[str, Any], format: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The body of ``POST /v1/compress/messages``."""
    order = {ours: asked[theirs] for theirs, ours in _SAME.items() if theirs in asked}
    history = "keep_rate" not in asked  # a size for all together, or none at all
    order |= {"format": FORMATS[format], "body": given, "mode": "history" if history else "ingress"}
    ours = asked.get("mode") != "proxy"  # a proxy sends on what it was sent
    order |= {"assistant_text": history, "clean": ours, "repair": ours, "floor_tokens": 0}
    if history:
        order["overflow"] = "clip"
    if "retrieval_tool" in asked:
        order["tool_rules"] = {prefix + asked["retrieval_tool"]: "never" for prefix in ("", "*__")}
    return order | _pins(asked)


def compact_order(given: Mapping[str, Any], format: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The body of ``POST /v1/compact``."""
    return session_order(given, asked) | {"format": FORMATS[format], "body": given}


def session_order(given: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """The body of ``POST /v1/sessions/{id}/compact``: the same, but the history is the session's."""
    order = {ours: asked[theirs] for theirs, ours in _SAME_OF_COMPACTION.items() if theirs in asked}
    return order | {"policy_toml": _POLICY, "set": list(_tail(given, asked))}


def count_order(given: Mapping[str, Any], format: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The body of ``POST /v1/count``."""
    return {"format": FORMATS[format], "body": given, "count_tools": asked.get("count_tools", False)}


def fields_of(answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One set of fields for the answers of a batch."""
    if not answers:
        return {}
    sums = {key: sum(answer[key] for answer in answers) for key in ("tokens_before", "tokens_after")}
    changed = any(answer["changed"] for answer in answers)
    met = all(answer["target_met"] for answer in answers)
    return {**answers[0], **sums, "changed": changed, "target_met": met}


def _pins(asked: Mapping[str, Any]) -> dict[str, Any]:
    return {"pins": [re.escape(text) for text in asked["force_tokens"]]} if "force_tokens" in asked else {}


def _tail(given: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[str]:
    """The settings that say what stays at the end; where there are none, what fits into the limit."""
    if "keep_last_messages" in asked:
        yield f"select.tail_messages={asked['keep_last_messages']}"
    if "split_index" in asked:
        yield f"select.tail_messages={len(messages(given)) - asked['split_index']}"
    if "keep_fraction" in asked:
        yield from (f"select.tail_share={asked['keep_fraction']}", "select.tail_share_of=history")
