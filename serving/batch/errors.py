"""What can end a batch, or take a file out of it. Exit codes are in serving/cli.py.

ElisionError (elision.model.errors)
├── BadInput
│   ├── NoSources      an argument names nothing that could be shortened
│   ├── NoColumn       a table's column of texts is not named, or not there; or there is no table
│   ├── NotALog        records are selected in a file that is no log
│   └── CannotResume   what was begun in OUT is another run; says what differs
├── BadOutput
│   ├── OutNotEmpty    there is something in OUT already
│   ├── OutInUse       another run is writing to OUT
│   └── OutInside      OUT is a file, or one of the inputs
├── Unreadable         one file cannot be read to its end; the others go on
└── WorkerDied         a worker was ended from outside, or cannot begin
"""

from elision.model.errors import ElisionError
from elision.serving.errors import BadInput, BadOutput


class NoSources(BadInput):
    """An argument names nothing that could be shortened."""


class NoColumn(BadInput):
    """A table's column of texts is not named, or not there; or there is no table."""


class NotALog(BadInput):
    """Records are selected in a file that is no log."""


class CannotResume(BadInput):
    """What was begun in OUT is another run; says what differs."""


class OutNotEmpty(BadOutput):
    """There is something in OUT already."""


class OutInUse(BadOutput):
    """Another run is writing to OUT."""


class OutInside(BadOutput):
    """OUT is a file, or one of the inputs."""


class Unreadable(ElisionError):
    """One file cannot be read to its end; the others go on."""


class WorkerDied(ElisionError):
    """A worker was ended from outside, or cannot begin."""
