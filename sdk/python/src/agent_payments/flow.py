"""Runs the same code in threads and in asyncio.

A flow is a generator. It yields a callable for each operation that may block, and is sent the result. `run` calls the callable;
`run_async` also awaits what it returns. So the rules of the client are written once, and only the blocking operations (ways.py) exist
twice.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Callable, Generator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Given(Generic[T]):
    """An item that the flow yields to its caller."""

    item: T


Wait = Callable[[], Any]
"""A blocking operation. The flow is sent its result, or the result of the awaitable that it returns."""

Flow = Generator[Wait, Any, T]
"""A flow that ends with a result."""

ItemFlow = Generator[Wait | Given[T], Any, None]
"""A flow that yields items."""


def run(flow: Flow[T]) -> T:
    """Runs a flow in the calling thread and returns its result."""
    try:
        wait = next(flow)
        while True:
            try:
                told = wait()
            except Exception as error:
                wait = flow.throw(error)
            else:
                wait = flow.send(told)
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        flow.close()


async def run_async(flow: Flow[T]) -> T:
    """Runs a flow in asyncio and returns its result."""
    try:
        wait = next(flow)
        while True:
            try:
                told = await settled(wait())
            except Exception as error:
                wait = flow.throw(error)
            else:
                wait = flow.send(told)
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        flow.close()


def iterate(flow: ItemFlow[T]) -> Generator[T, None, None]:
    """Runs a flow in the calling thread and yields its items."""
    try:
        step = next(flow)
        while True:
            try:
                told = None
                if isinstance(step, Given):
                    yield step.item
                else:
                    told = step()
            except Exception as error:
                step = flow.throw(error)
            else:
                step = flow.send(told)
    except StopIteration:
        return
    finally:
        flow.close()


async def iterate_async(flow: ItemFlow[T]) -> AsyncGenerator[T, None]:
    """Runs a flow in asyncio and yields its items."""
    try:
        step = next(flow)
        while True:
            try:
                told = None
                if isinstance(step, Given):
                    yield step.item
                else:
                    told = await settled(step())
            except Exception as error:
                step = flow.throw(error)
            else:
                step = flow.send(told)
    except StopIteration:
        return
    finally:
        flow.close()


async def settled(value: Any) -> Any:
    """The value, or the result of the awaitable."""
    return await value if inspect.isawaitable(value) else value
