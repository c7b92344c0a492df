"""Secrets are found by their value alone, and what only looks like one stays."""

import base64
import json
import random
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.guard.secrets import find_secrets
from elision.compaction.redaction import without_secrets as redacted
from elision.model.types import Span

B64 = base64.b64encode(random.Random(1).randbytes(64)).decode().replace("/", "x").replace("+", "y")
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{B64}\n-----END RSA PRIVATE KEY-----\n"


def secrets(text: str) -> list[str]:
    return [span.of(text) for span in find_secrets(text)]


@pytest.mark.parametrize(
    "key",
    [
        "sk-A1b2C3d4E5f6G7h8I9j0K1l2",
        "sk-proj-A1b2C3d4_E5f6G7h8-I9j0K1l2",
        "sk-ant-api03-A1b2C3d4E5f6G7h8",
        "ghp_0123456789abcdefghijABCDEFGHIJ012345",
        "gho_0123456789abcdefghijABCDEFGHIJ012345",
        "github_pat_11ABCDEFG0123456789_abcdefghij",
        "glpat-A1b2C3d4E5f6G7h8I9j0",
        "AKIAIOSFODNN7EXAMPLE",
        "ASIAIOSFODNN7EXAMPLE",
        "xoxb-123456789012-abcdefABCDEF",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
        "rk_live_4eC39HqLyjWDarjtT1zdp7dc",
        "npm_abcdefghijklmnopqrstuvwxyz0123456789",
        "pypi-AgEIcHlwaS5vcmcCJDAwMDAwMDAwLTAwMDAtMDAwMA",
        "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-def_123",
    ],
)
def test_a_key_is_known_by_its_shape_alone(key: str) -> None:
    assert secrets(f"first ({key}) then") == [key]
    assert secrets(rf'{{"out": "a\n{key}\nb"}}') == [key]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("DB_PASSWORD=hunter2-horse-battery", "hunter2-horse-battery"),
        ("export DB_PASS=p@ss,w0rd;x OTHER=1", "p@ss,w0rd;x"),
        ("password: hunter2 # the old one", "hunter2"),
        ("password = hunter2", "hunter2"),
        ('"password": "x"', "x"),
        (r'{"password": "hun\"ter2"}', r"hun\"ter2"),
        (r'"{\"run\": 1, \"password\": \"hunter2\"}"', "hunter2"),
        ("passwd='correct horse battery'", "correct horse battery"),
        ('client_secret: "q8w7e6r5t4y3u2i1"', "q8w7e6r5t4y3u2i1"),
        ('dbPassword => "hunter2",', "hunter2"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        ("API_TOKEN=abcdefghij", "abcdefghij"),
        ("token: 3f2b8c1e77aa4d0c", "3f2b8c1e77aa4d0c"),
        ("GET /?api_key=abc123&page=2", "abc123"),
        ("//npm.example.com/:_authToken=0a1b2c3d4e5f", "0a1b2c3d4e5f"),
        ("Authorization: Bearer abcdef1234567890", "abcdef1234567890"),
        ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNzd29yZA=="),
        ('"authorization": "Bearer abcdef1234567890"', "abcdef1234567890"),
        ("curl -H 'X-Api-Key: abcd1234efgh' x", "abcd1234efgh"),
        ("sent with Bearer abcdef1234567890", "abcdef1234567890"),
        ("postgres://app:s3cr3t@db:5432/x", "s3cr3t"),
        (PEM, B64),
        (PEM.split("-----END")[0], B64),
        (json.dumps(PEM), B64),
    ],
)
def test_only_the_value_behind_a_label_is_the_secret(text: str, value: str) -> None:
    assert secrets(text) == [value]


