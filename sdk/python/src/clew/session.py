"""A live session."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import Any, cast

from .answer import Answer, command_of
from .ask import Asking, OnQuestion
from .channel import Channel
from .errors import ClewError, line_failed
from .notebook import Notebook
from .outbox import Receipt
from .position import id_of, seq_of
from .server import Server, path_of
from .state import State
from .types import ConnectedData, Message, MessagesPage, Question, StateChangedData, TextData, UserMessageData

_PAGE = 100  # messages that are fetched at once: each may have 64 KiB


class Session(Channel):
    """A session: its connection, its state, and what can be said to it.

    ``async with client.session(id) as s`` connects it. Broken connections and restarted
    servers are not noticed but by a wait; ``connection`` says how it stands.
    """

    view = "state"

    def __init__(
        self, server: Server, session_id: str, *, client_id: str | None = None, message_limit: int = 20_000
    ) -> None:
        super().__init__(server, session_id, client_id)
        self.state = State(message_limit)
        self.role: str = ""
        """What the caller may do in it: viewer, approver, owner or admin."""
        self._epoch = ""
        self._opening = asyncio.Lock()
        self._asks = 0  # under way, on a connection that one of them opened

    async def __aenter__(self) -> Session:
        await self.connect()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def synced(self) -> bool:
        """The state is that of now. False while there is no connection."""
        return self._synced

    def ask(
        self,
        text: str,
        *,
        on_question: OnQuestion | None = None,
        timeout: float | None = None,
        cancel_on_exit: bool = False,
        message: UserMessageData | Mapping[str, Any] | None = None,
    ) -> Asking:
        """Gives the agent something to do.

        ``await`` it for the result, or loop over it with ``async for``: its words, its tool
        calls, its questions, and at the end the result. Leaving the loop stops following, not
        the work, unless ``cancel_on_exit`` is set; then use ``async with`` around the loop.
        Broken connections and killed servers do not end it, and nothing is told twice. It
        connects the session if nobody did, and then disconnects it at its end.

        ``on_question`` answers questions; what it does not answer waits for somebody else.
        ``timeout`` is in seconds. ``message`` says more about the message: its mode, its images,
        its budget.
        """
        return Asking(
            self, text, on_question=on_question, timeout=timeout, cancel_on_exit=cancel_on_exit, message=message
        )

    async def answer(self, question: Question, answer: Answer, *, timeout: float | None = None) -> Receipt:
        """Answers a question. HITL_REQUEST_EXPIRED says that somebody was faster."""
        kind, data = command_of(question, answer)
        return await self.send(kind, data, timeout=timeout)

    async def notebook(self, path: str = "", *, new: bool = True, kernel: str = "") -> Notebook:
        """Opens a notebook of the workspace, or gives the one that is open. With ``new`` it
        is begun if there is no such file; without a path it has no file until it is saved.
        ``kernel`` is the name of another kernel than the file wants."""
        async with self._opening:  # one by one: the server does not say which one a command made
            held = [n for n in self.state.notebooks if path and n.get("path") == path]
            if held and held[0]["status"] != "failed":
                ours, notebook_id = False, held[0]["notebook_id"]
            else:
                for failed in held:  # it would be in the way
                    await self.send("notebook_close", {"notebook_id": failed["notebook_id"]})
                ours, notebook_id = True, await self._open(path, new, kernel)
        try:
            return await self._opened(notebook_id)
        except ClewError:
            if ours:  # else it keeps its path and one of the few places
                with suppress(ClewError):
                    await self.send("notebook_close", {"notebook_id": notebook_id})
            raise

    async def _open(self, path: str, new: bool, kernel: str) -> str:
        known = {n["notebook_id"] for n in self.state.notebooks}
        data: dict[str, Any] = {"path": path, "new": new, "kernel_name": kernel}
        await self.send("notebook_open", {name: value for name, value in data.items() if value})
        for n in reversed(self.state.notebooks):  # somebody else may have begun one before
            if n["notebook_id"] not in known and n.get("path", "") == path:
                return n["notebook_id"]
        raise ClewError("SESSION_INVALID_STATE", "somebody closed the notebook at once")

    async def _opened(self, notebook_id: str) -> Notebook:
        """Waits until its file is read."""
        notebook = Notebook(self, notebook_id)
        async for _ in self.watch():
            info = notebook.info
            if info["status"] == "failed":
                raise ClewError("SESSION_INVALID_STATE", info.get("problem", "the notebook cannot be read"))
            if info["status"] == "ready":
                return notebook
        raise line_failed("the session was disconnected")

    async def blob(self, address: str) -> bytes:
        """What is at an address, such as an image of a message: ``blob:…``."""
        route = path_of("sessions", self.id, "blobs", address.removeprefix("blob:"))
        return await self._server.download(route)

    async def watch(self) -> AsyncGenerator[State, None]:
        """Yields the state now, and again after each change; several changes may come as one. It
        ends when the session is closed, and raises what the connection failed with."""
        while True:
            changed = self._changed.next
            if self.connection.state == "failed":
                raise self.connection.error or line_failed("the connection failed")
            if self.connection.state == "disconnected":
                return
            yield self.state
            await changed.wait()

    async def load_older(self, count: int = 100) -> int:
        """Loads older messages. Says how many came; 0 when there are no more."""
        before = self.state.oldest
        if before is None or not self.state.has_older:
            return 0
        page = await self.query("get_messages", {"limit": count, "before": before})
        return self.state.add_older(before, cast(MessagesPage, page))

    async def _fetch(self, ids: Sequence[str]) -> dict[str, Message]:
        """Messages from anywhere in the transcript, by the pages that begin with them. Those that
        are not there any more are left out."""
        wanted, found = set(ids), dict[str, Message]()
        route = path_of("sessions", self.id, "messages")
        for message_id in ids:
            if message_id not in found:
                query = {"after": id_of(seq_of(message_id) - 1), "limit": _PAGE}
                page = await self._server.patient(partial(self._server.request, "GET", route, query=query))
                found.update((m["message_id"], m) for m in page["messages"] if m["message_id"] in wanted)
        return found

    async def interrupt(self) -> None:
        """Stops the turns under way; the work stays as it is. Without one it does nothing."""
        try:
            await self.send("interrupt")
        except ClewError as e:
            if e.code != "SESSION_INVALID_STATE":
                raise

    def _resume(self) -> dict[str, str]:
        if not self.state.cursor:
            return {}
        return {"resume_from": self.state.cursor, "epoch": self._epoch}

    async def _take(self, env: dict[str, Any]) -> None:
        kind, data = env["type"], env.get("data") or {}
        if kind == "connected":
            connected = cast(ConnectedData, data)
            self._epoch, self.role = connected["epoch"], connected["role"]
        elif kind == "state_changed":
            self.state.apply(cast(StateChangedData, data))
            for command in data.get("commands", ()):
                self._outbox.confirm(command)
        elif kind == "text":
            self.state.write(cast(TextData, data))
        elif kind == "presence":
            self.state.see(data.get("viewers", []))

    def progress(self) -> int:
        return self.state.progress
