"""Keeping one WebSocket open."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import random
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from .ending import Ending, closed, refused, temporary
from .errors import ClewError, Close, error_of, line_failed, timed_out
from .position import ProtocolFault
from .retry import LONGEST_WAIT, Retry

ConnectionState = Literal["disconnected", "connecting", "connected", "active", "reconnecting", "failed"]

# A state with long messages may be large; the server bounds it.
_LARGEST_FRAME = 64 << 20


@dataclass(frozen=True)
class Connection:
    """How a connection stands.

    ``disconnected``: not connected, and not trying. ``connecting``: the first attempt is under
    way. ``connected``: open, the past is coming in. ``active``: in sync and live.
    ``reconnecting``: it broke and is being opened again. ``failed``: given up; ``error`` says
    why.
    """

    state: ConnectionState = "disconnected"
    attempt: int = 0
    """Attempts since the connection was good; 0 while it is."""
    next_retry: float | None = None
    """The wait before the next attempt, in seconds."""
    error: ClewError | None = None


@dataclass(frozen=True)
class Patience:
    """How long and how often is waited. Times are in seconds."""

    retry: Retry = field(default_factory=Retry)
    silence: float = 60.0
    """Silence after which a connection counts as broken."""
    open_timeout: float = 10.0
    """How long a connection may take to open."""


class LinkUser(Protocol):
    """What a link needs of whoever uses it."""

    async def target(self) -> tuple[str, dict[str, str]]:
        """The address, with its query, and the headers of the next connection."""

    def renewable(self) -> bool:
        """Whether new credentials can be had."""

    def opened(self) -> None:
        """A connection is open; nothing has been said yet."""

    async def envelope(self, env: dict[str, Any]) -> None:
        """Takes an envelope. Raises ProtocolFault for what cannot be right."""

    def changed(self, connection: Connection) -> None:
        """The connection stands otherwise."""

    def progress(self) -> int:
        """A figure that grows as the client gets further."""


class _Connect(connect):
    """Follows no redirect: credentials go where they were meant to, and nowhere else."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


