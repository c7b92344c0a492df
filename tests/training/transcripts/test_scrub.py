"""A planted key, address or home path never comes out, however it is spelt and wherever it stands."""

import html
import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from elision.training.transcripts import personal
from elision.training.transcripts.drafts import answer, call, say
from elision.training.transcripts.scrub import Scrubber
from elision.training.transcripts.types import Transcript

KEY = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def scrubbed(*texts: str, key: bytes | None = None) -> list[str]:
    transcript = Transcript("t", "s", "k", tuple(say("user", text) for text in texts))
    return [m["content"] for m in Scrubber([transcript], key=key).scrub(transcript).messages]


def dumped(text: str) -> str:
    return json.dumps(text)


def escaped(text: str) -> str:
    """Every character as a JSON escape."""
    units = text.encode("utf-16-be").hex()
    return '"' + "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)) + '"'


SPELLINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "json": dumped,
    "json with slashes escaped": lambda text: dumped(text).replace("/", "\\/").replace("@", "\\u0040"),
    "json in json": lambda text: dumped(dumped(f"x\n{text}\ty")),
    "escaped": escaped,
    "escaped in json": lambda text: dumped(escaped(text)),
    "url": lambda text: quote(text, safe=""),
    "url twice": lambda text: quote(quote(text, safe=""), safe=""),
    "url in json": lambda text: dumped(f"?q={quote(text, safe='')}&x=1"),
    "html": lambda text: html.escape(text).replace("@", "&#64;").replace("/", "&#x2F;"),
    "hex": lambda text: text.replace("@", "\\x40").replace("/", "\\x2f"),
}
# What may stand around it: in file names, in code, in prose, after an escaped line end.
AROUND = ["{}", "see {} there", "[{}]", "<{}>", "'{}'", '"{}"', "a={};", "- {}\n- x", "x,{},y", "({})"]

LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORD = st.text(LETTERS, min_size=3, max_size=9)
EMAILS = st.builds("{}.{}@{}-{}.{}".format, WORD, WORD, WORD, WORD, st.sampled_from(["com", "de", "co.uk", "io"]))
NAMES = st.builds("{}{}".format, WORD, st.integers(10, 99))
HOMES = st.builds(str.format, st.sampled_from(["/Users/{}/src", "/home/{}/.ssh/id", "C:\\Users\\{}\\x", "file:///home/{}/y"]), NAMES)
ALNUM = LETTERS + LETTERS.upper() + "0123456789"
TOKEN = st.text(ALNUM, min_size=40, max_size=40)
KEYS = st.one_of(
    TOKEN.map(lambda token: "ghp_" + token[:36]),
    TOKEN.map(lambda token: "sk-ant-api03-" + token),
    TOKEN.map(lambda token: "AKIA" + token[:16].upper()),
    TOKEN.map(lambda token: "xoxb-123456789012-" + token[:24]),
    TOKEN.map(lambda token: "glpat-" + token[:20]),
    TOKEN.map(lambda token: "SG." + token[:22] + "." + (token + token)[:43]),
).filter(lambda key: len(set(key[-10:])) > 4)


def core(planted: str) -> str:
    """What must not be there any more: of a home path the name, of an address all before the ending."""
    name = re.search(r"(?:Users|home)[/\\](\w+)", planted)
    return name[1] if name else planted.rpartition(".")[0] if "@" in planted else planted


