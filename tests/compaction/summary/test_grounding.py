"""A summary makes up no name, no path and no number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.summary.grounding import Evidence, artefacts

SOURCE = """Edit src/app.py:42, it took 1,200 ms and 12% of memory. Version v1.2.3 of 2024-05-01T10:00:00Z, three tests failed.
修改了lib/x_y.py文件 GPT-4 raised TypeError; ١٢٣ rows, commit 9fceb02d0ae598e95dc970b74767f19372d61af8, phase 2 on 192.168.1.7:8080
https://a.example/x?y=1 by user@example.org with --force in C:\\Users\\bob, retries=5, 1 000 000 rows, 1.234,56 € {"p": "a\\nfoo_bar"}"""

THERE = """app.py|src/app.py|src/app.py:42|app.py line 42|1200 ms|1,200|1.2k|12 %|12%|1.2.3|v1.2.3|2024-05-01|10:00|3 tests|x_y.py
lib/x_y.py|gpt-4|GPT-4|TypeErrors|123 rows|１２|9fceb02d0ae598e95dc970b74767f19372d61af8|192.168.1.7|port 8080|phase-2|phase 2
https://a.example/x?y=1|user@example.org|--force|C:\\Users\\bob|retries=5|1000000|1,000,000|1234.56|foo_bar|**src/app.py**,|(app.py)|5-12"""
ABSENT = """other.py|src/other.py|lib/app.py|src/app.pyc|1201|1.2k3|13%|1.2.4|3.1|2024-05-02|11:00|598|GPT-5|ValueError|9fceb02d0ae5
192.168.1.8|9090|https://b.example/x|admin@example.org|--forced|C:\\Users\\eve|retries=6|foo_baz|x_z|`npm`|deleteAll()|/etc/passwd"""
FREE = "and/or|e.g. this|well-known|the 2nd time|1. first|ten|a JSON API|input/output|i.e.|JavaScript|However, no.|--|…|##"


@pytest.mark.parametrize("name", [name for name in THERE.replace("\n", "|").split("|")])
def test_what_the_source_has_may_be_said(name: str) -> None:
    assert not Evidence.of([SOURCE]).missing(f"It says {name}")


@pytest.mark.parametrize("name", [name for name in ABSENT.replace("\n", "|").split("|")])
def test_what_the_source_does_not_have_is_missing(name: str) -> None:
    assert Evidence.of([SOURCE]).missing(f"It says {name}")


@pytest.mark.parametrize("words", FREE.split("|"))
def test_ordinary_words_need_no_source(words: str) -> None:
    assert not artefacts(words)


def test_a_figure_inside_a_hash_is_no_number() -> None:
    assert Evidence.of(["commit 9fceb02d0ae598e9"]).missing("598 tests ran") == ["598"]


@pytest.mark.parametrize(
    "text",
    [
        "Τα 12 αρχεία στο src/app.py",
        "Файл src/app.py: 12 строк",
        "src/app.py를 12번 고쳤다",
        "在src/app.py里改了12行",
        "src/app.py में १२",
    ],
)
def test_names_are_found_in_every_script(text: str) -> None:
    assert not Evidence.of(["src/app.py 12"]).missing(text)
    assert set(Evidence.of(["src/app.pyx 121"]).missing(text)) == {"src/app.py", "12"}


@pytest.mark.law
@given(st.text(max_size=300), st.text(max_size=100), st.text(max_size=100))
def test_every_text_bears_itself_out(text: str, before: str, behind: str) -> None:
    assert not Evidence.of([text]).missing(text)
    assert not Evidence.of([f"{before}\n{text}\n{behind}"]).missing(text)


