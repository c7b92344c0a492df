"""What holds of every session, whatever happens to it: see the rules of `SessionLife`."""

import pytest
from hypothesis import settings
from session_logs import SessionLife

TestSessionLife = pytest.mark.law(SessionLife.TestCase)
TestSessionLife.settings = settings(deadline=None, stateful_step_count=25)
