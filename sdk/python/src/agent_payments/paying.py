"""An httpx transport that pays a 402 of x402 or MPP from a wallet of the platform, and sends the request again with the proof.

Each call and all calls together have a maximum. The limits of the platform apply too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import httpx

from .async_client import AsyncClient
from .client import Client
from .demand import MppDemand, X402Demand, encode, mpp_demand, x402_demand
from .flow import Flow, run, run_async
from .purse import Payment, PaymentError, Purse

if TYPE_CHECKING:
    from .generated.schema import PayMppInput, PayX402Input, PendingApproval

CALLED = "agent_payments.called"
"""The request extension that holds the first origin of a request through its redirects."""


@dataclass(frozen=True)
class Wire:
    """How requests are sent to sellers. Each callable returns its result, or an awaitable of it."""

    send: Callable[[httpx.Request], Any]
    read: Callable[[httpx.Request | httpx.Response], Any]
    close: Callable[[httpx.Response], Any]


class Payer:
    """Pays for calls with the credential of a client."""

    def __init__(self, client: Client | AsyncClient, wallet_id: str, agent_id: str | None, purse: Purse, wire: Wire) -> None:
        self.purse = purse
        self._client = client
        self._wallet_id = wallet_id
        self._agent_id = agent_id or client.agent_id
        self._wire = wire

    def answer(self, request: httpx.Request) -> Flow[httpx.Response]:
        """The response to a request, after a payment if the seller asked for one."""
        yield partial(self._wire.read, request)
        called = request.extensions.get(CALLED, _origin(request.url))
        request.extensions = {**request.extensions, CALLED: called}
        answer: httpx.Response = yield partial(self._wire.send, request)
        demand = None if answer.status_code != 402 else (yield from self._demand(answer))
        if demand is None:
            return answer
        yield partial(self._wire.close, answer)
        if called != _origin(request.url):
            raise PaymentError("redirected", f"{request.url} asks for a payment, where {called} was called: call it to pay it.")
        if isinstance(demand, X402Demand):
            payment, shown = yield from self._pay_x402(demand)
        else:
            payment, shown = yield from self._pay_mpp(demand, str(request.url))
        # A paid endpoint of the platform itself serves nothing but the payment.
        if str(request.url).startswith(f"{self._client.base_url}/x402/"):
            return httpx.Response(200, json={"paid": True, "payment_id": payment.id, "proof": payment.proof})
        return (yield from self._served(request, payment, shown))

    def _demand(self, answer: httpx.Response) -> Flow[X402Demand | MppDemand | None]:
        """The demand of a 402; None if the platform cannot pay it. x402 is preferred: the platform quotes its price again."""
        header = answer.headers.get("PAYMENT-REQUIRED")
        if header is None:
            yield partial(self._wire.read, answer)
        found = x402_demand(header, b"" if header is not None else answer.content)
        return found or mpp_demand(answer.headers.get("WWW-Authenticate", ""))

    def _pay_x402(self, demand: X402Demand) -> Flow[tuple[Payment, dict[str, str]]]:
        asked = partial(self._client.quote_x402_payment, {"payment_required": demand.required, "from_wallet_id": self._wallet_id})
        quote = (yield asked)["data"]
        body: PayX402Input = {
            "from_wallet_id": self._wallet_id,
            "payment_request_id": quote["payment_request_id"],
            "max_amount": self.purse.most_per_call,
        }
        if self._agent_id is not None:
            body["agent_id"] = self._agent_id
        with self.purse.spending(quote["amount"], quote["currency"]):
            paid = yield partial(self._client.pay_x402, body)
            data = paid["data"]
            payment = _settled(Payment("x402", data["id"], data["amount"], data["currency"], data.get("proof")), paid.get("approval"))
        # The quote is for the offer on the platform's own ledger.
        accepted = next((offer for offer in demand.offers if offer.get("payTo") == quote["pay_to"]), demand.offers[0])
        payload = {"x402Version": 2, "accepted": accepted, "payload": {"proof": payment.proof}}
        if "resource" in demand.required:
            payload["resource"] = demand.required["resource"]
        return payment, {"PAYMENT-SIGNATURE": encode(payload, "base64")}

    def _pay_mpp(self, demand: MppDemand, url: str) -> Flow[tuple[Payment, dict[str, str]]]:
        if self._agent_id is None:
            raise PaymentError("no_agent", "MPP is paid by an agent: name it as agent_id.")
        body: PayMppInput = {
            "service_url": url,
            "amount": demand.amount,
            "currency": demand.currency,  # type: ignore[typeddict-item]
            "agent_id": self._agent_id,
            "wallet_id": self._wallet_id,
            "challenge": demand.header,
        }
        if demand.recipient is not None:
            body["payee_wallet_id"] = demand.recipient
        with self.purse.spending(demand.amount, demand.currency):
            paid = yield partial(self._client.pay_mpp, body)
            data = paid["data"]
            payment = _settled(Payment("mpp", data["id"], data["amount"], data["currency"], data.get("receipt")), paid.get("approval"))
        credential = {"challenge": demand.challenge, "payload": {"receipt": payment.proof}}
        return payment, {"Authorization": f"Payment {encode(credential, 'base64url')}"}

    def _served(self, request: httpx.Request, payment: Payment, shown: dict[str, str]) -> Flow[httpx.Response]:
        headers = request.headers.copy()
        headers.update(shown)
        # A new request, so that a redirect of the first one does not send the proof to another host.
        again = httpx.Request(request.method, request.url, headers=headers, content=request.content, extensions=request.extensions)
        try:
            answer: httpx.Response = yield partial(self._wire.send, again)
        except httpx.RequestError as error:
            raise PaymentError("unanswered", "The call was paid, and the seller was not heard from.", payment) from error
        if answer.status_code == 402:
            yield partial(self._wire.close, answer)
            raise PaymentError("not_accepted", "The seller asks for a payment again.", payment)
        return answer


def _settled(payment: Payment, approval: PendingApproval | None) -> Payment:
    if approval is not None:
        raise PaymentError("waits_for_approval", f"The payment waits for the approval {approval['id']}.", payment, approval)
    return payment


def _origin(url: httpx.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode()}"


class PayingTransport(httpx.BaseTransport):
    """Pays for requests: `httpx.Client(transport=PayingTransport(client, ...))`.

    `wallet_id` is the wallet that pays, and `agent_id` the agent that spends, by default the one that the client signs in as. All
    amounts and prices are in `currency`. `transport` sends the requests to sellers.
    """

    def __init__(
        self,
        client: Client,
        *,
        wallet_id: str,
        max_per_call: str,
        max_total: str,
        agent_id: str | None = None,
        currency: str = "USDC",
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._inner = transport or httpx.HTTPTransport()
        wire = Wire(self._inner.handle_request, lambda message: message.read(), lambda answer: answer.close())
        self._payer = Payer(client, wallet_id, agent_id, Purse(currency, max_per_call, max_total), wire)

    @property
    def spent(self) -> str:
        """The total paid so far, including payments with an unknown outcome."""
        return self._payer.purse.spent

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Sends a request, and pays if the seller asks for it."""
        return run(self._payer.answer(request))

    def close(self) -> None:
        """Closes the connections."""
        self._inner.close()


class AsyncPayingTransport(httpx.AsyncBaseTransport):
    """PayingTransport for httpx.AsyncClient."""

    def __init__(
        self,
        client: AsyncClient,
        *,
        wallet_id: str,
        max_per_call: str,
        max_total: str,
        agent_id: str | None = None,
        currency: str = "USDC",
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._inner = transport or httpx.AsyncHTTPTransport()
        wire = Wire(self._inner.handle_async_request, lambda message: message.aread(), lambda answer: answer.aclose())
        self._payer = Payer(client, wallet_id, agent_id, Purse(currency, max_per_call, max_total), wire)

    @property
    def spent(self) -> str:
        """The total paid so far, including payments with an unknown outcome."""
        return self._payer.purse.spent

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Sends a request, and pays if the seller asks for it."""
        return await run_async(self._payer.answer(request))

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._inner.aclose()
