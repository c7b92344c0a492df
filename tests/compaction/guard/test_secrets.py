"""Secrets are found by their value alone, and what only looks like one stays."""

import base64
import json
import random
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from elision.compaction.guard.secrets import find_secrets
from elision.compaction.redaction import without_secrets as redacted
from elision.model.types import Span

B64 = base64.b64encode(random.Random(1).randbytes(64)).decode().replace("/", "x").replace("+", "y")
OPENED = "-----END PRIVATE KEY----------BEGIN PRIVATE KEY-----"
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
        "dop_v1_a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4",
        "ya29.a0AfH6SMBx1234567890abcdefgh",
        "lin_api_a1B2c3D4a1B2c3D4a1B2c3D4a1B2c3D4a1B2c3D4",
        "AGE-SECRET-KEY-1QPZRY9X8GF2TVDW0QPZRY9X8GF2TVDW0QPZRY9X8GF2TVDW0",
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
        '{"name": "DB_PASSWORD", "value": "X9y8z7"}',
        r'{\"name\": \"DB_PASSWORD\", \"value\": \"X9y8z7\"}',
        '{"value": "X9y8z7", "name": "DB_PASSWORD"}',
        "- name: DB_PASSWORD\n  value: X9y8z7",
        '- name: "DB_PASSWORD"\n  value: "X9y8z7"',
        "DB_PASSWORD:\n  X9y8z7",
        "DB_PASSWORD: |\n  X9y8z7\n",
        '"DB_PASSWORD":\n    "X9y8z7",',
        "<password>X9y8z7</password>",
        "<db.password><![CDATA[X9y8z7]]></db.password>",
        '<property name="password" value="X9y8z7"/>',
        "PGPASS=X9y8z7",
        "\x1b[32mDB_PASSWORD\x1b[0m=\x1b[33mX9y8z7\x1b[0m",
        r"\u001b[36mDB_PASSWORD\u001b[39m: X9y8z7\u001b[0m",
    ],
)
def test_a_label_tells_of_its_value_however_both_are_laid_out(text: str) -> None:
    assert secrets(text) == ["X9y8z7"]


@pytest.mark.parametrize(
    "text",
    [
        "login --password X9y8z7w6 -v",
        "login --token 'X9y8z7w6'",
        "login --password \\\n  X9y8z7w6",
        '["login", "--password", "X9y8z7w6"]',
        "curl -u user:X9y8z7w6 https://a.org",
        "curl -X POST \\\n  -u 'user:X9y8z7w6'",
        "curl --user=user:X9y8z7w6 x",
        "mysql -u root -pX9y8z7w6 db",
        "mysqldump -p'X9y8z7w6' db",
        "sshpass -p X9y8z7w6 ssh a@b",
        "docker login -u bob -p X9y8z7w6 ghcr.io",
        "redis-cli -a X9y8z7w6",
        "echo X9y8z7w6 | sudo -S apt update",
        "echo 'X9y8z7w6' | docker login -u b --password-stdin",
        "sudo -S apt update <<< X9y8z7w6",
    ],
)
def test_a_command_tells_that_its_argument_is_a_password(text: str) -> None:
    assert secrets(text) == ["X9y8z7w6"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("CREATE USER 'a'@'b' IDENTIFIED BY 'X9y8z7'", "X9y8z7"),
        ("ALTER USER bob WITH PASSWORD 'X9y8z7'", "X9y8z7"),
        ("machine h login u password X9y8z7", "X9y8z7"),
        ("machine h\n  login u\n  password X9y8z7\n", "X9y8z7"),
        ("Cookie: theme=dark; connect.sid=X9y8z7", "X9y8z7"),
        ('"Cookie": "session=X9y8z7"', "X9y8z7"),
        ("Set-Cookie: session=X9y8z7; Path=/; HttpOnly", "X9y8z7"),
        ("https://a.blob.core.windows.net/c?sv=2020&sig=A1b2C3d4E5f6G7h8I9j0K1l2%3D", "A1b2C3d4E5f6G7h8I9j0K1l2%3D"),
        ("get(url, auth=('bob', 'X9y8z7'))", "X9y8z7"),
        ('HTTPBasicAuth("bob", "X9y8z7")', "X9y8z7"),
    ],
)
def test_statements_headers_and_calls_tell_of_secrets(text: str, value: str) -> None:
    assert secrets(text) == [value]


