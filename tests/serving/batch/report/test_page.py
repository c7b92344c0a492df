"""The report's page: it asks for nothing, obeys nothing that a log says, and reads well without a script."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from batch_runs import HOSTILE, a_log, a_run, some_records
from hypothesis import given
from hypothesis import strategies as st

from elision.serving.batch.report.figures import report
from elision.serving.batch.report.file_sections import FILES, POINTS
from elision.serving.batch.report.markup import duration, number, percent, rate, size, text
from elision.serving.batch.report.page import page
from elision.serving.batch.report.plots import LogScale
from elision.serving.batch.types import RunReport, Skipped

RUN = a_run(a_log(0), a_log(1, "big.log", 200_000), some_records(2))


class Parsed(HTMLParser):
    """What a page is made of."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def page_of(run: RunReport) -> str:
    return page(report(run, 12.5, jobs=2))


def hostile_run(words: list[str]) -> RunReport:
    """``words`` wherever a log, a folder or a caller can say something."""
    log = a_log(0, lines=100 * len(words))
    counts = {word: (100, 5) for word in words}
    done = replace(
        log.totals,
        templates=counts,
        levels={word: 100 for word in words},
        reasons={word: 1 for word in words},
        dropped={word: 1 for word in words},
    )
    files = [replace(a_log(at + 1, word), path=word) for at, word in enumerate(words)]
    skipped = tuple(Skipped(word, word, True) for word in words)
    return a_run(
        replace(log, totals=done),
        *files,
        skipped=skipped,
        query=words[0],
        pins=tuple(words),
        column=words[-1],
    )


def test_nothing_is_asked_for() -> None:
    parsed = Parsed(page_of(RUN))

    names = {name for name, _ in parsed.attributes}
    assert not names & {"src", "href", "srcset", "action", "style", "data", "xlink:href"}
    assert not re.search(r"url\(|@import|https?:|//[a-z]", page_of(RUN).replace("// Sorting", ""))
    assert set(parsed.tags).isdisjoint({"img", "link", "iframe", "object", "form", "base"})


def test_the_policy_allows_the_page_s_own_style_and_script_only() -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page_of(RUN))

    assert policy
    assert policy[1].startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy[1]


def test_what_a_log_says_is_shown_and_adds_no_element() -> None:
    hostile, harmless = (
        page_of(hostile_run(HOSTILE)),
        page_of(hostile_run([f"word {n}" for n in range(len(HOSTILE))])),
    )

    tags = [tag for tag in Parsed(hostile).tags if tag != "i"]
    assert sorted(tags) == sorted(tag for tag in Parsed(harmless).tags if tag != "i")
    assert "</script><img src=x onerror=alert(1)>" in Parsed(hostile).texts
    hostile.encode("utf-8")


@pytest.mark.law
@given(st.lists(st.text(st.characters(codec=None)), min_size=1, max_size=4, unique=True))
def test_no_text_adds_an_element_or_an_attribute(words: list[str]) -> None:
    for word in words:
        parsed = Parsed(f"<p>{text(word).html}</p>")

        assert set(parsed.tags) <= {"p", "i"}
        assert parsed.attributes == []
        assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", "".join(parsed.texts))


def test_every_visible_character_of_a_text_is_there() -> None:
    assert "".join(Parsed(text("naïve 日本語 <b> & 'q' 👩‍🚀").html).texts) == "naïve 日本語 <b> & 'q' 👩‍🚀"
    assert text("one\n\ttwo").html == "one<i>↵</i><i>⇥</i>two"
    assert text("a\x1b[0m\u202e\ud800").html == r"a<i>\x1b</i>[0m<i>\u202e</i><i>\ud800</i>"


def test_counts_that_do_not_add_up_are_said_first() -> None:
    log = a_log()
    shown = page_of(a_run(replace(log, totals=replace(log.totals, levels={"<b>": 1}))))

    assert "The counts do not add up." in shown
    assert "app.log: the levels add up to 1 lines of 1,000" in shown
    assert shown.index("do not add up") < shown.index("<section")
    assert "do not add up" not in page_of(RUN)


def test_the_same_report_gives_the_same_page() -> None:
    assert page_of(RUN) == page_of(RUN)


def test_every_table_has_a_caption_and_heads() -> None:
    tags = Parsed(page_of(hostile_run(HOSTILE))).tags

    assert tags.count("table") == tags.count("caption") == tags.count("thead") > 5
    assert re.findall(r"<svg(?![^>]*(?:aria-hidden|aria-label))", page_of(RUN)) == []


@pytest.mark.parametrize(
    "run",
    [
        a_run(),
        a_run(a_log(lines=0)),
        a_run(some_records(set_aside=0)),
        a_run(skipped=(Skipped("a", "b", True),)),
    ],
)
def test_a_run_with_little_in_it_has_a_page(run: RunReport) -> None:
    assert page_of(run).endswith("</html>\n")


def test_what_the_page_has_no_room_for_is_counted() -> None:
    many = [a_log(index, f"{index}.log", 10 + index) for index in range(FILES + 5)]
    shown = page_of(a_run(*many))

    assert "Shown: the largest, 1,000 of 1,005 files. report.json has the other 5." in shown
    assert f"{FILES + 4}.log" in shown and ">0.log<" not in shown


@pytest.mark.slow
def test_ten_thousand_files_make_a_page_of_two_megabytes_at_most() -> None:
    shown = page_of(a_run(*(a_log(index, f"{index}.log", 10 + index) for index in range(10_000))))

    assert len(shown) < 2_000_000
    assert shown.count('class="file"') <= POINTS


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (number(1234567), "1,234,567"),
        (number(None), "–"),
        (percent(0.3), "30.0 %"),
        (percent(0), "0.0 %"),
        (percent(0.0001), "< 0.1 %"),
        (percent(0.9999), "> 99.9 %"),
        (percent(1), "100.0 %"),
        (size(999), "999 B"),
        (size(999_960), "1.0 MB"),
        (size(2.5e12), "2,500.0 GB"),
        (rate(0.0123), "12.3 kB/s"),
        (rate(None), "–"),
        (duration(0.0123), "12 ms"),
        (duration(59.96), "1 min 0 s"),
        (duration(7321), "2 h 2 min"),
    ],
)
def test_numbers_read_well(made: str, expected: str) -> None:
    assert made == expected


@given(st.lists(st.integers(0, 10**13), max_size=20))
def test_every_count_has_a_place_on_the_scale(counts: list[int]) -> None:
    scale = LogScale.around(counts)

    assert all(-1e-9 <= scale.at(count) <= 100 + 1e-9 for count in counts)
    assert 2 <= len(scale.ticks(5)) <= 5
    assert 2 <= len(scale.ticks(8)) <= 8


def luminance(colour: str) -> float:
    """WCAG 2.2's relative luminance."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1])
def test_colours_have_the_contrast_that_wcag_asks_for(scheme: int) -> None:
    blocks = re.findall(r":root \{(.*?)\}", page_of(RUN), re.DOTALL)
    colours: dict[str, Any] = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", blocks[scheme]))

    for ink in ("ink", "soft", "target"):
        assert contrast(colours[ink], colours["paper"]) >= 4.5, ink
    assert contrast(colours["ink"], colours["bad-paper"]) >= 4.5
    for mark in ("mark", "before", "target", "bad", "warn", "info"):
        assert contrast(colours[mark], colours["paper"]) >= 3, mark
