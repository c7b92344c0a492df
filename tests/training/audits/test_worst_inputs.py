"""The worst inputs keep the laws too; what they cost is measured by `scripts/worst_inputs.py`."""

import pytest

from elision.compaction.compress import compress
from elision.compaction.cut import rebuild
from elision.compaction.tokens import counter
from elision.compaction.types import Budget
from elision.training.audits.stand_in import StandIn
from elision.training.audits.worst_inputs import WORST


@pytest.mark.slow
@pytest.mark.parametrize("name", WORST)
def test_the_worst_inputs_come_out_no_larger_and_can_be_rebuilt(name: str) -> None:
    text = WORST[name](10_000)

    result = compress(text, Budget(keep_ratio=0.33), scorer=StandIn(), counter=counter())

    assert 5_000 < len(text) < 11_000 or name == "indentation that grows"
    assert counter().count(result.text) == result.receipt.tokens_after <= result.receipt.tokens_before
    assert rebuild(text, result.receipt.dropped) == result.text


def test_every_input_is_the_same_each_time() -> None:
    assert all(make(2_000) == make(2_000) for make in WORST.values())