@pytest.mark.parametrize("value", ["Tr0ub4dor&3", "gatoNegro77", "hunter2", "p@ss,w0rd", "Мишка2010", "83619274"])
@pytest.mark.parametrize(
    "words",
    [
        "my password is {}", "The password is {}!", "the DB password for the admin user is {}.", "password was `{}`",
        'The passphrase is "{}".', "I set the password to {} yesterday", "the password has been changed to {}",
        "password - {}", "**Password:** {}", "pw: {}", "the pw is {}", "db_pw={}",
        "passwort: {}", "Passwort: **{}**", "Das Passwort lautet {}.", "Mein Passwort ist {}", "Kennwort für die DB ist {}",
        "contraseña: {}", "la contraseña es {}", "CONTRASEÑA={}", "mot de passe : {}", "le mot de passe est {}", "mdp: {}",
        "senha: {}", "a senha é {}", "wachtwoord is {}", "пароль: {}", "Пароль от базы — {}", "пароль это {}",
        "密码是{}", "密码是 {}", "密码：{}", "数据库密码为{}。", "パスワードは {} です", "パスワード：{}", "비밀번호는 {}", "şifre: {}",
        '{{"пароль": "{}"}}', "- Passwort = {}",
    ],
)  # fmt: skip
def test_a_password_told_in_words_is_found_in_many_languages(words: str, value: str) -> None:
    assert secrets(words.format(value)) == [value]
    assert value not in json.loads(redacted(json.dumps({"a": words.format(value)})))["a"]


@pytest.mark.parametrize("label", ["пароль", "Пароль", "contraseña", "密码", "mot de passe", "DB_PW", "PASSWORT"])
@pytest.mark.parametrize("ascii", [True, False])
def test_a_member_may_be_called_so_in_any_language(label: str, ascii: bool) -> None:
    after = redacted(json.dumps({label: "hunter2pass", "pin": 1}, ensure_ascii=ascii))

    assert json.loads(after) == {label: "[redacted]", "pin": 1}


@pytest.mark.parametrize("value", ["hunterpass", "hunter2", "Horse"])
def test_what_is_assigned_is_a_secret_though_words_follow(value: str) -> None:
    assert secrets(f"Use password={value} for the staging db.") == [value]


@pytest.mark.parametrize(
    "text",
    [
        "reset the password form", "password is required", "The password is not set.", "password: string", "password must have 8 characters",
        "password is 8 characters long", "the password is 12-character", "password is base64-encoded", "password is SHA-256",
        "the password is sha256 of it", "password is stored in ~/.pgpass", "the password is config.json5", "password is src/auth2.ts",
        "the secret is db-creds-2", "the token is identifier", "password to something123", "copy the password to server01",
        "password is bob7@example.com", "the password is $DB_PASS1", "the password is <password1>", "password is {password1}",
        'print("my password is " + pw1 + " now")', "print(f'password is {pw1}')", "password is 'required'", "Password - optional",
        "Passwort vergessen?", "Passwort: mindestens 8 Zeichen", "Das Passwort ist falsch", "Passwort ist erforderlich", '"passwort": "Passwort"',
        "contraseña: obligatoria", "la contraseña es incorrecta", "olvidé mi contraseña", '{"password": "Mot de passe oublié ?"}',
        "le mot de passe est obligatoire", "пароль неверный", "пароль: обязательное поле", "密码是必填的", "密码错误", "密码：请输入密码",
        "密码至少8位", "パスワードは必須です", "パスワードは8文字以上", "비밀번호는 필수입니다",
        "pw: Playwright", "pw = sync_playwright()", "with pw: 640", "powpw1=abc12345", "npw 12345",
    ],
)  # fmt: skip
def test_what_is_said_about_passwords_is_none(text: str) -> None:
    assert secrets(text) == []


@pytest.mark.parametrize("given", ["<token>", "$TOKEN", "${X}", '"$TOKEN"', "'${X}'", "***", "", "[redacted]"])
@pytest.mark.parametrize(
    "command", ["x --token {}", "x --password {}", "sshpass -p {}", "curl -u bob:{}", "mysql -p{}", "docker login -p {}", "echo {} | sudo -S x"]
)
def test_a_command_without_the_secret_itself_has_none(command: str, given: str) -> None:
    assert secrets(command.format(given)) == []


@pytest.mark.parametrize("command", ["x --token", "x --password", "sshpass -p", "docker login -p"])
def test_another_option_is_no_secret(command: str) -> None:
    assert secrets(f"{command} --verbose-2") == []


