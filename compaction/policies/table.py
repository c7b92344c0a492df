"""A table of a policy file."""

from pydantic import BaseModel, ConfigDict


class Table(BaseModel):
    """A table of a policy file; a field it does not have is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
