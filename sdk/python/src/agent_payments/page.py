"""Lists that come in pages, as one sequence.

Pages are read by cursor, which has a constant cost, or by number if the caller starts with a number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from .flow import Given, ItemFlow


def items(call: Callable[..., Any], *args: Any, **query: Any) -> ItemFlow[Any]:
    """Yields every item of a list from where the query begins. `call` reads one page, when its items are needed."""
    following: dict[str, Any] | None = query
    while following is not None:
        page = yield partial(call, *args, **following)
        for item in page["data"]:
            yield Given(item)
        following = _next(following, page["pagination"])


def _next(query: dict[str, Any], pagination: Mapping[str, Any]) -> dict[str, Any] | None:
    """The query of the next page; None after the last."""
    if pagination.get("has_more") is not True:
        return None
    if query.get("page") is None and "next_cursor" in pagination:
        return {**query, "starting_after": pagination["next_cursor"]}
    return {**query, "page": pagination["page"] + 1}
