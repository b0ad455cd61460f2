"""A connection to one session: commands go out, envelopes come in."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Literal

from .errors import line_failed
from .link import Connection, Link
from .outbox import Outbox, Receipt
from .server import Server, new_id, path_of
from .signal import Signal
from .types import CommandType, View

Query = Literal[
    "get_messages",
    "rewind_preview",
    "delete_message",
    "edit_message",
    "checkpoint_diff",
    "get_state",
    "export_settings",
    "test_browser_connection",
]

# The answers whose type is not the question's own.
_ANSWERS = {
    "get_messages": "messages_page",
    "delete_message": "rewind_preview",
    "edit_message": "rewind_preview",
    "get_state": "session_state",
}

# What is about the connection itself; the filter of monitors would leave holes in the state.
_OWN = ("auth", "pong", "subscribe_monitor")


class Channel:
    """What a session and a stream of records have in common. What is made of the envelopes is
    up to each. Use it from the event loop it was connected in."""

    view: View

    def __init__(self, server: Server, session_id: str, client_id: str | None) -> None:
        self.id = session_id
        self.client_id = client_id or new_id()
        self._server = server
        self._changed = Signal()
        self._synced = False
        self._link = Link(self, server.patience)
        self._outbox = Outbox(self._send, lambda: self._link.line)

    def _send(self, frame: str) -> bool:
        """What is sent before the connection is in sync may be in the whole state that comes at
        the start, which names no commands: nobody would hear that it took effect."""
        return self._synced and self._link.send(frame)

    @property
    def connection(self) -> Connection:
        return self._link.connection

    async def connect(self) -> None:
        """Connects, returns when the past is in, and stays connected as far as it can. Raises
        ClewError if there is no point in trying. If it is cancelled, nothing goes on."""
        ours = self.connection.state in ("failed", "disconnected")
        self._link.start()
        try:
            while not self._synced:
                changed = self._changed.next
                if self.connection.state in ("failed", "disconnected"):
                    raise self.connection.error or line_failed("the session was disconnected")
                await changed.wait()
        except asyncio.CancelledError:
            if ours:  # nobody else knows of it
                await self.close()
            raise

    async def close(self) -> None:
        """Ends the connection. Commands without an answer fail; they may have taken effect."""
        await self._link.stop()

    async def send(
        self,
        type: CommandType,
        data: Mapping[str, Any] | None = None,
        *,
        id: str | None = None,
        timeout: float | None = None,
    ) -> Receipt:
        """Sends a command and waits until it is on record. It goes under an id that is made
        before, or is yours. If the connection breaks it is sent again under the same id, so it
        takes effect once. A refusal raises the server's error."""
        if type in _OWN:
            raise ValueError(f"{type} is the connection's own")
        self._check_open()
        receipt: Receipt = await self._outbox.put(type, data, id or new_id(), timeout=timeout)
        return receipt

    async def query(self, type: Query, data: Mapping[str, Any] | None = None, *, timeout: float | None = None) -> Any:
        """Asks for what is answered to this client alone, and gives the data of the answer."""
        self._check_open()
        ui = type == "get_state" and (data or {}).get("scope") == "ui"
        answer = "state" if ui else _ANSWERS.get(type, type)
        return await self._outbox.put(type, data, new_id(), answer=answer, timeout=timeout)

    def _check_open(self) -> None:
        if self.connection.state in ("failed", "disconnected"):
            raise line_failed("the session is not connected", recoverable=False)

    # What the link asks for.

    def _resume(self) -> dict[str, str]:
        raise NotImplementedError

    async def _take(self, env: dict[str, Any]) -> None:
        raise NotImplementedError

    def progress(self) -> int:
        raise NotImplementedError

    def opened(self) -> None:
        pass

    async def target(self) -> tuple[str, dict[str, str]]:
        query = {"client_id": self.client_id, "view": self.view, **self._resume()}
        return await self._server.socket(path_of("ws", self.id), query)

    def renewable(self) -> bool:
        return self._server.renewable

    async def envelope(self, env: dict[str, Any]) -> None:
        await self._take(env)
        if env["type"] == "sync_complete":
            self._synced = True
            self._link.synced()
            self._outbox.say_again()
        self._outbox.settle(env)
        self._changed.fire()

    def changed(self, connection: Connection) -> None:
        if connection.state != "active":
            self._synced = False
        if connection.state in ("failed", "disconnected"):
            self._outbox.give_up(connection.error)
        self._changed.fire()
