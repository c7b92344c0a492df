"""What can go wrong in the training room.

ElisionError (elision.model.errors)
├── BadLabels      a label file does not follow the schema; names the line and the field
├── BadTranscript  a transcript file does not follow the schema; names the line and the field
├── BadBase        the base checkpoint is not what its layout promises
├── TeacherUnavailable  the teacher cannot be asked: no such address, key or model
└── BadConfig      a training configuration that cannot be run
"""

from elision.model.errors import ElisionError


class BadLabels(ElisionError):
    """A label file does not follow the schema; names the line and the field."""


class BadTranscript(ElisionError):
    """A transcript file does not follow the schema; names the line and the field."""


class BadBase(ElisionError):
    """The base checkpoint is not what its layout promises."""


class BadConfig(ElisionError):
    """A training configuration that cannot be run."""


class TeacherUnavailable(ElisionError):
    """The teacher cannot be asked: no such address, key or model."""
