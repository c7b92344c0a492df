"""What is built holds every folder, and what ships is within its limits."""

import tomllib
from pathlib import Path

import elision
from elision.model.bundle import list_bundles, load_bundle

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

    assert sum(sizes) <= 60_000_000
    assert max(sizes) < 50_000_000


def test_every_file_of_a_shipped_bundle_is_built_and_so_is_what_it_shares() -> None:
    built = {path for pattern in BUILT["package-data"]["elision.model"] for path in (ROOT / "model").glob(pattern)}
    bundles = [load_bundle(path) for path in list_bundles()]

    assert bundles
    for bundle in bundles:
        assert {bundle.file(name).resolve() for name in bundle.manifest["files"]} <= built


def test_the_front_door_has_one_name() -> None:
    assert elision.__all__ == ["compress"]
