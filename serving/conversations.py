"""A provider's request through the service: read, shortened leaf by leaf, and answered for."""

import asyncio
from dataclasses import dataclass, replace
from functools import partial

from elision.compaction.compress import DEADLINE
from elision.compaction.conversation import Conversation, Format
from elision.compaction.counting import ConversationTokens, count
from elision.compaction.errors import BadBudget
from elision.compaction.formats.read import read
from elision.compaction.history import Limit, compress_history
from elision.compaction.messages import CompressedMessages, LeafOutcome, applied, compress_messages, decide
from elision.compaction.plan import LeafPlan, plan
from elision.compaction.policy import Policy
from elision.compaction.repair import repaired
from elision.compaction.store import Store
from elision.compaction.types import Compressed, Order
from elision.serving.errors import NotReducible, UnknownContextWindow
from elision.serving.fail_open import Shortener
from elision.serving.message_schemas import CompressMessages
from elision.serving.service import Deadline, Service
from elision.serving.stores.types import NoStores, Stores

SHADOW = "/shadow"  # a tenant of its own: what was only accounted for must never be replayed


@dataclass(frozen=True, slots=True)
class Job:
    """A request that was read, and all that its shortening needs.

    Attributes:
        asked: The options.
        conversation: The request, repairs included.
        repairs: What was mended first.
        shortener: What shortens, and counts the reader's tokens.
        policy: What may be touched.
        store: Where decisions and originals are kept.
        limit: What the whole may come to in history mode, else None.
        came: The body as it came.
        keeps: Whether originals can be had back.
    """

    asked: CompressMessages
    conversation: Conversation
    repairs: list[str]
    shortener: Shortener
    policy: Policy
    store: Store
    limit: Limit | None
    came: str
    keeps: bool

    def now(self, deadline: Deadline | None = None) -> CompressedMessages:
        """Shorten it here, one leaf after the other."""
        shortener = self.shortener
        shorten = partial(shortener.shorten, tick=deadline.tick) if deadline else shortener.shorten
        work = partial(compress_history, limit=self.limit) if self.limit else compress_messages
        return work(
            self.conversation,
            self.policy,
            shorten=shorten,
            store=self.store,
            counter=shortener.counter,
            made_by=shortener.made_by,
        )

    def plan(self) -> list[LeafPlan]:
        made_by, resent = self.shortener.made_by, self.limit is None
        return plan(self.conversation, self.policy, store=self.store, made_by=made_by, resent=resent)

    def decide(self, leaf: LeafPlan, deadline: Deadline) -> LeafOutcome:
        shorten = partial(self.shortener.shorten, tick=deadline.tick)
        return decide(leaf, self.policy, shorten=shorten, store=self.store, counter=self.shortener.counter)

    def as_it_came(self, leaf: LeafPlan) -> LeafOutcome:
        """A leaf whose time was over before its turn came; remembered, for the provider caches what it gets."""

        def late(text: str, order: Order) -> Compressed:
            return self.shortener.untouched(text, order, DEADLINE)

        return decide(leaf, self.policy, shorten=late, store=self.store, counter=self.shortener.counter)

    def applied(self, outcomes: list[LeafOutcome]) -> CompressedMessages:
        return applied(self.conversation, outcomes, self.shortener.counter)


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a request.

    Attributes:
        job: The request.
        done: What was done to it.
    """

    job: Job
    done: CompressedMessages

    @property
    def raw(self) -> str:
        """The body to send on."""
        return self.job.came if self.job.asked.shadow else self.done.raw

    @property
    def keeps(self) -> bool:
        """Whether originals can be had back: not what was only accounted for."""
        return self.job.keeps and not self.job.asked.shadow

    @property
    def target_met(self) -> bool:
        if self.job.limit is not None:
            return self.done.after.total <= self.job.limit.total_tokens
        receipts = [leaf.compressed.receipt for leaf in self.done.leaves if leaf.compressed]
        return all(receipt.target_met for receipt in receipts)

    @property
    def reason(self) -> str:
        """Why nothing (more) was done to the request as a whole; empty otherwise."""
        if self.job.asked.shadow:
            return "shadow"
        if self.done.reason or self.done.changed:
            return self.done.reason
        reasons = {leaf.reason for leaf in self.done.leaves if leaf.reason != "role"}
        return next(iter(reasons)) if len(reasons) == 1 else "nothing_to_shorten"

    @property
    def before(self) -> int:
        return _total(self.done.before, self.job.asked.count_tools)

    @property
    def after(self) -> int:
        return _total(self.done.after, self.job.asked.count_tools)


async def compress_body(
    service: Service, raw: str, asked: CompressMessages, tenant: str, deadline: Deadline
) -> Answer:
    """Shorten a provider's request, its leaves side by side.

    Raises:
        UnknownFormat, BadConversation: If it is none.
        NotReducible: If what may not be shortened is over the limit by itself.
        UnknownContextWindow: If history mode has no limit.
    """
    found = await asyncio.to_thread(_read, raw, asked)
    shortener = await service.shortener_for(asked.model or found.conversation.model)
    floor = service.settings.floor_tokens
    job = await asyncio.to_thread(_job, asked, found, shortener, service.stores, tenant, floor)
    done = await (_ingress(service, job, deadline) if job.limit is None else _history(service, job, deadline))
    for leaf in done.leaves:
        if leaf.compressed is not None:
            service.metrics.shortened(leaf.compressed.receipt)
    return Answer(job, done)


def compress_now(raw: str, asked: CompressMessages, shortener: Shortener, stores: Stores, floor: int) -> Answer:
    """Shorten a provider's request where there is no service; raises as `compress_body` does."""
    job = _job(asked, _read(raw, asked), shortener, stores, "", floor)
    return Answer(job, job.now())


