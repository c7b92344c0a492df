"""What a teacher is shown, and which of its answers are taken."""

import json

import pytest

from elision.model.types import Span
from elision.training.labels.instructions import instruction
from elision.training.labels.quality import Limits, Reading, Reason, Unusable, check
from elision.training.labels.rows import JudgedLine, LabelRow

LEVELS, DELETION = instruction("levels"), instruction("deletion")
LIMITS = Limits()


def form(text: str, unit: str = "line") -> LabelRow:
    lines, at = [], 0
    for line in text.split("\n"):
        lines.append(JudgedLine(at, at + len(line), level=0))
        at += len(line) + 1
    return LabelRow("f1", "grep", unit, "s", "d", "fix it", "grep foo", "", text, tuple(lines))


FORM = form("error: no such file\n\n   \nall tests passed\ndone")


def read(answer: str, its: LabelRow = FORM) -> Reading:
    reading = LEVELS.read(its, answer)
    check(reading, LIMITS)
    return reading


def levels(answer: str) -> list[int]:
    return [line.level for line in read(answer).lines]


def rejected(answer: str, its: LabelRow = FORM) -> Reason:
    with pytest.raises(Unusable) as caught:
        read(answer, its)
    return caught.value.reason


def test_blank_lines_are_not_shown_and_are_noise() -> None:
    shown = LEVELS.show(FORM)

    assert shown.endswith("0| error: no such file\n1| all tests passed\n2| done")
    assert "Task: fix it\nCall: grep foo\nSaid before: (not known)" in shown
    assert levels('{"lv": "312"}') == [3, 0, 0, 1, 2]


@pytest.mark.parametrize(
    "answer",
    [
        '{"lv":"312"}',
        '```json\n{"lv": "312", "kw": {}}\n```',
        'Here you are: {"lv": "312"}. Anything else?',
        '<think>{"lv": "000"} or rather</think>\n{"lv": "312"}',
        '{"lv": [3, 1, 2]}',
        '{"lv": "3 1 2"}',
        '{"id": "f1", "labels": {"lv": "312"}}',
        '{"lv": "312", "kw": ["error", null, ""]}',
        '{"lv": "312", "kw": {"1": "all\ntests"}}',
    ],
)
def test_what_stands_around_an_answer_is_passed_over(answer: str) -> None:
    assert levels(answer) == [3, 0, 0, 1, 2]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("I think the first line matters.", Reason.NO_JSON),
        ('{"lv": "31', Reason.NO_JSON),
        ('{"levels": "312"}', Reason.NO_JSON),
        ("{" * 5000 + "[" * 5000, Reason.NO_JSON),
        ('{"lv": "31"}', Reason.FEW_DIGITS),
        ('{"lv": "3122"}', Reason.MANY_DIGITS),
        ('{"lv": "314"}', Reason.BAD_DIGITS),
        ('{"lv": ""}', Reason.BAD_DIGITS),
        ('{"lv": null}', Reason.BAD_DIGITS),
        ('{"lv": "312", "kw": {"3": "error"}}', Reason.BAD_WORDS),
        ('{"lv": "312", "kw": {"-1": "error"}}', Reason.BAD_WORDS),
        ('{"lv": "312", "kw": ["error"]}', Reason.BAD_WORDS),
        ('{"lv": "312", "kw": {"0": 7}}', Reason.BAD_WORDS),
        ('{"lv": "312", "kw": {"0": "error missing directory"}}', Reason.INVENTED),
        ('{"lv": "312", "kw": {"0": "' + "error " * 500 + '"}}', Reason.INVENTED),
        ('{"lv": "312", "kw": {"0": "file no such error:"}}', Reason.DISPLACED),
    ],
)
def test_what_does_not_fit_the_text_is_rejected_by_name(answer: str, reason: Reason) -> None:
    assert rejected(answer) == reason


def test_kept_words_are_spans_of_their_own_line() -> None:
    lines = read('{"lv": "310", "kw": {"0": "error: file", "1": "passed", "2": "done"}}').lines

    assert lines[0].kept == (Span(0, 6), Span(15, 19))
    assert [span.of(FORM.text) for span in lines[3].kept or ()] == ["passed"]
    assert lines[4].kept == (), "of noise nothing is kept"


def test_words_that_nobody_judged_stay_unknown() -> None:
    assert [line.kept for line in read('{"lv": "312"}').lines] == [None] * 5


@pytest.mark.parametrize(
    "answer",
    [
        "<kept>error: file\npassed</kept>",
        "```\nerror: file\npassed\n```",
        "<think>hm</think>error: file\npassed",
    ],
)
def test_a_shortened_text_gives_each_line_the_share_that_stays(answer: str) -> None:
    lines = DELETION.read(FORM, answer).lines

    assert [[span.of(FORM.text) for span in line.kept or ()] for line in lines] == [
        ["error:", "file"],
        [],
        [],
        ["passed"],
        [],
    ]
    assert [line.level for line in lines] == [2, 0, 0, 2, 0]
    assert lines[0].value == pytest.approx(10 / 16)


def test_a_shortened_text_with_almost_nothing_left_is_rejected() -> None:
    with pytest.raises(Unusable, match="almost nothing kept"):
        check(DELETION.read(FORM, "<kept></kept>"), LIMITS)


def test_a_span_that_touches_the_next_sentence_is_cut_at_the_border() -> None:
    text = "不要停。请看"
    row = LabelRow(
        "f", "wiki", "sentence", "s", "d", "", "", "", text, (JudgedLine(0, 4, 0), JudgedLine(4, 6, 0))
    )

    lines = DELETION.read(row, "<kept>停。请</kept>").lines

    assert [line.kept for line in lines] == [(Span(2, 4),), (Span(4, 5),)]


def test_the_schema_asks_for_a_digit_a_line_and_words_where_they_are_wanted() -> None:
    long = form("one two three\n" + "a long sentence of quite many words that goes on and on and on")
    assert LEVELS.schema
    schema = LEVELS.schema(long)

    assert schema["properties"]["lv"]["pattern"] == "^[0-3]{2}$"
    assert list(schema["properties"]["kw"]["properties"]) == ["1"]
    assert "kw" not in LEVELS.schema(FORM)["properties"]


def test_both_instructions_are_shipped() -> None:
    assert json.dumps("lv") in LEVELS.text
    assert "<kept>" in DELETION.text
