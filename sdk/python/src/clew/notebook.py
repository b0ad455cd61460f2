"""Notebooks: running cells, and following what they put out."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Awaitable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, Union

from .ask import Answers, OnQuestion, QuestionEvent
from .errors import ClewError, line_failed, timed_out
from .types import CellInfo, CellStatus, CellType, Message, NotebookInfo, OnConflict

if TYPE_CHECKING:
    from .session import Session
    from .state import State

T = TypeVar("T")


@dataclass(frozen=True)
class OutputEvent:
    """A piece of what a cell puts out."""

    cell_id: str
    text: str
    """What is new of it. Images and data are in ``message``."""
    message: Message
    """The whole output so far; its ``cell`` says which kind it is."""
    again: bool = False
    """The output begins anew: this stands in place of the earlier pieces."""


@dataclass(frozen=True)
class RunEvent:
    """The cells have run, or will not. It is the last event."""

    status: CellStatus
    """``ok``, or how the first one ended that did not run to its end."""
    cells: Sequence[CellInfo]
    """Those that were to run, as they are now."""
    outputs: Sequence[Message]
    """What they show, in order."""

    @property
    def text(self) -> str:
        """The text of all outputs."""
        return "\n".join(m.get("text", "").rstrip("\n") for m in self.outputs if m.get("text"))


CellEvent = Union[OutputEvent, QuestionEvent, RunEvent]


class Notebook:
    """A notebook that is open in a session. ``session.notebook(path)`` gives it."""

    def __init__(self, session: Session, notebook_id: str) -> None:
        self._session = session
        self.id = notebook_id

    @property
    def info(self) -> NotebookInfo:
        """What is known of it: its path, its kernel, what runs and what waits."""
        for n in self._session.state.notebooks:
            if n["notebook_id"] == self.id:
                return n
        raise ClewError("SESSION_INVALID_STATE", f"the notebook {self.id} is not open")

    @property
    def cells(self) -> list[CellInfo]:
        """Its cells, in order."""
        held = {c["cell_id"]: c for c in self._session.state.cells if c["notebook_id"] == self.id}
        return [held[cell_id] for cell_id in self.info["cells"] if cell_id in held]

    def run(self, code: str, **options: Any) -> Running:
        """Runs code as a new cell at the end. The options are those of ``run_cells``."""
        return Running(self, [], code=code, **options)

    def run_cells(self, *cell_ids: str, **options: Any) -> Running:
        """Runs cells in the notebook's order; without ids, all cells of code.

        ``await`` it for the result, or loop over it: outputs as they come, questions, and at
        the end a RunEvent. Leaving the loop stops following, not the cells. Broken connections
        and restarted servers do not end it. Options: ``on_question`` answers what cells ask,
        ``timeout`` is in seconds.
        """
        return Running(self, cell_ids, **options)

    def follow(self, **options: Any) -> Running:
        """Follows what runs or waits already, for instance in a program that was started again.
        It runs nothing. Options as for ``run_cells``."""
        info = self.info
        under_way = [info["run"]] if "run" in info else []
        ids = [r["cell_id"] for r in [*under_way, *info["queue"]] if r["cell_id"]]
        return Running(self, list(dict.fromkeys(ids)), started=True, **options)

    async def add(self, source: str, *, kind: CellType = "code", after: str | None = None) -> str:
        """Adds a cell at the end, or after another one ("" is the start). Gives its id."""
        cell_id = "py" + secrets.token_hex(6)
        if after is None:
            after = self.info["cells"][-1] if self.info["cells"] else ""
        edit = {"op": "insert", "cell_id": cell_id, "type": kind, "source": source, "after": after}
        await self.edit([edit])
        return cell_id

    async def replace(self, cell_id: str, source: str) -> None:
        """Gives a cell another source."""
        await self.edit([{"op": "replace", "cell_id": cell_id, "source": source}])

    async def edit(self, edits: Sequence[Mapping[str, Any]], *, if_version: int | None = None) -> None:
        """Changes cells: all edits or none. With ``if_version`` it is refused if somebody else
        changed the notebook since."""
        data: dict[str, Any] = {"notebook_id": self.id, "edits": list(edits)}
        if if_version is not None:
            data["if_version"] = if_version
        await self._session.send("notebook_edit", data)

    async def save(self, path: str = "", *, conflict: OnConflict | None = None) -> None:
        """Writes the file, and waits until it is written. With ``path`` it is another file from
        now on; a notebook without one needs it. ``conflict`` says what to do about a file that
        somebody else changed, or that is there already: ``overwrite`` it, write ``beside`` it,
        or ``take`` the cells of the notebook's own file. Without it the file is left alone."""
        data = {"notebook_id": self.id, "path": path, "conflict": conflict}
        await self._session.send("notebook_save", {name: value for name, value in data.items() if value})
        async for _ in self._session.watch():
            info = self.info
            if info.get("conflict"):
                raise ClewError("SESSION_INVALID_STATE", "somebody else changed the file; it was left alone")
            if info.get("path_taken"):
                raise ClewError(
                    "SESSION_INVALID_STATE", f"{info.get('path_taken')} is there already; it was left alone"
                )
            if info.get("problem"):
                raise ClewError("STORAGE_FAILED", info.get("problem", ""))
            if not info.get("unsaved"):
                return
        raise line_failed("the session was disconnected")

    async def interrupt(self) -> None:
        """Stops the cell that runs. Those that wait do not run."""
        await self._session.send("kernel_interrupt", {"notebook_id": self.id})

    async def restart(self) -> None:
        """Gives it a new kernel, which knows nothing."""
        await self._session.send("kernel_restart", {"notebook_id": self.id})

    async def close(self) -> None:
        """Closes it, and ends its kernel. The file stays."""
        await self._session.send("notebook_close", {"notebook_id": self.id})


