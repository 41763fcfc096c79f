"""Calls every operation of a list, and prints what became of each: `python -m tests.every_operation list.json`.

The list has `{"method", "arguments", "keywords"}` for each.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import httpx
from agent_payments import ApiError, Client

from .case import KEY, URL
from .wire import Wire

wire = Wire()
client = Client(URL, KEY, retry_for=0, http=httpx.Client(transport=wire))
outcomes = []
for asked in json.loads(Path(sys.argv[1]).read_text()):
    status, message = 200, ""
    try:
        getattr(client, asked["method"])(*asked["arguments"], **asked["keywords"])
    except ApiError as error:
        status, message = error.status, str(error)
    attempt = wire.attempts[-1]
    sent = {"method": attempt.method, "path": attempt.path, "key": attempt.key}
    outcomes.append({"status": status, "message": message, **sent})
print(json.dumps(outcomes))
