"""What the service cannot do yet, and which lines are goals rather than gates.

The lists are strict: a case that holds may not be waiting, so that they say what is true.
"""

from tests.cases.loading import Case
from tests.cases.wishes import missing

# Case id -> what it waits for, beside what its request cannot even ask for.
LATER: dict[str, str] = {
    "027-short-thought-old-signature": "dropping old thinking",
    "053-payload-in-arguments": "shortening call arguments",
    "068-negation-dropped": "keeping every sentence that forbids",
    "079-must-keep-by-pattern": "keeping every identifier, whatever the ratio",
    "084-arguments-sliced": "shortening call arguments",
    "118-aged-in-place-each-turn": "a history that is shortened once and then only grows",
    "120-only-system-left": "a goal that is not kept word for word: it is nearly all there is to save",
    "125-system-in-the-middle": "a single system message",
    "126-summary-behind-tail": "a summary that names what no message has",
    "131-summary-request-two-users": "a goal that is not kept word for word: it is nearly all there is to save",
    "137-list-content-not-trimmed": "shortening user texts",
    "139-raw-media-retained": "dropping old images",
}

# A summary that forgot something is corrected: wished for, not claimed.
GOALS = frozenset(
    {
        ("076-id-missing-from-summary", 'substring "3f2b8c1e-77aa-4d0c-9e51-0d2c4b6a8f10" survives'),
        ("076-id-missing-from-summary", 'substring "9fceb02d0ae598e95dc970b74767f19372d61af8" survives'),
        ("082-first-twelve-before-dedupe", 'substring "OPS-50377" survives'),
        ("082-first-twelve-before-dedupe", 'substring "7ad2c41b9e" survives'),
        # The echo of all that was asked is larger than what went, so the summary is one by rule.
        ("160-keys-in-summary", 'substring "eu-west-1" survives'),
    }
)


def waits_for(case: Case) -> str | None:
    """What a case that cannot hold yet waits for."""
    return missing(case.request) or LATER.get(case.id)
