"""Signs the requests that an agent sends to others, by Web Bot Auth (draft-ietf-webbotauth-httpsig-protocol-01).

Who gets one can ask the platform whose it is, with `POST /v1/signatures/verify`, or read the keys of the agent themselves.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
import time

import httpx
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from .credential import private_key_of

LABEL = "sig1"


def sign_request(
    request: httpx.Request, private_key: str, directory: str, *, seconds: int = 300, now: float | None = None
) -> httpx.Request:
    """Adds `Signature-Agent`, `Signature-Input` and `Signature` to the request, and returns it.

    Its method, host and path are signed, and `Content-Digest` where it has one; a nonce lets a receiver take it once. `private_key` is
    the `authKey.privateKey` of the agent in base64. `directory` is the address of its keys on the platform: its origin,
    `/.well-known/http-message-signatures-directory/`, and the id of the agent. The signature counts for `seconds` after `now`, which is
    in seconds since 1970. Raises ValueError for a key that is none.
    """
    key = private_key_of(private_key)
    agent = f'"{directory}"'
    parts = [
        ('"@method"', request.method),
        ('"@authority"', request.url.netloc.decode("ascii").lower()),
        ('"@path"', request.url.raw_path.decode("ascii").partition("?")[0]),
        (f'"signature-agent";key="{LABEL}"', agent),
    ]
    if "Content-Digest" in request.headers:
        parts.append(('"content-digest"', request.headers["Content-Digest"]))
    x = _base64url(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))
    key_id = _base64url(hashlib.sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}'.encode()).digest())
    created = int(time.time() if now is None else now)
    covered = " ".join(name for name, _ in parts)
    signed = f'({covered});created={created};expires={created + seconds};keyid="{key_id}";alg="ed25519"'
    signed += f';nonce="{base64.b64encode(secrets.token_bytes(32)).decode()}";tag="web-bot-auth"'
    base = "\n".join(f"{name}: {value}" for name, value in [*parts, ('"@signature-params"', signed)])
    request.headers["Signature-Agent"] = f"{LABEL}={agent}"
    request.headers["Signature-Input"] = f"{LABEL}={signed}"
    request.headers["Signature"] = f"{LABEL}=:{base64.b64encode(key.sign(base.encode())).decode()}:"
    return request


def _base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