@pytest.mark.parametrize(
    "part",
    ["a", "1", "1,", "1 ", "100 ", "`", "/", "-", "\\", "x/y_z1.py 12,000 ", "修", "a.", "=", ":", "v1"],
)
def test_long_texts_are_read(part: str) -> None:
    Evidence.of([part * (200_000 // len(part))]).missing(part * (20_000 // len(part)))


def test_a_place_in_a_file_is_two_numbers() -> None:
    assert Evidence.of(["app.ts(223,23): error TS2305"]).missing("app.ts(223,23): error TS2305, line 223, column 23") == []
    assert Evidence.of(["a total of 1,200"]).missing("a total of 200") == ["200"]


FIGURES = "12 users pay $5 each, timeout 500ms, 1,500 ms in all, disk 20 GB, 3% loss, delta -7, 2 parts, 12,000 rows, 128k tokens, port 8080, 4.0 MiB, 90 minutes, 5,000 €, 40 Sekunden, 30 秒"
REWORDED = "500 ms|500 milliseconds|0.5 s|500|1.5 s|1.5 seconds|1500 ms|20GB|20 gigabytes|20,000 MB|3 %|3 percent|3|7|-7|2.0|2|12k|12k rows|12,000 rows|12 thousand rows|128,000 tokens|128K|8080|port 8080 s|4 MB|1.5 hours|1.5h|90min|5 thousand euros|$5|5 dollars|40 s|30 seconds|30秒|12 users|a 500-ms timeout|-12,000 rows|1.5 Sekunden|0.5 секунды|1.2万行"
PLAIN = "12 users pay $5 each, timeout 500ms, disk 20 GB, 3% loss, delta -7, 128k tokens, 4.0 MiB, 90 minutes, 40 Sekunden, 30 秒, 1.5s"
TURNED = "12k users|12M users|12 million users|12 Millionen|12 миллионов|$5k each|$5M each|5 million dollars|500s|500 s|500 hours|500 часов|500-second timeout|20TB|20 MB|20 terabytes|3x loss|3 times|+7|$3|128 tokens|128M tokens|90 s|90 hours|40 ms|30 小时|4 GiB|12万|€5|5 €|1.5 ms|1.5k s"
PATHS = "see /home/me/proj/src/app.py, GET https://api.example.com/v1/users, localhost:8080/health, https://evil.example.com.cdn.net and bob.smith@example.org, id 550e8400-e29b-41d4-a716-446655440000, INV-2024-0042, ./run.sh, file:///etc/hosts, docs.example.org.evil.net, src=/var/log/x.log\n/opt/tool/bin\n../up/x.py"
TAILS = "/home/me/proj/src/app.py|proj/src/app.py|src/app.py|app.py|https://api.example.com/v1/users|https://api.example.com/v1|/v1/users|/health|https://evil.example.com.cdn.net|evil.example.com.cdn.net|bob.smith@example.org|550e8400-e29b-41d4-a716-446655440000|INV-2024-0042|./run.sh|/etc/hosts|/var/log/x.log|/opt/tool/bin|../up/x.py|api.example.com"
TORN = "/src/app.py|/app.py|/proj/src|/me/proj/src/app.py|/users|/up/x.py|./app.py|~/proj/src/app.py|https://evil.example.com|https://evil.example.com/|evil.example.com|docs.example.org|smith@example.org|550e8400-e29b-41d4|e29b-41d4-a716|a716-446655440000|550e8400|INV-2024|./up/x.py"


@pytest.mark.parametrize("amount", REWORDED.split("|"))
def test_a_figure_may_be_told_in_another_spelling_or_unit(amount: str) -> None:
    assert not Evidence.of([FIGURES]).missing(f"It says {amount}, and so on")


@pytest.mark.parametrize("amount", TURNED.split("|"))
def test_a_figure_keeps_its_scale_and_unit_and_sign(amount: str) -> None:
    assert Evidence.of([PLAIN]).missing(f"It says {amount}, and so on")


@pytest.mark.parametrize("name", TAILS.split("|"))
def test_the_end_of_a_path_is_told(name: str) -> None:
    assert not Evidence.of([PATHS]).missing(f"It says {name} here")


@pytest.mark.parametrize("name", TORN.split("|"))
def test_a_torn_name_is_another_name(name: str) -> None:
    assert Evidence.of([PATHS]).missing(f"It says {name} here")


def test_a_unit_may_be_put_to_a_bare_number() -> None:
    assert not Evidence.of(["timeout=30, size_mb: 20"]).missing("a timeout of 30 s and 20 MB")


PARTS = st.sampled_from(
    ["5", "12", "1,200", "3.5", "1 000", "1,23", "７", "0", " ", "\n", "-", "+", "−", "$", "€", "%", "k", "M", "T", "m", "ms", " ms", " s", " million",
     "GB", " GB", " B", "-minute", " hours", "万", "秒", "修", "は", "초", "x", "/", "//", "./", "../", "~", "\\", "\\n", ":", "=", ".", ",", "_", "@", "#", "(",
     ")", "`", '"', "a", "src", "app.py", "x.com", "https://", "file://", "v1.2", "a1b2", "550e8400", "-e29b", "é", "T10:00", "²", "٣"]
)  # fmt: skip


@pytest.mark.law
@given(st.lists(PARTS, max_size=14).map("".join), st.lists(PARTS, max_size=4).map("".join))
def test_every_line_bears_itself_out(line: str, other: str) -> None:
    assert not Evidence.of([f"{other}\n{line}\n{other}"]).missing(line)
