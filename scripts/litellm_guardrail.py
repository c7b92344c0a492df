"""Point LiteLLM's own Headroom guardrail at our service, with a real conversation.

    python scripts/litellm_guardrail.py [--venv FOLDER] [--conversation FILE]

LiteLLM is installed from PyPI into a virtual environment of its own, which is kept if named. The service
is ours, on a free port. Checked is what the guardrail gives back: as many messages, in order, with their
roles, fewer tokens, and the original behind every hash. Exit code 1 if anything of it fails.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

from elision.serving.local import running_service

ROOT = Path(__file__).parent.parent
LITELLM = "litellm==1.110.2"
# Its guardrails import these and declare them only for its proxy, whose extra cannot be had everywhere.
BESIDE = ("fastapi", "orjson")
OFFLINE = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
# Runs inside the other environment: only what LiteLLM itself would do.
CLIENT = """
import asyncio, json, sys
from litellm.proxy.guardrails.guardrail_hooks.headroom.headroom import HeadroomGuardrail

async def main(base, messages):
    guardrail = HeadroomGuardrail(api_base=base, guardrail_name="elision", event_hook="pre_call", default_on=True)
    request = {"model": "gpt-4o", "messages": messages}
    inputs = {"structured_messages": messages, "tools": None}
    out = await guardrail.apply_guardrail(inputs, request, "request")
    context = next((v for k, v in request.items() if "headroom" in k), None)
    hashes = sorted(context.issued_hashes) if context else []
    originals = {h: await guardrail._call_retrieve(h, None) for h in hashes}
    gone = await guardrail._call_retrieve("0" * 24, None)
    tools = [t["function"]["name"] for t in out.get("tools") or []]
    print(json.dumps({"messages": out["structured_messages"], "originals": originals, "tools": tools, "gone": gone}))

asyncio.run(main(sys.argv[1], json.load(sys.stdin)))
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--venv", type=Path, help="environment to make or use; else a temporary one")
    parser.add_argument("--conversation", type=Path, default=ROOT / "samples" / "conversation.json")
    asked = parser.parse_args()
    messages = json.loads(asked.conversation.read_text())["messages"]
    with tempfile.TemporaryDirectory() as folder:
        python = with_litellm(asked.venv or Path(folder))
        with running_service() as (_, base):
            ran = subprocess.run(
                [python, "-c", CLIENT, base],
                input=json.dumps(messages),
                capture_output=True,
                text=True,
                timeout=300,
                env=os.environ | OFFLINE,
            )
    if ran.returncode:
        print(ran.stderr[-3000:], file=sys.stderr)
        return 1
    return report(messages, json.loads(ran.stdout.splitlines()[-1]))


def with_litellm(folder: Path) -> Path:
    """The Python of an environment that has LiteLLM."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", LITELLM, *BESIDE], check=True)
    return python


def report(before: list[dict[str, Any]], answer: dict[str, Any]) -> int:
    """Print what came back and say whether it is right."""
    after, originals = answer["messages"], answer["originals"]
    texts = [str(message.get("content")) for message in after]
    size = [sum(len(str(m.get("content") or "")) for m in messages) for messages in (before, after)]
    checks = {
        "as many messages": len(after) == len(before),
        "same roles": [m["role"] for m in after] == [m["role"] for m in before],
        "shorter": size[1] < size[0],
        "hashes issued": bool(originals),
        "every hash stands in a text": all(any(digest in text for text in texts) for digest in originals),
        "every hash brings its original": all(
            original in [m.get("content") for m in before] for original in originals.values()
        ),
        "a hash nobody knows is not found": "not found" in answer["gone"],
        "the retrieve tool is offered": answer["tools"] == ["headroom_retrieve"],
    }
    print(f"{LITELLM}: {len(before)} messages, {size[0]} -> {size[1]} characters, {len(originals)} originals by hash")
    for name, holds in checks.items():
        print(f"{'ok  ' if holds else 'FAIL'} {name}")
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
