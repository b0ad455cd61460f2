"""What connections need to know of their server."""

from __future__ import annotations

import asyncio
import inspect
import json
import random
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Union
from urllib.parse import quote, urlencode

from . import rest
from .ending import temporary
from .errors import ClewError
from .link import Patience
from .local import Place

Token = Union[str, Callable[[], Union[str, Awaitable[str]]], None]


def new_id() -> str:
    """A new name for a command or a client."""
    return secrets.token_hex(16)


class Server:
    """The way to a server. ``find`` is asked before each connection: one that was started
    again may listen elsewhere, and a token may have been renewed."""

    def __init__(self, find: Callable[[], Awaitable[Place]], *, renewable: bool, patience: Patience) -> None:
        self.find = find
        self.renewable = renewable
        self.patience = patience

    async def socket(self, path: str, query: Mapping[str, str]) -> tuple[str, dict[str, str]]:
        """Address and headers of a WebSocket."""
        place = await self.find()
        url = f"ws{place.url.removeprefix('http')}{path}?{urlencode(query)}"
        headers = {"Authorization": f"Bearer {place.token}"} if place.token else {}
        return url, headers

    async def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, Any] | None = None,
        timeout: float = 30.0,
    ) -> Any:
        """Calls a route below /api/v1. Gives its JSON, or None if it says nothing."""
        place = await self.find()
        answer = await rest.request(method, place.url, path, token=place.token, body=body, query=query, timeout=timeout)
        return json.loads(answer) if answer else None

    async def download(self, path: str, *, timeout: float = 30.0) -> bytes:
        """Gives what is at a route below /api/v1, as it is."""
        place = await self.find()
        return await rest.request("GET", place.url, path, token=place.token, timeout=timeout)

    async def patient(self, call: Callable[[], Awaitable[Any]]) -> Any:
        """Does what may be done twice, again and again, while the server is away."""
        retries = 0
        while True:
            try:
                return await call()
            except ClewError as e:
                if not temporary(e) or retries >= self.patience.retry.max_retries:
                    raise
            await asyncio.sleep(self.patience.retry.delay(retries, random.random()))
            retries += 1


def fixed(url: str, token: Token, *, sees_files: bool) -> Callable[[], Awaitable[Place]]:
    """A server at an address. A token that is a function is asked for each time."""

    async def find() -> Place:
        value = token() if callable(token) else token
        if inspect.isawaitable(value):
            value = await value
        return Place(url, value, sees_files)

    return find


def path_of(*parts: str) -> str:
    return "".join("/" + quote(p, safe="") for p in parts)
