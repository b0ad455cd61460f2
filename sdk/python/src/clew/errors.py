"""The one error of this package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Close(NamedTuple):
    """How the server closed a connection."""

    code: int
    reason: str


class ClewError(Exception):
    """What went wrong.

    Programs go by ``code``; ``message`` is for people. Codes are those of the server
    (PROTOCOL.md, section 11). This side adds CONNECTION_FAILED and CONNECTION_TIMEOUT for
    what it finds by itself.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        number: int | None = None,
        recoverable: bool = False,
        suggested_action: str | None = None,
        retry_after_ms: int | None = None,
        status: int | None = None,
        close: Close | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.number = number
        self.recoverable = recoverable
        self.suggested_action = suggested_action
        self.retry_after_ms = retry_after_ms
        self.status = status  # of HTTP, if the error came by HTTP
        self.close = close  # if the server closed the connection
        self.context = context


def error_of(data: Mapping[str, Any], *, status: int | None = None, close: Close | None = None) -> ClewError:
    """Makes an error of what a server reported."""
    return ClewError(
        str(data.get("code", "INTERNAL")),
        str(data.get("message", "the server reported an error")),
        number=data.get("number"),
        recoverable=bool(data.get("recoverable")),
        suggested_action=data.get("suggested_action"),
        retry_after_ms=data.get("retry_after_ms"),
        status=status,
        close=close,
        context=data.get("context"),
    )


def line_failed(message: str, *, recoverable: bool = True, close: Close | None = None) -> ClewError:
    """The connection is down."""
    return ClewError(
        "CONNECTION_FAILED",
        message,
        number=1001,
        recoverable=recoverable,
        suggested_action="reconnect",
        close=close,
    )


def timed_out(message: str) -> ClewError:
    """Nothing came in time."""
    return ClewError(
        "CONNECTION_TIMEOUT",
        message,
        number=1002,
        recoverable=True,
        suggested_action="reconnect",
    )
