import pytest

from elision.compaction.pins.heads import heads
from elision.compaction.pins.lexicon import _tried, hear, phrases, table


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("never", {"nev"}),
        ("(?:must|may) not", {"mus", "may"}),
        ("n['’]t", {"n"}),
        ("no one|nobody", {"no", "nob"}),
        ("colou?r", {"col"}),
        ("ab?c", {"a"}),
        ("a?b", set()),
        (r"\w+ only", set()),
        ("(?:a|b)? c", set()),
        ("[ab]c", set()),
    ],
)
def test_the_letters_a_pattern_can_begin_with(pattern: str, expected: set[str]) -> None:
    assert heads(pattern) == expected


@pytest.mark.parametrize("file", ["constraints.toml", "revisions.toml", "choices.toml", "waiting.toml"])
def test_every_phrase_of_every_language_compiles(file: str) -> None:
    for name in table(file):
        if isinstance(table(file)[name], dict):
            assert phrases(file, name).groups


def test_the_same_languages_are_known_for_demands_and_prohibitions() -> None:
    known = {name: set(table("constraints.toml")[name]) - {"de2", "es2", "tr2"} for name in ("forbid", "demand")}

    assert known["forbid"] == known["demand"] and len(known["forbid"]) >= 16


@pytest.mark.parametrize("name", ["permit", "negation", "condition", "tongue"])
def test_what_revokes_and_what_hinders_it_is_known_in_the_same_languages(name: str) -> None:
    revisions = table("revisions.toml")

    assert set(revisions[name]) - {"en2", "es2", "tr2"} == set(revisions["rule"])


@pytest.mark.parametrize(
    ("sentence", "starts"),
    [
        ("Fix it, never push", ["Fix", "never"]),
        ("please never push", ["please", "never"]),
        ("- **Never** push", ["Never"]),
        ("main.py never", ["main"]),
        ("Commits: never add", ["Commits", "never"]),
        ("İstanbul, never", ["İstanbul", "never"]),
    ],
)
def test_where_clauses_begin(sentence: str, starts: list[str]) -> None:
    found = [start for start, *_ in hear(sentence).starts]

    assert [sentence.startswith(word, at) for at, word in zip(found, starts, strict=True)] == [True] * len(
        starts
    )


@pytest.mark.parametrize("phrase", ["nessun*|mai", "mai|nessun*", "proibit*|vietat*|mai"])
def test_each_of_several_words_ends_where_a_word_ends(phrase: str) -> None:
    tried = _tried([phrase])

    assert [tried.first(text, hear(text).words) for text in ("push to main", "mai piu")] == [-1, 0]


@pytest.mark.parametrize(
    "text",
    ["Do **not** push", "Do *not* push", "Do _not_ push", "Do __not__ push", "***Do not*** push", "**Do not push** to a_b_c*"],
)
def test_emphasis_is_not_heard_and_moves_nothing(text: str) -> None:
    heard = hear(text)

    assert " ".join(heard.text.replace("to a_b_c*", "").split()) == "Do not push"
    assert len(heard.text) == len(text) and [text[at] for at, *_ in heard.words][:3] == ["D", "n", "p"]


@pytest.mark.parametrize("text", ["2 * 3 * 4", "a_b_c", "*.py and *.js", "x ** y", "- * -"])
def test_marks_that_emphasise_nothing_stay(text: str) -> None:
    assert hear(text).text == text
