"""Verifies webhooks where they are received.

The header `X-Svc-Signature` is `t=<unix>,v1=<hex>[,v1=<hex>]`, an HMAC-SHA256 of `<t>.<raw body>` under the whole secret. While a secret
is being rotated there is one v1 for each.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from .error import Error, as_record

Reason = Literal["no_header", "bad_header", "too_old", "wrong_signature", "no_event"]
Secrets = str | Sequence[str]
"""The secret of the subscription, or several during a rotation."""


class WebhookEvent(TypedDict):
    """What a webhook says. `id` stays the same when it is sent again: keep it, and do each once."""

    id: str
    type: str
    timestamp: str
    data: dict[str, Any]


class WebhookError(Error):
    """What was received is not to be trusted: answer 400, and do nothing."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason: Reason = reason


@dataclass(frozen=True)
class WebhookAnswer:
    """What to answer to a request."""

    status: int
    body: str
    """JSON for a challenge, the reason of a refusal, else nothing. Send it as application/json."""
    event: WebhookEvent | None = None
    """What to handle: None for a challenge, and for what is not to be trusted."""


def verify_webhook(
    raw_body: bytes | str, header: str | None, secret: Secrets, *, tolerance: float = 300.0, now: float | None = None
) -> WebhookEvent:
    """The event of a webhook, once its signature is good. Raises WebhookError for any other, and ValueError for an empty secret.

    `raw_body` is the body as it came, before any parser, and `header` is X-Svc-Signature. The signature may be `tolerance` seconds older
    or younger than `now`, which is in seconds since 1970.
    """
    secrets = _listed(secret)
    # Anybody can sign with a secret that was left empty.
    if not all(secrets):
        raise ValueError("The secret is empty: it begins with whsec_.")
    if not header:
        raise WebhookError("no_header", "There is no X-Svc-Signature.")
    at, signatures = _read_header(header)
    # What is no number accepts nothing.
    if not abs((time.time() if now is None else now) - int(at)) <= tolerance:
        raise WebhookError("too_old", f"The signature is not from the last {tolerance:g} seconds.")
    body = _bytes(raw_body)
    # All of them are compared, so that the time says nothing about which one fits.
    fitting = [hmac.compare_digest(_mac(key, f"{at}.".encode() + body), one) for key in secrets for one in signatures]
    if not any(fitting):
        raise WebhookError("wrong_signature", "The signature is not of this body and secret.")
    return _read_event(body)


def receive_webhook(
    raw_body: bytes | str, header: str | None, secret: Secrets, *, tolerance: float = 300.0, now: float | None = None
) -> WebhookAnswer:
    """Receives one request whole: what to answer, and the event to handle first where there is one.

    It answers the challenge by which an endpoint proves itself. Where handling the event fails, answer 500: it is sent again.
    """
    challenge = None if header else own_challenge(raw_body, secret)
    if challenge is not None:
        return WebhookAnswer(200, json.dumps({"challenge": challenge}))
    try:
        event = verify_webhook(raw_body, header, secret, tolerance=tolerance, now=now)
    except WebhookError as error:
        return WebhookAnswer(400, json.dumps({"error": error.reason}))
    return WebhookAnswer(200, "", event)


def own_challenge(raw_body: bytes | str, secret: Secrets) -> str | None:
    """The challenge of a `webhook.verification`, to be answered with `{"challenge": ...}`; None for anything else.

    It comes unsigned, and is `<random>.<mac>` itself, with a second mac while the secret before counts too. One of a subscription that
    somebody else made to this endpoint is not answered.
    """
    said = as_record(_json(_bytes(raw_body)))
    challenge = as_record(said.get("data")).get("challenge")
    if said.get("type") != "webhook.verification" or not isinstance(challenge, str):
        return None
    if re.fullmatch(r"[A-Za-z0-9_-]{16,128}(\.[0-9a-f]{64}){1,2}", challenge) is None:
        return None
    random, *macs = challenge.split(".")
    keys = [key for key in _listed(secret) if key]
    fitting = [hmac.compare_digest(_mac(key, f"challenge.{random}".encode()), mac) for key in keys for mac in macs]
    return challenge if any(fitting) else None


def _listed(secret: Secrets) -> list[str]:
    return [secret] if isinstance(secret, str) else list(secret)


def _bytes(raw_body: bytes | str) -> bytes:
    return raw_body.encode() if isinstance(raw_body, str) else raw_body


def _mac(key: str, text: bytes) -> str:
    return hmac.new(key.encode(), text, hashlib.sha256).hexdigest()


def _read_header(header: str) -> tuple[str, list[str]]:
    parts = [part.strip().partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name == "t"]
    signatures = [value for name, _, value in parts if name == "v1" and re.fullmatch("[0-9a-f]{64}", value)]
    if len(times) != 1 or re.fullmatch("[0-9]{1,12}", times[0]) is None or not signatures:
        raise WebhookError("bad_header", "X-Svc-Signature is not t=<unix>,v1=<hex>.")
    return times[0], signatures


def _read_event(body: bytes) -> WebhookEvent:
    said = as_record(_json(body))
    if not isinstance(said.get("id"), str) or not isinstance(said.get("type"), str):
        raise WebhookError("no_event", "The body is not an event.")
    return {"id": said["id"], "type": said["type"], "timestamp": said.get("timestamp", ""), "data": as_record(said.get("data"))}


def _json(body: bytes) -> object:
    """None for what is no JSON."""
    try:
        said: object = json.loads(body)
    except ValueError:
        return None
    return said