def readable(text: str) -> str:
    """The text with everything undone that the spellings do."""
    for _ in range(5):
        text = re.sub(
            r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))|%([0-9a-fA-F]{2})|\\([\"\\/])",
            lambda match: match[4] or chr(int(match[1] or match[2] or match[3], 16)),
            html.unescape(text),
        )
    return text.lower()


@pytest.mark.law
@given(st.one_of(EMAILS, HOMES, KEYS), st.sampled_from(sorted(SPELLINGS)), st.sampled_from(AROUND))
def test_what_was_planted_never_comes_out(planted: str, spelling: str, around: str) -> None:
    (text,) = scrubbed(around.format(SPELLINGS[spelling](planted)))

    assert core(planted).lower() not in readable(text)


@pytest.mark.law
@given(st.one_of(EMAILS, HOMES, KEYS), st.sampled_from(["json", "json with slashes escaped", "json in json", "escaped", "url in json"]))
def test_json_stays_json_of_the_same_shape(planted: str, spelling: str) -> None:
    text = json.dumps({"a": json.loads(SPELLINGS[spelling](planted)), "n": 1e9, "b": [True, None, "x\ny"]})
    (after,) = scrubbed(text)
    value = json.loads(after)

    assert core(planted).lower() not in readable(after)
    assert (value["n"], value["b"]) == (1e9, [True, None, "x\ny"])


@pytest.mark.law
@given(EMAILS, st.sampled_from(sorted(SPELLINGS)))
def test_the_same_original_has_the_same_fake_in_every_spelling(planted: str, spelling: str) -> None:
    plain, other = scrubbed(planted, SPELLINGS[spelling](planted))

    assert plain in readable(other) and plain != planted and len(plain) == len(planted)


@given(st.text(max_size=60))
def test_a_text_without_any_of_it_stays_as_it_is(text: str) -> None:
    assume(not re.search(r"[@~]|home|Users|\d{3}|[:=]", text))

    assert scrubbed(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "me@example.com git@github.com:a/b.git noreply@corp.com icon@2x.png @decorator",
        "/home/runner/work /Users/Shared/x src/home/index.ts /users/list ~/src",
        "10.0.0.1 127.0.0.1 192.168.1.9 8.8.8.8 1.2.3 v1.2.3.4 Chrome/99.0.48.1 12:34:56 std::vector",
        "212-555-0123 2026-10-01 1712345678 +1 -1 550e8400-e29b-41d4-a716-446655440000",
        "commit 9fceb02d0ae598e95dc970b74767f19372d6fd21 password: <your password> api_key=$API_KEY",
        "toolu_01A09q90qw90lq917835lq9 call_9a8b7c6d5e4f",
    ],
)
def test_what_is_nobodys_is_left(text: str) -> None:
    assert scrubbed(text) == [text]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("call +49 30 901820 now", r"call \+\d\d \d\d \d{6} now"),
        ("call (212) 736-5000", r"call \(\d{3}\) \d{3}-\d{4}"),
        ("from 93.184.216.34", r"from \d\d\.\d{3}\.\d{3}\.\d\d"),
        ("from 2606:2800:220:1:248:1893:25c8:1946", r"from [0-9a-f]{4}(:[0-9a-f]{1,4}){7}"),
        ("https://ann:hunter2secret@db.corp.com/x", r"https://ann:[a-z]{6}\d[a-z]{6}@[a-z]{2}\.[a-z]{4}\.com/x"),
    ],
)
def test_other_kinds_are_replaced_in_their_shape(text: str, kept: str) -> None:
    (after,) = scrubbed(text)

    assert after != text and re.fullmatch(kept, after)


@pytest.mark.parametrize(
    "text",
    [
        "cd /tmp/nina7/x",
        "nina7@buildbox:~$ ls",
        "drwxr-xr-x  5 nina7 staff 160 Jan 1 src",
        "USER=nina7",
        "~nina7/src",
        "~/.claude/projects/-Users-nina7-src-shop/a.jsonl",
        "nina7\n",
        r"D:\work\nina7\x",
        "https://git.corp.com/nina7/shop",
    ],
)
def test_a_user_name_that_a_home_path_told_is_replaced_where_it_stands_alone(text: str) -> None:
    home, after = scrubbed("/Users/nina7/src", text)
    fake = home.split("/")[2]

    assert "nina7" not in after and fake in after


def test_a_user_name_with_a_hyphen_is_known_in_the_names_of_claude_codes_folders() -> None:
    _, after = scrubbed("/Users/ann-lee/src", "-Users-ann-lee-src")

    assert "ann" not in after and "lee" not in after and after.endswith("-src")


def test_every_part_of_a_transcript_is_scrubbed() -> None:
    told = f"{KEY} ann.lee@corp.com /home/nina7/x"
    tool = {"type": "function", "function": {"name": "f", "description": told, "parameters": {"default": told, told: 1}}}
    arguments = json.dumps({"x": told, told: json.dumps({"y": told})})
    messages: tuple[dict[str, Any], ...] = (say("assistant", told, call(told, told, arguments)), answer(told, told))
    before = Transcript(told, told, told, messages, told, told, told, (tool,))
    scrubber = Scrubber([before])
    written = json.dumps(str(scrubber.scrub(before)))

    assert not any(planted in written for planted in (KEY, KEY[4:], "ann.lee", "nina7"))
    assert scrubber.counts.keys() == {"secret", "e-mail address", "user name"}
    assert before.id == told


