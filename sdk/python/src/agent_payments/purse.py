"""The limits of a paying transport, and what it has spent."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from .demand import amount_of, spelled
from .error import ApiError, Error

if TYPE_CHECKING:
    from .generated.schema import PendingApproval

PaymentReason = Literal[
    "over_maximum", "over_total", "wrong_currency", "redirected", "no_agent", "waits_for_approval", "not_accepted", "unanswered"
]


@dataclass(frozen=True)
class Payment:
    """A payment to a seller."""

    protocol: Literal["x402", "mpp"]
    id: str
    amount: str
    currency: str
    proof: str | None
    """What the seller verifies: the proof of x402, the receipt of MPP. None while the payment waits for an approval."""


class PaymentError(Error):
    """A call was not paid, or was paid and not served.

    Nothing was paid: `over_maximum`, `over_total`, `wrong_currency`, `no_agent`, and `redirected` (the 402 is from another host than the
    one that was called). `waits_for_approval`: a person must approve the payment. Paid and not served: `not_accepted` (the seller asked
    again) and `unanswered` (the seller did not respond).
    """

    def __init__(
        self, reason: PaymentReason, message: str, payment: Payment | None = None, approval: PendingApproval | None = None
    ) -> None:
        super().__init__(message)
        self.reason: PaymentReason = reason
        self.payment = payment
        self.approval = approval


class Purse:
    """Limits the payments of each call and in total. A payment counts against the total before it is made."""

    def __init__(self, currency: str, max_per_call: str, max_total: str) -> None:
        self.most_per_call = max_per_call
        amount_of(max_per_call)
        self._currency = currency
        self._most = amount_of(max_total)
        self._spent = Decimal(0)
        self._lock = threading.Lock()

    @property
    def spent(self) -> str:
        """The total paid so far, including payments with an unknown outcome."""
        return spelled(self._spent)

    @contextmanager
    def spending(self, amount: str, currency: str) -> Generator[None, None, None]:
        """Counts the payment that the block makes, unless the platform refuses it."""
        cost = amount_of(amount)
        if currency != self._currency:
            raise PaymentError("wrong_currency", f"The call costs {amount} {currency}, and the limits are in {self._currency}.")
        if cost > amount_of(self.most_per_call):
            raise PaymentError("over_maximum", f"The call costs {amount}, more than the maximum of {self.most_per_call}.")
        with self._lock:
            if self._spent + cost > self._most:
                raise PaymentError("over_total", f"The call costs {amount}, and {self.spent} of {spelled(self._most)} are spent.")
            self._spent += cost
        try:
            yield
        except ApiError as error:
            if _is_refusal(error):
                with self._lock:
                    self._spent -= cost
            raise


def _is_refusal(error: ApiError) -> bool:
    """Only a refusal proves that nothing was paid. After a 5xx, or while the key is in use, the outcome is unknown."""
    is_unsafe = error.details.get("retry", {}).get("safe") is False
    return error.status < 500 and error.code != "idempotency_in_flight" and not is_unsafe
