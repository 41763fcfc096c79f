"""A network between a client and the platform that fails: it loses responses, refuses connections, and answers as a gateway does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import httpx

Fate = str | Callable[[], httpx.Response] | None
"""`lost`: the answer is lost on its way. `refused`: nobody listens. A function answers in the place of the platform. None: passed on."""


@dataclass
class Attempt:
    """A request that a client has sent."""

    method: str
    path: str
    key: str | None
    token: str | None
    status: int | None = None
    """None where nothing was heard."""


class Wire(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """A transport for either client."""

    def __init__(self) -> None:
        self.attempts: list[Attempt] = []
        self.fates: list[Fate] = []
        """Of the next requests, in their order; those after them are passed on."""
        self.decide: Callable[[str], Fate] = lambda path: None
        """Asked where there are none."""
        # Without certificates, which take long to load: the platform is on this machine.
        self._sync = httpx.HTTPTransport(verify=False)
        self._async = httpx.AsyncHTTPTransport(verify=False)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        attempt, fate = self._begin(request)
        if callable(fate):
            return fate()
        response = self._sync.handle_request(request)
        if not _is_stream(response):
            response.read()
        return self._end(request, response, attempt, fate)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        # Whatever is sent takes a moment, in which others ask.
        await asyncio.sleep(0)
        attempt, fate = self._begin(request)
        if callable(fate):
            return fate()
        response = await self._async.handle_async_request(request)
        if not _is_stream(response):
            await response.aread()
        return self._end(request, response, attempt, fate)

    async def shut(self) -> None:
        """Lets go of its connections."""
        self._sync.close()
        await self._async.aclose()

    def _begin(self, request: httpx.Request) -> tuple[Attempt, Fate]:
        path = request.url.raw_path.decode()
        attempt = Attempt(request.method, path, request.headers.get("Idempotency-Key"), request.headers.get("Authorization"))
        self.attempts.append(attempt)
        fate = self.fates.pop(0) if self.fates else self.decide(path)
        if fate == "refused":
            raise httpx.ConnectError("nobody listens", request=request)
        return attempt, fate

    def _end(self, request: httpx.Request, response: httpx.Response, attempt: Attempt, fate: Fate) -> httpx.Response:
        if fate == "lost":
            raise httpx.ReadError("the connection broke", request=request)
        attempt.status = response.status_code
        return response

    @property
    def keys(self) -> set[str | None]:
        """The keys that were sent."""
        return {attempt.key for attempt in self.attempts}

    def steps(self) -> list[str]:
        """The last part of each path."""
        return [attempt.path.split("?")[0].rsplit("/", 1)[-1] for attempt in self.attempts]


def _is_stream(response: httpx.Response) -> bool:
    return bool(response.headers.get("Content-Type", "").startswith("text/event-stream"))
