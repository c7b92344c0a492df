"""What tells a secret's value from a word that merely stands behind a label such as ``password``.

Redacting too much costs a word, redacting too little costs an account. So what is behind a clear label
is a secret unless it is known to be something else: a placeholder, a type, a variable, a path.
"""

import re

PLACEHOLDER = "[redacted]"

LABEL = (
    r"(?:(?i:passw(?:or)?d|passphrase|passcode|pwd|secret(?:[_-]?access)?(?:[_-]?key)?|token|credentials?"
    r"|(?:api|access|private|account|encryption|signing|shared|auth|subscription|storage|master)[_-]?key"
    r"|authorization|_auth)|_PASS|(?:(?<![A-Za-z])(?i:pw)|(?<=[a-z])P[Ww])(?![A-Za-z]))"
)
# A password in other languages.
PASSWORD_WORDS = tuple(
    (
        "passwort|kennwort|contraseña|contrasena|mot de passe|mdp|senha|wachtwoord|lösenord|adgangskode|passord"
        "|salasana|hasło|heslo|jelszó|parola|şifre|mật khẩu|пароль|κωδικός|密码|密碼|口令|パスワード|비밀번호"
        "|كلمة المرور|كلمة السر|סיסמה|पासवर्ड|รหัสผ่าน"
    ).split("|")
)
# After these a token is a position in a list, which the agent needs to go on.
_POSITION = re.compile(r"(?:next|page|cursor|continuation|sync|resume|start|nonce)[_-]?$", re.IGNORECASE)
_CHOSEN = re.compile(r"pass|pwd|pw|secret", re.IGNORECASE)  # a person chose it: any string may be one
_UNSURE = re.compile(r"(?:token|credentials?|authorization|_auth)$", re.IGNORECASE)

_WORDS = frozenset(
    """null none nil true false undefined yes no on off empty unset default required optional string str
    bytes byte number int integer float bool boolean any object unknown void text varchar secretstr
    redacted masked hidden filtered removed omitted bearer basic digest negotiate include
    await async new function lambda
    """.split()
)
_STANDS_FOR = re.compile(
    r"""
      [*•.\#_?…-]+ | [*•xX.\#_?…-]{3,}          # ****
    | .{0,12}(?:\.\.\.|…)                         # sk-...
    | \$\{.* | \$\(.* | \$[A-Z_][A-Z0-9_]* | \$[A-Za-z_]+ | %\w*% | %[sd] | %\(.* | \{.*\}
    | <.*> | \[.*\] | \(.*\) | \*+\w+\*+        # <your-key>, [REDACTED]
    | (?i:your|insert|replace|enter|todo|changeme|placeholder)[\s_-].* | (?i:your\w+|changeme|placeholder)
    | (?i:env|arn|vault|op|ref|file|https?|sha256|ssm|secretref)(?::|\+).*    # where it can be found
    | (?:~|\.{1,2})?/[\w.-]+(?:/[\w.-]+)+/? | [A-Za-z]:[\\/].*      # a path
    """,
    re.VERBOSE | re.DOTALL,
)
_REFERENCE = re.compile(r"[A-Za-z_]+(?:\.[A-Za-z_]+)+|[A-Za-z]*_[A-Za-z_]*")  # self.token, db_password
_LABEL_WITHIN = re.compile(rf"{LABEL}|(?i:{'|'.join(PASSWORD_WORDS)})")
# What is said of a password, and is none: sha256, base64-encoded, 8-character, db-creds-2, a file, an address.
_SAID_OF = re.compile(
    r"""
      (?:sha|md|base|utf|aes|rsa|argon|pbkdf|bcrypt|scrypt|hs|rs|oauth|sha3|ascii|ntlmv|v)[-_]?\d.*
    | \d+[-_]?(?:bit|byte|char(?:acter)?|digit|letter|symbol|hex|day|hour|min|sec|month|year|time|st|nd|rd|th|x|k|m|s|ms|h|d)s?(?![A-Za-z0-9]).*
    | \d+[-+]\d+.* | [\w.-]+@[\w-]+(?:\.[\w-]+)+ | (?:[\w-]+\.)+[A-Za-z]\w{0,4} | .*[/\\].* | --?[a-z].*
    | [a-z]+(?:[-_.][a-z]+)*[-_.]\d{1,3}
    """,
    re.VERBOSE | re.IGNORECASE,
)


def is_secret(before: str, label: str, value: str, quoted: bool) -> bool:
    """Whether ``value``, given after ``label``, is a secret.

    Args:
        before: What stands right before the label in its name, such as ``next_``.
        label: The label, such as ``token``.
        value: What it is set to.
        quoted: Whether it stood in quotes. What did not may be code.
    """
    if stands_for_another(value) or value.lower() in _WORDS or value.lower() == label.lower():
        return False
    if any(c.isspace() for c in value):
        return bool(_CHOSEN.search(label)) and not _LABEL_WITHIN.search(value)
    if not quoted and (_is_reference(value) or (value.isalpha() and label[-3:] in ("key", "Key"))):
        return False
    if label.lower() == "pw" and not quoted and not is_chosen(value):
        return False
    if label.lower() == "pwd" and value[:1] in "/~":
        return False
    if _UNSURE.search(label) and not (label == "TOKEN" and len(value) >= 6):  # API_TOKEN=letters
        return not _POSITION.search(before) and looks_random(value)
    return len(value) >= (1 if quoted else 3) and (bool(_CHOSEN.search(label)) or not value.isdigit())


def is_chosen(value: str) -> bool:
    """Whether a word in the midst of words is a password: of letters and digits, or of many digits, and no name."""
    letter, digit = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    return len(value) >= 6 and digit and (letter or value.isdigit()) and not _SAID_OF.fullmatch(value)


def stands_for_another(value: str) -> bool:
    """Whether a value is a placeholder, a variable, or says where the secret is."""
    return PLACEHOLDER in value or bool(_STANDS_FOR.fullmatch(value))


def looks_random(value: str) -> bool:
    """Whether no person would write this as a word: letters and digits, or long with both cases."""
    letter, digit = re.search("[A-Za-z]", value), re.search("[0-9]", value)
    both_cases = re.search("[a-z]", value) and re.search("[A-Z]", value)
    return bool((len(value) >= 8 and letter and digit) or (len(value) >= 20 and both_cases))


def _is_reference(value: str) -> bool:
    """``self.token``, ``db_password``: code that names where the value is."""
    if not _REFERENCE.fullmatch(value):
        return False
    return "." in value or bool(re.search(LABEL + "$", value))