def test_a_call_and_its_result_keep_the_same_id() -> None:
    before = Transcript("t", "s", "k", (say("assistant", None, call(f"call_{KEY}", "f", "{}")), answer(f"call_{KEY}", "x")))
    after = Scrubber([before]).scrub(before).messages

    assert after[0]["tool_calls"][0]["id"] == after[1]["tool_call_id"] != f"call_{KEY}"


def test_each_import_draws_other_fakes() -> None:
    assert scrubbed("ann.lee@corp.com") != scrubbed("ann.lee@corp.com")
    assert scrubbed("ann.lee@corp.com", key=b"k") == scrubbed("ann.lee@corp.com", key=b"k")


def test_a_private_key_keeps_its_marks_and_its_lines() -> None:
    body = "MIIEowIBAAKCAQEA1234567890abcdefghij\nABCDEFGHIJ1234567890abcdefgh"
    text = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"
    plain, spelled = scrubbed(text, json.dumps({"pem": text}))

    assert body.split("\n")[0] not in plain + spelled
    assert json.loads(spelled)["pem"] == plain and plain.count("\n") == 3


@pytest.mark.parametrize("told", ["DB_PASSWORD=Sup3rS3cretPw", "is: password: Sup3rS3cretPw.", '{"password": "Sup3rS3cretPw"}'])
@pytest.mark.parametrize(
    "text",
    ["connecting with Sup3rS3cretPw", "x -pSup3rS3cretPw y", "failed (Sup3rS3cretPw).", '{"out": "a\\nSup3rS3cretPw\\n"}', "Sup3rS3cret%50w"],
)
def test_a_secret_that_a_label_told_is_replaced_where_it_stands_alone_by_the_same_fake(told: str, text: str) -> None:
    for first in (True, False):
        texts = (told, text) if first else (text, told)
        labelled, bare = scrubbed(*texts)[:: 1 if first else -1]
        fake = re.search(r"[A-Za-z]{3}\d[a-z][A-Z]\d[a-z]{4}[A-Z][a-z]", labelled.replace("password", ""))

        assert "Sup3r" not in labelled + bare and "S3cret" not in bare
        assert fake and fake[0] in readable_as_is(bare)


def readable_as_is(text: str) -> str:
    return re.sub("%([0-9A-Fa-f]{2})", lambda match: chr(int(match[1], 16)), text)


def test_a_secret_spelled_with_escapes_is_known_as_it_reads() -> None:
    told, bare = scrubbed(r'{"password": "hun\"ter2-is-\u0041nother"}', 'he typed hun"ter2-is-Another')

    assert json.loads(told)["password"] == bare.removeprefix("he typed ") != 'hun"ter2-is-Another'


def test_a_line_of_a_private_key_is_known_without_its_marks() -> None:
    line = "MIIEowIBAAKCAQEA1234567890abcdefghij"
    _, bare = scrubbed(f"-----BEGIN PRIVATE KEY-----\n{line}\nABCDEFGHIJ1234567890\n-----END PRIVATE KEY-----", f"1: {line}")

    assert line not in bare


@pytest.mark.parametrize(
    "value",
    ["password", "changeme", "changeme1", "example1", "password123", "true", "localhost", "localhost:5432", "12345678", "production",
     "secrets/db/prod", "src/app/token2.py", "/run/secrets/db1", "hunter2", "xxxxxxxx1", "administrator"],
)  # fmt: skip
def test_a_common_word_that_was_a_password_is_left_elsewhere(value: str) -> None:
    _, text = scrubbed(f'password: "{value}"', f"the {value} here")

    assert text == f"the {value} here"


def test_a_secret_of_letters_is_replaced_as_a_whole_word_alone() -> None:
    _, bare, within = scrubbed('password: "correcthorsebattery"', "-ucorrecthorsebattery", "correcthorsebatterystaples")

    assert "correct" not in bare and within == "correcthorsebatterystaples"


def test_a_secret_does_not_leak_from_one_session_into_another() -> None:
    one, other = (Transcript(text, "s", "k", (say("user", text),)) for text in ("PASSWORD=Sup3rS3cretPw", "with Sup3rS3cretPw"))
    scrubber = Scrubber([one, other])

    assert "Sup3r" not in str(scrubber.scrub(other)) and scrubber.counts["secret"] > 0


def test_a_detector_that_takes_quadratic_time_is_not_among_those_used() -> None:
    assert not [name for name in personal._DETECTORS if name.startswith(("openai.", "npm."))]
    assert not [pattern for pattern in personal._key_patterns() if "T3BlbkFJ" in pattern.pattern]
    assert [*personal.find_secret_values("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")]
