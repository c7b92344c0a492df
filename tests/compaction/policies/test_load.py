"""Policies as data: what comes with the package, users' own, and what a wrong one is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.errors import BadPolicy
from elision.compaction.policies.load import load, names, parse_policy


def test_ours_comes_first() -> None:
    assert names()[0] == "elision" and names()[1:] == sorted(names()[1:]) and len(names()) == 8


@pytest.mark.parametrize("name", names())
def test_a_policy_says_what_it_is(name: str) -> None:
    policy = load(name)

    assert policy.name == name and policy.version and policy.title and policy.source and not policy.changed


@pytest.mark.parametrize("name", names())
def test_only_ours_approximates_nothing(name: str) -> None:
    approximate = load(name).approximate

    assert bool(approximate) == (name != "elision") and "\n" not in approximate


@pytest.mark.parametrize("name", names())
def test_who_writes_a_summary_knows_what_of(name: str) -> None:
    summary = load(name).summary

    assert bool(summary.sections) == (summary.writer != "none")
    assert all(section.ask.endswith(".") for section in summary.sections)


def test_a_setting_takes_the_place_of_a_field() -> None:
    policy = load(
        "pi", ["trigger.remaining=8000", "select.start=user", 'summary.sections=[{heading = "A", ask = "B"}]']
    )

    assert (policy.trigger.remaining, policy.select.start) == (8000, "user")
    assert [section.heading for section in policy.summary.sections] == ["A"]
    assert policy.changed[0] == "trigger.remaining=8000"


def test_the_last_of_two_settings_holds() -> None:
    assert load("pi", ["trigger.ratio=0.5", " trigger.ratio = 0.6 "]).trigger.ratio == 0.6


def test_none_switches_a_field_or_a_table_off() -> None:
    policy = load("elision", ["trigger.ratio=none", "reduce.mask=None"])

    assert policy.trigger.ratio is None and policy.reduce.mask is None and policy.reduce.dedupe is not None


def test_none_is_a_word_where_a_word_is_asked_for() -> None:
    assert load("elision", ["summary.writer=none"]).summary.writer == "none"


def test_a_table_is_switched_on_with_what_it_says() -> None:
    mask = load("opencode", ["reduce.mask.on=true", "reduce.mask.minimum=10"]).reduce.mask

    assert load("opencode").reduce.mask is None
    assert mask and (mask.protect_tokens, mask.minimum, mask.exempt) == (40_000, 10, ("skill",))


def test_a_text_may_hold_signs_and_line_ends() -> None:
    assert load("pi", ["compose.prefix=a = b"]).compose.prefix == "a = b"
    assert load("pi", ['compose.continue="a\\nb"']).compose.continue_ == "a\nb"
    assert load("pi", ["compose.prefix=1\nx = 2"]).compose.prefix == "1\nx = 2"


def test_a_file_says_only_what_is_different() -> None:
    own = parse_policy('extends = "pi"\n[trigger]\nremaining = "none"\nratio = 0.5\n', "mine.toml")

    assert own.name == "pi-own" and own.select == load("pi").select
    assert (own.trigger.remaining, own.trigger.ratio, own.trigger.over) == (None, 0.5, True)


def test_a_file_may_stand_alone() -> None:
    own = load(
        "mine.toml",
        ["gate.breaker=1"],
        {"mine.toml": 'name = "mine"\nversion = 2026-11-29\ntitle = "x"'}.__getitem__,
    )

    assert (own.name, own.version, own.gate.breaker, own.trigger.ratio) == ("mine", "2026-11-29", 1, None)


def test_a_file_called_like_a_policy_does_not_hide_it() -> None:
    assert load("pi", read=lambda _: "not read").name == "pi"


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("trigger.rato=0.8", "'trigger.rato=0.8': trigger.rato is no field; allowed: ratio, remaining"),
        ("tigger.ratio=0.8", "tigger is no field; allowed: name, version"),
        ("reduce.clip={limit=5, heads=1}", "reduce.clip.heads is no field; allowed: limit"),
        ("trigger.ratio=2", "trigger.ratio is 2: .*less than or equal to 1"),
        ("trigger.ratio=true", "trigger.ratio is true: .*number"),
        ('trigger.ratio="0.8"', 'trigger.ratio is "0.8": .*number'),
        ("trigger.ratio=nan", "trigger.ratio is NaN: .*finite"),
        ("trigger.ratio.x=1", "trigger.ratio is .*: .*number"),
        ("gate.breaker=1.5", "gate.breaker is 1.5: .*integer"),
        ("gate.breaker=-1", "gate.breaker is -1: .*greater than or equal to 0"),
        ("measure.estimator=words", "'tokenizer', 'chars4', 'bytes4' or 'script_weighted'"),
        ("gate=none", 'gate is "none": .*object'),
        ("gate.on=false", "gate.on is no field"),
        ("reduce.mask.placeholder={path}", r"\{path\} is not filled in; only lines, tool, handle"),
        ("reduce.clip={limit=5, header='{path}'}", r"\{path\} is not filled in; only lines, tool, handle"),
        ('reduce.clip={limit=5, header="a\\nb"}', "reduce.clip.header is .*one line"),
        ("compose.prefix=", "'compose.prefix=': compose is .*summary.prior is 'update', so it needs a prefix"),
        ("summary.sections=[{ask='x'}]", r"summary.sections.0.heading is missing"),
        ("ratio", "'ratio' is no setting; write field=value, such as trigger.ratio=0.8"),
        ("=1", "is no setting"),
        ("a..b=1", "is no setting"),
        ("", "is no setting"),
    ],
)
def test_a_wrong_setting_is_told_with_what_is_allowed(setting: str, told: str) -> None:
    with pytest.raises(BadPolicy, match=f"(?s)^policy elision.*{told}"):
        load("elision", [setting])


def test_a_setting_in_a_table_that_is_off_is_told() -> None:
    with pytest.raises(BadPolicy, match="reduce.mask is off; set reduce.mask.on=true as well"):
        load("opencode", ["reduce.mask.minimum=10"])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name = ", "mine.toml: is no TOML"),
        ("", "mine.toml: name is missing"),
        ('extends = "vim"', "mine.toml: extends is 'vim'; allowed: elision, aider"),
        ("extends = ['pi']", "mine.toml: extends is"),
        (
            'name = "a"\nversion = "1"\ntitle = "x"\n[summary]\nprior = "update"',
            "mine.toml: compose is .*needs a prefix",
        ),
        ('extends = "pi"\nname = "My policy"', 'mine.toml: name is "My policy"'),
        (
            'extends = "pi"\n[select]\ntail_token = 5',
            "mine.toml: select.tail_token is no field; allowed: head_messages",
        ),
        ("a = " + "[" * 5000, "mine.toml: is nested too deeply"),
        (".".join("a" * 2000) + " = 1", "mine.toml: is nested too deeply"),
        ('extends = "pi"\n' + ".".join("a" * 2000) + " = 1", "mine.toml: is nested too deeply"),
    ],
)
def test_a_wrong_file_is_told_by_its_name(text: str, told: str) -> None:
    with pytest.raises(BadPolicy, match=told.replace("[", r"\[")):
        load("mine.toml", read=lambda _: text)


def test_an_unknown_name_is_told_with_the_known_ones() -> None:
    with pytest.raises(BadPolicy, match="no policy 'vim'; there are elision, aider"):
        load("vim")


@pytest.mark.parametrize(
    "error", [FileNotFoundError("gone"), PermissionError("no"), UnicodeDecodeError("utf-8", b"", 0, 1, "x")]
)
def test_a_file_that_cannot_be_read_is_no_policy(error: Exception) -> None:
    def read(path: str) -> str:
        raise error

    with pytest.raises(BadPolicy, match="no policy 'x.toml' and no such file"):
        load("x.toml", read=read)


@pytest.mark.law
@given(st.text(max_size=60), st.sampled_from(names()))
def test_whatever_a_setting_says_it_is_taken_or_told(text: str, name: str) -> None:
    for setting in (text, f"trigger.ratio={text}", f"compose.prefix={text}", f"reduce.mask={text}"):
        try:
            assert load(name, [setting]).changed == (setting,)
        except BadPolicy as told:
            assert str(told)
