"""What the reader was after, in one line: the second text of the pair the model reads.

Training and inference must build it alike, and only from what stood before the output, so that an
old output shortens to the same bytes whatever comes later.
"""

_CALL, _BEFORE, _TASK = 90, 80, 70


def compose_query(task: str = "", call: str = "", before: str = "") -> str:
    """Build the query of a tool output.

    The call says most, then the end of what the agent said before it, then the task. Each gets a
    share of characters so that one long text cannot crowd the others out of the pieces that the model reads of it.

    Args:
        task: What the agent was asked to do.
        call: Name and arguments of the call that gave the output.
        before: What the agent said just before it.
    """
    parts = (_line(call)[:_CALL], _line(before)[-_BEFORE:], _line(task)[:_TASK])
    return " | ".join(part for part in parts if part)


def _line(text: str) -> str:
    return " ".join(text.split())
