"""The HTTP service, built from settings; nothing here reads the environment."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI
from starlette.exceptions import HTTPException

from elision.compaction.summary.types import Summariser
from elision.model.errors import ElisionError
from elision.model.types import Scorer, nothing
from elision.serving import headroom, message_routes, model_routes, routes
from elision.serving.choice import in_use
from elision.serving.compacting import routes as compacting_routes
from elision.serving.compacting import session_routes
from elision.serving.logging import configure
from elision.serving.middleware import Envelope
from elision.serving.problems import on_elision_error, on_http_error
from elision.serving.service import Service
from elision.serving.settings import Settings
from elision.serving.swap import on_hangup


def create_app(
    settings: Settings,
    scorer: Scorer | None = None,
    on_ready: Callable[[], None] = nothing,
    writers: Sequence[Summariser] | None = None,
) -> FastAPI:
    """Build the app.

    Args:
        settings: How it runs.
        scorer: What scores; by default the bundle of the settings, loaded after the start.
        on_ready: Called once, when texts can be shortened.
        writers: Who writes summaries; by default those of the settings.

    Raises:
        BadSettings: If the settings' writers make no sense.
    """
    configure(settings)
    service = Service(settings, scorer, writers)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        loading = asyncio.create_task(_load(service, on_ready))
        with on_hangup(service):
            yield
        loading.cancel()
        await asyncio.to_thread(service.close)

    app = FastAPI(
        title="Elision",
        description="Shortens what an LLM agent reads, without breaking it.",
        version=version("elision"),
        lifespan=lifespan,
        docs_url=None,  # these pages come from a CDN
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.service = service
    for module in (routes, message_routes, compacting_routes, session_routes, headroom, model_routes):
        app.include_router(module.router)
    app.add_exception_handler(ElisionError, on_elision_error)
    app.add_exception_handler(HTTPException, on_http_error)
    app.add_middleware(Envelope, metrics=service.metrics)
    return app


async def _load(service: Service, on_ready: Callable[[], None]) -> None:
    def load() -> Scorer:
        from elision.model.scorer import load_scorer  # onnxruntime: not for those who hand in a scorer

        return load_scorer(in_use(service.settings.bundle, service.settings.bundle_file).path)

    if not service.ready:
        await service.load(load)
    if service.ready:
        on_ready()
