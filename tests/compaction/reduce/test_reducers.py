"""Every table of a policy has its reducer, and the classifier is told what it may have."""

import pytest
from conversations import FORMATS
from histories import history
from messages import assistant, call, result, user

from elision.compaction.conversation import Format
from elision.compaction.policies.reductions import Compress, Reduce
from elision.compaction.reduce.reducers import REDUCERS, eligible

LONG = "one line of many words\n" * 50


def test_every_table_but_the_classifiers_has_its_reducer_in_the_tables_order() -> None:
    assert [*REDUCERS, "compress"] == list(Reduce.model_fields)


@pytest.mark.parametrize("format", FORMATS)
def test_old_outputs_may_be_compressed_and_new_ones_and_placeholders_not(format: Format) -> None:
    story = [user("go")]
    for at, text in enumerate([LONG, "[…50 lines of bash]", LONG, LONG]):
        story += [call(f"c{at}", "bash", {}), result(f"c{at}", text)]
    conversation = history([*story, assistant("done")], format)

    assert eligible(conversation, Compress(keep_ratio=0.25, protect_turns=2, turn="step")) == {
        2: 0.25,
        6: 0.25,
    }
