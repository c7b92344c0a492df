"""One compaction of a session: what it looks at, what it is told of the log, and what the log is told of it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from elision.compaction.compact.apply import apply
from elision.compaction.compact.types import CompactedHistory, Means
from elision.compaction.errors import (
    BadBudget,
    BadConversation,
    BadPolicy,
    BudgetTooSmall,
    NotJson,
    RedactionFailed,
    StoreUnavailable,
    UnknownFormat,
)
from elision.compaction.formats.read import read
from elision.compaction.prices.verdict import Decision
from elision.compaction.sessions.compacting import Ended, Ending, Leave, Rewrite, compact_session
from elision.compaction.sessions.errors import BadEvent, CompactionRunning, StaleLog, UnknownSession
from elision.compaction.sessions.history import history
from elision.compaction.sessions.log import EventLogs
from elision.compaction.sessions.rewriting import originals_of, passes_of, recent_of, rewrite_of
from elision.compaction.sessions.timeline import Timeline
from elision.compaction.sessions.types import CompactionFailed, Event
from elision.compaction.sessions.view import SessionView, view_of
from elision.compaction.summary.types import Failure
from elision.serving.compacting.jobs import Job, job_of
from elision.serving.compacting.session_schemas import CompactSession
from elision.serving.errors import NotReady, NotReducible, UnknownContextWindow
from elision.serving.logging import get_logger, where

TRIES = 2  # a summary is written anew at most once because the view changed under it
TOO_LONG = "the compaction took too long; history is unchanged"
# What the caller asked for makes no sense: that is said as an error, not as a compaction that failed.
_REFUSED = (
    BadBudget,
    BudgetTooSmall,
    RedactionFailed,
    BadPolicy,
    NotReducible,
    UnknownContextWindow,
    UnknownFormat,
    BadConversation,
    NotJson,
)
_log = get_logger()


@dataclass(frozen=True, slots=True)
class SessionOutcome:
    """What came of a compaction of a session.

    Attributes:
        view: The view now.
        job: What was looked at.
        done: What was made of it; None if that failed.
        compaction: Id of the compaction in the log; empty if none was begun.
        ending: How it ended; ``left`` if none was begun.
        reason: Why the view is as it was; empty if it is not.
        joined: Whether another request had begun it.
    """

    view: SessionView
    job: Job
    done: CompactedHistory | None
    compaction: str
    ending: Ending
    reason: str
    joined: bool = False


@dataclass(slots=True)
class SessionWork:
    """A compaction of a session, carried out in a thread.

    Attributes:
        logs: Where sessions are.
        tenant: Whose session it is.
        session: Its name.
        asked: What is wanted.
        means: What is at hand.
        timed: Gives a job its deadline.
        new_id: Makes ids of compactions.
        limit_seconds: After it another may take this one to be dead.
    """

    logs: EventLogs
    tenant: str
    session: str
    asked: CompactSession
    means: Means
    timed: Callable[[Job], Job]
    new_id: Callable[[], str]
    limit_seconds: float
    _jobs: dict[int, Job] = field(default_factory=dict)  # by the number of the last event they look at
    _ids: list[str] = field(default_factory=list)
    _done: CompactedHistory | None = None
    _error: Exception | None = None
    _abandoned: bool = False

    def run(self) -> SessionOutcome:
        """Compact.

        A check that finds nothing to do leaves no trace in the log.

        Raises:
            UnknownSession: If there is no such session, or no longer.
            CompactionRunning: If another process is at it.
            BadPolicy, BudgetTooSmall: And all that `job_of` raises, where the request makes no sense.
        """
        seen = view_of(played_session(self.logs, self.tenant, self.session))
        job = self._job(seen.seq)
        if self.asked.cause == "check":
            plan = job.plan()
            if plan.decision is Decision.LEAVE:
                done = apply(
                    job.conversation, job.policy, plan, job.means, target_tokens=job.occasion.target_tokens
                )
                return SessionOutcome(seen, job, done, "", Ending.LEFT, plan.detail)
        ended = compact_session(
            self.logs,
            self.tenant,
            self.session,
            self._rewritten,
            clock=time.time,
            new_id=self._next_id,
            limit_seconds=self.limit_seconds,
            tries=TRIES,
        )
        if not ended.view.seq:
            raise UnknownSession(f"session {self.session!r} was deleted meanwhile")
        self._raise_or_log(ended)
        latest = self._jobs[max(self._jobs)]
        return SessionOutcome(ended.view, latest, self._done, self._ids[-1], ended.ending, ended.reason)

    def abandon(self) -> bool:
        """End the compaction as failed, while `run` goes on; says whether it had not ended otherwise.

        The log refuses what comes of it then. Where that cannot be written, `run` still gives it up.
        """
        self._abandoned = True
        failed = CompactionFailed(self._ids[-1] if self._ids else "", TOO_LONG, at=time.time())
        try:
            self.logs.append(self.tenant, self.session, [failed])
        except BadEvent:
            return not self._ids
        except StoreUnavailable:
            return True
        return True

    def _rewritten(self, view: SessionView) -> Rewrite | Leave:
        self._done = None
        try:
            self._give_up_if_abandoned()
            job = self.timed(self._job(view.seq))
            means = replace(job.means, still_current=lambda: self._goes_on_from(view))
            self._done = replace(job, means=means).run()
            self._give_up_if_abandoned()
            if self._done.reason == Failure.STALE:
                raise StaleLog(self._done.detail)
        except Exception as error:
            self._error = error
            raise
        return rewrite_of(self._done, view)

    def _goes_on_from(self, view: SessionView) -> bool:
        """Whether the session's view is still this one, whatever was appended to it, and still wanted."""
        now = view_of(self.logs.played(self.tenant, self.session))
        return not self._abandoned and now.items[: len(view.items)] == view.items

    def _give_up_if_abandoned(self) -> None:
        if self._abandoned:
            raise NotReady(TOO_LONG)

    def _job(self, seq: int) -> Job:
        """What there is to do, as the session is after this event."""
        if seq not in self._jobs:
            events = [event for event in self._events() if event.seq <= seq]
            timeline, now = Timeline(events), time.time()
            seen = view_of(timeline)
            self._jobs[seq] = job_of(
                read(seen.body(), seen.format),
                self.asked,
                replace(self.means, originals=originals_of(timeline)),
                recent=recent_of(history(events, now)),
                passes=passes_of(seen.compactions),
                now=now,
            )
        return self._jobs[seq]

    def _events(self) -> tuple[Event, ...]:
        played_session(self.logs, self.tenant, self.session)
        return self.logs.read(self.tenant, self.session)

    def _next_id(self) -> str:
        self._ids.append(self.new_id())
        return self._ids[-1]

    def _raise_or_log(self, ended: Ended) -> None:
        if ended.ending is Ending.RUNNING:
            running = [*self.logs.played(self.tenant, self.session).running.values()]
            raise CompactionRunning(running[-1].id if running else "of another process", time.time())
        if ended.ending is Ending.FAILED and self._error is not None:
            if isinstance(self._error, _REFUSED):
                raise self._error
            if self._abandoned:
                return
            _log.error("session not compacted", compaction=self._ids[-1], **where(self._error))


def played_session(logs: EventLogs, tenant: str, session: str) -> Timeline:
    """A session played, to be looked at only.

    Raises:
        UnknownSession: If there is none of this name.
    """
    timeline = logs.played(tenant, session)
    if not timeline.seq:
        raise UnknownSession(f"no session {session!r}")
    return timeline
