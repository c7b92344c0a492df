"""The report's page in a real browser: Chromium on the path, or the one that ELISION_BROWSER names."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from batch_runs import HOSTILE, a_log, a_run, some_records

from elision.serving.batch.report.figures import report
from elision.serving.batch.report.page import page
from elision.serving.batch.types import RunReport, Skipped

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

sync_api = pytest.importorskip("playwright.sync_api", reason="no playwright")

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
EXECUTABLE = os.environ.get("ELISION_BROWSER") or next(
    (found for name in NAMES if (found := shutil.which(name))), None
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium on the path, and ELISION_BROWSER names none"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=EXECUTABLE)
        yield chromium
        chromium.close()


def a_hostile_run() -> RunReport:
    logs = [a_log(at, name, 100 * 3**at) for at, name in enumerate(HOSTILE)]
    return a_run(*logs, some_records(99), skipped=(Skipped(HOSTILE[0], HOSTILE[1], True),), query=HOSTILE[2])


def written(folder: Path, html: str) -> str:
    target = folder / "report.html"
    target.write_text(html, encoding="utf-8")
    return target.as_uri()


def opened(browser: "Browser", url: str, **context: Any) -> "Page":
    """The page, with what it asked for, what it got and what it complained of beside it."""
    view: Any = browser.new_context(**context).new_page()
    view.asked, view.got, view.said = [], [], []
    view.on("request", lambda request: view.asked.append(request.url))
    view.on("requestfinished", lambda request: view.got.append(request.url))
    for event in ("console", "pageerror", "dialog", "crash"):
        view.on(event, lambda what: view.said.append(str(getattr(what, "text", what))))
    view.goto(url)
    opened_page: Page = view
    return opened_page


def test_it_opens_without_a_request_a_complaint_or_an_element_of_a_log(
    browser: "Browser", tmp_path: Path
) -> None:
    url = written(tmp_path, page(report(a_hostile_run(), 3.0)))

    view: Any = opened(browser, url)

    assert view.asked == [url]
    assert view.said == []
    assert view.locator("img, iframe, plaintext, textarea, link").count() == 0
    assert view.locator("script").count() == 1


def test_what_got_past_the_escaping_would_not_run(browser: "Browser", tmp_path: Path) -> None:
    attack = (
        "<script>document.title = 'owned'</script><img src=x onerror=\"document.title = 'owned'\"></main>"
    )
    url = written(tmp_path, page(report(a_hostile_run(), 3.0)).replace("</main>", attack))

    view: Any = opened(browser, url)

    assert view.title() != "owned"
    assert view.got == [url]
    assert any("Content Security Policy" in said for said in view.said)


def names(view: Any) -> list[str]:
    shown: list[str] = view.locator("#files tbody tr:visible th").all_inner_texts()
    return shown


def test_the_files_are_sorted_and_filtered(browser: "Browser", tmp_path: Path) -> None:
    run = a_run(
        a_log(0, "b.log", 100), a_log(1, "a.log", 9000), a_log(2, "c.txt", 1000, kept=100), a_log(3, "d", 0)
    )
    view: Any = opened(browser, written(tmp_path, page(report(run, 3.0))))

    assert names(view) == ["a.log", "c.txt", "b.log", "d"]
    view.get_by_role("button", name="File").click()
    assert names(view) == ["a.log", "b.log", "c.txt", "d"]
    view.get_by_role("button", name="File").click()
    assert names(view) == ["d", "c.txt", "b.log", "a.log"]
    view.get_by_role("button", name="Kept").click()
    assert names(view)[2:] == ["c.txt", "d"]
    assert view.locator("#files th[aria-sort]").all_inner_texts() == ["Kept"]
    view.get_by_label("Filter by name").fill("LOG")
    assert sorted(names(view)) == ["a.log", "b.log"]
    assert view.locator("output").inner_text() == "2 of 4"
    assert view.said == []


def test_without_a_script_all_is_there_to_read(browser: "Browser", tmp_path: Path) -> None:
    view: Any = opened(
        browser, written(tmp_path, page(report(a_hostile_run(), 3.0))), java_script_enabled=False
    )

    assert view.locator("#files tbody tr").count() == len(HOSTILE) + 1
    assert view.get_by_label("Filter by name").is_hidden()


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_it_never_scrolls_sideways(browser: "Browser", tmp_path: Path, width: int) -> None:
    url = written(tmp_path, page(report(a_hostile_run(), 3.0)))

    view = opened(browser, url, viewport={"width": width, "height": 800})

    assert view.evaluate("document.documentElement.scrollWidth") <= width


def test_dark_and_light_follow_the_reader(browser: "Browser", tmp_path: Path) -> None:
    url = written(tmp_path, page(report(a_hostile_run(), 3.0)))
    colours = [
        opened(browser, url, color_scheme=scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    ]

    assert colours == ["rgb(251, 251, 249)", "rgb(19, 21, 23)"]


def test_ten_thousand_files_open(browser: "Browser", tmp_path: Path) -> None:
    run = a_run(*(a_log(index, f"logs/{index}.log", 10 + index) for index in range(10_000)))
    view: Any = opened(browser, written(tmp_path, page(report(run, 3.0))))

    view.get_by_role("button", name="Lines").click()
    assert view.locator("#files tbody tr").first.locator("th").inner_text() == "logs/9999.log"
    assert view.get_by_text("Shown: the largest, 1,000 of 10,004 files").count() == 0
    assert view.get_by_text("1,000 of 10,000 files").count() == 1
