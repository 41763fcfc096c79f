"""The client for threads: a method for every operation, pagination, the agent channel, and any other request."""

from __future__ import annotations

from collections.abc import Callable, Generator
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import httpx

from .call import Call, Caller
from .channel import ChannelEvent
from .credential import Credential
from .flow import iterate, run
from .generated.calls import Calls
from .page import items
from .ways import SyncStream, SyncWays

if TYPE_CHECKING:
    from .generated.schema import Page

P = ParamSpec("P")
T = TypeVar("T")


class Client(Calls):
    """Calls the platform. Threads may share one.

    `base_url` is the address of the platform, such as http://localhost:4001. Without a `credential` only public operations succeed. An
    attempt fails after `timeout` seconds without data. No attempt starts after `retry_for` seconds; 0 tries once. `http` takes an
    httpx.Client of yours, for example with proxies and certificates; the caller closes it.
    """

    def __init__(
        self,
        base_url: str,
        credential: Credential | None = None,
        *,
        timeout: float = 30.0,
        retry_for: float = 90.0,
        http: httpx.Client | None = None,
    ) -> None:
        self._is_own = http is None
        self._ways = SyncWays(httpx.Client() if http is None else http)
        self._caller = Caller(base_url, credential, self._ways, timeout, retry_for)

    @property
    def base_url(self) -> str:
        """The address of the platform."""
        return self._caller.base_url

    @property
    def agent_id(self) -> str | None:
        """The agent that the client signs in as; None for any other credential."""
        return self._caller.bearer.agent_id

    def each(self, call: Callable[P, Page[T]], *args: P.args, **kwargs: P.kwargs) -> Generator[T, None, None]:
        """Yields every item of a list, page after page: `client.each(client.list_transfers, wallet_id=...)`.

        Pages are read by cursor, or by number if the call has `page`.
        """
        return iterate(items(call, *args, **kwargs))

    def channel(self, *, agent_id: str | None = None, last_event_id: str | None = None) -> Generator[ChannelEvent, None, None]:
        """Yields the events of an agent as they happen, from those after `last_event_id`, or from now on.

        It reconnects until the caller stops iterating, and raises ApiError if the platform refuses the connection. The credential must
        be a session of the agent.
        """
        return self._listen(self._caller.agent_of(agent_id), last_event_id)

    def request(self, method: str, path: str, **content: Any) -> httpx.Response:
        """Sends any request to the platform, such as a GraphQL query, with credential and retries. Returns the response, also a refusal.

        `content` are the keywords that `httpx.Client.build_request` takes. The caller adds an Idempotency-Key.
        """
        return run(self._caller.request(method, path, **content))

    def close(self) -> None:
        """Closes the connections."""
        if self._is_own:
            self._ways.http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _call(self, call: Call) -> Any:
        return run(self._caller.call(call))

    def _listen(self, agent_id: str, last: str | None) -> Generator[ChannelEvent, None, None]:
        with SyncStream(self._ways.http) as stream:
            yield from iterate(self._caller.channel(stream, agent_id, last))