class Running:
    """Cells that run, from what the session's state holds: whatever comes twice or late, each
    thing is told once. ``await`` it, or loop over it."""

    def __init__(
        self,
        notebook: Notebook,
        cell_ids: Sequence[str],
        *,
        code: str | None = None,
        started: bool = False,
        on_question: OnQuestion | None = None,
        timeout: float | None = None,
    ) -> None:
        self._notebook = notebook
        self._session = notebook._session
        self._ids = list(cell_ids)
        self._code = code
        self._started = started
        self._timeout = timeout
        self._before: dict[str, str] = {}  # cells: the run before this one
        self._runs: dict[str, str] = {}  # cells: the run that is followed
        self._told: dict[str, str] = {}  # outputs: their text
        # Outputs that the state does not hold, as fetched before and after the end. None: gone.
        self._fetched: dict[tuple[str, bool], Message | None] = {}
        self._open: set[str] = set()  # questions
        self._answers = Answers(notebook._session, on_question)
        self._over = False
        self._events = self._follow()

    def __aiter__(self) -> AsyncGenerator[CellEvent, None]:
        return self._events

    def __await__(self) -> Generator[Any, None, RunEvent]:
        return self._run().__await__()

    async def __aenter__(self) -> Running:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._events.aclose()

    async def _run(self) -> RunEvent:
        async with self:
            async for event in self._events:
                if isinstance(event, RunEvent):
                    return event
        raise line_failed("the cells were followed already")

    async def _follow(self) -> AsyncGenerator[CellEvent, None]:
        s = self._session
        loop = asyncio.get_running_loop()
        end = None if self._timeout is None else loop.time() + self._timeout
        try:
            if not self._started:
                await self._start()
            while not self._over:
                changed = s._changed.next
                if s.synced:  # all of one state
                    over = not self._waits(s.state)
                    missing = self._missing(s.state, over)
                    if missing:
                        found = await self._within(end, s._fetch(missing))
                        self._fetched.update(((i, over), found.get(i)) for i in missing)
                        continue  # the state may have gone on
                    for event in list(self._look(s.state)):
                        yield event
                        if isinstance(event, QuestionEvent):
                            self._answers.give(event)
                if self._over:
                    return
                self._answers.check()
                if s.connection.state in ("failed", "disconnected"):
                    raise s.connection.error or line_failed("the session was disconnected")
                await self._within(end, changed.wait())
        finally:
            self._answers.cancel()

    async def _within(self, end: float | None, work: Awaitable[T]) -> T:
        try:
            rest = None if end is None else max(0.0, end - asyncio.get_running_loop().time())
            return await asyncio.wait_for(work, rest)
        except (TimeoutError, asyncio.TimeoutError):
            raise timed_out(f"the cells did not end within {self._timeout} s") from None

    async def _start(self) -> None:
        """Has the cells run. Once that is on record they are known to be queued."""
        n = self._notebook
        if self._code is not None:
            self._ids = [await n.add(self._code)]
        data: dict[str, Any] = {"notebook_id": n.id, "cells": self._ids}
        if not self._ids:
            self._ids = [c["cell_id"] for c in n.cells if c["type"] == "code" and not _empty(c)]
            data = {"notebook_id": n.id, "all": True}
        self._before = {c["cell_id"]: c.get("run_id", "") for c in n.cells}
        await self._session.send("notebook_run", data, timeout=self._timeout)

    def _missing(self, state: State, over: bool) -> list[str]:
        """Outputs that have to be fetched: after a break, the state begins with the newest
        messages. What was fetched is not kept up to date, so it is fetched anew at the end."""
        ids = [i for cell in self._cells(state) for i in self._shown(cell)]
        return [i for i in ids if state.message(i) is None and (i, over) not in self._fetched]

    def _look(self, state: State) -> Iterator[CellEvent]:
        over = not self._waits(state)
        cells = self._cells(state)
        outputs: list[Message] = []
        for cell in cells:
            for message in self._outputs(state, cell, over):
                outputs.append(message)
                event = self._output(cell["cell_id"], message)
                if event is not None:
                    yield event
        yield from self._questions(state)
        if over:
            self._over = True
            ends = {c["cell_id"]: self._end(c) for c in cells}
            bad = [ends.get(i, "aborted") for i in self._ids if ends.get(i) != "ok"]
            yield RunEvent(bad[0] if bad else "ok", cells, outputs)

    def _cells(self, state: State) -> list[CellInfo]:
        held = {c["cell_id"]: c for c in state.cells if c["notebook_id"] == self._notebook.id}
        cells = [held[cell_id] for cell_id in self._ids if cell_id in held]
        for c in cells:
            run = c.get("run_id", "")
            if run and run != self._before.get(c["cell_id"]):
                self._runs[c["cell_id"]] = run
        return cells

    def _waits(self, state: State) -> bool:
        """Whether something of it runs, or waits to. What is dropped from the queue never ran."""
        for n in state.notebooks:
            if n["notebook_id"] == self._notebook.id:
                left = [*([n["run"]] if "run" in n else []), *n["queue"]]
                return any(run["cell_id"] in self._ids for run in left)
        return False

    def _end(self, cell: CellInfo) -> CellStatus:
        if _empty(cell):
            return "ok"  # there was nothing to run
        status = cell.get("status", "aborted")
        return status if cell.get("run_id") == self._runs.get(cell["cell_id"]) else "aborted"

    def _questions(self, state: State) -> Iterator[QuestionEvent]:
        known, self._open = self._open, set()
        for question in state.questions:
            if question["type"] != "hitl_input_request" or "cell" not in question:
                continue
            of = question["cell"]
            if of["notebook_id"] == self._notebook.id and of.get("cell_id") in self._ids:
                self._open.add(question["request_id"])
                if question["request_id"] not in known:
                    yield QuestionEvent(question, self._session)

    def _shown(self, cell: CellInfo) -> Sequence[str]:
        if cell.get("status") == "queued" or cell.get("run_id") != self._runs.get(cell["cell_id"]):
            return []  # those of the run before
        return cell["outputs"]

    def _outputs(self, state: State, cell: CellInfo, over: bool) -> Iterator[Message]:
        for message_id in self._shown(cell):
            message = state.message(message_id) or self._fetched.get((message_id, over))
            if message is None:
                continue
            of = message.get("cell")
            if of is not None and of["output"] != "status" and not of.get("cleared"):
                yield message

    def _output(self, cell_id: str, message: Message) -> OutputEvent | None:
        message_id, now = message["message_id"], message.get("text", "")
        told = self._told.get(message_id)
        if told is not None and told.startswith(now):
            return None  # told, or behind after a crash
        self._told[message_id] = now
        if told is None or now.startswith(told):
            return OutputEvent(cell_id, now[len(told or "") :], message)
        return OutputEvent(cell_id, now, message, again=True)


def _empty(cell: CellInfo) -> bool:
    return not cell.get("source", "").strip() and "source_blob" not in cell
