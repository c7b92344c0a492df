"""Results for calls that were never answered, spelled for their wire."""

import json
from collections.abc import Mapping

from elision.compaction.conversation import Block, Format

NO_RESULT = "Error: this call was interrupted and its result is not known."
# The other results of Responses are pictures, patches or lists of tools, which cannot be made up.
_OUTPUTS = {"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output"}


def answerable(format: Format, call: Block) -> bool:
    """Whether a text can stand in for the call's result."""
    return format is not Format.OPENAI_RESPONSES or call.type in _OUTPUTS


def stand_in(format: Format, call: Block) -> str:
    """The result of an `answerable` call, saying that there was none."""
    result: Mapping[str, object]
    match format:
        case Format.ANTHROPIC:
            result = {"type": "tool_result", "tool_use_id": call.call_id, "content": NO_RESULT, "is_error": True}
        case Format.GEMINI:
            named = {"id": call.call_id} if call.call_id else {}
            result = {"functionResponse": {**named, "name": call.name, "response": {"error": NO_RESULT}}}
        case Format.OPENAI_RESPONSES:
            result = {"type": _OUTPUTS[call.type], "call_id": call.call_id, "output": NO_RESULT}
        case _ if call.call_id:
            result = {"role": "tool", "tool_call_id": call.call_id, "content": NO_RESULT}
        case _:  # the one function_call that chat had before tool_calls
            result = {"role": "function", "name": call.name, "content": NO_RESULT}
    return json.dumps(result, separators=(",", ":"))


def as_messages(format: Format, results: list[str]) -> list[str]:
    """The messages that hold these results: one of all, or each by itself, as the wire has it."""
    match format:
        case Format.ANTHROPIC:
            return [f'{{"role":"user","content":[{",".join(results)}]}}']
        case Format.GEMINI:
            return [f'{{"role":"user","parts":[{",".join(results)}]}}']
    return results
