"""`POST /v1/plan`, `POST /v1/compact` and `GET /v1/policies` on a real server."""

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from compact_calls import RULES, body_in, holds, notes, post, session, session_in
from compactions import Fixed, means
from messages import assistant, system, told, user
from session_service import quiet, service

from elision.compaction.compact.types import CompactedHistory
from elision.compaction.conversation import Format
from elision.compaction.counting import count
from elision.compaction.formats.read import read
from elision.compaction.policies.load import load, names
from elision.compaction.tokens import for_model
from elision.serving.app import create_app
from elision.serving.compacting.jobs import job_of
from elision.serving.compacting.schemas import CompactedReport, PlanCompaction, PlanReport

if TYPE_CHECKING:
    from tests.serving.conftest import WordScorer

Serve = Callable[..., httpx.Client]
WIRES = [Format.OPENAI_CHAT, Format.OPENAI_RESPONSES, Format.ANTHROPIC, Format.GEMINI]
PLAN, COMPACT = "/v1/plan", "/v1/compact"
RAW = session_in(Format.OPENAI_CHAT)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A service with a good writer."""
    with service(_Unready(), Fixed(notes()), bundle=tmp_path_factory.mktemp("none")) as client:
        yield client


class _Unready:
    """A scorer that is never asked: what is compacted here needs no classifier."""

    bundle, runner = "none@0", "python"

    def score(self, text: str, query: str = "", tick: Callable[[], None] = lambda: None) -> Any:
        raise AssertionError("nobody asks for scores")


NO_SCORES = ["reduce.compress=none"]


def sets(*more: str) -> list[str]:
    return ["select.tail_min=300", "select.tail_max=400", *NO_SCORES, *more]


def asked(client: httpx.Client, route: str, raw: str = RAW, **options: Any) -> httpx.Response:
    return post(client, route, raw, **{"set": sets(), **options})


@pytest.mark.parametrize("wire", WIRES)
def test_a_history_comes_back_shorter_in_its_own_wire_format(shared: httpx.Client, wire: Format) -> None:
    raw = session_in(wire, model="gpt-5", temperature=0.5)
    answer = asked(shared, COMPACT, raw)
    report = answer.json()

    assert CompactedReport.model_validate(report, extra="forbid")
    assert (report["format"], report["decision"], report["summary_by"]) == (wire, "compact", "fixed/writer")
    assert report["tokens_after"] < 0.5 * report["tokens_before"]
    assert report["tokens_saved"] == report["tokens_before"] - report["tokens_after"]
    assert json.loads(body_in(answer)) | {"model": "gpt-5", "temperature": 0.5} == json.loads(body_in(answer))
    holds(answer, raw, wire)


@pytest.mark.parametrize("policy", names())
def test_every_policy_plans_and_compacts(shared: httpx.Client, policy: str) -> None:
    options: dict[str, Any] = {
        "policy": policy,
        "set": NO_SCORES if policy == "elision" else [],
        "cause": "request",
    }
    plan = asked(shared, PLAN, **options)
    done = asked(shared, COMPACT, **options).json()

    assert PlanReport.model_validate(plan.json(), extra="forbid")
    assert plan.json()["policy"].startswith(f"{policy}@") and done["plan"] == plan.json()
    assert done["tokens_after"] <= done["tokens_before"] and done["reason"]


def test_a_plan_tells_what_goes_what_may_not_be_lost_and_what_it_costs(shared: httpx.Client) -> None:
    plan = asked(shared, PLAN, cause="request").json()
    fates = [row["fate"] for row in plan["messages"]]
    demands = {pin["text"] for pin in plan["pins"] if pin["kind"] == "constraint"}

    assert [at for at, fate in enumerate(fates) if fate == "cover"] == plan["cut"]["covered"]
    assert fates[0] == fates[-1] == "keep" and plan["cut"]["head"] == [0]
    assert set(RULES) <= demands and all(pin["hard"] for pin in plan["pins"] if pin["kind"] == "constraint")
    assert plan["bills"]["cache"]["tokens_rewritten"] > 0 and plan["bills"]["lines"]
    assert plan["tokens_expected"] < plan["tokens_before"] and plan["context_window"] == 3000


def test_what_is_below_the_trigger_is_left_and_asks_nobody() -> None:
    writer = Fixed(notes())
    with service(_Unready(), writer) as client:
        answer = post(client, COMPACT, RAW, cause="check", context_window=1_000_000)
    report = answer.json()

    assert body_in(answer) == RAW and writer.calls == []
    assert (report["decision"], report["reason"], report["changed"]) == ("leave", "below_trigger", False)


def test_a_look_asks_no_writer_and_the_same_look_gives_the_same(shared: httpx.Client) -> None:
    writer = Fixed(notes())
    with service(_Unready(), writer) as client:
        first, second = (asked(client, PLAN).content for _ in range(2))

    assert first == second and writer.calls == []


def test_white_space_and_unknown_members_of_what_stays_stay(shared: httpx.Client) -> None:
    story = session()
    last = '{ "content":"Go on\\u00e9 ","x" : 1.0,  "role":"user"}'
    spelled = ",\n ".join([*(json.dumps(message) for message in story[:-1]), last])
    raw = f'{{ "z": 1e3, "messages" :[ {spelled}\n], "a":[ ] }}'
    answer = body_in(asked(shared, COMPACT, raw))

    assert answer.startswith('{ "z": 1e3, "messages" :[ ') and answer.endswith(f'{last}\n], "a":[ ] }}')


def test_a_target_is_an_upper_bound_or_an_error_that_says_how_much_it_takes(shared: httpx.Client) -> None:
    met = asked(shared, COMPACT, total_tokens=1200).json()
    small = asked(shared, COMPACT, total_tokens=120)

    assert met["target_met"] and met["tokens_after"] <= 1200
    assert small.status_code == 422 and "needs" in small.text and "120" in small.text


def test_the_original_comes_back_by_its_handle(shared: httpx.Client) -> None:
    handle = asked(shared, COMPACT).json()["handle"]

    found = shared.get(f"/v1/expand/{handle}")
    assert found.status_code == 200 and RAW in (found.text, found.json().get("text"))


def test_what_makes_no_sense_is_refused_by_name(shared: httpx.Client) -> None:
    refusals = {
        "policy": asked(shared, PLAN, policy="nobody"),
        "trigger.ratio": asked(shared, PLAN, set=["trigger.ratio=7"]),
        "policy_toml": asked(shared, PLAN, policy_toml="name = 3"),
        "cause": asked(shared, PLAN, cause="whim"),
        "context_window": asked(shared, PLAN, context_window=0),
        "format": asked(shared, PLAN, json.dumps({"hello": 1})),
        "system": asked(shared, PLAN, told([system("word " * 300), user("hi")], Format.ANTHROPIC), total_tokens=50),
    }  # fmt: skip

    assert {name: found.status_code for name, found in refusals.items()} == dict.fromkeys(refusals, 422)
    for name in ("trigger.ratio", "cause", "context_window", "system"):
        assert name in refusals[name].text


def test_a_window_that_nobody_knows_has_to_be_told_unless_it_is_asked_for(shared: httpx.Client) -> None:
    look = asked(shared, PLAN, context_window=None)
    request = asked(shared, PLAN, context_window=None, cause="request")

    assert look.status_code == 422 and "context_window" in look.text
    assert request.status_code == 200 and request.json()["window_assumed"]


def test_broken_json_and_lone_surrogates_are_no_fault_of_the_server(shared: httpx.Client) -> None:
    raw = json.dumps({"messages": [user("a\ud83d b" * 400), assistant("c"), *session()[1:]]})
    odd = asked(shared, COMPACT, raw)
    broken = shared.post(COMPACT, content=b'{"body": {', headers={"content-type": "application/json"})

    assert odd.status_code == 200 and broken.status_code == 400


@pytest.mark.parametrize(("second", "runs"), [("t", 1), ("other", 2)])
def test_two_of_one_tenant_that_ask_for_the_same_at_once_get_one_answer(second: str, runs: int) -> None:
    compactions = create_app(quiet(), _Unready(), writers=[]).state.service.compactions
    job = job_of(read(RAW), PlanCompaction(cause="request"), means())
    begun: list[CompactedHistory] = []

    async def both() -> list[CompactedHistory]:
        gate = asyncio.Event()

        async def run() -> CompactedHistory:
            begun.append(job.run())
            await gate.wait()
            return begun[-1]

        asked = PlanCompaction(cause="request")
        waiting = [
            asyncio.ensure_future(compactions.once(RAW, asked, tenant, run)) for tenant in ("t", second)
        ]
        while len(begun) < runs:
            await asyncio.sleep(0)
        gate.set()
        return list(await asyncio.gather(*waiting))

    one, other = asyncio.run(both())
    compactions.close()

    assert one == other and len(begun) == runs


def test_policies_are_listed_ours_first_each_with_what_is_approximate(shared: httpx.Client) -> None:
    listed = shared.get("/v1/policies").json()

    assert [one["name"] for one in listed] == names() and listed[0]["name"] == "elision"
    assert all(one["version"] and one["title"] and one["approximate"] for one in listed[1:])


def test_with_redaction_no_secret_is_written_anew(shared: httpx.Client) -> None:
    token = "ghp_" + "Zx81Qm" * 6
    story = [user(f"Never print {token}. Make it faster."), *session()[2:]]
    answer = asked(shared, COMPACT, told(story, Format.OPENAI_CHAT), redact=True)

    assert answer.json()["summary_by"] and token not in answer.json()["summary"]


@pytest.mark.parametrize("name", names())
def test_a_policy_is_given_whole_by_its_name(shared: httpx.Client, name: str) -> None:
    found = shared.get(f"/v1/policies/{name}")

    assert found.status_code == 200 and found.json() == load(name).model_dump(mode="json", by_alias=True)


def test_of_a_policy_that_is_not_there_it_is_said_which_there_are(shared: httpx.Client) -> None:
    found = shared.get("/v1/policies/nobody")

    assert (found.status_code, found.json()["code"]) == (404, "unknown_policy")
    assert all(name in found.json()["detail"] for name in ["nobody", *names()])


@pytest.mark.parametrize("half", [{"usage_input": 900}, {"usage_messages": 3}])
@pytest.mark.parametrize("route", [PLAN, COMPACT])
def test_a_provider_s_count_has_to_say_of_how_many_messages_it_is(
    shared: httpx.Client, route: str, half: dict[str, Any]
) -> None:
    refused = asked(shared, route, **half)

    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_fields")
    assert "usage_input and usage_messages go together" in refused.text


@pytest.mark.parametrize("model", ["gpt-5", "gpt-4", "claude-sonnet-4-5"])
@pytest.mark.parametrize("route", [PLAN, COMPACT])
def test_tokens_are_those_of_the_model_that_the_request_names(
    shared: httpx.Client, route: str, model: str
) -> None:
    raw, counted = session_in(Format.OPENAI_CHAT, model=model), for_model(model)
    report = asked(shared, route, raw).json()
    plan = report.get("plan", report)
    other = asked(shared, route, raw, model="gpt-4").json()

    assert plan["token_counter"] == {"encoding": counted.encoding, "exact": counted.exact}
    assert report["tokens_before"] == count(read(raw), counted).total
    assert other.get("plan", other)["token_counter"]["encoding"] == "cl100k_base"


@pytest.mark.parametrize("route", [PLAN, COMPACT])
def test_a_policy_by_name_and_one_by_text_exclude_each_other(shared: httpx.Client, route: str) -> None:
    both = asked(shared, route, policy="pi", policy_toml='extends = "pi"')

    assert (both.status_code, both.json()["code"]) == (422, "invalid_fields") and "policy_toml" in both.text


@pytest.mark.parametrize("wrong", [{"policy": "nobody"}, {"policy_toml": "name = 3"}, {"set": ["trigger.ratio=7"]}])
def test_a_wrong_policy_is_said_before_anything_else_is_asked_for(
    shared: httpx.Client, wrong: dict[str, Any]
) -> None:
    assert asked(shared, PLAN, context_window=None, **wrong).json()["code"] == "bad_policy"


@pytest.mark.parametrize("cause", ["check", "request"])
def test_a_plan_says_what_a_compaction_of_the_same_cause_does(
    serve: Serve, scorer: "WordScorer", cause: str
) -> None:
    """Where nothing but the classifier makes it shorter, too."""
    options = {"cause": cause, "set": ["reduce.compress.protect_turns=0"], "context_window": 4000}
    client = serve(scorer)
    raw = told([user("go"), *session()[2:4], user("and?")], Format.OPENAI_CHAT)
    plan, done = (post(client, route, raw, **options).json() for route in (PLAN, COMPACT))

    assert done["plan"] == plan
