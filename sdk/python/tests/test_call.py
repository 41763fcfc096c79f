"""Calls with their keys, retries that follow what the platform says, errors, and lists."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import httpx
from agent_payments import ApiError, InsufficientScope, NetworkError
from agent_payments.flow import settled

from .case import KEY, Case, for_both, opened

NOWHERE = "01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d"
PERSON = {"type": "person", "name": "Ada"}


class Paying(Case):
    """A client with two wallets to pay between."""

    payer: Any
    payee: Any

    @classmethod
    def setUpClass(cls) -> None:
        cls.payer, cls.payee = opened("1000.00"), opened()

    def payment(self, amount: str, **more: str) -> dict[str, str]:
        wallets = {"from_wallet_id": self.payer["id"], "to_wallet_id": self.payee["id"]}
        return {"type": "internal", **wallets, "amount": amount, "currency": "USD", **more}


class Call(Paying):
    async def test_pays_and_answers_what_the_operation_has_done(self) -> None:
        client = self.client()
        paid = await settled(client.create_transfer(self.payment("10.00")))
        self.assertEqual((paid["data"]["status"], paid["data"]["amount"]), ("completed", "10.00"))
        read = await settled(client.get_transfer(paid["data"]["id"]))
        self.assertEqual(read["data"]["id"], paid["data"]["id"])

    async def test_of_a_dry_run_answers_what_would_be(self) -> None:
        would = await settled(self.client().create_transfer(self.payment("10.00"), dry_run=True))
        self.assertEqual(len(would["data"]["would_post"]), 2)

    async def test_asks_for_nothing_but_its_operation_whatever_an_id_is(self) -> None:
        client = self.client()
        for id in ("..", ".", ""):
            error = await self.refused(lambda: client.list_stream_transfers(id), ValueError)
            self.assertIn("no part of a path", str(error))
        refused = await self.refused(lambda: client.list_stream_transfers("../.."), ApiError)
        self.assertEqual(refused.status, 404)
        await self.refused(lambda: client.request("GET", ".example.com/v1/accounts"), ValueError)
        self.assertEqual([attempt.path for attempt in self.wire.attempts], ["/v1/streams/..%2F../transfers"])

    def test_needs_an_address(self) -> None:
        for none in ("localhost:4001", "ftp://localhost", "http://", ""):
            with self.assertRaisesRegex(ValueError, "is no address such as http://localhost:4001"):
                self.client(url=none)

    async def test_has_a_key_of_its_own_where_it_changes_something_or_the_given_one(self) -> None:
        client = self.client()
        for _ in range(2):
            await settled(client.create_account(PERSON))
        await settled(client.list_accounts())
        self.assertEqual(len(self.wire.keys), 3)
        self.assertIsNone(self.wire.attempts[2].key)
        key = str(uuid4())
        first, again = [await settled(client.create_account(PERSON, idempotency_key=key)) for _ in range(2)]
        self.assertEqual(first["data"]["id"], again["data"]["id"])


class Failure(Paying):
    async def test_of_the_network_is_followed_by_the_same_request_with_the_same_key(self) -> None:
        self.wire.fates = ["lost", "refused", "lost"]
        client, reference = self.client(), str(uuid4())
        paid = await settled(client.create_transfer(self.payment("1.00", reference=reference)))
        self.assertEqual((len(self.wire.attempts), len(self.wire.keys)), (4, 1))
        found = await settled(client.list_transfers(reference=reference))
        self.assertEqual([one["id"] for one in found["data"]], [paid["data"]["id"]])

    async def test_is_an_error_with_the_key_where_time_is_over_and_where_sending_again_is_not_safe(self) -> None:
        self.wire.fates = ["refused"]
        error = await self.refused(lambda: self.client(retry_for=0).create_account(PERSON), NetworkError)
        self.assertEqual((error.is_safe, error.idempotency_key), (True, self.wire.attempts[0].key))
        self.wire.fates = ["lost"]
        error = await self.refused(lambda: self.client().create_auth_session({"api_key": KEY}), NetworkError)
        self.assertEqual((error.is_safe, len(self.wire.attempts)), (False, 2))

    async def test_is_also_an_attempt_that_takes_too_long(self) -> None:
        with silent() as url:
            error = await self.refused(lambda: self.client(url=url, timeout=0.2, retry_for=0).list_accounts(), NetworkError)
        self.assertIsInstance(error.__cause__, httpx.ReadTimeout)

    async def test_ends_when_its_task_is_cancelled(self) -> None:
        if not self.is_async:
            return
        with silent() as url:
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(self.client(url=url).list_accounts(), 0.2)

    async def test_is_also_a_page_or_nothing_or_half_an_answer(self) -> None:
        for text in ("<html>Welcome</html>", "", '{"data": {"id": "01'):
            self.wire.fates = [lambda text=text: httpx.Response(200, text=text)]  # type: ignore[misc]
            error = await self.refused(lambda: self.client().create_account(PERSON), NetworkError)
            self.assertEqual((error.is_safe, error.idempotency_key), (True, self.wire.attempts[-1].key))

    async def test_of_a_gateway_is_an_error_with_the_key(self) -> None:
        self.wire.fates = [lambda: httpx.Response(504, text="<html>")]
        error = await self.refused(lambda: self.client().create_account(PERSON), ApiError)
        self.assertEqual((error.status, error.code, error.idempotency_key), (504, "unknown", self.wire.attempts[0].key))

    async def test_of_a_redirect_is_an_error(self) -> None:
        self.wire.fates = [lambda: httpx.Response(302, headers={"Location": "/v1/accounts"})]
        error = await self.refused(lambda: self.client().create_account(PERSON), ApiError)
        self.assertIn("redirected", str(error))
        self.assertEqual(len(self.wire.attempts), 1)


def later(**retry: object) -> dict[str, object]:
    return {"error": "Later.", "code": "overloaded", "details": {"retry": retry}, "request_id": "req_1"}


class Retry(Paying):
    async def test_follows_details_and_retry_after(self) -> None:
        self.wire.fates = [
            lambda: httpx.Response(503, json=later(safe=True, same_key=True, after_s=0.01)),
            lambda: httpx.Response(429, json={"error": "rate_limit_exceeded", "retry_after": 0}, headers={"Retry-After": "0"}),
            lambda: httpx.Response(502, headers={"Retry-After": "0"}),
        ]
        await settled(self.client().create_account(PERSON))
        self.assertEqual((len(self.wire.attempts), len(self.wire.keys)), (4, 1))

    async def test_comes_ever_more_slowly_where_the_time_is_over(self) -> None:
        fates = [
            lambda: httpx.Response(503, json=later(safe=True, same_key=True, after_s=-5)),
            lambda: httpx.Response(503, headers={"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"}),
        ]
        for fate in fates:
            self.wire.attempts.clear()
            self.wire.decide = lambda path, fate=fate: fate  # type: ignore[misc]
            await self.refused(lambda: self.client(retry_for=1).create_account(PERSON), ApiError)
            self.assertIn(len(self.wire.attempts), range(3, 8))

    async def test_comes_not_where_the_answer_does_not_ask_for_it(self) -> None:
        soon = {"Retry-After": "0"}
        fates = [
            lambda: httpx.Response(503, json=later(safe=False), headers=soon),
            lambda: httpx.Response(422, json=later(safe=True, same_key=False), headers=soon),
            lambda: httpx.Response(503, json=later(safe=True, same_key=True)),
            lambda: httpx.Response(403, json=later(safe=True, same_key=True, after_s=3600)),
            lambda: httpx.Response(500, json={"error": "Oh.", "code": "internal_error", "request_id": "req_1"}),
        ]
        for fate in fates:
            self.wire.attempts.clear()
            self.wire.fates = [fate]
            await self.refused(lambda: self.client().create_account(PERSON), ApiError)
            self.assertEqual(len(self.wire.attempts), 1)


class Refusal(Paying):
    async def test_has_the_code_the_fields_and_what_would_help(self) -> None:
        client = self.client()
        error = await self.refused(lambda: client.create_transfer(self.payment("5000.00")), ApiError)
        self.assertEqual((error.status, error.code, error.is_terminal), (422, "insufficient_balance", False))
        self.assertRegex(error.request_id, "^req_")
        self.assertRegex(error.next_actions[0]["path"], "^/v1/")
        invalid = await self.refused(lambda: client.create_account({"type": "person", "name": ""}), ApiError)
        self.assertEqual([field["path"] for field in invalid.details["fields"]], ["name"])
        made = await settled(client.create_api_key({"name": "Reader", "scopes": ["wallets:read"]}))
        narrow = self.client(made["data"]["key"])
        scope = await self.refused(lambda: narrow.create_transfer(self.payment("1.00")), InsufficientScope)
        self.assertEqual((scope.status, scope.required_scope), (403, "transfers:write"))
        missing = await self.refused(lambda: client.get_transfer(NOWHERE), ApiError)
        self.assertEqual((missing.status, missing.code), (404, "not_found"))
        stranger = await self.refused(lambda: self.client(None).list_accounts(), ApiError)
        self.assertEqual((stranger.status, stranger.code), (401, "missing_credential"))


class List(Paying):
    async def test_comes_item_by_item_by_cursor_or_by_number(self) -> None:
        client = self.client()
        for _ in range(7):
            await settled(client.create_transfer(self.payment("0.01")))
        own = {"wallet_id": self.payer["id"]}
        whole = await settled(client.list_transfers(**own, limit=200))
        for begin in ({}, {"page": 1}):
            self.wire.attempts.clear()
            seen = [one["id"] for one in await self.collected(client.each(client.list_transfers, **own, **begin, limit=3))]
            self.assertEqual(seen, [one["id"] for one in whole["data"]])
            self.assertEqual(len(self.wire.attempts), -(-len(seen) // 3))
            self.assertIn("page=2" if begin else "starting_after=", self.wire.attempts[1].path)

    async def test_takes_paths_with_an_id_and_ends_where_the_reader_does(self) -> None:
        client = self.client()
        entries = client.each(client.list_wallet_entries, self.payer["id"], limit=1)
        self.assertEqual(len(await self.collected(entries, lambda seen: True)), 1)
        self.assertEqual(len(self.wire.attempts), 1)


class Request(Case):
    async def test_sends_graphql_with_the_credential_and_gives_the_answer_as_it_is(self) -> None:
        client = self.client()
        self.wire.fates = ["lost"]
        answer = await settled(client.request("GET", "/graphql", params={"query": "{ accounts(limit: 1) { nodes { name } } }"}))
        self.assertIn("accounts", answer.json()["data"])
        self.assertEqual(len(self.wire.attempts), 2)
        refused = await settled(client.request("GET", "/graphql", params={"query": "{ nothing }"}))
        self.assertEqual(refused.status_code, 400)


@contextmanager
def silent() -> Iterator[str]:
    """The address of somebody who takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


load_tests = for_both(Call, Failure, Retry, Refusal, List, Request)
