"""The blocking operations, for threads and for asyncio: send a request, sleep, take a lock, read a stream. All else is a flow (flow.py)."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from types import TracebackType
from typing import Any

import httpx

from .flow import Flow, run, run_async

LONGEST_PAUSE = 86_400.0
"""The longest sleep in seconds."""


class SyncWays:
    """Blocking operations in the calling thread."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http
        self._lock = threading.Lock()

    def exchange(self, request: httpx.Request) -> httpx.Response:
        """Sends a request and reads the whole response."""
        return self.http.send(request, follow_redirects=False)

    def pause(self, seconds: float) -> None:
        """Sleeps."""
        time.sleep(min(seconds, LONGEST_PAUSE))

    def alone(self, flow: Callable[[], Flow[Any]]) -> Any:
        """Runs a flow under the lock of the client."""
        with self._lock:
            return run(flow())


class AsyncWays:
    """Blocking operations in asyncio."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http
        self._lock = asyncio.Lock()

    async def exchange(self, request: httpx.Request) -> httpx.Response:
        """Sends a request and reads the whole response."""
        return await self.http.send(request, follow_redirects=False)

    async def pause(self, seconds: float) -> None:
        """Sleeps."""
        await asyncio.sleep(min(seconds, LONGEST_PAUSE))

    async def alone(self, flow: Callable[[], Flow[Any]]) -> Any:
        """Runs a flow under the lock of the client."""
        async with self._lock:
            return await run_async(flow())


def is_stream(response: httpx.Response) -> bool:
    """True for server-sent events."""
    kind: str = response.headers.get("Content-Type", "")
    return kind.startswith("text/event-stream")


class SyncStream:
    """Opens streamed responses, one at a time."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http
        self._open: httpx.Response | None = None
        self._chunks: Iterator[bytes] = iter(())

    def __enter__(self) -> SyncStream:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def exchange(self, request: httpx.Request) -> httpx.Response:
        """Sends a request. A response that is no event stream is read whole."""
        self.close()
        self._open = response = self._http.send(request, stream=True, follow_redirects=False)
        if is_stream(response):
            self._chunks = response.iter_bytes()
        else:
            response.read()
        return response

    def chunk(self) -> bytes | None:
        """The next bytes of the stream; None at its end."""
        return next(self._chunks, None)

    def close(self) -> None:
        """Closes the connection."""
        if self._open is not None:
            self._open.close()
        self._open, self._chunks = None, iter(())


class AsyncStream:
    """Opens streamed responses, one at a time."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http
        self._open: httpx.Response | None = None
        self._chunks: AsyncIterator[bytes] | None = None

    async def __aenter__(self) -> AsyncStream:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def exchange(self, request: httpx.Request) -> httpx.Response:
        """Sends a request. A response that is no event stream is read whole."""
        await self.close()
        self._open = response = await self._http.send(request, stream=True, follow_redirects=False)
        if is_stream(response):
            self._chunks = response.aiter_bytes()
        else:
            await response.aread()
        return response

    async def chunk(self) -> bytes | None:
        """The next bytes of the stream; None at its end."""
        return None if self._chunks is None else await anext(self._chunks, None)

    async def close(self) -> None:
        """Closes the connection."""
        if self._open is not None:
            await self._open.aclose()
        self._open, self._chunks = None, None
