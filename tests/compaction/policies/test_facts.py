"""What each policy does is what its agent does: the facts of the survey, number by number."""

import pytest

from elision.compaction.compact.measure import Window
from elision.compaction.compact.trigger import full_at, triggers_at, usable
from elision.compaction.policies.load import load
from elision.compaction.policies.schema import CompactionPolicy

SMALL, LARGE = Window(200_000, max_output=32_000), Window(1_000_000, max_output=32_000)


def headings(policy: CompactionPolicy) -> list[str]:
    return [section.heading for section in policy.summary.sections]


@pytest.mark.parametrize(
    ("name", "small", "large"),
    [
        ("elision", 150_000, 750_000),
        ("codex-local", 180_000, 900_000),
        ("opencode", 168_000, 968_000),
        ("gemini-cli", 100_000, 500_000),
        ("openhands", 200_000, 1_000_000),
        ("pi", 183_616, 983_616),
        ("aider", 8_192, 8_192),
        ("jetbrains-masking", None, None),
    ],
)
def test_where_a_policy_triggers(name: str, small: int | None, large: int | None) -> None:
    assert (triggers_at(load(name), SMALL), triggers_at(load(name), LARGE)) == (small, large)


def test_codex_keeps_users_and_says_the_summary_last() -> None:
    policy = load("codex-local")

    assert full_at(policy, SMALL) == 190_000 and policy.measure.estimator == "bytes4"
    assert policy.reduce.clip and (policy.reduce.clip.limit, policy.reduce.clip.unit) == (10_000, "bytes4")
    assert policy.reduce.always.clip and policy.reduce.clip.head == 0.5 and not policy.reduce.clip.newest
    assert (
        policy.select.tail_tokens == 0 and policy.select.keep_users == 20_000 and policy.select.keep_users_cut
    )
    assert (policy.compose.role, policy.compose.place) == ("user", "last") and policy.compose.prefix
    assert len(headings(policy)) == 4 and policy.summary.prior == "message"
    assert not policy.gate.attempts and not policy.gate.breaker and not policy.gate.stalled
    assert policy.trigger.overflow and policy.trigger.model_switch
    assert policy.measure.per_message == 0 and "{handle}" in policy.reduce.clip.header


def test_opencode_reserves_the_output_and_keeps_a_clamped_tail() -> None:
    policy = load("opencode")

    assert triggers_at(policy, Window(400_000, max_output=128_000, input_limit=272_000)) == 252_000
    assert triggers_at(policy, Window(400_000, max_output=8_000, input_limit=272_000)) == 264_000
    assert usable(policy, SMALL) == triggers_at(policy, Window(200_000)) == 168_000
    assert (policy.gate.attempts, policy.gate.retry_after) == (1, 0)
    how = policy.select
    assert (how.tail_share, how.tail_share_of, how.tail_min, how.tail_max) == (0.25, "usable", 2_000, 15_000)
    assert policy.summary.clip_chars == 2_000 and policy.summary.max_tokens == 4_096
    assert headings(policy) == ["Objective", "Important Details", "Work State", "Next Move", "Relevant Files"]
    assert policy.compose.role == "assistant" and policy.compose.lead and policy.compose.continue_
    assert policy.compose.prefix and policy.measure.per_message == 0
    assert policy.summary.prior == "update" and (policy.gate.stalled, policy.gate.min_progress) == (1, 0.05)


@pytest.mark.parametrize("name", ["codex-local", "opencode", "pi"])
def test_where_nobody_writes_a_summary_these_stop_as_they_are(name: str) -> None:
    assert load(name).summary.fallback == "keep"


def test_opencode_prunes_only_if_told_to() -> None:
    mask = load("opencode", ["reduce.mask.on=true"]).reduce.mask

    assert load("opencode").reduce.mask is None
    assert mask and (mask.protect_tokens, mask.minimum, mask.protect_turns) == (40_000, 20_000, 2)


def test_gemini_masks_always_and_keeps_a_third_of_the_characters() -> None:
    policy = load("gemini-cli")
    mask, clip = policy.reduce.mask, policy.reduce.clip

    assert triggers_at(policy, Window(1_048_576)) == 524_288
    assert (
        mask
        and mask.always
        and (mask.protect_tokens, mask.minimum, mask.protect_turns) == (50_000, 30_000, 1)
    )
    assert set(mask.exempt) == {"activate_skill", "ask_user", "enter_plan_mode", "exit_plan_mode"}
    assert clip and clip.newest and (clip.limit, clip.head) == (50_000, 0.2) and not clip.always
    assert (policy.select.tail_share, policy.select.tail_share_of, policy.select.start) == (
        0.3,
        "history",
        "user",
    )
    assert policy.summary.style == "xml" and len(headings(policy)) == 7 and policy.summary.second_look
    assert policy.compose.prefix.startswith("<state_snapshot>") and policy.compose.ack
    assert policy.gate.latch_inflated and not policy.gate.attempts
    assert (policy.measure.estimator, policy.measure.image_tokens, policy.measure.document_tokens) == (
        "script_weighted",
        3_000,
        25_800,
    )


