"""What may be touched, and how much of it stays.

By default only what tools answered. A rule names tools by glob; the first that fits decides.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fnmatch import fnmatchcase

import regex

from elision.compaction.errors import BadPolicy
from elision.compaction.types import DEFAULT_KEEP_RATIO, Budget

KEEP_TAGS = ("keep",)
_TAG = regex.compile(r"[A-Za-z_][\w.\-]{0,63}")


class Treatment(StrEnum):
    """What a tool rule can say instead of a keep ratio."""

    NEVER = "never"
    FOLD_ONLY = "fold_only"  # what can be left out without losing anything; no model


@dataclass(frozen=True, slots=True)
class ToolRule:
    """How the results of tools are treated.

    Attributes:
        tools: Glob over tool names, such as ``mcp__github__*``. Upper and lower case are alike, and a
            name is also tried without the server it is qualified with.
        treatment: A keep ratio above 0 and at most 1, or a `Treatment`.

    Raises:
        BadPolicy: If the ratio is none.
    """

    tools: str
    treatment: float | Treatment

    def __post_init__(self) -> None:
        if not isinstance(self.treatment, Treatment) and not 0 < self.treatment <= 1:
            raise BadPolicy(f"tool rule {self.tools!r} has keep ratio {self.treatment}, must be above 0 and at most 1")

    def fits(self, tool: str) -> bool:
        names = {tool.lower(), bare(tool).lower()}
        return bool(tool) and any(fnmatchcase(name, self.tools.lower()) for name in names)


def bare(tool: str) -> str:
    """A tool's name without its server: ``mcp__files__read`` and ``files.read`` are ``read``."""
    return regex.split(r"__|[./:]", tool)[-1]


def _never(*tools: str) -> tuple[ToolRule, ...]:
    return tuple(ToolRule(name, Treatment.NEVER) for name in tools)


# Skills are instructions. What was fetched back was asked for whole.
LASTING_TOOLS = _never(
    *("skill", "skills", "load_skill", "use_skill", "read_skill"),
    *("elision_expand", "expand", "*_retrieve", "retrieve_original", "headroom_retrieve"),
)
# A file that was read is about to be edited, and an edit quotes it to the letter.
EXACT_TOOLS = LASTING_TOOLS + _never(
    *("read", "read_file", "readfile", "read_many_files", "view", "view_file", "open_file", "cat_file"),
    *("str_replace_editor", "str_replace_based_edit_tool", "notebookread", "get_file_contents"),
)


@dataclass(frozen=True, slots=True)
class Policy:
    """What may be touched.

    Attributes:
        budget: What each leaf may keep.
        tool_rules: The caller's rules; `EXACT_TOOLS` come after them.
        exact_tools: Rules for tools whose results stay whole unless a rule of the caller says otherwise.
        assistant_text: Whether long prose of the assistant may be shortened too.
        tool_descriptions: Whether the ``description`` texts of tools may be.
        keep_tags: Text between ``<tag>`` and ``</tag>`` of these stays.
        frozen_messages: So many messages at the beginning stay as they came.
        protected: Indexes of messages that stay as they came.
        pins: Patterns whose matches stay.
        pointers: Whether a repeated output becomes a pointer to the earlier one.
        show_handles: Whether a shortened text ends with the handle of its original.
        clean: Whether control characters go, whatever the budget.
        redact: Whether secrets are replaced, whatever the budget.

    Raises:
        BadPolicy: If a tag is no tag name, or a number is negative.
    """

    budget: Budget = field(default_factory=lambda: Budget(keep_ratio=DEFAULT_KEEP_RATIO))
    tool_rules: Sequence[ToolRule] = ()
    exact_tools: Sequence[ToolRule] = EXACT_TOOLS
    assistant_text: bool = False
    tool_descriptions: bool = False
    keep_tags: Sequence[str] = KEEP_TAGS
    frozen_messages: int = 0
    protected: frozenset[int] = frozenset()
    pins: Sequence["regex.Pattern[str]"] = ()
    pointers: bool = True
    show_handles: bool = False
    clean: bool = False
    redact: bool = False

    def __post_init__(self) -> None:
        if self.frozen_messages < 0:
            raise BadPolicy(f"frozen_messages is {self.frozen_messages}, must not be negative")
        for tag in self.keep_tags:
            if not _TAG.fullmatch(tag):
                raise BadPolicy(f"keep tag {tag!r} is not a tag name")

    def treatment(self, tool: str) -> float | Treatment | None:
        """What the first rule that fits says of a tool's results; None if none fits."""
        rules = (*self.tool_rules, *self.exact_tools)
        return next((rule.treatment for rule in rules if rule.fits(tool)), None)

    def budget_for(self, ratio: float) -> Budget:
        """The budget of a leaf whose rule names its own keep ratio."""
        return replace(self.budget, keep_ratio=ratio, target_tokens=None)

    def all_pins(self) -> "list[regex.Pattern[str]]":
        """The caller's patterns and those of the keep tags."""
        return [*self.pins, *(_tagged(tag) for tag in self.keep_tags)]


def _tagged(tag: str) -> "regex.Pattern[str]":
    return regex.compile(rf"(?s)<{regex.escape(tag)}(?:\s[^<>]*+)?>.*?</{regex.escape(tag)}\s*>")
