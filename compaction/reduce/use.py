"""What a call does to the files around it, and how its result can be had again."""

from dataclasses import dataclass
from enum import StrEnum


class Rests(StrEnum):
    """What a result that can be had again is made of."""

    FILES = "files"  # those it names, and what stands in the folders it names
    TREE = "tree"  # whatever there is
    NOTHING = "nothing"  # of ours: a page somewhere


@dataclass(frozen=True, slots=True)
class Use:
    """What one call does.

    Attributes:
        how: How its result can be had again, such as ``read src/app.py``; empty if it cannot.
        rests: What that result is made of.
        reads: The files and folders it is made of.
        whole: Whether it is their text and nothing else.
        writes: Files that the call changes.
        everywhere: Whether it may change any file.
        touches: Whether what stands in the folder is not what it was: the index, a new folder.
    """

    how: str = ""
    rests: Rests = Rests.TREE
    reads: tuple[str, ...] = ()
    whole: bool = False
    writes: tuple[str, ...] = ()
    everywhere: bool = False
    touches: bool = False
