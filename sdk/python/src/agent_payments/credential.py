"""Credentials: a bearer token, or an agent's Ed25519 key, with which the client signs in and renews its session."""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol
from urllib.parse import quote

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from .error import NetworkError, as_record, json_of
from .flow import Flow, Wait

Signer = Callable[[bytes], bytes | Awaitable[bytes]]
"""Returns the 64 bytes of an Ed25519 signature; for AsyncClient it may return an awaitable."""


@dataclass(frozen=True)
class AgentKey:
    """An agent that signs in with its own key."""

    agent_id: str
    """Such as agt_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d."""
    private_key: str | Signer = field(repr=False)
    """`authKey.privateKey` of the agent in base64, or a function that signs, such as one of a key store."""


Credential = str | AgentKey
"""An API key, an agent token, a session or any other bearer; or an agent's own key."""


class SignInRefused(Exception):
    """The platform refused the sign-in. Its response becomes the response to the request that needed the session."""

    def __init__(self, answer: httpx.Response) -> None:
        super().__init__(f"The sign-in was answered {answer.status_code}.")
        self.answer = answer


class Bearer(Protocol):
    """The credential of a client."""

    @property
    def agent_id(self) -> str | None:
        """The agent that signs in; None for any other credential."""

    def token(self) -> Generator[Wait, Any, str | None]:
        """The bearer token of the next request."""

    def is_renewed(self, token: str | None, error: dict[str, Any]) -> bool:
        """Called after a 401: true if the next token will be another one."""


class Fixed:
    """A bearer token that never changes; None sends no credential."""

    agent_id: str | None = None

    def __init__(self, token: str | None) -> None:
        self._token = token

    def token(self) -> Flow[str | None]:
        """The bearer token of the next request."""
        yield from ()
        return self._token

    def is_renewed(self, token: str | None, error: dict[str, Any]) -> bool:
        """Never: the token is fixed."""
        return False


MARGIN = 60.0
"""Seconds before its end at which a session is renewed, so that it does not end during a request."""

ENDED = ("session_expired", "session_revoked", "invalid_session_token")
"""Codes of a 401 after which another sign-in may help."""


@dataclass(frozen=True)
class Session:
    """The session of a successful sign-in."""

    token: str = field(repr=False)
    renew_at: float
    """In seconds since 1970, by this machine's clock."""


class SignIn:
    """The sessions of an agent, one after the other.

    Concurrent requests share one sign-in, also a refused one, so that they do not use up its rate limit. A retry starts with a new
    challenge, because a challenge may expire before the limit allows the next attempt.
    """

    def __init__(
        self,
        key: AgentKey,
        post: Callable[[str, object], Flow[httpx.Response]],
        alone: Callable[[Callable[[], Flow[Any]]], Any],
    ) -> None:
        self.agent_id: str | None = key.agent_id
        self._sign = key.private_key if callable(key.private_key) else private_key_of(key.private_key).sign
        self._path = f"/v1/agents/{quote(key.agent_id, safe='')}"
        self._post = post
        self._alone = alone
        # The result of the last sign-in. A request that waited for the lock takes the result that came meanwhile.
        self._last: Session | SignInRefused | NetworkError | None = None

    def token(self) -> Generator[Wait, Any, str | None]:
        """The token of a session that does not expire soon."""
        known = self._last
        if isinstance(known, Session) and time.time() < known.renew_at:
            return known.token
        outcome: Session | SignInRefused | NetworkError = yield partial(self._alone, partial(self._renewed, known))
        if isinstance(outcome, Session):
            return outcome.token
        raise outcome

    def is_renewed(self, token: str | None, error: dict[str, Any]) -> bool:
        """True if the session ended, so that another sign-in may help."""
        if error.get("code") not in ENDED:
            return False
        # Another request may have started the next session already.
        if isinstance(self._last, Session) and self._last.token == token:
            self._last = None
        return True

    def _renewed(self, known: object) -> Flow[Session | SignInRefused | NetworkError]:
        if self._last is None or self._last is known:
            try:
                self._last = yield from self._signed_in()
            except (SignInRefused, NetworkError) as error:
                self._last = error
        return self._last

    def _signed_in(self) -> Flow[Session]:
        challenge = (yield from self._step("challenge", None)).get("challenge", "")
        signature: bytes = yield partial(self._sign, challenge.encode())
        began = time.time()
        proof = {"challenge": challenge, "signature": base64.b64encode(signature).decode()}
        session = yield from self._step("authenticate", proof)
        life = float(session["expiresIn"])
        return Session(session["sessionToken"], began + max(life - MARGIN, life / 2))

    def _step(self, name: str, body: object) -> Flow[dict[str, Any]]:
        response = yield from self._post(f"{self._path}/{name}", body)
        if not response.is_success:
            raise SignInRefused(response)
        said = json_of(response)
        if said is None:
            raise NetworkError(response.request, True)
        return as_record(said)


def private_key_of(private_key: str) -> Ed25519PrivateKey:
    """The key in the base64 of a seed of 32 bytes, or of 64 bytes that begin with it."""
    try:
        raw = base64.b64decode(private_key, validate=True)
    except binascii.Error:
        raw = b""
    if len(raw) not in (32, 64):
        raise ValueError("private_key is not the base64 of an Ed25519 key of 32 or 64 bytes.")
    return Ed25519PrivateKey.from_private_bytes(raw[:32])
