"""What Prometheus may know: counts, times and tokens, never a text or an id."""

from importlib.metadata import version

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from elision.compaction.types import Receipt
from elision.model.types import Scorer

CONTENT_TYPE = CONTENT_TYPE_LATEST
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """The metrics of one app, in a registry of their own."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self._requests = Counter(
            "elision_requests", "Requests answered.", ["route", "status"], registry=registry
        )
        self._seconds = Histogram(
            "elision_request_duration_seconds",
            "Time from the first byte of a request to the last of its answer.",
            ["route"],
            buckets=_SECONDS,
            registry=registry,
        )
        self._texts = Counter(
            "elision_texts",
            "Texts handled; an empty reason is the plain case.",
            ["reason"],
            registry=registry,
        )
        self._before = Counter("elision_tokens_before", "Reader tokens that came in.", registry=registry)
        self._after = Counter("elision_tokens_after", "Reader tokens that went out.", registry=registry)
        self.running = Gauge(
            "elision_requests_running", "Requests admitted and not answered yet.", registry=registry
        )
        self._build = Gauge(
            "elision_build_info", "Always 1.", ["version", "bundle", "runner"], registry=registry
        )

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count one request; ``route`` is the path of a route, never what the caller typed."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def shortened(self, receipt: Receipt) -> None:
        """Count one text."""
        self._texts.labels(receipt.reason).inc()
        self._before.inc(receipt.tokens_before)
        self._after.inc(receipt.tokens_after)

    def loaded(self, scorer: Scorer) -> None:
        """Say what scores, and nothing of what did before."""
        self._build.clear()
        self._build.labels(version("elision"), scorer.bundle, scorer.runner).set(1)

    def render(self) -> bytes:
        """The page that Prometheus reads."""
        return generate_latest(self._registry)