@pytest.mark.parametrize(
    "text",
    [
        "-p, --password string   Password or PAT",
        "use --password to set it, --password-stdin else, or --token TOKEN",
        "--secret id=npmrc,src=.npmrc --secret db-creds-2 --private-key id_ed25519",
        "--max-tokens 4096 --next-token CAESBQ12345678",
        "docker run -p 80:80 -u 1000:1000 x; mkdir -p dir; ssh -p 22 h",
        "mysql -p mydb; mysql -u root -port 3307",
        'exec ["mysql", "-p", "mydb"]',
        "echo hello | sudo tee /x",
        "the user is identified by 'their name of choice'",
        "default login and password are fine",
        "Cookie: theme=dark; lang=en\nSet-Cookie: Path=/; SameSite=Lax\nCookie: session=<value>; token=$TOKEN",
        "auth=(user, password) auth=('bob', os.environ['X'])",
        "x?sig=abc&sig=...",
        "<password></password><password>${db.password}</password><token>EOF</token><label>Password</label>",
        '{"name": "password", "value": ""} {"name": "password", "value": "${DB_PASSWORD}"} {"name": "token", "value": "next"}',
        "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      key: password",
        "password:\n  type: string",
        "password:\n  required",
        "password:\n    - a",
        'run "mysql -p" or "sshpass -p" then "x"',
        "if password:\n    i+=1",
        "\x1b[32mtokens\x1b[0m=\x1b[33m4096\x1b[0m",
        "lin_api_key ya29.x dop_v1_xxxxxxxxxxxxxxxxxxxxxxxx AGE-SECRET-KEY-1",
    ],
)
def test_what_only_looks_told_is_no_secret(text: str) -> None:
    assert secrets(text) == []


@pytest.mark.parametrize(
    "text", ['{"name": "password", "value": 12345678}', '{\n"password":\n  12345678\n}', '{\n"password":\n  12345678,\n"token": "a1b2c3d4"}', '{"x": "curl -u \\"bob:X9y8z7\\""}']
)
def test_json_with_its_told_secrets_replaced_is_json(text: str) -> None:
    after = redacted(text)

    assert "[redacted]" in after and json.loads(after)


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
    "-----BEGIN PRIVATE KEY-----|-----END PRIVATE KEY-----|eyJ|.|[redacted]|'|x|é|--|-p|curl -u |mysql |echo |sudo -S|name: |value: |<password>|</|cookie: |sid=|&sig=|auth=(|\x1b[0m| is |password is |пароль: |密码是|mot de passe : |pw=|abc123x|“|**".split("|")
)


@given(st.lists(PARTS, max_size=25).map("".join) | st.text())
def test_spans_are_inside_in_order_and_apart(text: str) -> None:
    found = find_secrets(text)

    assert all(0 <= span.start < span.stop <= len(text) for span in found)
    assert all(one.stop < other.start for one, other in zip(found, found[1:], strict=False))


@example([f"{OPENED}password"], None)  # a key that goes on into the value below it
@example([f"{OPENED}password", "7"], 2)
@example(['password"-----END PRIVATE KEY-----'], None)  # its end would cut an escape in two
@example(['password": token'], None)  # no member, though it is spelled like one
@pytest.mark.law
@given(st.lists(st.lists(PARTS, max_size=8).map("".join), max_size=6), st.sampled_from([None, 2]))
def test_json_of_anything_stays_json(texts: list[str], indent: int | None) -> None:
    body = json.dumps({text: [text, *texts] for text in texts}, indent=indent)

    assert isinstance(json.loads(redacted(body)), dict)


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
    [
        "a", B64, "--token ", "--", "curl -u ", "mysql -p", "echo x ", "sudo -S ", "machine h login u ", "identified by ", "auth=('a',",
        "cookie: a=", "name: password ", '"value": "x", ', "<password>", "password:\n  a", "password\x1b[0m", "password=", 'password="', "password=&", "-eyJ", "sk-", "://a:", "-----BEGIN PRIVATE KEY-----", "Bearer ", "\n", "\\",
        "password is ", "password for ", "password is a1b2c3", "пароль: ", "密码是", "mot de passe ", "set the password to ", "*", "passwort: a1,",
    ],
)  # fmt: skip
def test_a_megabyte_of_anything_is_read_in_linear_time(part: str) -> None:
    text = part * (1_000_000 // len(part))
    started = time.process_time()

    find_secrets(text)

    # A few hundred milliseconds; what is not linear takes minutes.
    assert time.process_time() - started < 10