@pytest.mark.parametrize(
    "text",
    [
        "tokenizer=o200k_base",
        "max_tokens: 4096",
        "token_count=3",
        "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "run 3f2b8c1e-77aa-4d0c-9e51-0d2c4b6a8f10",
        "password: ****",
        "password: ${DB_PASSWORD}",
        "GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}",
        "-H 'Authorization: Bearer $TOKEN'",
        "api_key: <your-key>",
        "API_KEY=your-key-here",
        "export OPENAI_API_KEY=sk-...",
        "password: null",
        '"password": true',
        '"secret": ""',
        "password=None",
        "password: str = Field()",
        "password: string;",
        "password = os.environ['X']",
        "token = self.token",
        "token = get_token1()",
        "connect(password=password, api_key=api_key)",
        "getApiKey: async () => {}",
        'if token == "abc12345":',
        "Unexpected token: foo1 in JSON",
        "next_token=CAESBQ12345678",
        'pad_token: "<pad>"',
        "PWD=/work",
        "private_key: /etc/ssl/key.pem",
        "password: must be at least 8 characters",
        '"password": "Enter your password"',
        "sk-container-id-1 sk-estimator-doc-link-fitted",
        "https://user:${PASS}@host http://localhost:80/a@b git@github.com:a/b",
        "secretName: db-creds",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    ],
)
def test_what_only_looks_like_a_secret_is_none(text: str) -> None:
    assert secrets(text) == []


@pytest.mark.parametrize(
    ("case", "gone", "stays"),
    [
        (
            "160-keys-in-summary",
            ["sk-test-A1b2C3d4E5f6G7h8I9j0K1l2", "ghp_0123456789abcdefghijABCDEFGHIJ012345", "AKIAIOSFODNN7EXAMPLE"],
            ["API_TOKEN=", "AWS_ACCESS_KEY_ID=", "eu-west-1"],
        ),
        (
            "162-label-kept-value-gone",
            ["hunter2-horse-battery", "sk-test-A1b2C3d4E5f6G7h8I9j0K1l2", "q8w7e6r5t4y3u2i1"],
            ["DB_PASSWORD", "client_secret", "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "tokenizer=o200k_base"],
        ),
        ("164-credential-as-required-id", ["sk-test-A1b2C3d4E5f6G7h8I9j0K1l2"], ["run-7f3e9a20c4d1"]),
    ],
)
def test_what_others_leaked_is_gone(shared: Path, case: str, gone: list[str], stays: list[str]) -> None:
    body = json.dumps(json.loads((shared / "reference" / "cases" / f"{case}.json").read_text())["input"])

    after = redacted(body)

    assert not [secret for secret in gone if secret in after]
    assert not [word for word in stays if word not in after]


PARTS = st.sampled_from(
    'password|token|API_KEY|=|: |"|\\"|\\|\n| |,|;|]|[|Bearer |hunter2|A1b2C3d4E5f6G7h8I9j0|sk-|ghp_|://|u:|@|$|'
    "-----BEGIN PRIVATE KEY-----|-----END PRIVATE KEY-----|eyJ|.|[redacted]|'|x|é".split("|")
)


@given(st.lists(PARTS, max_size=25).map("".join) | st.text())
def test_spans_are_inside_in_order_and_apart(text: str) -> None:
    found = find_secrets(text)

    assert all(0 <= span.start < span.stop <= len(text) for span in found)
    assert all(one.stop < other.start for one, other in zip(found, found[1:], strict=False))


def test_a_redacted_text_holds_no_secret() -> None:
    text = f"password=hunter2\n{PEM}url https://u:pw1@h key sk-A1b2C3d4E5f6G7h8I9j0K1l2, token: 'abc12345'\n"

    once = redacted(text)

    assert once.count("[redacted]") == 5
    assert find_secrets(once) == []
    assert redacted(once) == once


def test_a_text_without_secrets_is_the_same() -> None:
    assert redacted("nothing\r\nto hide \ud800") == "nothing\r\nto hide \ud800"
    assert find_secrets("") == []
    assert find_secrets("password: hunter2") == [Span(10, 17)]


@pytest.mark.parametrize(
    "part",
    ["a", B64, "password=", 'password="', "password=&", "-eyJ", "sk-", "://a:", "-----BEGIN PRIVATE KEY-----", "Bearer ", "\n", "\\"],
)
def test_a_megabyte_of_anything_is_read_in_linear_time(part: str) -> None:
    text = part * (1_000_000 // len(part))
    started = time.process_time()

    find_secrets(text)

    # A few hundred milliseconds; what is not linear takes minutes.
    assert time.process_time() - started < 10
