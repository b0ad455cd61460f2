"""An event loop of its own, for programs that are not asynchronous or have a loop that is busy."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Coroutine, Generator
from contextlib import aclosing
from typing import Any, TypeVar

from .ask import AskEvent, Asking, ResultEvent

T = TypeVar("T")

_LEAVE_WITHIN = 15.0  # seconds


class Background:
    """A thread with an event loop. All of a client's work is done there: a notebook's own loop
    stands still while a cell runs."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="clew", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """Does work there and waits for it. If the wait is interrupted, so is the work."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(timeout)
        except BaseException:
            future.cancel()
            raise

    def events(self, asking: Asking) -> Generator[AskEvent, None, None]:
        """The events of an ask, as they come. Close it to leave the ask."""
        waiting: queue.SimpleQueue[AskEvent | BaseException] = queue.SimpleQueue()
        ended = threading.Event()

        async def start() -> asyncio.Task[None]:
            task = asyncio.get_running_loop().create_task(_pump(asking, waiting))
            task.add_done_callback(lambda _: ended.set())
            return task

        task = self.run(start())
        try:
            while True:
                event = waiting.get()
                if isinstance(event, BaseException):
                    raise event
                yield event
                if isinstance(event, ResultEvent):
                    return
        finally:
            self._loop.call_soon_threadsafe(task.cancel)
            ended.wait(_LEAVE_WITHIN)  # it may have something to cancel

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _pump(asking: Asking, to: queue.SimpleQueue[AskEvent | BaseException]) -> None:
    try:
        async with aclosing(aiter(asking)) as events:
            async for event in events:
                to.put(event)
    except BaseException as e:
        to.put(e)
