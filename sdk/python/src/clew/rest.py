"""Requests over HTTP."""

from __future__ import annotations

import asyncio
import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from .ending import refused
from .errors import line_failed
from .link import this_machine


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Credentials go where they were meant to, and nowhere else."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _send(method: str, url: str, headers: dict[str, str], body: bytes | None, timeout: float) -> bytes:
    proxies: dict[str, str] | None = {} if this_machine(url) else None
    opener = urllib.request.build_opener(urllib.request.ProxyHandler(proxies), _NoRedirect())
    request = urllib.request.Request(url, data=body, headers=headers, method=method)
    try:
        try:
            with opener.open(request, timeout=timeout) as response:
                answer: bytes = response.read()
                return answer
        except urllib.error.HTTPError as e:
            with e:
                raise refused(e.code, dict(e.headers.items()), e.read()) from None
    except (OSError, ValueError, http.client.HTTPException) as e:  # the last: it broke off
        reason = getattr(e, "reason", None) or e
        raise line_failed(f"the server at {url} cannot be reached: {reason}") from None


async def request(
    method: str,
    base_url: str,
    path: str,
    *,
    token: str | None,
    body: Any = None,
    query: Mapping[str, Any] | None = None,
    timeout: float,
) -> bytes:
    """Calls a route below /api/v1; ``path`` begins with a slash. Every refusal is a ClewError."""
    url = f"{base_url}/api/v1{path}"
    if query:
        url += "?" + urlencode(query, doseq=True)
    headers = {"Accept": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = None
    if body is not None:
        headers["Content-Type"] = "application/json"
        data = json.dumps(body).encode()
    return await asyncio.to_thread(_send, method, url, headers, data, timeout)
