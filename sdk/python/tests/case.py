"""Cases that are tried with both clients, against the platform at URL. Each is written once, for whatever its client returns."""

from __future__ import annotations

import asyncio
import os
import unittest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from threading import Barrier
from typing import Any, Literal

import httpx
from agent_payments import AsyncClient, Client
from agent_payments.credential import Credential
from agent_payments.flow import settled

from .wire import Wire

URL = os.environ.get("URL", "http://localhost:4001")
KEY = os.environ.get("KEY", "")
Currency = Literal["USD", "USDC"]
COMPANY = Client(URL, KEY)
"""The tenant itself, past any wire."""


class Case(unittest.IsolatedAsyncioTestCase):
    """A case with a wire of its own. `await settled(...)` takes what either client returns."""

    is_async = False

    def setUp(self) -> None:
        self.wire = Wire()

    async def asyncTearDown(self) -> None:
        await self.wire.shut()

    def client(self, credential: Credential | None = KEY, *, url: str = URL, **options: Any) -> Any:
        """A client of the kind that is tried, over the wire."""
        if self.is_async:
            return AsyncClient(url, credential, http=httpx.AsyncClient(transport=self.wire), **options)
        return Client(url, credential, http=httpx.Client(transport=self.wire), **options)

    async def together(self, calls: list[Callable[[], Any]]) -> list[Any]:
        """What calls at the same moment give, or raise."""
        if self.is_async:
            return list(await asyncio.gather(*(call() for call in calls), return_exceptions=True))
        start = Barrier(len(calls))

        def begin(call: Callable[[], Any]) -> Any:
            start.wait()
            return call()

        with ThreadPoolExecutor(len(calls)) as threads:
            begun = [threads.submit(begin, call) for call in calls]
        return [one.exception() or one.result() for one in begun]

    async def collected(self, sequence: Any, until: Callable[[list[Any]], bool] = lambda seen: False) -> list[Any]:
        """What a sequence gives, up to the item after which the condition holds."""
        seen: list[Any] = []
        if self.is_async:
            async with aclosing(sequence) as open_sequence:
                async for item in open_sequence:
                    seen.append(item)
                    if until(seen):
                        break
            return seen
        for item in sequence:
            seen.append(item)
            if until(seen):
                break
        sequence.close()
        return seen

    async def refused(self, call: Callable[[], Any], kind: type[BaseException]) -> Any:
        """What a call raises."""
        with self.assertRaises(kind) as caught:
            await settled(call())
        return caught.exception


def for_both(*cases: type[Case]) -> Callable[[unittest.TestLoader, unittest.TestSuite, str | None], unittest.TestSuite]:
    """The `load_tests` of a module whose cases are tried with Client and with AsyncClient."""

    def load_tests(loader: unittest.TestLoader, tests: unittest.TestSuite, pattern: str | None) -> unittest.TestSuite:
        kinds = [type(f"{kind}{case.__name__}", (case,), {"is_async": kind == "Async"}) for case in cases for kind in ("Sync", "Async")]
        return unittest.TestSuite(loader.loadTestsFromTestCase(kind) for kind in kinds)

    return load_tests


def opened(funded: str | None = None, currency: Currency = "USD") -> Any:
    """A wallet of a new account, as the platform shows it."""
    account = COMPANY.create_account({"type": "business", "name": "Ada"})["data"]
    wallet = COMPANY.create_wallet({"owner_type": "account", "owner_id": account["id"], "currency": currency})["data"]
    if funded is not None:
        COMPANY.fund_wallet(wallet["id"], {"amount": funded})
    return wallet


def hired(currency: Currency = "USDC") -> Any:
    """A new agent with a wallet and a key pair: the answer to its creation."""
    account = COMPANY.create_account({"type": "business", "name": "Ada"})["data"]
    made = COMPANY.create_agent(
        {"parent_account_id": account["id"], "name": "Agent", "generate_keypair": True, "wallet": {"currency": currency}}
    )
    COMPANY.fund_wallet(made["data"]["default_wallet_id"], {"amount": "100.00"})
    return made
