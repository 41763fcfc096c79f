"""What a type checker says of calls. It is checked and not run: a comment that ignores an error which is none is an error itself."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, assert_type

from agent_payments import ApiError, AsyncClient, Client
from agent_payments.schema import Data, DryRun, ErrorCode, NextAction, Submitted, Transfer

client, other = Client("http://localhost"), AsyncClient("http://localhost")

assert_type(client.get_transfer("1"), Data[Transfer])
coroutine: Coroutine[Any, Any, Data[Transfer]] = other.get_transfer("1")
client.get_transfer()  # type: ignore[call-arg]
client.get_transfer("1")["data"]["amuont"]  # type: ignore[typeddict-item]
client.create_account({"type": "business", "nam": "Acme"})  # type: ignore[typeddict-item]
client.list_transfers(status="done")  # type: ignore[arg-type]
client.each(client.list_transfers, wallet="1")  # type: ignore[call-arg]
for entry in client.each(client.list_wallet_entries, "1", limit=2):
    assert_type(entry["amount"], str)


def spend(body: Any) -> None:
    assert_type(client.create_transfer(body), Submitted[Transfer])
    assert_type(client.create_transfer(body, dry_run=True), Data[DryRun])


def told(error: ApiError) -> list[NextAction]:
    code: ErrorCode | str = error.code
    return error.next_actions if code == "insufficient_balance" else []
