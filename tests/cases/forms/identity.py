"""Forms about what has to stay as it was: the output, a message, an item, the tools, the bytes."""

from typing import Any

from tests.cases.grammar import each_run, form
from tests.cases.outcome import Outcome, Run, same, same_bytes
from tests.cases.reading import messages, objects


@each_run("output is identical to the input")
def identical(run: Run) -> None:
    changed = [key for key in run.given if not same(run.given[key], run.output.get(key))]
    assert not changed, f"changed: {changed}; output {str(run.output)[:500]}"


@each_run("output bytes are identical to the input bytes")
def identical_bytes(run: Run) -> None:
    assert run.output is not None and run.raw, "no bytes were recorded"
    assert run.raw[0] == run.raw[1], f"{run.raw[1]!r} is not {run.raw[0]!r}"


@each_run("output text <int> is identical to input text <int>")
def identical_text(run: Run, output: int, given: int) -> None:
    assert run.output["texts"][output] == run.given["texts"][given], repr(run.output["texts"][output])


@form("all (?:answers|outputs) are identical")
def all_alike(outcome: Outcome) -> None:
    different = [run.output for run in outcome.runs if not same(run.output, outcome.runs[0].output)]
    assert not different, f"{different[0]} is not {outcome.runs[0].output}"


@form("parallel answers are identical to the answers of serial runs")
def as_serial(outcome: Outcome) -> None:
    assert outcome.serial, "no serial runs to compare with"
    for parallel, alone in zip(outcome.runs, outcome.serial, strict=True):
        assert same(parallel.output, alone.output), f"{parallel.output} is not {alone.output}"


@each_run("all output texts are identical")
def texts_alike(run: Run) -> None:
    assert len(set(run.output["texts"])) <= 1, run.output["texts"]


@each_run("(?:message|item) <int> is unchanged")
def in_place(run: Run, index: int) -> None:
    """The first message has to come first; another may have moved up."""
    if index == 0:
        _equal(messages(run.output)[:1], messages(run.given)[:1])
    _kept(run, index)


@each_run("the first message is unchanged")
def first_unchanged(run: Run) -> None:
    in_place(run, 0)


@each_run("messages? <ints> of the input (?:is|are) unchanged in the output")
def all_kept(run: Run, indexes: list[int]) -> None:
    for index in indexes:
        _kept(run, index)


@each_run("the last (?:message|item) is unchanged")
def last_unchanged(run: Run) -> None:
    last_ones_unchanged(run, 1)


@each_run("the last <int> (?:messages|items) are unchanged")
def last_ones_unchanged(run: Run, count: int) -> None:
    _equal(messages(run.output)[-count:], messages(run.given)[-count:])


@each_run("messages in the answer, if any, are identical to the input")
def untouched_if_any(run: Run) -> None:
    if run.answered is not None:
        _equal(messages(run.answered), messages(run.given))


@each_run("item <text> is not in the output")
def item_gone(run: Run, identity: str) -> None:
    assert not _items(messages(run.output), identity), f"{identity} is still there"


@each_run("item <text> is unchanged")
def item_unchanged(run: Run, identity: str) -> None:
    _equal(_items(messages(run.output), identity), _items(messages(run.given), identity))


@each_run("item <text> is the first item of the output")
def item_first(run: Run, identity: str) -> None:
    assert _items(messages(run.output)[:1], identity), messages(run.output)[:1]


@each_run("block of type <text> is unchanged, or its message is not in the output")
def block_unchanged_or_gone(run: Run, kind: str) -> None:
    given = [block for block in objects(messages(run.given)) if block.get("type") == kind]
    for block in objects(messages(run.output)):
        assert block.get("type") != kind or any(same(block, old) for old in given), block


@each_run("the system field is unchanged")
def system_unchanged(run: Run) -> None:
    _equal(run.output.get("system"), run.given.get("system"))


@each_run("tool definitions are unchanged")
def tools_unchanged(run: Run) -> None:
    _equal(run.output.get("tools"), run.given.get("tools"))


@form("each output starts with the previous output, byte for byte")
def growing(outcome: Outcome) -> None:
    outputs = [messages(run.output) for run in outcome.runs]
    for before, after in zip(outputs, outputs[1:], strict=False):
        head = after[: len(before)]
        assert same_bytes(head, before), f"{head} is not {before}"


def _kept(run: Run, index: int) -> None:
    wanted = messages(run.given)[index]
    assert any(same(wanted, found) for found in messages(run.output)), f"message {index} changed: {wanted}"


def _items(found: list[Any], identity: str) -> list[Any]:
    return [item for item in found if identity in (item.get("id"), item.get("call_id"))]


def _equal(found: Any, wanted: Any) -> None:
    assert same(found, wanted), f"{str(found)[:500]} is not {str(wanted)[:500]}"
