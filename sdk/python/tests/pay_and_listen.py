"""An agent that pays through URL, four payments at a time, and listens to its channel there, while the server behind it is killed.

Prints, as JSON, the ids of what it paid, of what it heard of, and what is left in its wallet: `python -m tests.pay_and_listen sync|async`.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from agent_payments import AgentKey, AsyncClient, ChannelEvent, Client

from .case import URL, hired, opened

PAYMENTS = int(os.environ["PAYMENTS"])
made: Any = hired()
payee = opened(currency="USDC")
key = AgentKey(made["data"]["id"], made["authKey"]["privateKey"])
wallets = {"from_wallet_id": made["data"]["default_wallet_id"], "to_wallet_id": payee["id"]}
body: Any = {"type": "internal", **wallets, "amount": "1.00", "currency": "USDC"}
heard: list[str] = []


def hear(event: ChannelEvent) -> bool:
    """Keeps a payment; true when all were heard of."""
    if event.type == "transfer_completed" and event.data["direction"] == "outbound":
        heard.append(event.data["transfer_id"])
    return len(heard) == PAYMENTS


def report(paid: list[str], wallet: Any) -> None:
    print(json.dumps({"paid": paid, "heard": heard, "left": wallet["data"]["balance"]["available"]}))


def in_threads() -> None:
    door = os.environ["DOOR"]
    with Client(door, key) as agent:
        connected = threading.Event()

        def listen() -> None:
            for event in agent.channel():
                connected.set()
                if hear(event):
                    return

        with ThreadPoolExecutor(5) as threads:
            listening = threads.submit(listen)
            connected.wait(20)
            paid = list(threads.map(lambda _: agent.create_transfer(body)["data"]["id"], range(PAYMENTS)))
            listening.result(60)
        report(paid, agent.get_wallet(wallets["from_wallet_id"]))


async def in_tasks() -> None:
    async with AsyncClient(os.environ["DOOR"], key) as agent:
        connected = asyncio.Event()

        async def listen() -> None:
            async for event in agent.channel():
                connected.set()
                if hear(event):
                    return

        async def pay() -> list[str]:
            return [(await agent.create_transfer(body))["data"]["id"] for _ in range(PAYMENTS // 4)]

        listening = asyncio.create_task(listen())
        await asyncio.wait_for(connected.wait(), 20)
        paid = await asyncio.gather(*(pay() for _ in range(4)))
        await asyncio.wait_for(listening, 60)
        report([id for some in paid for id in some], await agent.get_wallet(wallets["from_wallet_id"]))


if sys.argv[1] == "sync":
    in_threads()
else:
    asyncio.run(in_tasks())
