"""No secret goes to a writer, and what comes back says what was said."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.guard.secrets import find_secrets
from elision.compaction.summary.placeholders import Veil

KEY = "ghp_" + "a8Zk3Lq9Xw2Vb7Nm4Rt6Yp1Sd5Fg0Hj2Kc8E"
PASSWORD = "hunter2-horse-battery"
PEM = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n" * 3 + "-----END PRIVATE KEY-----"
HOLDING = [
    f"token: {KEY}",
    f"DB_PASSWORD={PASSWORD}",
    json.dumps({"password": PASSWORD, "rows": [1, 2]}),
    json.dumps({"content": json.dumps({"password": PASSWORD, "key": KEY, "pin": "x"})}),
    json.dumps({"text": f'export TOKEN="{KEY}"\nthen "go"'}),
    '{"user": "anna", "password": 83619274}',
    json.dumps({"inner": '{"user": "anna", "password": 83619274}'}),
    '{"password": "p@ss\\"w0rd-91!x"}',
    f'bash({{"command": "curl -u anna:{PASSWORD} https://x.example"}})',
    PEM,
    json.dumps({"pem": PEM}),
]
BARE = [
    f"it said {PASSWORD} twice: {PASSWORD}",
    f"see {KEY}.",
    'p@ss"w0rd-91!x',
    "[secret-1] and [redacted]",
    "nothing",
    "",
]
TEXTS = st.lists(st.sampled_from([*HOLDING, *BARE]) | st.text(max_size=40), max_size=6)


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def test_a_secret_has_one_placeholder_wherever_it_stands() -> None:
    veil = Veil.of([f"DB_PASSWORD={PASSWORD}", f"it is {PASSWORD}", f"token: {KEY}"])

    assert veil.hidden(f"DB_PASSWORD={PASSWORD}") == "DB_PASSWORD=[secret-1]"
    assert veil.hidden(f"it is {PASSWORD}") == "it is [secret-1]"
    assert veil.hidden(f"token: {KEY}") == "token: [secret-2]"
    assert veil.placeholders == ("[secret-1]", "[secret-2]")


def test_what_a_writer_says_of_a_placeholder_gets_its_secret_back() -> None:
    veil = Veil.of([f"DB_PASSWORD={PASSWORD}"])

    assert (
        veil.restored("- The password is [secret-1], not [secret-2]. [m3]")
        == f"- The password is {PASSWORD}, not [secret-2]. [m3]"
    )


def test_a_number_in_json_is_hidden_in_quotes_and_comes_back_without() -> None:
    text = '{"user": "anna", "password": 83619274}'
    veil = Veil.of([text])

    assert veil.hidden(text) == '{"user": "anna", "password": "[secret-1]"}'
    assert veil.restored(veil.hidden(text)) == text
    assert veil.restored("[secret-1]") == veil.restored('"[secret-1]"') == "secret=83619274"


@pytest.mark.parametrize("value", ["horse77x", "horse", PASSWORD, "p@ss,w0rd 9", "83619274"])
@pytest.mark.parametrize(
    ("written", "back"),
    [
        ("Logging in with [secret-1] at the db", "Logging in with {} at the db"),
        ("- [secret-1]", "- {}"),
        ("run `[secret-1]`, then \"[secret-1]\"", "run `{}`, then \"{}\""),
        ("postgres:[secret-1]", "postgres:[secret-1]"),
        ("[secret-1]_prod and x[secret-1]", "[secret-1]_prod and x[secret-1]"),
        ("[secret-1][secret-1]", "[secret-1][secret-1]"),
        ("[secret-1", "[secret-1"),
        ("[SECRET-1] [secret-2]", "[SECRET-1] [secret-2]"),
    ],
)
def test_what_a_label_told_of_takes_one_along_or_stays_hidden(written: str, back: str, value: str) -> None:
    labelled = f'secret="{value}"' if set(value) & {",", " "} else f"secret={value}"

    assert Veil.of([f'password="{value}"']).restored(written) == back.replace("{}", labelled)


@pytest.mark.parametrize(
    "written",
    ["password: {}", "DB_PASSWORD={} ok", "the password is {}.", "psql postgres://app:{}@db/x", "mysql -u root -p{} db", "**Passwort:** {}"],
)  # fmt: skip
def test_where_it_is_told_anyway_it_comes_back_alone(written: str) -> None:
    veil = Veil.of([f"DB_PASSWORD={PASSWORD}"])

    assert veil.restored(written.format("[secret-1]")) == written.format(PASSWORD)


def test_other_texts_tell_what_is_secret_too() -> None:
    veil = Veil.of([f"it is {PASSWORD}"], [f"DB_PASSWORD={PASSWORD}", "nothing"])

    assert veil.hidden(f"it is {PASSWORD}") == "it is [secret-1]"


def test_placeholders_are_none_of_what_the_texts_hold() -> None:
    texts = ["[secret-1]", "[secret2x-1]", f"DB_PASSWORD={PASSWORD}"]
    veil = Veil.of(texts)

    assert [veil.restored(veil.hidden(text)) for text in texts] == texts
    assert veil.hidden("[secret-1]") == "[secret-1]"


def test_a_word_that_is_a_password_somewhere_is_a_word_elsewhere() -> None:
    veil = Veil.of(["POSTGRES_PASSWORD=postgres", "start postgres on 5432"])

    assert veil.hidden("POSTGRES_PASSWORD=postgres") == "POSTGRES_PASSWORD=[secret-1]"
    assert veil.hidden("start postgres on 5432") == "start postgres on 5432"


def test_a_secret_that_the_veil_does_not_know_never_leaves_either() -> None:
    veil = Veil.of([f"DB_PASSWORD={PASSWORD}"])

    assert veil.hidden(f"token: {KEY} and {PASSWORD}") == "token: [redacted] and [secret-1]"


def test_its_repr_tells_no_secret() -> None:
    assert PASSWORD not in repr(Veil.of([f"DB_PASSWORD={PASSWORD}"]))


@pytest.mark.law
@given(TEXTS)
def test_what_is_hidden_holds_no_secret_and_what_tells_of_its_own_comes_back_as_it_was(
    texts: list[str],
) -> None:
    veil = Veil.of(texts)

    for text in texts:
        hidden = veil.hidden(text)
        assert text not in HOLDING or veil.restored(hidden) == text
        assert not find_secrets(hidden)
        assert is_json(hidden) or not is_json(text)
        known = any(text in HOLDING for text in texts)
        assert not known or KEY not in hidden or not any(KEY in one for one in texts if one in HOLDING)


PIECES = st.sampled_from(
    "[secret-1]|[secret-2]|[secret-3]|[secret|-1]|[SECRET-1]|1]|_prod|x|.|, |: |=| |\n|password|password: |the |is |`|\"|\\|**|- |{\"a\": \"|\"}|://u:|@|-----BEGIN PRIVATE KEY-----\n".split(
        "|"
    )
)


@pytest.mark.law
@given(st.lists(PIECES, max_size=14).map("".join), st.sampled_from(["horse77x", PASSWORD, "Horse"]))
def test_whatever_is_put_back_is_found_by_one_who_knows_nothing_else(written: str, value: str) -> None:
    veil = Veil.of([f"DB_PASSWORD={value}", f"token: {KEY}", PEM])
    back = veil.restored(written)
    again = Veil.of([back]).hidden(back)

    assert not any(secret in again for secret in (value, KEY, "MIIEvQIBADAN"))


@pytest.mark.law
@given(st.lists(st.sampled_from([*HOLDING, *BARE]), max_size=6), st.integers(0, 2))
def test_a_planted_secret_stands_in_no_hidden_text_in_any_spelling(texts: list[str], levels: int) -> None:
    texts = [DEFINES, *texts]
    for _ in range(levels):
        texts = [json.dumps({"log": text}) for text in texts]
    veil = Veil.of(texts)

    assert not any(secret in veil.hidden(text) for text in texts for secret in (KEY, PASSWORD))


DEFINES = f"DB_PASSWORD={PASSWORD}\ntoken: {KEY}"
