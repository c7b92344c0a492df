"""What a policy can say.

The tables follow the path of a compaction: measure, trigger, gate, reduce, select, summary, compose.
A field that is not set switches its rule off; a table that is not there does nothing. In a file a table may
say ``on = false``, and is then not there (see `elision.compaction.policies.load`).
"""

from pydantic import Field, ValidationInfo, field_validator

from elision.compaction.policies.reductions import Reduce
from elision.compaction.policies.table import Table
from elision.compaction.policies.telling import Compose, Select, Summary
from elision.compaction.policies.timing import Gate, Measure, Trigger


class CompactionPolicy(Table):
    """How one agent compacts.

    Attributes:
        name: What it is asked for by.
        version: Of the agent, a release or the date its source was read.
        title: In a few words.
        source: Where its facts come from.
        approximate: In one line, what is not as in the original; empty for ours.
        changed: Settings that were overridden, as they were given.
    """

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    version: str
    title: str
    source: str = ""
    approximate: str = ""
    changed: tuple[str, ...] = ()
    measure: Measure = Measure()
    trigger: Trigger = Trigger()
    gate: Gate = Gate()
    reduce: Reduce = Reduce()
    select: Select = Select()
    summary: Summary = Summary()
    compose: Compose = Field(default=Compose(), validate_default=True)

    @field_validator("compose")
    @classmethod
    def _knows_summaries_again(cls, compose: Compose, info: ValidationInfo) -> Compose:
        summary = info.data.get("summary")
        if summary and summary.prior == "update" and not compose.prefix.strip():
            raise ValueError("summary.prior is 'update', so it needs a prefix that a summary is known again by")
        return compose
