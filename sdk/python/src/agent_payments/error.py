"""The errors of calls: a refusal of the platform, or a network failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from .generated.schema import ErrorCode, ErrorDetails, NextAction


class Error(Exception):
    """The base class of the errors of this package."""


class ApiError(Error):
    """The platform refused a request."""

    status: int
    code: ErrorCode | str
    """The error code. A newer platform may have codes that this version does not list."""
    details: ErrorDetails
    request_id: str | None
    """The id of the request, for support."""
    idempotency_key: str | None
    """The Idempotency-Key of the request. With it the change can be repeated, for example after a 502 of a gateway."""
    body: object
    """The response body. Protocols such as ACP and UCP have error formats of their own."""

    def __init__(self, status: int, body: object, request_id: str | None = None, idempotency_key: str | None = None) -> None:
        said = as_record(body)
        sentence = next((said[name] for name in ("error", "message") if isinstance(said.get(name), str)), _wordless(status))
        super().__init__(sentence)
        self.status = status
        # A 429 has its code where others have their sentence.
        unnamed = "rate_limit_exceeded" if "retry_after" in said else "unknown"
        self.code = said["code"] if isinstance(said.get("code"), str) else unnamed
        self.details = as_record(said.get("details"))  # type: ignore[assignment]
        self.request_id = request_id
        self.idempotency_key = idempotency_key
        self.body = body

    @property
    def next_actions(self) -> list[NextAction]:
        """Requests that would help, such as asking for an approval."""
        return self.details.get("next_actions", [])

    @property
    def is_terminal(self) -> bool:
        """True if neither time nor another request changes the result."""
        return self.details.get("terminal") is True


class InsufficientScope(ApiError):
    """403 `insufficient_scope`: the credential may not do this. A key with `required_scope` may."""

    @property
    def required_scope(self) -> str | None:
        """The scope that is missing, such as `transfers:write`."""
        scope = as_record(self.details).get("required_scope")
        return scope if isinstance(scope, str) else None


class NetworkError(Error):
    """No usable response: the connection failed, it timed out, or the response was not JSON."""

    is_safe: bool
    """True if the request only reads or had an Idempotency-Key, so that it can be repeated."""
    idempotency_key: str | None
    """The Idempotency-Key of the request."""

    def __init__(self, request: httpx.Request, is_safe: bool) -> None:
        super().__init__(f"No answer to {request.method} {request.url}.")
        self.is_safe = is_safe
        self.idempotency_key = request.headers.get("Idempotency-Key")


def refusal(response: httpx.Response) -> ApiError:
    """The error of a response that is no success."""
    request_id = response.headers.get("X-Request-Id")
    body = json_of(response)
    kind = InsufficientScope if as_record(body).get("code") == "insufficient_scope" else ApiError
    return kind(response.status_code, body, request_id, response.request.headers.get("Idempotency-Key"))


def json_of(response: httpx.Response) -> object:
    """The JSON of a response; None if it is not JSON."""
    try:
        body: object = response.json()
    except ValueError:
        return None
    return body


def as_record(value: object) -> dict[str, Any]:
    """The members of an object; none for any other value."""
    return value if isinstance(value, dict) else {}


def _wordless(status: int) -> str:
    if status in (301, 302, 303, 307, 308):
        return "Calls are redirected: give the address where the platform listens as base_url."
    return f"The platform answered {status}."
