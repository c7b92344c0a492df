"""Tell what a history could read again from what it could not.

A file that was read, a listing, a page: the agent gets them back for one call. A test run, an error, an
answer of the user or of a search happened once. And what was read before the file was changed is outdated
as it stands.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from elision.compaction.conversation import Conversation
from elision.compaction.cuts.pairs import Exchange, pair
from elision.compaction.reduce.use import Rests, Use
from elision.compaction.reduce.uses import use_of

_DEEPEST = 20  # folders above a file


@dataclass(frozen=True, slots=True)
class Again:
    """How a result can be had again, by one call without an effect.

    Attributes:
        how: In words, such as ``read src/app.py`` or ``run git log``.
        unchanged: Whether that would bring what stands here, as far as the calls since can tell.
    """

    how: str
    unchanged: bool

    @property
    def outdated(self) -> bool:
        """Whether what stands here is no longer so, and what is can be had."""
        return not self.unchanged


def again(conversation: Conversation) -> dict[str, Again]:
    """What can be had again, by the path of the result's block; what is not in it cannot.

    Results that report a failure are evidence, whatever the call was.
    """
    exchanges = pair(conversation).exchanges
    uses = [use_of(one.call.block, conversation.raw) for one in exchanges]
    changes = _Changes()
    for order, (one, use) in enumerate(zip(exchanges, uses, strict=True)):
        if not _failed(one):
            changes.note(order, use)
    return {
        site.block.path: Again(use.how, not changes.since(order, use))
        for order, (one, use) in enumerate(zip(exchanges, uses, strict=True))
        if use.how and not _failed(one)
        for site in one.results
    }


def rank(known: Again | None) -> int:
    """What goes first: 0 what is outdated, 1 what can be had again, 2 what cannot."""
    if known is None:
        return 2
    return 0 if known.outdated else 1


@dataclass(slots=True)
class _Changes:
    """When files were last changed, in numbers of calls.

    Attributes:
        files: For each name, the paths of files that were changed and of the folders above them, with the
            last time.
        folders: The same for what was changed itself, which may be a folder with all that is in it.
        everywhere: When any file may have been.
        anything: When whatever stands in the folder was.
    """

    files: defaultdict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    folders: defaultdict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    everywhere: int = -1
    anything: int = -1

    def note(self, order: int, use: Use) -> None:
        for path in map(_plain, use.writes):
            self.folders[_name(path)][path] = order
            for above in _upwards(path):
                self.files[_name(above)][above] = order
        if use.everywhere:
            self.everywhere = order
        if use.everywhere or use.touches or use.writes:
            self.anything = order

    def since(self, order: int, use: Use) -> bool:
        """Whether what a call looked at was changed after it."""
        if use.rests is Rests.NOTHING:
            return False
        if use.rests is Rests.TREE:
            return self.anything > order
        return self.everywhere > order or any(self._changed(path, order) for path in map(_plain, use.reads))

    def _changed(self, path: str, order: int) -> bool:
        _, *above = _upwards(path) or [path]
        return _later(self.files, path, order) or any(_later(self.folders, one, order) for one in above)


def _failed(one: Exchange) -> bool:
    return any(site.block.is_error for site in one.results)


def _later(times: Mapping[str, Mapping[str, int]], path: str, order: int) -> bool:
    known = times.get(_name(path), {})
    return any(when > order and _same(path, other) for other, when in known.items())


def _upwards(path: str) -> list[str]:
    """A path and the folders it stands in."""
    found: list[str] = []
    while path and len(found) < _DEEPEST:
        found.append(path)
        path = path.rpartition("/")[0]
    return found


def _plain(path: str) -> str:
    return path.replace("\\", "/").removeprefix("file://").removeprefix("./").rstrip("/")


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _same(path: str, other: str) -> bool:
    """Whether two paths may be one file: the same, or one of them the end of the other."""
    return path == other or path.endswith(f"/{other}") or other.endswith(f"/{path}")
