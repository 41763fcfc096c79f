"""Builds the request of a call, sends it, and returns the JSON of the response or raises the refusal."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import quote

import httpx

from .channel import SILENCE, ChannelEvent, events
from .credential import AgentKey, Bearer, Credential, Fixed, SignIn
from .error import NetworkError, json_of, refusal
from .flow import Flow, ItemFlow
from .send import Way, is_repeatable, send
from .ways import AsyncStream, AsyncWays, SyncStream, SyncWays, is_stream


@dataclass(frozen=True)
class Call:
    """One call of an operation, as the generated methods make it."""

    method: str
    path: str
    """The path of openapi.json, with parameters in braces."""
    parts: Mapping[str, object] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    body: object = None
    is_keyed: bool = False
    """True if the operation takes an Idempotency-Key. The call creates one unless it is given."""
    idempotency_key: str | None = None
    headers: Mapping[str, str] | None = None


class Caller:
    """The flows of a client, for threads and for asyncio."""

    def __init__(self, base_url: str, credential: Credential | None, ways: SyncWays | AsyncWays, timeout: float, retry_for: float) -> None:
        self.base_url = str(base_url).rstrip("/")
        if re.match(r"https?://[^/]", self.base_url) is None:
            raise ValueError(f"base_url is no address such as http://localhost:4001: {base_url}")
        self._ways = ways
        self._timeout = timeout
        self._retry_for = retry_for
        self.bearer: Bearer = Fixed(None)
        if isinstance(credential, AgentKey):
            self.bearer = SignIn(credential, self._post_once, ways.alone)
        elif credential is not None:
            self.bearer = Fixed(credential)

    def call(self, call: Call) -> Flow[Any]:
        """The response body of a call. Raises ApiError if the platform refuses it."""
        headers = dict(call.headers or {})
        if call.is_keyed:
            headers["Idempotency-Key"] = call.idempotency_key or str(uuid.uuid4())
        query = {name: value for name, value in call.query.items() if value is not None}
        path = _filled(call.path, call.parts)
        request = self._build(call.method, path, headers=headers, params=query or None, json=call.body)
        response = yield from send(request, self._way())
        if not response.is_success:
            raise refusal(response)
        if response.status_code == 204:
            return None
        body = json_of(response)
        if body is None:
            raise NetworkError(request, is_repeatable(request))
        return body

    def request(self, method: str, path: str, **content: Any) -> Flow[httpx.Response]:
        """The response to any request to the platform."""
        # Another path could become a part of the host name, and the credential would be sent to that host.
        if not path.startswith("/"):
            raise ValueError(f"The path {path} does not begin with /.")
        return send(self._build(method, path, **content), self._way())

    def channel(self, stream: SyncStream | AsyncStream, agent_id: str, last_event_id: str | None) -> ItemFlow[ChannelEvent]:
        """The events of an agent. The retries of a channel have no time limit."""
        path = _filled("/v1/agents/{id}/connect", {"id": agent_id})
        way = Way(stream.exchange, self._ways.pause, self.bearer, retry_for=float("inf"))

        def connect(last: str | None) -> Flow[httpx.Response]:
            headers = {"Accept": "text/event-stream"} | ({} if last is None else {"Last-Event-ID": last})
            request = self._build("GET", path, headers=headers, timeout=httpx.Timeout(self._timeout, read=SILENCE))
            response = yield from send(request, way)
            if not response.is_success:
                raise refusal(response)
            if not is_stream(response):
                raise NetworkError(request, True)
            return response

        return events(connect, stream.chunk, self._ways.pause, last_event_id)

    def agent_of(self, agent_id: str | None) -> str:
        """The agent whose channel to open."""
        found = agent_id or self.bearer.agent_id
        if found is None:
            raise ValueError("Say which agent: channel(agent_id=...).")
        return found

    def _way(self) -> Way:
        return Way(self._ways.exchange, self._ways.pause, self.bearer, self._retry_for)

    def _build(self, method: str, path: str, **content: Any) -> httpx.Request:
        content.setdefault("timeout", self._timeout)
        return self._ways.http.build_request(method, self.base_url + path, **content)

    def _post_once(self, path: str, body: object) -> Flow[httpx.Response]:
        """One step of a sign-in, without retries: both steps are repeated together."""
        request = self._build("POST", path, json=body)
        return send(request, Way(self._ways.exchange, self._ways.pause, Fixed(None), retry_for=0))


def _filled(path: str, parts: Mapping[str, object]) -> str:
    """The path with its parameters filled in.

    A part such as `..` is refused: it would make it the path of another operation.
    """
    for name, part in parts.items():
        if str(part) in ("", ".", ".."):
            raise ValueError(f'The parameter {name} is no part of a path: "{part}".')
    return re.sub(r"\{(\w+)\}", lambda found: quote(str(parts[found[1]]), safe=""), path)
