"""Commands on their way, until there is a word about each."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .errors import ClewError, error_of, line_failed, timed_out


@dataclass(frozen=True)
class Receipt:
    """What came of a command. It is on record."""

    id: str
    """The command's name. Sent again under it, it has no second effect."""
    repeat: bool = False
    """It had been taken before, or it changed nothing."""


class _Entry:
    def __init__(self, command_id: str, kind: str, frame: str, answer: str | None) -> None:
        self.id = command_id
        self.kind = kind
        self.frame = frame
        self.answer = answer  # for a question: the type that answers it
        self.line = 0  # the connection it was sent on last
        self.done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()


class Outbox:
    """A command has its id before it is sent. What has no answer when a connection breaks is
    sent again on the next one under the same id, so that it takes effect once."""

    def __init__(self, send: Callable[[str], bool], line: Callable[[], int]) -> None:
        self._send = send
        self._line = line  # tells connections apart
        self._entries: dict[str, _Entry] = {}

    async def put(
        self,
        kind: str,
        data: Mapping[str, Any] | None,
        command_id: str,
        *,
        answer: str | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Sends a command and waits: for its receipt, or for the data of its answer."""
        if command_id in self._entries:
            raise ClewError("INVALID_MESSAGE", f"the id {command_id} is in use", number=1003)
        frame = json.dumps({"type": kind, "message_id": command_id, "data": dict(data or {})})
        entry = _Entry(command_id, kind, frame, answer)
        self._entries[command_id] = entry
        self._say(entry)
        try:
            return await asyncio.wait_for(entry.done, timeout)
        except (TimeoutError, asyncio.TimeoutError):
            raise timed_out(f"no word about {kind} {command_id} within {timeout} s; it may have taken effect") from None
        finally:
            self._entries.pop(command_id, None)

    def say_again(self) -> None:
        """A new connection is in sync: what has no answer yet is sent on it."""
        for entry in list(self._entries.values()):
            if entry.line != self._line():
                self._say(entry)

    def confirm(self, command_id: str) -> None:
        """A command took effect; its records are in the state."""
        entry = self._entries.get(command_id)
        if entry is not None and entry.answer is None:
            self._finish(entry, Receipt(command_id))

    def settle(self, env: Mapping[str, Any]) -> None:
        """Looks whether an envelope is the word that a command waits for."""
        if not self._entries:
            return
        entry = self._entries.get(_named(env) or "") or self._by_type(env)
        if entry is None:
            return
        record = "message_id" in env
        if env["type"] == "error" and not record:
            self._fail(entry, error_of(env.get("data") or {}))
        elif entry.answer is not None:
            if env["type"] == entry.answer:
                self._finish(entry, env.get("data"))
        else:
            self._finish(entry, Receipt(entry.id, repeat=not record))

    def give_up(self, why: ClewError | None) -> None:
        """There will be no connection any more."""
        for entry in list(self._entries.values()):
            sent = "may have taken effect" if entry.line else "was not sent"
            cause = why.message if why else "the session was closed"
            error = line_failed(f"{entry.kind} {entry.id} {sent}: {cause}", recoverable=False)
            self._fail(entry, error)

    def _by_type(self, env: Mapping[str, Any]) -> _Entry | None:
        """A session_state does not name the command that asked for it."""
        if env["type"] != "session_state":
            return None
        return next((e for e in self._entries.values() if e.answer == "session_state"), None)

    def _say(self, entry: _Entry) -> None:
        if self._send(entry.frame):
            entry.line = self._line()

    @staticmethod
    def _finish(entry: _Entry, value: Any) -> None:
        if not entry.done.done():
            entry.done.set_result(value)

    @staticmethod
    def _fail(entry: _Entry, error: ClewError) -> None:
        if not entry.done.done():
            entry.done.set_exception(error)


def _named(env: Mapping[str, Any]) -> str | None:
    """The command that an envelope is about."""
    if "client_message_id" in env:
        return str(env["client_message_id"])
    data = env.get("data")
    if not isinstance(data, dict):
        return None
    context = data.get("context")
    within = context.get("client_message_id") if isinstance(context, dict) else None
    name = data.get("client_message_id") or within
    return str(name) if name else None
