"""A long session to be compacted over HTTP, and what must hold of every answer."""

import json
from typing import Any

import httpx
from compactions import small
from messages import Json, assistant, call, result, system, told, user
from session_service import SHORT_TAIL

from elision.compaction.conversation import Conversation, Format
from elision.compaction.cuts import validate
from elision.compaction.formats.read import read
from elision.compaction.pins.check import missing
from elision.compaction.pins.collect import collect
from elision.compaction.summary.sections import sections, written

# Not keys of anybody; put together here so that no scanner takes them for some.
SECRETS = ("ghp_" + "Ab3dE9" * 6, "AKIA" + "IOSFODNN7QRSTUVW", "pw-" + "Zx81Qm" * 4)
KEY = "sk-" + "of-the-writer-0123456789"
RULES = ("Never touch prod.yaml.", "Du darfst niemals auf main pushen.", "不要删除数据库。")


def session(turns: int = 8) -> list[Json]:
    """A session with demands in three languages, and secrets in what people, tools and the agent say."""
    token, access, password = SECRETS
    story = [
        system("You work on the importer."),
        user(f"{RULES[0]} Make the importer faster. The token is {token}."),
    ]
    for turn in range(turns):
        rows = " ".join(f"Step {turn} reads row {row} of table_{turn}." for row in range(9))
        story += [
            call(f"c{turn}", "bash", {"command": f"env && password={password} ./import --step {turn}"}),
            result(f"c{turn}", f"AWS_ACCESS_KEY_ID={access}\nGITHUB_TOKEN={token}\n{rows}\n"),
            assistant(f"I looked at step {turn}. {rows} SQLite was rejected because it locks."),
            user(f"Go on with step {turn + 1}, please. {RULES[1 + turn % 2]}"),
        ]
    return story


def notes(*statements: str) -> str:
    """A reply with every section that our policy asks for."""
    policy = small("elision")
    body = "\n".join(f"- {one}" for one in statements or ("The importer of step 3 is being checked [m7]",))
    return written([(section, body) for section in sections(policy.summary)], policy.summary)


def post(client: httpx.Client, route: str, body: str, **options: Any) -> httpx.Response:
    """Send a body as it is spelled, to be compacted so that a summary is needed."""
    spelled = json.dumps({**SHORT_TAIL, **options}, ensure_ascii=False)
    content = f'{{"body":{body},{spelled[1:]}'.encode("utf-8", "surrogatepass")
    return client.post(route, content=content, headers={"content-type": "application/json"})


def body_in(answer: httpx.Response) -> str:
    """The body of an answer as it is spelled."""
    assert answer.status_code == 200, answer.text
    assert answer.text.startswith('{"body":')
    return answer.text.removeprefix('{"body":')[: answer.text.rindex(',"format":') - len('{"body":')]


def holds(answer: httpx.Response, raw: str, format: Format) -> Conversation:
    """What must hold whatever happened: a valid history in which nothing is lost, and a word of why."""
    report, before = answer.json(), read(raw, format)
    after = read(body_in(answer), format)
    hard = [pin for pin in collect(before) if pin.hard and pin.holds]

    assert hard and not missing(hard, after.raw)
    assert not validate(after)
    assert report["tokens_after"] <= report["tokens_before"] and report["reason"] and report["detail"]
    assert report["changed"] or after.raw == raw
    assert after.messages[-1].span.of(after.raw) == before.messages[-1].span.of(raw)
    return after


def session_in(format: Format, **members: Any) -> str:
    return told(session(), format, **members)
