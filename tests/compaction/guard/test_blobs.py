"""Blobs are found; words, paths, URLs and ids are not blobs."""

import base64
import hashlib

import pytest

from elision.compaction.guard.blobs import blob_marker, find_blobs, middle
from elision.model.types import Span

RANDOM = b"".join(hashlib.sha256(bytes([n])).digest() for n in range(12))
BASE64 = base64.b64encode(RANDOM).decode()
SAFE = base64.urlsafe_b64encode(RANDOM).decode()


@pytest.mark.parametrize("blob", [BASE64, SAFE, RANDOM.hex(), "A" * 300, base64.b64encode(b"\0" * 200).decode()])
def test_a_long_run_of_data_is_a_blob(blob: str) -> None:
    text = f"see data:image/png;base64,{blob} for it"

    assert [span.of(text) for span in find_blobs(text)] == [blob]


@pytest.mark.parametrize(
    "text",
    [
        hashlib.sha512(b"x").hexdigest(),
        "/" + "/".join(["usr", "lib", "python3", "site-packages"] * 12),
        "src/" + "/".join(["components", "UserProfileSettings"] * 10) + "/index",
        f"https://bucket.s3.amazonaws.com/key?X-Amz-Security-Token={BASE64}",
        "-" * 300,
        "=" * 300,
        "9" * 300,
        "some ordinary words " * 50,
        f'{{"{BASE64}": 1}}',
    ],
)
def test_what_has_a_meaning_is_none(text: str) -> None:
    assert find_blobs(text) == []


def test_its_ends_tell_it_from_others() -> None:
    assert middle(Span(10, 310)) == Span(34, 302)
    assert blob_marker(268) == "[…268 characters]"


def test_a_megabyte_of_almost_blobs_costs_little() -> None:
    assert find_blobs("a" * 199 + " " + "ab/" * 400_000) == []
