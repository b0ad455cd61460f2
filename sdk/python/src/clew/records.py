"""The records of a session, as they are written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from types import TracebackType
from typing import Any, cast

from .channel import Channel
from .errors import line_failed
from .position import Position
from .server import Server
from .types import ServerEnvelope

_AHEAD = 256  # envelopes that are read before somebody takes them


class Records(Channel):
    """Every envelope of a session, each record once and in order, over broken connections too:
    for programs that keep or judge what happens. To show a session, use its state.

    ``async for env in records`` connects it. Who is slow is sent the rest again.
    """

    view = "records"

    def __init__(
        self,
        server: Server,
        session_id: str,
        *,
        resume_from: str | None = None,
        epoch: str = "",
        client_id: str | None = None,
    ) -> None:
        super().__init__(server, session_id, client_id)
        self._position = Position(resume_from, epoch)
        self._ahead: asyncio.Queue[tuple[dict[str, Any], dict[str, str]]] = asyncio.Queue(_AHEAD)
        self._yielded = self._position.query()

    async def __aenter__(self) -> Records:
        self._link.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def position(self) -> dict[str, str]:
        """``resume_from`` and ``epoch`` after what was yielded: give them to the next one."""
        return dict(self._yielded)

    async def __aiter__(self) -> AsyncGenerator[ServerEnvelope, None]:
        self._link.start()
        while True:
            changed = self._changed.next
            while not self._ahead.empty():
                env, self._yielded = self._ahead.get_nowait()
                yield cast(ServerEnvelope, env)
                changed = self._changed.next
            if self.connection.state == "failed":
                raise self.connection.error or line_failed("the connection failed")
            if self.connection.state == "disconnected":
                return
            await changed.wait()

    def _resume(self) -> dict[str, str]:
        return self._position.query()

    def opened(self) -> None:
        self._position.connected()

    async def _take(self, env: dict[str, Any]) -> None:
        before = self._position.seq
        if self._position.take(env):
            try:
                await self._ahead.put((env, self._position.query()))
            except asyncio.CancelledError:
                self._position.seq = before  # nobody has it
                raise

    def progress(self) -> int:
        return self._position.seq
