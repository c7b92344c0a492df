"""Examples of the forms about JSON documents."""

from tests.cases.examples.build import Example, text

_RECORDS = '{"rows": [{"a": 0, "b": null}, {"a": 1, "b": ""}]}'

EXAMPLES = [
    Example("output JSON parses", text("", '{"a": 1}'), text("", '{"a": 1')),
    Example(
        "output JSON equals the input JSON value",
        text('{"a": 0}', '{"a":0}'),
        text('{"a": 0}', '{"a": false}'),
    ),
    Example(
        "decoding the output gives the input's JSON value",
        text('{"a": null}', '{"a":null}'),
        text('{"a": null}', '{"a": ""}'),
    ),
    Example(
        "output JSON has the same keys as the input at every depth",
        text(_RECORDS, '{"rows": [{"a": 9, "b": 9}]}'),
        text(_RECORDS, '{"rows": [{"a": 9}]}'),
    ),
    Example("output JSON array 'rows' has 2 elements", text("", _RECORDS), text("", '{"rows": [1]}')),
]
