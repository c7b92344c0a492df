"""Which bundle is in use, and why: a flag or ``ELISION_BUNDLE`` first, then what was chosen, then what ships.

The choice is one line in a file: the name of a shipped bundle, which holds when Elision is installed
anew, or an absolute path. The file is the user's own, or the one that ``ELISION_BUNDLE_FILE`` names.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from elision.model.bundle import MANIFEST, Bundle, list_bundles
from elision.model.errors import BundleNotFound

BY_FLAG, BY_CHOICE, BY_DEFAULT = "given by --bundle or ELISION_BUNDLE", "chosen in {file}", "the first that ships"


@dataclass(frozen=True, slots=True)
class InUse:
    """Attributes:
    path: Folder of the bundle; None, the first that ships.
    why: Who says so.
    """

    path: Path | None
    why: str


def in_use(given: Path | None, file: Path | None = None) -> InUse:
    """The bundle in use where ``given`` is what a flag or the environment says.

    Raises:
        BundleNotFound: If the choice counts, and there is no such bundle any more.
    """
    if given is not None:
        return InUse(given, BY_FLAG)
    file = file or choice_file()
    chosen = read_choice(file)
    return InUse(chosen, BY_CHOICE.format(file=file)) if chosen else InUse(None, BY_DEFAULT)


def choice_file() -> Path:
    """Where the choice is kept; the environment is read here, for commands that need no other settings."""
    named = os.environ.get("ELISION_BUNDLE_FILE")
    if named:
        return Path(named)
    from platformdirs import user_config_path

    return user_config_path("elision", appauthor=False) / "bundle"


def read_choice(file: Path) -> Path | None:
    """Folder of the chosen bundle, if one was chosen.

    Raises:
        BundleNotFound: If it is there no more; says how to choose another.
    """
    try:
        line = os.fsdecode(file.read_bytes()).strip()
    except FileNotFoundError:
        return None
    folder = named_bundle(line) if line else None
    if folder is None or not (folder / MANIFEST).is_file():
        raise BundleNotFound(
            f"no bundle at {line!r}, which {file} names: choose with 'elision models use', or '--reset'"
        )
    return folder


def write_choice(file: Path, bundle: Bundle) -> None:
    """Choose a bundle, for every command and service of this user that is told nothing else."""
    shipped = {path.resolve(): path.name for path in list_bundles()}
    folder = bundle.path.resolve()
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f"{file.name}.partial")
    partial.write_bytes(os.fsencode(shipped.get(folder, str(folder))) + b"\n")
    os.replace(partial, file)


def reset_choice(file: Path) -> None:
    """Choose nothing."""
    file.unlink(missing_ok=True)


def named_bundle(name: str) -> Path:
    """Folder of the bundle of this name, or at this path."""
    return {path.name: path for path in list_bundles()}.get(name, Path(name))
