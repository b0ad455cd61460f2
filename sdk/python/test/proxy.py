"""A TCP proxy that can cut connections and hold back what goes over them."""

from __future__ import annotations

import asyncio
from contextlib import suppress


class Proxy:
    def __init__(self, port: int, target: int) -> None:
        self.port = port
        self.target = target  # the port behind it
        self.connects = 0
        self.cut_after: int | None = None  # bytes from the server, on the next connection
        self._to_server = _Gate()
        self._to_client = _Gate()
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._join, "127.0.0.1", self.port)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def hold_answers(self) -> None:
        """From now on nothing of the server's comes through."""
        self._to_client.open.clear()

    def hold_commands(self) -> None:
        """From now on nothing of the client's comes through."""
        self._to_server.open.clear()

    def cut(self) -> None:
        """Cuts every connection, without a word to either side; new ones are let through."""
        for writer in self._writers:
            writer.transport.abort()
        for gate in (self._to_server, self._to_client):
            gate.open.set()

    async def end(self) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _join(self, near: asyncio.StreamReader, to_near: asyncio.StreamWriter) -> None:
        self.connects += 1
        limit, self.cut_after = self.cut_after, None
        self._writers.add(to_near)
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            far, to_far = await asyncio.open_connection("127.0.0.1", self.target)
            self._writers.add(to_far)
            pipes = [
                asyncio.ensure_future(_pipe(near, to_far, self._to_server, None)),
                asyncio.ensure_future(_pipe(far, to_near, self._to_client, limit)),
            ]
            try:
                await asyncio.wait(pipes, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for pipe in pipes:
                    pipe.cancel()
                to_far.transport.abort()
                self._writers.discard(to_far)
        except OSError:
            pass  # the server is away
        finally:
            to_near.transport.abort()
            self._writers.discard(to_near)
            self._tasks.discard(task)


class _Gate:
    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.open.set()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, gate: _Gate, limit: int | None) -> None:
    passed = 0
    with suppress(OSError):
        while data := await reader.read(65536):
            await gate.open.wait()
            passed += len(data)
            if limit is not None and passed > limit:
                return
            writer.write(data)
            await writer.drain()
