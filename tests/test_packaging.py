"""What is built holds every folder, and what ships is within its limits."""

import tomllib
from pathlib import Path

import elision

ROOT = Path(__file__).parent.parent
BUILT = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]


def test_every_package_folder_is_listed_and_every_listed_one_exists() -> None:
    rooms = ("model", "compaction", "serving", "training")
    folders = {path.parent.relative_to(ROOT) for room in rooms for path in (ROOT / room).rglob("__init__.py")}
    expected = {"elision", *("elision." + ".".join(folder.parts) for folder in folders)}

    assert set(BUILT["packages"]) == expected
    assert {name: Path(folder) for name, folder in BUILT["package-dir"].items()} == {
        name: Path(*name.split(".")[1:]) if name != "elision" else Path("elision") for name in expected
    }


def test_shipped_weights_are_small_enough() -> None:
    sizes = [path.stat().st_size for path in (ROOT / "model" / "bundles").rglob("*") if path.is_file()]

    assert sum(sizes) <= 48_000_000


def test_the_front_door_has_one_name() -> None:
    assert elision.__all__ == ["compress"]
