"""The live channel of an agent: server-sent events as one sequence.

It reconnects with the id of the last event that it yielded (`Last-Event-ID`), so that no event is missed or repeated. Events that can no
longer be replayed are reported as a `gap`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx

from .error import ApiError, NetworkError, as_record
from .flow import Flow, Given, ItemFlow
from .send import backoff

OWN_FRAMES = ("", "heartbeat", "reconnect")
"""Frames about the connection, not about the agent."""

SILENCE = 75.0
"""Seconds without data after which the connection is considered dead. The platform sends a heartbeat every 30 seconds."""

LONGEST_WAIT = 30.0
"""The longest pause in seconds before it reconnects."""


@dataclass(frozen=True)
class ChannelEvent:
    """An event of an agent."""

    type: str
    """Such as transfer_completed. `connected`: the channel is open. `gap`: events are missing, see `data["backfill"]`."""
    last_event_id: str | None
    """Pass it as `last_event_id` to continue after this event, also in another process."""
    data: dict[str, Any]
    """`id`, `type`, `time`, `agent_id`, and the members of the type."""


@dataclass
class Frame:
    """One block of the stream."""

    event: str = ""
    id: str | None = None
    data: str = ""
    retry: float | None = None


class FrameParser:
    """Parses frames from a stream of byte chunks."""

    _line_end = re.compile(rb"\r\n|\n|\r(?!\Z)")

    def __init__(self) -> None:
        self._rest = b""
        self._lines: list[str] = []

    def feed(self, chunk: bytes) -> Iterator[Frame]:
        """The frames that end in this chunk."""
        *lines, self._rest = self._line_end.split(self._rest + chunk)
        for line in lines:
            if line:
                self._lines.append(line.decode(errors="replace"))
            elif self._lines:
                yield _frame(self._lines)
                self._lines = []


def _frame(lines: list[str]) -> Frame:
    frame, data = Frame(), []
    for line in lines:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            frame.event = value
        elif name == "id":
            frame.id = value
        elif name == "data":
            data.append(value)
        elif name == "retry" and value.isascii() and value.isdigit():
            frame.retry = int(value) / 1000
    frame.data = "\n".join(data)
    return frame


def events(
    connect: Callable[[str | None], Flow[httpx.Response]],
    chunk: Callable[[], Any],
    pause: Callable[[float], Any],
    last: str | None,
) -> ItemFlow[ChannelEvent]:
    """Yields the events of a channel without end. Raises ApiError if the platform refuses the connection."""
    retry, failures = 0.0, 0
    while True:
        try:
            yield from connect(last)
            parser = FrameParser()
            while (received := (yield chunk)) is not None:
                for frame in parser.feed(received):
                    failures = 0
                    retry = retry if frame.retry is None else frame.retry
                    if frame.event in OWN_FRAMES:
                        continue
                    last = last if frame.id is None else frame.id
                    yield Given(ChannelEvent(frame.event, last, as_record(json.loads(frame.data))))
        except ApiError as error:
            if not _is_passing(error):
                raise
        except (NetworkError, httpx.RequestError, json.JSONDecodeError):
            pass
        yield partial(pause, min(LONGEST_WAIT, max(retry, backoff(failures))))
        failures += 1


def _is_passing(error: ApiError) -> bool:
    """True for an error that may pass by itself, such as a 502 of a gateway."""
    return error.status >= 500 or error.status == 429
