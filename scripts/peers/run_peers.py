"""Run one peer on texts, or the referee on them: the program inside the peers' own venv.

    runs/peers/venv/bin/python scripts/peers/run_peers.py PEER < texts.jsonl > outputs.jsonl

A line in is {name, text, keep_ratio}, a line out {name, text, error}, in the same order. Each text has a
process of its own, forked after the imports: no peer remembers another text, and one that crashes or
hangs costs only its own line. Of ``drain3``, the referee, the text out is a JSON list: for each line of
the text the number of its cluster. Needs the standard library and the peer.
"""

import argparse
import json
import multiprocessing
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any


@dataclass(frozen=True, slots=True)
class Asked:
    """One text, and the share of its tokens to keep, for a peer that can be told."""

    name: str
    text: str
    keep_ratio: float

    @property
    def command(self) -> str:
        """What may have printed it; tokenjuice reads the output of each command by rules of its own."""
        sort = self.name.partition("-")[0]
        return COMMANDS.get(sort, COMMANDS["server"])


Peer = Callable[[Asked], str]

# What the logs of each sort are named for -> a command that prints such; one that only shows a file, such
# as cat, would make tokenjuice give it back unchanged.
COMMANDS = {
    "build": "make",
    "ci": "./ci.sh",
    "pytest": "pytest",
    "loghub": "journalctl -u app",
    "server": "journalctl -u app",
}
ASKED = "Have a look at this log."
MODEL = "gpt-4o"
MASKS = (
    (r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])", "IP"),
    (r"(?<!\w)0[xX][0-9a-fA-F]+(?!\w)", "HEX"),
    (r"(?<!\w)[\-+]?\d+(?!\w)", "NUM"),
)


def conversation(asked: Asked) -> list[dict[str, Any]]:
    """The log as an agent's harness hands it over: the result of a call."""
    call = {"name": "exec", "arguments": json.dumps({"command": asked.command})}
    calls = [{"id": "c1", "type": "function", "function": call}]
    return [
        {"role": "user", "content": ASKED},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": asked.text},
    ]


def headroom_log() -> Peer:
    module = import_module("headroom.transforms.log_compressor")
    config = module.LogCompressorConfig(enable_ccr=False)
    return lambda asked: str(module.LogCompressor(config).compress(asked.text).compressed)


def headroom_router() -> Peer:
    compress = import_module("headroom").compress
    options = {"model": MODEL, "kompress_model": "disabled", "protect_recent": 0}
    return lambda asked: _last(compress(conversation(asked), **options).messages)


def headroom_text() -> Peer:
    crusher = import_module("headroom.transforms.text_crusher").TextCrusher()
    return lambda asked: str(
        crusher.compress(asked.text, context="", target_ratio=asked.keep_ratio).compressed
    )


def furl() -> Peer:
    compress = import_module("furl_ctx").compress
    return lambda asked: _last(compress(conversation(asked), model=MODEL).messages)


def contextpress() -> Peer:
    manager = import_module("contextpress").ContextManager(type="agent")

    def run(asked: Asked) -> str:
        done = manager.compress(conversation(asked), token_budget=None, compression="low")
        return _last(done if isinstance(done, list) else done.messages)

    return run


def tokenjuice() -> Peer:
    module = import_module("tokenjuice")
    return lambda asked: str(module.reduce_execution(_execution(module, asked)).inlineText)


def tokenjuice_told() -> Peer:
    """tokenjuice with the size it may come to set to ours, in place of its 1,200 characters."""
    module = import_module("tokenjuice")

    def run(asked: Asked) -> str:
        options = module.ReduceOptions(maxInlineChars=int(len(asked.text) * asked.keep_ratio))
        return str(module.reduce_execution(_execution(module, asked), options).inlineText)

    return run


def claw() -> Peer:
    engine = import_module("claw_compactor.fusion.engine").FusionEngine()
    return lambda asked: str(engine.compress(asked.text)["compressed"])


def distil() -> Peer:
    compress = import_module("distil").compress_messages
    return lambda asked: _last(compress(conversation(asked), verbatim=False).messages)


def drain3() -> Peer:
    """The referee: default settings, two passes, so that a line's cluster is one of the final ones."""
    miners, masking = import_module("drain3"), import_module("drain3.masking")
    settings = import_module("drain3.template_miner_config")

    def run(asked: Asked) -> str:
        config = settings.TemplateMinerConfig()
        config.masking_instructions = [masking.MaskingInstruction(pattern, name) for pattern, name in MASKS]
        miner = miners.TemplateMiner(config=config)
        lines = asked.text.split("\n") if asked.text else []
        for line in lines:
            miner.add_log_message(line)
        return json.dumps([miner.add_log_message(line)["cluster_id"] for line in lines])

    return run


PEERS: dict[str, Callable[[], Peer]] = {
    "headroom-log": headroom_log,
    "headroom-router": headroom_router,
    "headroom-text": headroom_text,
    "furl": furl,
    "contextpress": contextpress,
    "tokenjuice": tokenjuice,
    "tokenjuice-told": tokenjuice_told,
    "claw": claw,
    "distil": distil,
    "drain3": drain3,
}


def _last(messages: list[Any]) -> str:
    return str(messages[-1]["content"])


def _execution(module: Any, asked: Asked) -> Any:
    command = asked.command
    return module.ToolExecutionInput(
        toolName="exec", command=command, argv=command.split(), stdout=asked.text
    )


def apart(peer: Peer, asked: Asked, seconds: float) -> tuple[str, str]:
    """Output and error of one call in a process of its own, ended after so many seconds."""
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe(duplex=False)
    child = fork.Process(target=_call, args=(peer, asked, there), daemon=True)
    child.start()
    there.close()
    try:
        if not here.poll(seconds):
            return "", f"took more than {seconds:g} s"
        output, error = here.recv()
        return str(output), str(error)
    except EOFError:
        child.join()
        return "", f"crashed with exit code {child.exitcode}"
    finally:
        child.kill()
        child.join()


def _call(peer: Peer, asked: Asked, there: Connection) -> None:
    try:
        there.send((peer(asked), ""))
    except BaseException as error:  # a panic in a Rust library is no Exception
        there.send(("", f"{type(error).__name__}: {error}"[:300]))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("peer", choices=sorted(PEERS))
    parser.add_argument("--seconds", type=float, default=60, help="for one text")
    args = parser.parse_args()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a peer prints is no answer
    try:
        peer = PEERS[args.peer]()
    except Exception as error:
        print(f"{args.peer} cannot be loaded: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    for line in sys.stdin:
        asked = Asked(**json.loads(line))
        text, failed = apart(peer, asked, args.seconds)
        answers.write(json.dumps({"name": asked.name, "text": text, "error": failed}) + "\n")
        answers.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
