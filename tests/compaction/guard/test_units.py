"""Units partition a text, cut no grapheme, and keep one fact in one piece."""

from itertools import pairwise

import pytest
import regex
from examples import at_least
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.guard.units import unit_spans
from elision.model.types import Span

PARTS = st.sampled_from(
    ["word ", "12 ", "ms ", "\u0301", "👩‍👩‍👧", "🇩🇪", " ", "\u0600", "不是", "文件。", "ไม่ได้", "กำ", "ni̇ñ ", "https://a.b/c_(d)?e=f ",
     "`a b` ", "{\"a\": 1} ", "= ", "May 5, 2024 ", "—", "\u200d", "\ud800", "\x00", "नहीं ", "한국어 ", "e\u0301", "\t", "(", "\u1100\u1161", "かな", "カナ"]
)  # fmt: skip
ANY = st.one_of(st.text(), st.lists(PARTS).map("".join))


def units(text: str) -> list[str]:
    return [unit.of(text) for unit in unit_spans(text, Span(0, len(text)))]


@at_least(500)
@given(ANY)
def test_units_partition_any_text_and_split_no_grapheme(text: str) -> None:
    line = text.replace("\r", "").replace("\n", "")
    found = unit_spans(line, Span(0, len(line)))

    assert [0, *(u.stop for u in found)] == [*(u.start for u in found), len(line)]
    assert all(len(u) for u in found)
    assert {u.stop for u in found} <= {m.end() for m in regex.finditer(r"\X", line)}


@pytest.mark.parametrize(
    "whole",
    [
        "550e8400-e29b-41d4-a716-446655440000", "sha256:9f86d081884c7d65", "0xDEADBEEF", "C:\\Users\\a\\b.txt", "/usr/lib/x.so.1",
        "https://en.wikipedia.org/wiki/Foo_(bar)?a=%20b&c=d#e", "first.last+tag@mail.example.org", "v1.2.3-rc.1+build5", "10.0.0.1:8080",
        "src/main.rs:12:5", "2024-05-03T10:11:12.123+02:00", "2024-05-03 10:11:12,123 +0200", "1,284.50", "1 284,50", "$1,284.50", "$ 12",
        "−3.5 %", "100ms", "30 days", "5 GB", "20 USD", "3.5 million", "camelCaseName", "snake_case_name", "foo()", "--flag=value",
        "`code with spaces`", "key=value", "key=\"two words\"", "#123", "@someone", "👩‍👩‍👧", "May 5, 2024", "5 May 2024", "10:30 PM",
        "a == b", "x -> y", "line 12", "exit=137", "[label here](https://a.b/c)", "{\"id\": 1, \"name\": \"a b\"}", "C:\\Program Files\\x\\y.exe",
        "C:\\work\\billing\\app.config", "5.15.0-91", "--no-hugepages", "0x7f8a3c2b", "10-20 ms", "2026 年 4 月 30 日", "<system-reminder>", "1.2e+10 kg",
        "\"/home/some one/x\"", "<a href=\"x y\">", "TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsu==",
    ],
)  # fmt: skip
def test_one_fact_is_one_unit(whole: str) -> None:
    found = units(f"the thing {whole} stands here")

    assert f" {whole}" in found


def test_words_carry_the_white_space_before_them_and_punctuation_sticks() -> None:
    assert units("Well, (he  said) \"no\".") == ["Well,", " (he", "  said)", " \"no\"."]


def test_indentation_and_the_line_end_stand_alone() -> None:
    text = "first\n    two words  \r\n"
    line = Span(6, len(text))

    assert [u.of(text) for u in unit_spans(text, line)] == ["    ", "two", " words", "  \r\n"]


def test_white_space_after_a_sentence_is_its_own_unit() -> None:
    assert units("End. ") == ["End.", " "]


@pytest.mark.parametrize(
    ("text", "unit"),
    [("我们不应该删除文件", "不"), ("2024年5月3日发布", "2024年5月3日"), ("共3个文件", "3个"), ("ผมไม่ได้ไป", "ไม่ได้"),
     ("于2026年4月30日前支付", "2026年4月30日"), ("会议在2026 年 4 月 30 日举行", "2026 年 4 月 30 日"), ("支付12万元。", "12万元。"), ("合計￥12,000です", "￥12,000"),
     ("使用`git log --oneline`命令", "`git log --oneline`"), ("请看[文档](https://a.b/c)说明", "[文档](https://a.b/c)"), ("内核5.15.0-91版本", "5.15.0-91"),
     ("地址0x7f8a3c2b处", "0x7f8a3c2b"), ("约12 GB内存", "12 GB"), ("增长了+3.5个百分点", "+3.5个百分点"), ("温度-5℃以下", "-5℃"), ("共1億2千万円", "1億2千万円"),
     ("见第12章第3节", "第12章"), ("等3~5天", "3~5天"), ("打开C:\\work\\app.config文件", "C:\\work\\app.config"),
     ("データベースを削除", "データベース"), ("見https://a.b/c?d=e。", "https://a.b/c?d=e。"), ("削除してはならない。", "ならない。")],
)  # fmt: skip
def test_text_without_spaces_is_cut_into_short_runs(text: str, unit: str) -> None:
    found = units(text)

    assert unit in found
    assert len(found) > 1


def test_punctuation_between_runs_sticks_to_what_it_follows() -> None:
    assert all(not part.startswith(("，", "。")) for part in units("今天下雨，所以我们留在家里。明天再去。"))


@pytest.mark.parametrize("text", ["a" * 500_000, "1 000 " * 20_000, "`a " * 30_000, "{\"a " * 30_000, "= " * 50_000, "中[(" * 50_000, "中`a " * 30_000, "中12 " * 30_000, "[(" * 100_000, "e\u0301" * 100_000])
def test_odd_texts_are_read_in_linear_time(text: str) -> None:
    found = unit_spans(text, Span(0, len(text)))

    assert found[-1].stop == len(text)
    assert all(a.stop == b.start for a, b in pairwise(found))
