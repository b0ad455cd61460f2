"""How a connection, or an attempt at one, ended, and what follows from it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import ClewError, Close, error_of, line_failed

_NEVER_AGAIN = {1000, 1002, 1003, 1007, 1009}


@dataclass(frozen=True)
class Ending:
    error: ClewError | None = None  # None: nothing went wrong, and nobody wants it back
    final: bool = False  # trying again cannot help
    at_once: bool = False  # there is no need to wait
    fault: bool = False  # the server sent what cannot be right


def closed(close: Close, said: ClewError | None, renewable: bool) -> Ending:
    """Reads how a server closed a connection. ``said`` is the error it reported right before;
    ``renewable`` says that new credentials can be had."""
    if close.code == 1000 and close.reason != "TAKEN_OVER":
        return Ending()
    return Ending(
        error=_error(close, said),
        final=_is_final(close, renewable),
        at_once=close.reason in ("TOO_SLOW", "TOKEN_EXPIRED"),
    )


def refused(status: int, headers: Mapping[str, str], body: bytes) -> ClewError:
    """Reads why a server answered a request with an error of HTTP."""
    try:
        problem: Any = json.loads(body)["error"]
        error = error_of(problem if "code" in problem else {}, status=status)
    except (ValueError, TypeError, LookupError):
        code = "UNAVAILABLE" if status >= 500 else "INVALID_MESSAGE"
        error = ClewError(code, f"the server answered {status}", status=status, recoverable=status >= 500)
    after = headers.get("Retry-After", "")
    if error.retry_after_ms is None and after.isdecimal():
        error.retry_after_ms = int(after) * 1000
    return error


def temporary(error: ClewError) -> bool:
    """Whether the same request may succeed later."""
    s = error.status
    return error.recoverable if s is None else s >= 500 or s in (408, 429)


def _is_final(close: Close, renewable: bool) -> bool:
    if close.code in _NEVER_AGAIN:
        return True
    if close.code == 1008:
        new_token = close.reason == "TOKEN_EXPIRED" and renewable
        return not (close.reason == "RATE_LIMITED" or new_token)
    return close.code == 1011 and close.reason == "SESSION_DAMAGED"


def _error(close: Close, said: ClewError | None) -> ClewError:
    """Gives the close a code: that of its reason, else that of the error before it."""
    code, reason = close
    if said is not None and reason in (said.code, ""):
        said.close = close
        return said
    if reason == "" or code == 1006:
        return line_failed("the connection broke", close=close)
    if reason == "TAKEN_OVER":
        return line_failed("another connection of this client took over", close=close, recoverable=False)
    words = f"the server ended the connection: {reason}"
    if reason in ("STOPPING", "TOO_SLOW"):
        return line_failed(words, close=close)
    again = code == 1011 or reason in ("RATE_LIMITED", "TOKEN_EXPIRED")
    return ClewError(reason, words, close=close, recoverable=again)
