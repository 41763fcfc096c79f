"""Sends a request, and again where that is safe.

A request is repeated after a network failure if it reads or has an Idempotency-Key, and if the response says when (`details.retry`,
`Retry-After`). It keeps its Idempotency-Key, so that it takes effect once.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from functools import partial
from itertools import count
from typing import Any

import httpx

from .credential import Bearer, SignInRefused
from .error import NetworkError, as_record, json_of
from .flow import Flow

FIRST_WAIT = 0.1
LONGEST_WAIT = 5.0


@dataclass(frozen=True)
class Way:
    """How a client sends requests."""

    exchange: Callable[[httpx.Request], Any]
    """Sends a request once. Returns the response, or an awaitable of it."""
    pause: Callable[[float], Any]
    """Sleeps for some seconds."""
    bearer: Bearer
    """The credential."""
    retry_for: float
    """Seconds after which no further attempt begins; 0 tries once."""


@dataclass(frozen=True)
class Outcome:
    """The result of one attempt: a response, or the reason why there is none."""

    token: str | None
    response: httpx.Response | None = None
    cause: Exception | None = None
    is_sent: bool = True
    """False when the sign-in before it failed."""


def send(request: httpx.Request, way: Way) -> Flow[httpx.Response]:
    """The response to a request, with any status. Raises NetworkError if there is none."""
    deadline = time.monotonic() + way.retry_for
    is_signed_again = False
    for attempt in count():
        outcome = yield from _attempt(request, way)
        response = outcome.response
        if response is not None and response.status_code == 401 and not is_signed_again:
            if way.bearer.is_renewed(outcome.token, as_record(json_of(response))):
                is_signed_again = True
                continue
        may_repeat = is_repeatable(request) or not outcome.is_sent
        asked = _seconds_after_failure(may_repeat) if response is None else _seconds_asked(response, may_repeat)
        # Without a growing pause, a response that asks for a retry at once would be repeated without end.
        wait = None if asked is None else max(asked, backoff(attempt))
        if wait is None or time.monotonic() + wait > deadline:
            if response is not None:
                return response
            raise NetworkError(request, may_repeat) from outcome.cause
        yield partial(way.pause, wait)
    raise AssertionError("count() ends")


def is_repeatable(request: httpx.Request) -> bool:
    """Whether a request may be repeated when its outcome is unknown."""
    return request.method in ("GET", "HEAD") or "Idempotency-Key" in request.headers


def backoff(attempt: int) -> float:
    """Seconds before the next attempt: they double, with jitter."""
    return float(min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(attempt, 10)) * (0.5 + random.random() / 2))


def _attempt(request: httpx.Request, way: Way) -> Flow[Outcome]:
    try:
        token = yield from way.bearer.token()
    except NetworkError as error:
        return Outcome(None, cause=error, is_sent=False)
    except SignInRefused as refused:
        return Outcome(None, response=refused.answer, is_sent=False)
    try:
        response: httpx.Response = yield partial(way.exchange, _with_token(request, token))
    except httpx.RequestError as error:
        return Outcome(token, cause=error)
    return Outcome(token, response=response)


def _with_token(request: httpx.Request, token: str | None) -> httpx.Request:
    headers = request.headers.copy()
    if token is not None and "Authorization" not in headers:
        headers["Authorization"] = f"Bearer {token}"
    return httpx.Request(request.method, request.url, headers=headers, content=request.content, extensions=request.extensions)


def _seconds_after_failure(may_repeat: bool) -> float | None:
    return 0.0 if may_repeat else None


def _seconds_asked(response: httpx.Response, may_repeat: bool) -> float | None:
    """Seconds after which the response allows the same request again; None if it does not."""
    if response.is_success:
        return None
    retry = as_record(as_record(json_of(response)).get("details")).get("retry")
    said = as_record(retry)
    if retry is not None and not (said.get("safe") is True and said.get("same_key") is True):
        return None
    # Without details.retry the response may be from a gateway. Only a 429 is certain to have changed nothing.
    if retry is None and response.status_code != 429 and not may_repeat:
        return None
    after = said.get("after_s")
    seconds = after if isinstance(after, (int, float)) else _seconds_in(response.headers.get("Retry-After"))
    # With jitter, so that clients that were refused together do not return together.
    return None if seconds is None else seconds + random.random() * max(0.1, seconds * 0.1)


def _seconds_in(header: str | None) -> float | None:
    """The seconds of a Retry-After, which may be a date."""
    if header is None:
        return None
    if header.isascii() and header.isdigit():
        return float(header)
    try:
        at = parsedate_to_datetime(header)
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=timezone.utc)
    return max(0.0, (at - datetime.now(timezone.utc)).total_seconds())