class Link:
    """Opens a connection again when it breaks, notices when it is dead, and gives up when
    there is no point. What is said over it is not its business, but for ping and for errors
    before a close. One task owns it: ``_run``."""

    def __init__(self, user: LinkUser, patience: Patience) -> None:
        self.connection = Connection()
        self.line = 0  # counts connections
        self._user = user
        self._patience = patience
        self._task: asyncio.Task[None] | None = None
        self._out: asyncio.Queue[str] | None = None  # of the open connection
        self._retries = 0
        self._heard = 0.0
        self._silent = False

    def start(self) -> None:
        """Begins. Does nothing if it is under way."""
        if self._task is not None and not self._task.done():
            return
        self._retries = 0
        self._say("connecting")
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """Ends, and stays so."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        if self.connection.state != "disconnected":
            self._say("disconnected")

    def send(self, frame: str) -> bool:
        """Hands a frame to the open connection. False if there is none."""
        if self._out is None:
            return False
        self._out.put_nowait(frame)
        return True

    def synced(self) -> None:
        """The past is in: the connection is good."""
        self._retries = 0
        self._say("active")

    async def _run(self) -> None:
        try:
            await self._keep()
        except Exception as e:  # such as one of the function that gives a token
            error = line_failed(f"{type(e).__name__}: {e}", recoverable=False)
            error.__cause__ = e
            self._say("failed", error=error)

    async def _keep(self) -> None:
        """Opens connections until there is no point."""
        ever_open = False
        while True:
            retries, progress = self._retries, self._user.progress()
            ending = await self._once()
            ever_open = ever_open or self.line > 0
            if ending.fault and self._user.progress() == progress:
                # A server that greets well and then sends nonsense must not be asked for ever.
                self._retries = retries
            if ending.error is None:
                self._say("disconnected")
                return
            # A server that says when to come again is not lost: that is no failure to count.
            invited = ending.error.code == "RATE_LIMITED" and ending.error.retry_after_ms is not None
            if ending.final or (self._retries >= self._patience.retry.max_retries and not invited):
                self._say("failed", attempt=self._retries, error=ending.error)
                return
            wait = self._wait(ending)
            if not invited:
                self._retries += 1
            state: ConnectionState = "reconnecting" if ever_open else "connecting"
            self._say(state, attempt=self._retries, next_retry=wait, error=ending.error)
            await asyncio.sleep(wait)

    def _wait(self, ending: Ending) -> float:
        if ending.at_once and self._retries == 0:
            usual = 0.0
        else:
            usual = self._patience.retry.delay(self._retries, random.random())
        asked = ((ending.error.retry_after_ms if ending.error else 0) or 0) / 1000
        return max(usual, min(asked, LONGEST_WAIT))

    async def _once(self) -> Ending:
        """One connection, from its opening to its end."""
        try:
            url, headers = await self._user.target()
            ws = await _Connect(
                url,
                additional_headers=headers,
                open_timeout=self._patience.open_timeout,
                close_timeout=2,
                ping_interval=None,  # the server asks; silence is watched here
                max_size=_LARGEST_FRAME,
                compression=None,
                proxy=None if this_machine(url) else True,
            )
        except ClewError as e:
            return Ending(e, final=not temporary(e))
        except InvalidStatus as e:
            r = e.response
            error = refused(r.status_code, r.headers, bytes(r.body or b""))
            return Ending(error, final=not temporary(error))
        except (OSError, asyncio.TimeoutError, WebSocketException) as e:
            return Ending(line_failed(f"the connection could not be opened: {e or type(e).__name__}"))
        try:
            return await self._talk(ws)
        finally:
            await ws.close(1000, "BYE")

    async def _talk(self, ws: ClientConnection) -> Ending:
        out = self._out = asyncio.Queue()
        self.line += 1
        self._silent = False
        self._heard = asyncio.get_running_loop().time()
        helpers = [asyncio.ensure_future(c) for c in (_write(ws, out), self._watch(ws))]
        said: ClewError | None = None
        try:
            self._say("connected")
            self._user.opened()
            while True:
                frame = await ws.recv()
                self._heard = asyncio.get_running_loop().time()
                said = await self._frame(frame)
        except ConnectionClosed as e:
            if self._silent:
                return Ending(timed_out(f"nothing was heard for {self._patience.silence:g} s"))
            close = Close(e.rcvd.code, e.rcvd.reason) if e.rcvd else Close(1006, "")
            return closed(close, said, self._user.renewable())
        except ProtocolFault as e:
            return Ending(line_failed(f"the server sent what cannot be right: {e}"), fault=True)
        finally:
            self._out = None
            for helper in helpers:
                helper.cancel()
            await asyncio.wait(helpers)

    async def _frame(self, frame: str | bytes) -> ClewError | None:
        """Takes a frame. Gives the error that it reports about the connection, if it does."""
        try:
            env = json.loads(frame)
            kind = env["type"]
        except (ValueError, TypeError, LookupError):
            raise ProtocolFault("a frame is not an envelope") from None
        if kind == "ping":
            self.send('{"type":"pong"}')
        try:
            await self._user.envelope(env)
        except (LookupError, TypeError, ValueError, AttributeError) as e:
            raise ProtocolFault(f"{kind} is not as it should be: {e!r}") from e
        if kind == "error" and "message_id" not in env:
            return error_of(env.get("data") or {})
        return None

    async def _watch(self, ws: ClientConnection) -> None:
        """Gives a connection up that says nothing for too long."""
        while True:
            now = asyncio.get_running_loop().time()
            rest = self._heard + self._patience.silence - now
            if rest <= 0:
                self._silent = True
                ws.transport.abort()
                return
            await asyncio.sleep(rest)

    def _say(
        self,
        state: ConnectionState,
        *,
        attempt: int = 0,
        next_retry: float | None = None,
        error: ClewError | None = None,
    ) -> None:
        self.connection = Connection(state, attempt, next_retry, error)
        self._user.changed(self.connection)


async def _write(ws: ClientConnection, out: asyncio.Queue[str]) -> None:
    with suppress(ConnectionClosed):  # the reader says how it ended
        while True:
            await ws.send(await out.get())


def this_machine(url: str) -> bool:
    """An address of this machine is reached without a proxy."""
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name, also one such as 127.0.0.1.example.org
        return False
