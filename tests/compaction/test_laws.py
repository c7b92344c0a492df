"""What must hold for every text: the laws that no shortening may break.

Few examples by default; `scripts/laws.py` runs a thousand of each.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from remembering import MADE_BY, Remembering, shorten
from scorers import HashScorer
from strategies import Change, changes, code, json_documents, ratios, texts

from elision.compaction.compress import compress
from elision.compaction.conversation import Format
from elision.compaction.cut import rebuild
from elision.compaction.formats.read import read
from elision.compaction.messages import compress_messages
from elision.compaction.policy import Policy
from elision.compaction.tokens import counter
from elision.compaction.types import Budget, Compressed

pytestmark = pytest.mark.law

COUNTER = counter("o200k_base")
_MARKER = regex.compile(r"\[…[^\[\]\n]*\]|…")
_SURROGATE = regex.compile(r"[\ud800-\udfff]")


def shortened(text: str, ratio: float) -> Compressed:
    return compress(text, Budget(keep_ratio=ratio, floor_tokens=0), scorer=HashScorer(), counter=COUNTER)


def shape(value: Any) -> Any:
    """A JSON value without the words of its texts: keys, types, numbers and lengths."""
    if isinstance(value, dict):
        return {key: shape(member) for key, member in value.items()}
    if isinstance(value, list):
        return [shape(element) for element in value]
    return "text" if isinstance(value, str) else repr(value)


@given(json_documents(), ratios)
def test_json_stays_json_of_the_same_shape(text: str, ratio: float) -> None:
    result = shortened(text, ratio)

    assert shape(json.loads(result.text)) == shape(json.loads(text))


@given(changes(), ratios)
def test_a_diff_that_applied_still_applies(tmp_path_factory: pytest.TempPathFactory, change: Change, ratio: float) -> None:
    folder = tmp_path_factory.mktemp("repository")
    file = folder / change.name
    file.parent.mkdir(exist_ok=True)
    file.write_text(change.before, encoding="utf-8")
    assert applies(change.diff, folder)

    result = shortened(change.diff, ratio)

    assert "@@ " not in result.text or applies(result.text, folder)


def applies(diff: str, folder: Path) -> bool:
    command = ["git", "apply", "--check", "--unsafe-paths", "-"]
    return subprocess.run(command, cwd=folder, input=diff.encode(), capture_output=True).returncode == 0


@given(code(), st.sampled_from(["{}", "```python\n{}\n```", "$ cat cache.py\n{}"]), ratios)
def test_kept_code_is_whole_lines_with_their_indentation(source: str, around: str, ratio: float) -> None:
    text = around.format(source)

    result = shortened(text, ratio)

    assert {line for line in result.text.splitlines() if not _MARKER.fullmatch(line.strip())} <= set(text.splitlines())


@given(texts, ratios)
def test_no_half_of_a_surrogate_pair_is_made(text: str, ratio: float) -> None:
    result = shortened(text, ratio)

    assert len(_SURROGATE.findall(result.text)) <= len(_SURROGATE.findall(text))


@given(texts, ratios)
def test_tokens_never_grow(text: str, ratio: float) -> None:
    result = shortened(text, ratio)

    assert COUNTER.count(result.text) == result.receipt.tokens_after <= COUNTER.count(text)


@given(texts, ratios)
def test_the_receipt_rebuilds_the_text(text: str, ratio: float) -> None:
    result = shortened(text, ratio)

    assert rebuild(text, result.receipt.dropped) == result.text


@given(texts, ratios)
def test_the_same_input_gives_the_same_bytes(text: str, ratio: float) -> None:
    assert shortened(text, ratio) == shortened(text, ratio)


@given(texts)
def test_keep_ratio_1_is_identity(text: str) -> None:
    assert shortened(text, 1.0).text == text


@given(texts, st.integers(1, 200))
def test_a_text_within_its_budget_is_left_alone(text: str, room: int) -> None:
    budget = Budget(target_tokens=COUNTER.count(text) + room, floor_tokens=0)

    result = compress(text, budget, scorer=HashScorer(), counter=COUNTER)

    assert result.text == text


@given(st.lists(texts, min_size=1, max_size=4), ratios)
def test_what_was_compressed_is_left_alone_by_the_same_store(results: list[str], ratio: float) -> None:
    policy, store = Policy(Budget(keep_ratio=ratio, floor_tokens=0)), Remembering()

    def passed(raw: str) -> str:
        conversation = read(raw, Format.OPENAI_CHAT)
        return compress_messages(
            conversation, policy, shorten=shorten, store=store, counter=COUNTER, made_by=MADE_BY
        ).raw

    once = passed(json.dumps({"messages": talk(results)}))

    assert passed(once) == once


def talk(results: list[str]) -> list[dict[str, Any]]:
    """A conversation in which each text is the result of a call."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Look into it."}]
    for index, text in enumerate(results):
        function = {"name": "bash", "arguments": json.dumps({"command": f"cat {index}"})}
        call = {"id": f"c{index}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{index}", "content": text})
    return messages
