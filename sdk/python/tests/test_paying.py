"""Transports that pay: sellers of x402 and MPP outside of the platform (SELLERS), within a maximum for each call and in total."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx
from agent_payments import ApiError, AsyncPayingTransport, PayingTransport, PaymentError
from agent_payments.flow import settled

from .case import URL, Case, for_both

SELLERS = json.loads(os.environ["SELLERS"])
"""Addresses: `x402`, `mpp`, `deaf` (breaks the connection of a paid call), `stubborn` (takes no payment); `endpoint`; and the `buyer`."""
BUYER = SELLERS["buyer"]


class Paying(Case):
    before: float

    async def asyncSetUp(self) -> None:
        self.before = await self.left()

    def payer(self, **limits: Any) -> Any:
        """An httpx client that pays from the wallet of the buyer; `transport` of it is the one that pays."""
        wallet = {"wallet_id": BUYER["wallet_id"], "agent_id": BUYER["id"], "max_per_call": "0.50", "max_total": "5.00"}
        client = self.client(BUYER["token"])
        inner = httpx.AsyncHTTPTransport(verify=False) if self.is_async else httpx.HTTPTransport(verify=False)
        given: dict[str, Any] = {**wallet, "transport": inner, **limits}
        if self.is_async:
            self.transport: Any = AsyncPayingTransport(client, **given)
            return self.closed(httpx.AsyncClient(transport=self.transport, follow_redirects=True))
        self.transport = PayingTransport(client, **given)
        return self.closed(httpx.Client(transport=self.transport, follow_redirects=True))

    def closed(self, client: Any) -> Any:
        """A client that is closed after its test."""

        async def close() -> None:
            await settled(client.aclose() if self.is_async else client.close())

        self.addAsyncCleanup(close)
        return client

    async def left(self) -> float:
        balance = await settled(self.client(BUYER["token"]).get_wallet(BUYER["wallet_id"]))
        self.wire.attempts.clear()
        return float(balance["data"]["balance"]["available"])

    async def paid(self) -> str:
        return f"{self.before - await self.left():.2f}"

    async def reason(self, call: Callable[[], Any]) -> str:
        error: PaymentError = await self.refused(call, PaymentError)
        return error.reason

    def answering(self, *answers: httpx.Response) -> tuple[Any, list[httpx.Request]]:
        """A seller within the process, and what it was asked."""
        asked: list[httpx.Request] = []

        def answer(request: httpx.Request) -> httpx.Response:
            asked.append(request)
            return answers[min(len(asked), len(answers)) - 1]

        return httpx.MockTransport(answer), asked


class Transport(Paying):
    async def test_pays_a_402_and_gets_what_it_asked_for(self) -> None:
        for protocol, price in (("x402", "0.10"), ("mpp", "0.02")):
            self.before = await self.left()
            answer = await settled(self.payer().post(SELLERS[protocol], content="Where?"))
            self.assertEqual((answer.status_code, answer.json()), (200, {"weather": "fine"}))
            self.assertEqual(self.wire.steps().count("pay"), 1)
            self.assertEqual((self.transport.spent, await self.paid()), (price, price))

    async def test_takes_any_other_answer_as_it_is(self) -> None:
        free, _ = self.answering(httpx.Response(200, text="free"))
        self.assertEqual((await settled(self.payer(transport=free).get("https://free.example"))).text, "free")
        card = {"WWW-Authenticate": 'Payment id="1", method="card", intent="charge"'}
        foreign, asked = self.answering(httpx.Response(402, text="{}", headers=card))
        self.assertEqual((await settled(self.payer(transport=foreign).get("https://cards.example"))).text, "{}")
        self.assertEqual((len(asked), await self.paid()), (1, "0.00"))

    async def test_pays_nothing_above_the_maximum_beyond_the_total_or_in_another_currency(self) -> None:
        self.assertEqual(await self.reason(lambda: self.payer(max_per_call="0.09").get(SELLERS["x402"])), "over_maximum")
        self.assertEqual(await self.reason(lambda: self.payer(max_per_call="0.0199").get(SELLERS["mpp"])), "over_maximum")
        self.assertEqual(await self.reason(lambda: self.payer(currency="USD").get(SELLERS["x402"])), "wrong_currency")
        with self.assertRaises(ValueError):
            self.payer(max_total="much")
        self.assertEqual(await self.paid(), "0.00")
        pay = self.payer(max_total="0.35")
        outcomes = await self.together([lambda: pay.get(SELLERS["x402"])] * 5)
        reasons = [getattr(outcome, "reason", "paid") for outcome in outcomes if isinstance(outcome, PaymentError)]
        self.assertEqual(reasons, ["over_total"] * 2)
        self.assertEqual((self.transport.spent, await self.paid()), ("0.30", "0.30"))

    async def test_pays_once_when_the_answer_of_the_platform_is_lost(self) -> None:
        pay = self.payer()
        self.wire.decide = lambda path: "lost" if path.endswith("/pay") and self.wire.steps().count("pay") < 3 else None
        self.assertEqual((await settled(pay.get(SELLERS["x402"]))).status_code, 200)
        self.assertEqual((self.wire.steps().count("pay"), await self.paid()), (3, "0.10"))

    async def test_counts_a_payment_whose_end_nobody_knows(self) -> None:
        pay = self.payer(max_total="0.15")
        self.wire.decide = lambda path: (lambda: httpx.Response(504, text="<html>")) if path.endswith("/pay") else None
        error = await self.refused(lambda: pay.get(SELLERS["x402"]), ApiError)
        self.assertEqual((error.status, self.transport.spent), (504, "0.10"))
        self.assertEqual(await self.reason(lambda: pay.get(SELLERS["x402"])), "over_total")

    async def test_pays_nothing_at_another_host_than_the_one_that_was_called(self) -> None:
        demand = httpx.Response(402, headers=dict(httpx.get(SELLERS["x402"]).headers))
        elsewhere, _ = self.answering(httpx.Response(307, headers={"Location": "https://other.example"}), demand)
        self.assertEqual(await self.reason(lambda: self.payer(transport=elsewhere).get("https://weather.example")), "redirected")
        self.assertEqual(await self.paid(), "0.00")

    async def test_shows_the_offer_that_it_has_paid_and_the_challenge_alone(self) -> None:
        required = json.loads(base64.b64decode(httpx.get(SELLERS["x402"]).headers["PAYMENT-REQUIRED"]))
        [offer] = required["accepts"]
        offers = {**required, "accepts": [{**offer, "network": "ledger:elsewhere", "payTo": "somebody"}, offer]}
        header = base64.b64encode(json.dumps(offers).encode()).decode()
        seller, asked = self.answering(httpx.Response(402, headers={"PAYMENT-REQUIRED": header}), httpx.Response(200, text="served"))
        self.assertEqual((await settled(self.payer(transport=seller).get("https://weather.example"))).text, "served")
        shown = json.loads(base64.b64decode(asked[1].headers["PAYMENT-SIGNATURE"]))
        self.assertEqual(shown["accepted"]["payTo"], offer["payTo"])

        once = str(uuid4())
        price = {"amount": "20000", "currency": "usdc", "recipient": SELLERS["receiver"], "methodDetails": {"decimals": 6}}
        request = base64.urlsafe_b64encode(json.dumps(price).encode()).decode().rstrip("=")
        members = f'id="{once}", realm="weather", method=ledger, intent = "charge", request="{request}"'
        header = f'Negotiate abc==, Payment {members}, Bearer realm="api", error="x"'
        seller, asked = self.answering(httpx.Response(402, headers={"WWW-Authenticate": header}), httpx.Response(200, text="served"))
        self.assertEqual((await settled(self.payer(transport=seller).get("https://weather.example"))).text, "served")
        credential = asked[1].headers["Authorization"].removeprefix("Payment ")
        challenge = json.loads(base64.urlsafe_b64decode(credential + "==="))["challenge"]
        self.assertEqual(challenge, {"id": once, "realm": "weather", "method": "ledger", "intent": "charge", "request": request})

    async def test_says_what_was_paid_when_the_seller_does_not_answer_or_asks_again(self) -> None:
        error = await self.refused(lambda: self.payer().get(SELLERS["deaf"]), PaymentError)
        self.assertEqual((error.reason, error.payment.protocol, error.payment.amount), ("unanswered", "x402", "0.10"))
        self.assertEqual(await self.reason(lambda: self.payer().get(SELLERS["stubborn"])), "not_accepted")

    async def test_gives_the_payment_at_the_door_of_the_platform(self) -> None:
        answer = await settled(self.payer().get(f"{URL}/x402/{SELLERS['endpoint']}"))
        self.assertRegex(answer.json()["payment_id"], "^pay_")

    async def test_stops_at_the_limits_of_the_platform_and_counts_nothing_that_was_refused(self) -> None:
        company = self.client()
        await settled(company.freeze_agent(BUYER["id"], {"reason": "Enough"}))
        try:
            pay = self.payer()
            error = await self.refused(lambda: pay.get(SELLERS["x402"]), ApiError)
            self.assertEqual((error.code, self.transport.spent), ("agent_frozen", "0.00"))
        finally:
            await settled(company.unfreeze_agent(BUYER["id"]))


load_tests = for_both(Transport)
