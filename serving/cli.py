"""The command line: which commands there are, and how they end.

Exit codes: 0 done, 1 a check failed, 2 the caller's mistake or ours, 130 interrupted. A
mistake is one line on stderr. Commands import what they need when they run, so that
``elision compress`` starts without a web server.
"""

import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from elision.model.errors import ElisionError
from elision.serving.commands.agreeing import agree
from elision.serving.commands.batch import batch
from elision.serving.commands.compacting import compact, compare, plan, policies
from elision.serving.commands.compress import compress
from elision.serving.commands.doctor import doctor
from elision.serving.commands.evaluating import evaluate
from elision.serving.commands.expand import expand
from elision.serving.commands.explain import explain
from elision.serving.commands.importing import import_
from elision.serving.commands.labelling import labels
from elision.serving.commands.learning import export, train
from elision.serving.commands.models import models
from elision.serving.commands.serve import serve
from elision.serving.commands.store import store
from elision.serving.commands.tools import Tools
from elision.serving.streams import mute_stdout, say

app = typer.Typer(
    name="elision",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    *(compress, batch, explain, expand, plan, compact, compare, policies),
    *(serve, doctor, agree, train, export, evaluate),
):
    app.command()(command)
app.command("import")(import_)
app.add_typer(labels, name="label")
app.add_typer(models, name="models")
app.add_typer(store, name="store")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"elision {version('elision')}")
        raise typer.Exit


@app.callback()
def elision(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Leave out what an agent's context can do without."""


def run(args: Sequence[str], tools: Tools | None = None) -> int:
    """Run one command and return its exit code; ``tools`` replaces what commands use."""
    try:
        code = app(list(args), prog_name="elision", standalone_mode=False, obj=tools or Tools())
        sys.stdout.flush()
        return code or 0
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BrokenPipeError:
        mute_stdout()
        return 0
    except (ElisionError, OSError) as error:
        say(str(error), "error")
        return 2
    except typer.TyperException as error:  # a wrong flag
        say(error.format_message(), "error")
        return error.exit_code
    except Exception:  # a mistake of ours: here a traceback helps
        traceback.print_exc()
        return 2


def main() -> None:
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()  # as accelerate launch runs it: -m elision.serving.cli
