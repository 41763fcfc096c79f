"""The channel of an agent: one sequence over connections that break, with gaps said."""

from __future__ import annotations

import time
from typing import Any

import httpx
from agent_payments import AgentKey, ApiError, ChannelEvent
from agent_payments.channel import Frame, FrameParser
from agent_payments.flow import settled

from .case import COMPANY, URL, Case, for_both, hired, opened


class Channel(Case):
    made: Any
    payee: Any

    @classmethod
    def setUpClass(cls) -> None:
        cls.made, cls.payee = hired(), opened(currency="USDC")

    def agent(self, **options: Any) -> Any:
        return self.client(AgentKey(self.made["data"]["id"], self.made["authKey"]["privateKey"]), **options)

    def pay(self, amount: str) -> None:
        """Pays once, past the wire."""
        wallets = {"from_wallet_id": self.made["data"]["default_wallet_id"], "to_wallet_id": self.payee["id"]}
        body: Any = {"type": "internal", **wallets, "amount": amount, "currency": "USDC"}
        COMPANY.create_transfer(body)

    def amounts(self, seen: list[ChannelEvent]) -> list[object]:
        return [event.data["amount"] for event in seen if event.type == "transfer_completed"]

    def connects(self) -> int:
        return self.wire.steps().count("connect")

    async def test_gives_what_happens_as_it_happens(self) -> None:
        def until(seen: list[ChannelEvent]) -> bool:
            if seen[-1].type == "connected":
                self.pay("1.00")
            return bool(self.amounts(seen))

        first, last = await self.collected(self.agent().channel(), until)
        self.assertEqual((first.type, first.data["resumed"]), ("connected", False))
        self.assertEqual((last.data["amount"], last.data["direction"]), ("1.00", "outbound"))
        self.assertRegex(last.last_event_id, r"^\d+$")

    async def test_goes_on_where_it_was_when_the_connection_breaks(self) -> None:
        client = self.agent()

        def until(seen: list[ChannelEvent]) -> bool:
            if len(seen) == 1:
                self.pay("1.00")
            elif seen[-1].type == "connected":
                return False
            elif self.amounts(seen) == ["1.00"]:
                # A second connection of the session closes the first one.
                self.wire.fates = ["refused", "refused"]
                token = next(attempt.token for attempt in self.wire.attempts if attempt.token)
                with httpx.stream("GET", f"{URL}/v1/agents/{self.made['data']['id']}/connect", headers={"Authorization": token}):
                    self.pay("2.00")
            elif self.amounts(seen) == ["1.00", "2.00"]:
                self.pay("3.00")
            return len(self.amounts(seen)) == 3

        seen = await self.collected(client.channel(), until)
        self.assertEqual(self.amounts(seen), ["1.00", "2.00", "3.00"])
        self.assertGreater(self.connects(), 3)
        self.assertNotIn("gap", [event.type for event in seen])

    async def test_goes_on_after_an_event_that_another_process_has_seen(self) -> None:
        def until(seen: list[ChannelEvent]) -> bool:
            if seen[-1].type == "connected":
                self.pay("1.00")
            return bool(self.amounts(seen))

        first = await self.collected(self.agent().channel(), until)
        self.pay("2.00")
        channel = self.agent().channel(last_event_id=first[-1].last_event_id)
        second = await self.collected(channel, lambda seen: bool(self.amounts(seen)))
        self.assertEqual(self.amounts(second), ["2.00"])

    async def test_goes_on_behind_a_gateway_and_after_a_page_that_is_no_channel(self) -> None:
        client = self.agent(retry_for=0)
        await settled(client.get_me())
        self.wire.fates = [lambda: httpx.Response(502), lambda: httpx.Response(504), lambda: httpx.Response(200, text="<html>")]
        await self.collected(client.channel(), lambda seen: True)
        self.assertEqual(self.connects(), 4)

    async def test_comes_back_after_the_time_that_it_is_told_however_little_patience_calls_have(self) -> None:
        client = self.agent(retry_for=0)
        await settled(client.get_me())
        self.wire.fates = [lambda: httpx.Response(429, json={}, headers={"Retry-After": "1"})]
        begun = time.monotonic()
        await self.collected(client.channel(), lambda seen: True)
        self.assertEqual((time.monotonic() - begun > 1, self.connects()), (True, 2))

    async def test_lets_go_of_its_connection(self) -> None:
        await self.collected(self.agent().channel(), lambda seen: True)
        company = self.client()
        for _ in range(100):
            liveness = await settled(company.get_liveness(self.made["data"]["id"]))
            if liveness["data"]["connections"] == 0:
                return
            time.sleep(0.05)
        self.fail("the connection is still open")

    async def test_ends_with_an_error_where_the_platform_refuses_it_for_good(self) -> None:
        other = hired()
        client = self.client(AgentKey(other["data"]["id"], other["authKey"]["privateKey"]))
        await settled(self.client().revoke_auth_key(other["data"]["id"]))
        with self.assertRaises(ApiError) as refused:
            await self.collected(client.channel())
        self.assertEqual(refused.exception.status, 401)
        with self.assertRaisesRegex(ValueError, "Say which agent"):
            self.client().channel()


class Frames(Case):
    def test_are_read_however_their_bytes_are_cut(self) -> None:
        event = 'event: transfer_completed\rid: 7\rdata: {"a":\rdata:  "ü\u2028"}\r\r'
        text = f": hello\r\n\r\nretry: 1500\n\n{event}data: whole\n\n".encode()
        wanted = [
            Frame(),
            Frame(retry=1.5),
            Frame("transfer_completed", "7", '{"a":\n "ü\u2028"}'),
            Frame(data="whole"),
        ]
        for size in (1, 2, 3, 7, len(text)):
            parser = FrameParser()
            found = [frame for at in range(0, len(text), size) for frame in parser.feed(text[at : at + size])]
            self.assertEqual(found, wanted, f"{size} bytes at once")


load_tests = for_both(Channel, Frames)
