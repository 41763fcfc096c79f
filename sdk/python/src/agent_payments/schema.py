"""The types of what is sent and answered: a TypedDict for every schema of the API document."""

from .generated.schema import *  # noqa: F403
