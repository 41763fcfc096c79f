"""sign_request() against the platform that verifies it."""

from __future__ import annotations

import base64
import unittest
from typing import Any

import httpx
from agent_payments import sign_request

from .case import COMPANY, URL, hired


def asked(request: httpx.Request) -> Any:
    """What the platform says about a request."""
    headers: dict[str, Any] = dict(request.headers)
    return COMPANY.verify_signature({"method": request.method, "url": str(request.url), "headers": headers})["data"]


class Signing(unittest.TestCase):
    def test_the_platform_knows_the_agent(self) -> None:
        made = hired()
        agent_id, key = made["data"]["id"], made["authKey"]["privateKey"]
        directory = f"{URL}/.well-known/http-message-signatures-directory/{agent_id}"
        digest = {"Content-Digest": "sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:"}
        seed = base64.b64encode(base64.b64decode(key)[:32]).decode()
        for request in (
            sign_request(httpx.Request("GET", "https://Shop.example:8443/of%20fers?sort=price"), key, directory),
            sign_request(httpx.Request("POST", "https://shop.example", headers=digest, content=b"{}"), seed, directory),
        ):
            said = asked(request)
            self.assertEqual((said["outcome"], said["profile"], said["agent_id"]), ("verified", "wba-01", agent_id))
        request.headers["Content-Digest"] = "sha-256=:AA==:"
        self.assertEqual(asked(request)["reason"], "bad_signature")

    def test_an_old_signature_has_expired(self) -> None:
        made = hired()
        directory = f"{URL}/.well-known/http-message-signatures-directory/{made['data']['id']}"
        old = sign_request(httpx.Request("GET", "https://shop.example/"), made["authKey"]["privateKey"], directory, now=1_700_000_000)
        self.assertEqual(asked(old)["reason"], "expired")

    def test_what_is_no_key_is_refused(self) -> None:
        with self.assertRaises(ValueError):
            sign_request(httpx.Request("GET", "https://shop.example/"), "AAAA", "https://pay.example/keys")
