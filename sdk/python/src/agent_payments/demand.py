"""The demand of a 402 that the platform can pay: an offer of x402 (version 2) on a ledger, or an MPP challenge of the method `ledger`."""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from .error import as_record


@dataclass(frozen=True)
class X402Demand:
    """What the seller requires, and its offers on a ledger, at least one."""

    required: dict[str, Any]
    offers: list[dict[str, Any]]


@dataclass(frozen=True)
class MppDemand:
    """The header, its challenge, the amount in major units, and the wallet to pay."""

    header: str
    challenge: dict[str, str]
    amount: str
    currency: str
    recipient: str | None


def x402_demand(header: str | None, body: bytes) -> X402Demand | None:
    """The demand in PAYMENT-REQUIRED, or in the body where there is no such header."""
    required = as_record(_parse(body if header is None else decode(header)))
    accepts = required.get("accepts")
    if required.get("x402Version") != 2 or not isinstance(accepts, list):
        return None
    offers = [offer for offer in map(as_record, accepts) if str(offer.get("network", "")).startswith("ledger:")]
    return X402Demand(required, offers) if offers else None


def mpp_demand(header: str) -> MppDemand | None:
    """The first challenge in WWW-Authenticate that the platform can pay."""
    for challenge in _challenges(header):
        price = as_record(_parse(decode(challenge.get("request", ""))))
        units, currency, recipient = price.get("amount"), price.get("currency"), price.get("recipient")
        decimals = as_record(price.get("methodDetails")).get("decimals")
        if challenge.get("method") != "ledger" or challenge.get("intent") != "charge":
            continue
        if not isinstance(units, str) or re.fullmatch("[0-9]{1,26}", units) is None or not isinstance(currency, str):
            continue
        if type(decimals) is not int or not 0 <= decimals <= 8:
            continue
        amount = spelled(Decimal(units).scaleb(-decimals))
        return MppDemand(header, challenge, amount, currency.upper(), recipient if isinstance(recipient, str) else None)
    return None


_piece = re.compile(r'([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))|([\w-]+)')
"""A member of a challenge, or what begins the next one."""


def _challenges(header: str) -> list[dict[str, str]]:
    """The challenges of the scheme Payment in a header, which may hold several in a line, of any scheme."""
    found: list[tuple[str, dict[str, str]]] = []
    for name, quoted, token, scheme in _piece.findall(header):
        if scheme:
            found.append((scheme.lower(), {}))
        elif found:
            found[-1][1][name.lower()] = re.sub(r"\\(.)", r"\1", quoted) or token
    return [members for scheme, members in found if scheme == "payment"]


def amount_of(text: str) -> Decimal:
    """An amount such as 0.0035. Raises ValueError for what is none."""
    if re.fullmatch(r"[0-9]{1,18}(\.[0-9]{1,8})?", text) is None:
        raise ValueError(f"{text} is not an amount such as 0.50.")
    return Decimal(text)


def spelled(amount: Decimal) -> str:
    """An amount as the platform spells it: with two decimals at least."""
    whole, _, fraction = f"{amount:f}".partition(".")
    return f"{whole}.{fraction.rstrip('0').ljust(2, '0')}"


def encode(value: object, alphabet: Literal["base64", "base64url"]) -> str:
    """JSON in base64, of either alphabet, as header fields carry it."""
    raw = json.dumps(value, separators=(",", ":")).encode()
    return base64.b64encode(raw).decode() if alphabet == "base64" else base64.urlsafe_b64encode(raw).decode().rstrip("=")


def decode(text: str) -> bytes:
    """The bytes of base64 of either alphabet; none for what is no base64."""
    plain = text.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _parse(text: bytes) -> object:
    try:
        said: object = json.loads(text)
    except ValueError:
        return None
    return said
