"""Fakes with the shape of what they stand for: letters for letters, digits for digits, the same length.

Only letters and digits change, one by one, so what is around and between them keeps its spelling and
JSON stays JSON. The same original always gets the same fake within one import; the key is drawn anew
for each, so that nobody can try originals until they give the fake.
"""

import hashlib
import hmac
import secrets
import string
from collections.abc import Iterator


class Fakes:
    """Makes fakes under one key.

    Args:
        key: For tests; drawn at random if not given.
    """

    def __init__(self, key: bytes | None = None) -> None:
        self._key = key or secrets.token_bytes(32)

    def of(self, text: str) -> str:
        """A text that differs in every letter and digit; case does not change what is drawn."""
        drawn = self._draws(text)
        return "".join(_other(char, next(drawn), first=not at) for at, char in enumerate(text))

    def of_address(self, text: str) -> str:
        """An IP address of the same length."""
        drawn = self._draws(text)
        if ":" in text:
            return "".join(_hex(char, next(drawn)) if char != ":" else char for char in text)
        return ".".join(_octet(part, next(drawn)) for part in text.split("."))

    def _draws(self, text: str) -> Iterator[int]:
        block = 0
        while True:
            message = f"{block} {text.lower()}".encode("utf-8", "surrogatepass")
            yield from hmac.digest(self._key, message, hashlib.sha256)
            block += 1


def _other(char: str, drawn: int, *, first: bool) -> str:
    """Another letter or digit. A number may not begin with a zero, so a first digit is none."""
    if char in string.digits:
        if first and char != "0":
            return str(1 + (int(char) + drawn % 8) % 9)
        return str((int(char) + 1 + drawn % 9) % 10)
    if not char.isalpha():
        return char
    letters = string.ascii_uppercase if char.isupper() else string.ascii_lowercase
    at = letters.find(char)
    return letters[(at + 1 + drawn % 25) % 26] if at >= 0 else letters[drawn % 26]


def _hex(char: str, drawn: int) -> str:
    digits = string.digits if char in string.digits else "abcdef" if char.islower() else "ABCDEF"
    return digits[(digits.index(char) + 1 + drawn % (len(digits) - 1)) % len(digits)]


def _octet(part: str, drawn: int) -> str:
    low, high = {1: (1, 9), 2: (10, 99), 3: (100, 223)}[len(part)]
    found = low + drawn % (high - low + 1)
    return str(found if found != int(part) else low + (found - low + 1) % (high - low + 1))