async def _ingress(service: Service, job: Job, deadline: Deadline) -> CompressedMessages:
    planned = await asyncio.to_thread(job.plan)
    found = await service.pool.run([partial(job.decide, leaf, deadline) for leaf in planned], deadline.seconds)
    return await asyncio.to_thread(_completed, job, planned, found)


async def _history(service: Service, job: Job, deadline: Deadline) -> CompressedMessages:
    (found,) = await service.pool.run([partial(job.now, deadline)], deadline.seconds)
    return await asyncio.to_thread(_late, job) if found is None else found


def _completed(job: Job, planned: list[LeafPlan], found: list[LeafOutcome | None]) -> CompressedMessages:
    """With the leaves whose turn did not come in time."""
    pairs = zip(planned, found, strict=True)
    return job.applied([job.as_it_came(leaf) if outcome is None else outcome for leaf, outcome in pairs])


def _late(job: Job) -> CompressedMessages:
    planned = job.plan()
    return _completed(job, planned, [None] * len(planned))


@dataclass(frozen=True, slots=True)
class _Body:
    """A body as it came, and what was read of it once it was mended."""

    came: str
    conversation: Conversation
    repairs: list[str]


def _read(raw: str, asked: CompressMessages) -> _Body:
    conversation = read(raw, Format(asked.format) if asked.format else None)
    if not asked.repair:
        return _Body(raw, conversation, [])
    mended, repairs = repaired(conversation)
    return _Body(raw, read(mended, conversation.format), repairs)


def _job(
    asked: CompressMessages, body: _Body, shortener: Shortener, stores: Stores, tenant: str, floor: int
) -> Job:
    keeps = not isinstance(stores, NoStores)
    policy = asked.policy(floor)
    return Job(
        asked,
        body.conversation,
        body.repairs,
        shortener,
        policy if keeps else replace(policy, show_handles=False),
        stores.scope(tenant + SHADOW * asked.shadow, asked.session_id or ""),
        _limit(asked, count(body.conversation, shortener.counter)) if asked.mode == "history" else None,
        body.came,
        keeps,
    )


def _limit(asked: CompressMessages, size: ConversationTokens) -> Limit:
    """What the messages may come to, with what cannot be shortened taken off."""
    window = asked.context_window
    if window is not None and asked.total_tokens is not None and asked.total_tokens > window:
        raise BadBudget(f"total_tokens is {asked.total_tokens}, more than the context_window of {window}")
    total = asked.total_tokens or (window - (asked.reserve_tokens or 0) if window else None)
    if total is None:
        raise UnknownContextWindow(
            f"the window of {asked.model or 'the model'} is not known: give context_window or total_tokens"
        )
    if total <= 0:
        raise BadBudget(f"reserve_tokens is {asked.reserve_tokens}, the context_window has only {window}")
    fixed = size.system + size.tools * asked.count_tools
    if fixed >= total:
        raise NotReducible(f"system texts and tools have {fixed} tokens, the limit is {total}: messages cannot help")
    return Limit(total - size.tools * asked.count_tools, asked.protect_recent, clip=asked.overflow == "clip")


def _total(tokens: ConversationTokens, tools: bool) -> int:
    return tokens.total + tokens.tools * tools
