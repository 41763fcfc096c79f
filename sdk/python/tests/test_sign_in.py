"""Signing in with an agent's Ed25519 key: once for many requests, again before the session ends, and again where it was ended."""

from __future__ import annotations

import base64
import time
from typing import Any
from unittest.mock import patch

import httpx
from agent_payments import AgentKey, ApiError
from agent_payments.flow import settled
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from .case import Case, for_both, hired


class Agent(Case):
    """An agent with a key."""

    made: Any

    @classmethod
    def setUpClass(cls) -> None:
        cls.made = hired()

    @property
    def agent_id(self) -> str:
        return str(self.made["data"]["id"])

    @property
    def secret(self) -> bytes:
        return base64.b64decode(self.made["authKey"]["privateKey"])

    def agent(self, private_key: Any = None, **options: Any) -> Any:
        return self.client(AgentKey(self.agent_id, private_key or self.made["authKey"]["privateKey"]), **options)

    def sign_ins(self) -> int:
        return sum(one.path.endswith("/authenticate") and one.status == 200 for one in self.wire.attempts)

    async def end_sessions(self) -> None:
        company = self.client()
        for session in (await settled(company.list_sessions(self.agent_id)))["data"]:
            await settled(company.revoke_session(self.agent_id, session["id"]))


class SignIn(Agent):
    async def test_happens_once_for_requests_at_the_same_moment_and_for_those_after_them(self) -> None:
        client = self.agent()
        answers = await self.together([client.get_me] * 3)
        await settled(client.get_me())
        self.assertEqual({answer["data"]["actor"]["id"] for answer in answers}, {self.agent_id})
        self.assertEqual(self.sign_ins(), 1)

    async def test_takes_a_key_of_64_bytes_its_seed_or_what_signs_for_it(self) -> None:
        seed = self.secret[:32]
        whole, half = base64.b64encode(self.secret).decode(), base64.b64encode(seed).decode()
        for key in (whole, half, Ed25519PrivateKey.from_private_bytes(seed).sign):
            self.assertEqual((await settled(self.agent(key).get_me()))["data"]["actor"]["id"], self.agent_id)
        for wrong in ("c2hvcnQ=", "no base64!", "-----BEGIN PRIVATE KEY-----"):
            with self.assertRaisesRegex(ValueError, "32 or 64 bytes"):
                self.agent(wrong)
        self.assertNotIn(self.made["authKey"]["privateKey"], repr(AgentKey(self.agent_id, self.made["authKey"]["privateKey"])))

    async def test_takes_what_signs_in_its_own_time(self) -> None:
        if not self.is_async:
            return

        async def sign(text: bytes) -> bytes:
            return Ed25519PrivateKey.from_private_bytes(self.secret[:32]).sign(text)

        self.assertEqual((await self.agent(sign).get_me())["data"]["actor"]["id"], self.agent_id)

    async def test_is_refused_with_another_key(self) -> None:
        error = await self.refused(self.agent(Ed25519PrivateKey.generate().sign).get_me, ApiError)
        self.assertEqual((error.status, error.code), (401, "signature_invalid"))

    async def test_survives_answers_that_are_lost_in_either_of_its_steps(self) -> None:
        self.wire.fates = ["lost"]
        await settled(self.agent().get_me())
        self.wire.attempts.clear()
        self.wire.fates = [None, "lost"]
        await settled(self.agent().get_me())
        self.assertEqual(self.wire.steps().count("challenge"), 2)

    async def test_that_is_put_off_by_a_limit_begins_with_another_challenge(self) -> None:
        self.wire.fates = [None, lambda: httpx.Response(429, json={}, headers={"Retry-After": "0"})]
        await settled(self.agent().get_me())
        self.assertEqual(self.wire.steps(), ["challenge", "authenticate", "challenge", "authenticate", "me"])

    async def test_that_is_refused_is_the_answer_to_every_call_that_waits_for_it(self) -> None:
        client = self.agent()
        self.wire.fates = [lambda: slowly(httpx.Response(429, json={"error": "rate_limit_exceeded"}, headers={"Retry-After": "600"}))]
        outcomes = await self.together([client.get_me, client.list_wallets])
        self.assertEqual([getattr(one, "status", one) for one in outcomes], [429, 429])
        self.assertEqual(len(self.wire.attempts), 1)


def slowly(response: httpx.Response) -> httpx.Response:
    """An answer that takes so long that the others have asked meanwhile."""
    time.sleep(0.2)
    return response


class Session(Agent):
    async def test_is_renewed_before_it_ends(self) -> None:
        client = self.agent()
        await settled(client.get_me())
        now = time.time()
        with patch("time.time", lambda: now + 3_550):
            await settled(client.get_me())
            self.assertEqual(self.sign_ins(), 2)
        with patch("time.time", lambda: now + 7_100):
            await self.together([client.get_me] * 20)
        self.assertEqual(self.sign_ins(), 3)
        self.assertNotIn(401, [attempt.status for attempt in self.wire.attempts])

    async def test_that_was_ended_is_followed_by_another_one(self) -> None:
        client = self.agent()
        await settled(client.get_me())
        await self.end_sessions()
        await self.together([client.get_me] * 2)
        self.assertEqual(self.sign_ins(), 2)

    async def test_that_ends_while_a_request_waits_for_its_turn_is_followed_by_one(self) -> None:
        client = self.agent()
        await settled(client.get_me())
        bearer, now = client._caller.bearer, time.time()
        old = bearer._last.token
        with patch("time.time", lambda: now + 3_550):
            turn = next(bearer.token())
        self.assertTrue(bearer.is_renewed(old, {"code": "session_expired"}))
        session = await settled(turn())
        self.assertNotEqual(session.token, old)

    async def test_of_a_suspended_agent_is_not(self) -> None:
        made = hired()
        client = self.client(AgentKey(made["data"]["id"], made["authKey"]["privateKey"]))
        await settled(client.get_me())
        await settled(self.client().suspend_agent(made["data"]["id"]))
        error = await self.refused(client.get_me, ApiError)
        self.assertEqual((error.status, error.code, self.sign_ins()), (403, "agent_suspended", 1))


load_tests = for_both(SignIn, Session)
