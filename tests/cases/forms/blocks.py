"""Forms about blocks that are not text: thinking, images, cache marks."""

import re
from collections.abc import Mapping
from typing import Any

from tests.cases.grammar import compares, each_run
from tests.cases.marks import without_markers
from tests.cases.outcome import Body, Run, same
from tests.cases.reading import (
    Message,
    blocks,
    calls_of,
    images,
    messages,
    objects,
    plain,
    strings,
    texts,
    thoughts,
)
from tests.cases.sequences import is_within, words

_SAID = re.compile(r"\[[^\]]*image[^\]]*\]|image[^.\n]{0,60}(left out|omitted|elided|removed|dropped)", re.I)


@each_run(r"each thinking block in the output is identical to one in the input(?: \(text and signature\))?")
def thoughts_unchanged(run: Run) -> None:
    given = [thought for message in messages(run.given) for thought in thoughts(message)]
    for message in messages(run.output):
        for thought in thoughts(message):
            assert any(same(thought, old) for old in given), thought


@each_run("the message with tool call <text> starts with the same thinking block as in the input")
def opening_thought(run: Run, identity: str) -> None:
    found = _calling(run.output, identity)
    assert found, f"call {identity} is gone"
    before = blocks(_calling(run.given, identity)[0])[0]
    assert same(blocks(found[0])[0], before), f"{blocks(found[0])[0]} is not {before}"


@each_run(
    "the message with tool call <text> starts with the same thinking block as in the input, "
    "or is not in the output"
)
def opening_thought_or_gone(run: Run, identity: str) -> None:
    if _calling(run.output, identity):
        opening_thought(run, identity)


@each_run("the output has <how> <int> image blocks?")
def count_of_images(run: Run, how: str, wanted: int) -> None:
    assert compares(how, len(images(run.output)), wanted), f"{len(images(run.output))} images"


@each_run("the output has <int> image blocks?, or the output text says that an image was left out")
def images_or_a_word(run: Run, wanted: int) -> None:
    said = any(_SAID.search(text) for text in texts(run.output))
    assert said or len(images(run.output)) == wanted, f"{len(images(run.output))} images, and no word of it"


@each_run("if the output has image blocks then the one of <text> is among them")
def newest_image(run: Run, text: str) -> None:
    shown = ["\n".join(plain(message)) for message in messages(run.output) if images(message)]
    assert not shown or any(text in read for read in shown), shown


@each_run("the output has <how> <int> cache_control fields?")
def count_of_cache_marks(run: Run, how: str, wanted: int) -> None:
    assert compares(how, len(_marked(run.output)), wanted), _marked(run.output)


@each_run("every cache_control in the output is <value>")
def cache_mark_is(run: Run, wanted: Any) -> None:
    for block in _marked(run.output):
        assert same(block["cache_control"], wanted), block["cache_control"]


@each_run("every cache_control in the output is on a block that has one in the input")
def cache_mark_was(run: Run) -> None:
    """A block counts as the same if its words are some of the old block's words."""
    given = [_words(block) for block in _marked(run.given)]
    for block in _marked(run.output):
        assert any(is_within(_words(block), old) for old in given), block


@each_run("no (?:text block holds a )?run of more than <int> base64 characters")
def no_base64(run: Run, limit: int) -> None:
    found = [re.search(rf"[A-Za-z0-9+/=]{{{limit + 1},}}", text) for text in texts(run.output)]
    runs = [match[0][:40] for match in found if match]
    assert not runs, runs


def _calling(body: Body, identity: str) -> list[Message]:
    return [m for m in messages(body) if any(call.id == identity for call in calls_of(m))]


def _marked(body: Body) -> list[Mapping[str, Any]]:
    return [part for part in objects(body) if "cache_control" in part]


def _words(block: Mapping[str, Any]) -> list[str]:
    kept = {key: value for key, value in block.items() if key != "cache_control"}
    return words(without_markers(" ".join(strings(kept))))
