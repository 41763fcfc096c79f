"""verify_webhook() against the published vectors, and against what the platform signs (SIGNED)."""

from __future__ import annotations

import json
import os
import unittest
from pathlib import Path
from typing import Any

from agent_payments import WebhookError, own_challenge, receive_webhook, verify_webhook

VECTORS = json.loads((Path(__file__).parents[3] / "test/vectors/webhooks/stripe_style_t_v1.json").read_text())
SIGNED = json.loads(os.environ["SIGNED"])
"""`body`, `at`, `headers` by the secrets that signed it, and `challenges` by theirs."""
BODY, AT, SECRET = SIGNED["body"], SIGNED["at"], "whsec_0123456789"
EVENT = json.loads(BODY)


def reason(*given: Any, now: float = AT, **options: Any) -> object:
    """The event, or why there is none."""
    try:
        return verify_webhook(*given, now=now, **options)
    except WebhookError as error:
        return error.reason


class Verify(unittest.TestCase):
    def test_takes_what_the_platform_signs_as_text_and_as_bytes(self) -> None:
        header = SIGNED["headers"][SECRET]
        self.assertEqual(reason(BODY, header, SECRET), EVENT)
        self.assertEqual(reason(BODY.encode(), header, SECRET), EVENT)

    def test_takes_every_published_vector_whose_body_is_an_event(self) -> None:
        self.assertEqual(len(VECTORS["vectors"]), 3)
        for vector in VECTORS["vectors"]:
            secret = vector.get("secret") or vector["secrets"][0]
            body = json.loads(vector["body"])
            found = reason(vector["body"], vector["header"], secret, now=vector["timestamp"])
            self.assertEqual(found["id"] if isinstance(found, dict) else found, body["id"] if "type" in body else "no_event")

    def test_takes_either_secret_during_a_rotation(self) -> None:
        header = SIGNED["headers"]["whsec_new,whsec_old"]
        for known in ("whsec_new", "whsec_old", ["whsec_other", "whsec_old"]):
            self.assertEqual(reason(BODY, header, known), EVENT)

    def test_refuses_another_time_body_secret_or_header(self) -> None:
        header = SIGNED["headers"][SECRET]
        self.assertEqual(reason(BODY, header, SECRET, now=AT + 300), EVENT)
        self.assertEqual(reason(BODY, header, SECRET, now=AT + 301), "too_old")
        self.assertEqual(reason(BODY, header, SECRET, now=AT - 301), "too_old")
        self.assertEqual(reason(BODY, header, SECRET, tolerance=float("nan")), "too_old")
        self.assertEqual(reason(f"{BODY} ", header, SECRET), "wrong_signature")
        self.assertEqual(reason(BODY, header, "whsec_other"), "wrong_signature")
        self.assertEqual(reason(BODY, header.replace(f"t={AT}", f"t={AT + 1}"), SECRET), "wrong_signature")
        self.assertEqual(reason(BODY, None, SECRET), "no_header")
        self.assertGreater(len(VECTORS["must_reject"]), 3)
        for wrong in VECTORS["must_reject"]:
            self.assertIn(reason(BODY, wrong, SECRET), ("bad_header", "wrong_signature", "too_old", "no_header"), wrong)
        self.assertEqual(reason("[]", SIGNED["list"], SECRET), "no_event")

    def test_takes_nothing_without_a_secret(self) -> None:
        for none in ("", ["whsec_new", ""]):
            with self.assertRaises(ValueError):
                verify_webhook(BODY, SIGNED["headers"][""], none, now=AT)
        self.assertEqual(reason(BODY, SIGNED["headers"][""], []), "wrong_signature")


def asked(challenge: object) -> str:
    return json.dumps({"id": "evt_1", "type": "webhook.verification", "timestamp": "", "data": {"challenge": challenge}})


class Receive(unittest.TestCase):
    def test_answers_a_challenge_of_its_own_subscription_by_any_of_its_secrets(self) -> None:
        for signed, secret in ((SECRET, SECRET), (SECRET, ["whsec_old", SECRET]), ("whsec_new,whsec_old", "whsec_old")):
            challenge = SIGNED["challenges"][signed]
            answer = receive_webhook(asked(challenge).encode(), None, secret)
            self.assertEqual((answer.status, json.loads(answer.body), answer.event), (200, {"challenge": challenge}, None))

    def test_answers_none_of_a_stranger_and_returns_nothing_that_anybody_sends(self) -> None:
        own = SIGNED["challenges"]
        for challenge in (own["whsec_new,whsec_old"], own[""], "x", "<script>", f"{own[SECRET]}0", f"{own[SECRET]}\n", None, {"a": 1}):
            answer = receive_webhook(asked(challenge), None, SECRET)
            self.assertEqual((answer.status, answer.body), (400, '{"error": "no_header"}'))
        self.assertIsNone(own_challenge(asked(own[""]), ""))
        self.assertIsNone(own_challenge(BODY, SECRET))

    def test_gives_a_signed_event_and_refuses_others(self) -> None:
        header = SIGNED["headers"][SECRET]
        answer = receive_webhook(BODY, header, SECRET, now=AT)
        self.assertEqual((answer.status, answer.body, answer.event), (200, "", EVENT))
        refused = receive_webhook(BODY, header, "whsec_other", now=AT)
        self.assertEqual((refused.status, refused.event), (400, None))
