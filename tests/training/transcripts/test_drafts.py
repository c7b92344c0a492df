"""Sessions of one project have one task, wherever in it the agent worked."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.training.transcripts.drafts import Folder, project_of, projects


def named(*folders: str) -> list[str]:
    return projects([project_of(folder) for folder in folders])


@pytest.mark.parametrize(
    ("folders", "names"),
    [
        (["/src/shop", "/src/shop/frontend", "/src/shop/api/v1"], ["shop"] * 3),
        (["/src/shop/api/v1", "/src/shop/api", "/src/shop/"], ["shop"] * 3),
        (["/home/nina/shop/web", "/home/nina/shop"], ["shop"] * 2),
        (["/home/nina/src/shop", "/Users/bob/src/shop/web"], ["shop"] * 2),
        ([r"C:\Users\nina\shop\web", r"C:\Users\nina\shop", "/mnt/c/Users/nina/shop/api"], ["shop"] * 3),
        (["/src/shop", "/src/shop/.claude/worktrees/fix/web", "/src/shop/.worktrees/x"], ["shop"] * 3),
        (["/home/nina/src/shop", "/home/nina/.codex/worktrees/883f/shop/web"], ["shop"] * 2),
        (["/work/acme/src", "/work/acme/src/app"], ["src"] * 2),
    ],
)
def test_a_folder_below_another_one_is_of_its_project(folders: list[str], names: list[str]) -> None:
    assert named(*folders) == names


@pytest.mark.parametrize("above", ["/", "/home/nina", "/root", "~", "C:\\", "/src", "~/Documents/GitHub", "/home/nina/src", "/var/www"])
def test_folders_that_hold_many_projects_do_not_join_them(above: str) -> None:
    below = above.rstrip("\\/")

    assert named(above, f"{below}/shop", f"{below}/till")[1:] == ["shop", "till"]


def test_folders_that_only_begin_alike_or_lie_beside_each_other_are_not_joined() -> None:
    assert named("/src/shop", "/src/shop-old", "/src/till/web", "/src/till/api") == ["shop", "shop-old", "web", "api"]


def test_home_folders_and_the_root_are_one_project_of_their_own() -> None:
    assert named("/home/nina", "/Users/bob/", "/root", "/") == ["home"] * 4


def test_a_task_that_is_no_folder_is_left() -> None:
    assert projects(["/src/shop/web", Folder("/src/shop"), "", "fix /src/shop"]) == ["/src/shop/web", "shop", "", "fix /src/shop"]


PARTS = st.lists(st.sampled_from(["src", "shop", "till", "web", "home", "nina", ".worktrees"]), max_size=5)


@given(st.lists(PARTS.map(lambda parts: "/" + "/".join(parts)), max_size=6), st.randoms())
def test_names_do_not_depend_on_the_order(folders: list[str], draw: Random) -> None:
    there = dict(zip(folders, named(*folders), strict=True))
    draw.shuffle(folders)

    assert dict(zip(folders, named(*folders), strict=True)) == there
    assert all(there.values())
