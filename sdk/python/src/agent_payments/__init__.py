"""The agent payments platform from Python: typed calls, sign-in, retries, pages, the agent channel, webhooks, and a transport that pays."""

from .async_client import AsyncClient
from .channel import ChannelEvent
from .client import Client
from .credential import AgentKey, Credential
from .error import ApiError, Error, InsufficientScope, NetworkError
from .paying import AsyncPayingTransport, PayingTransport
from .purse import Payment, PaymentError
from .signing import sign_request
from .webhook import WebhookAnswer, WebhookError, WebhookEvent, own_challenge, receive_webhook, verify_webhook

__all__ = [
    "AgentKey",
    "ApiError",
    "AsyncClient",
    "AsyncPayingTransport",
    "ChannelEvent",
    "Client",
    "Credential",
    "Error",
    "InsufficientScope",
    "NetworkError",
    "PayingTransport",
    "Payment",
    "PaymentError",
    "WebhookAnswer",
    "WebhookError",
    "WebhookEvent",
    "own_challenge",
    "receive_webhook",
    "sign_request",
    "verify_webhook",
]