def test_openhands_counts_events_and_halves() -> None:
    policy = load("openhands")

    assert policy.trigger.messages == 240 and policy.trigger.over and policy.measure.estimator == "tokenizer"
    assert (policy.select.head_messages, policy.select.target, policy.select.snap) == (2, 0.5, "forward")
    assert policy.select.target_events == 240 // 2 and not policy.gate.attempts
    assert (policy.gate.min_progress, policy.gate.progress) == (0.1, "events") and (policy.compose.role, policy.compose.place) == ("user", "cut")
    assert headings(policy)[:5] == ["USER_CONTEXT", "TASK_TRACKING", "COMPLETED", "PENDING", "CURRENT_STATE"]
    assert [section.heading for section in policy.summary.sections if not section.optional] == [
        "USER_CONTEXT",
        "COMPLETED",
        "PENDING",
        "CURRENT_STATE",
    ]


def test_pi_keeps_twenty_thousand_and_may_split_a_turn() -> None:
    policy = load("pi")

    assert (
        policy.select.tail_tokens == 20_000 and policy.select.start == "spoken" and policy.select.first_fits
    )
    assert policy.summary.clip_chars == 2_000 and policy.summary.prior == "update"
    assert len(headings(policy)) == 6 and policy.summary.split_turn
    split = policy.summary.split_turn
    assert [one.heading for one in split.sections] == [
        "Original Request",
        "Early Progress",
        "Context for Suffix",
    ]
    assert (policy.summary.max_tokens, split.max_tokens) == (int(0.8 * 16_384), 16_384 // 2)
    assert policy.measure.image_tokens == 4_800 // 4 and policy.compose.file_lists and policy.trigger.over


@pytest.mark.parametrize(
    ("tokens", "at"), [(8_000, 1_024), (16_384, 1_024), (64_000, 4_000), (2_000_000, 8_192)]
)
def test_aider_has_a_sixteenth_between_one_and_eight_thousand(tokens: int, at: int) -> None:
    assert triggers_at(load("aider"), Window(tokens)) == at


def test_aider_writes_as_the_user_of_a_history_that_ends_with_the_assistant() -> None:
    policy = load("aider")

    assert policy.trigger.scope == "history" and not policy.trigger.overflow
    assert policy.select.head_ends_with == "assistant" and policy.select.all_up_to == 4
    assert policy.select.last_user and policy.select.snap == "back"
    assert policy.select.tail_share == 1 / 32 and policy.select.tail_max == 4_096
    assert policy.summary.person == "user" and policy.summary.texts_only and policy.compose.ack == "Ok."


def test_jetbrains_masks_all_but_ten_steps_and_asks_nobody() -> None:
    policy = load("jetbrains-masking")
    mask = policy.reduce.mask

    assert policy.trigger.always and mask and (mask.protect_turns, mask.turn) == (10, "step")
    assert "{lines}" in mask.placeholder and policy.select.nothing and policy.summary.writer == "none"


def test_ours_pays_for_what_it_does_and_attaches_pins_by_code() -> None:
    policy = load("elision")

    assert policy.gate.pays and full_at(policy, Window(200_000)) == 184_000
    assert triggers_at(policy, Window(200_000, max_output=64_000)) == 136_000
    assert all((policy.reduce.dedupe, policy.reduce.strip_media, policy.reduce.mask, policy.reduce.skeleton))
    assert policy.reduce.compress and policy.reduce.compress.keep_ratio == 0.5
    assert (
        policy.reduce.mask and policy.reduce.mask.again_first and "{handle}" in policy.reduce.mask.placeholder
    )
    assert (policy.select.tail_share, policy.select.tail_min, policy.select.tail_max) == (0.15, 4_000, 24_000)
    assert policy.summary.pins and policy.summary.check and policy.summary.rebuild_every == 5
    assert [section.heading for section in policy.summary.sections if section.by_code] == [
        "Goal",
        "Constraints",
        "Files",
    ]
    assert "not a request" in policy.compose.prefix
