"""Examples of the forms about the answer as such."""

from dataclasses import replace

from tests.cases.examples.build import SUCCEEDED, Example, failed, said, together

_FIXED = "request fails with error type 'not_reducible' and names the fixed tokens"
_BUDGETS = "request fails with error type 'invalid_request' for budget_tokens 0 and for -5"
_ZERO = failed("invalid_request", "", budget_tokens=0)
_TOOK = [replace(SUCCEEDED.runs[0], seconds=seconds) for seconds in (9.0, 11.0)]

EXAMPLES = [
    Example("request succeeds", SUCCEEDED, failed("timeout", "")),
    Example("request fails with error type 'timeout'", failed("timeout", ""), failed("other", "")),
    Example(
        "request fails with error type 'invalid_request' and names 350 and 272",
        failed("invalid_request", "350 is over 272"),
        failed("invalid_request", "350 is too much"),
    ),
    Example(
        _FIXED,
        failed("not_reducible", "312 > 300", budget_tokens=300),
        failed("not_reducible", "300", budget_tokens=300),
    ),
    Example("request fails with error type 'invalid_request' for budget_tokens 0", _ZERO, SUCCEEDED),
    Example(_BUDGETS, together(_ZERO, failed("invalid_request", "", budget_tokens=-5)), _ZERO),
    Example("field 'changed' in the response is false", said(changed=False), said(changed=0)),
    Example(
        "field 'changed' is true in all answers",
        together(said(changed=True), said(changed=True)),
        together(said(changed=True), said(changed=False)),
    ),
    Example("the answer has target_met false", said(target_met=False), said(target_met=True)),
    Example(
        "the answer has tokens_before and tokens_after",
        said(tokens_before=1, tokens_after=1),
        said(tokens_before=1),
    ),
    Example("the answer has a reason", said(reason="below_floor"), said(reason="")),
    Example("finishes within 10 seconds", replace(SUCCEEDED, runs=_TOOK[:1]), replace(SUCCEEDED, runs=_TOOK)),
    Example(
        "the health endpoint answers within 1 second at all times",
        replace(SUCCEEDED, health=[0.1, 0.2]),
        replace(SUCCEEDED, health=[0.1, 1.2]),
    ),
]
