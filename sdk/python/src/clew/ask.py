"""Giving an agent something to do, and following what comes of it."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Union, cast

from .answer import Answer
from .errors import ClewError, line_failed, timed_out
from .outbox import Receipt
from .server import new_id
from .state import NO_USAGE, State
from .types import Message, MessageTool, Outcome, Question, TaskInfo, Usage

if TYPE_CHECKING:
    from .session import Session

OnQuestion = Callable[[Question], Union[Answer, Awaitable[Union[Answer, None]], None]]

_CALLS = ("tool", "command", "use_mcp_server", "browser_action_launch")
_ENDED = ("complete", "error", "stopped")
_CANCEL_WITHIN = 10.0  # how long a cancellation may take to be taken


@dataclass(frozen=True)
class TextEvent:
    """A piece of what the agent says. Output of commands and words of subtasks are not in it."""

    message_id: str
    """Pieces of one message have the same."""
    text: str
    again: bool = False
    """The model began the message anew: this stands in place of the earlier pieces."""


@dataclass(frozen=True)
class ToolEvent:
    """A tool call that began (its status is ``running``) or ended. One that somebody denied has
    its end only."""

    message_id: str
    task_id: str
    tool: MessageTool


@dataclass(frozen=True)
class QuestionEvent:
    """A question that waits for an answer, from here or from anybody else with access."""

    question: Question
    _session: Session = field(repr=False, compare=False)

    async def answer(self, answer: Answer) -> Receipt:
        return await self._session.answer(self.question, answer)


@dataclass(frozen=True)
class ResultEvent:
    """How the work ended. It is the last event."""

    session_id: str
    task_id: str
    answer: str
    """The final answer, or else what the agent said last."""
    outcome: Outcome
    usage: Usage
    """Of this work, subtasks included."""


AskEvent = Union[TextEvent, ToolEvent, QuestionEvent, ResultEvent]


class Answers:
    """Has questions answered, beside the loop that meets them: others may be faster."""

    def __init__(self, session: Session, on_question: OnQuestion | None) -> None:
        self._session = session
        self._on_question = on_question
        self._under_way: set[asyncio.Task[None]] = set()
        self._error: BaseException | None = None

    def give(self, event: QuestionEvent) -> None:
        if self._on_question is None:
            return
        task = asyncio.ensure_future(self._ask_back(self._on_question, event))
        self._under_way.add(task)
        task.add_done_callback(self._ended)

    def check(self) -> None:
        """Raises what an answer failed with."""
        if self._error is not None:
            raise self._error

    def cancel(self) -> None:
        for task in list(self._under_way):
            task.cancel()

    async def _ask_back(self, on_question: OnQuestion, event: QuestionEvent) -> None:
        answer = on_question(event.question)
        if inspect.isawaitable(answer):
            answer = await answer
        if answer is None:
            return
        try:
            await event.answer(answer)
        except ClewError as e:
            if e.code != "HITL_REQUEST_EXPIRED":  # else somebody was faster
                raise

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._error = task.exception()
            self._session._changed.fire()


class Asking:
    """The work of one message, from what the session's state holds: whatever comes twice or
    late, each thing is told once. ``await`` it, or loop over it."""

    def __init__(
        self,
        session: Session,
        text: str,
        *,
        on_question: OnQuestion | None,
        timeout: float | None,
        cancel_on_exit: bool,
        message: Mapping[str, Any] | None,
    ) -> None:
        self._session = session
        self._text = text
        self._timeout = timeout
        self._cancel_on_exit = cancel_on_exit
        self._message = message or {}
        self._id = new_id()
        self._before: dict[str, Usage] = {}  # what tasks at rest had used
        self._told: dict[str, str] = {}  # messages: their text, or the state of their call
        self._open: set[str] = set()  # questions
        self._sent: asyncio.Task[Receipt] | None = None
        self._answers = Answers(session, on_question)
        self._since = ""
        self._task = ""
        self._over = False
        self._error: BaseException | None = None
        self._events = self._follow()

    def __aiter__(self) -> AsyncGenerator[AskEvent, None]:
        return self._events

    def __await__(self) -> Generator[Any, None, ResultEvent]:
        return self._run().__await__()

    async def __aenter__(self) -> Asking:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._events.aclose()

    async def _run(self) -> ResultEvent:
        async with self:
            async for event in self._events:
                if isinstance(event, ResultEvent):
                    return event
        raise line_failed("the work was followed already")

    async def _follow(self) -> AsyncGenerator[AskEvent, None]:
        s = self._session
        loop = asyncio.get_running_loop()
        end = None if self._timeout is None else loop.time() + self._timeout
        ours = s._asks > 0 or s.connection.state in ("disconnected", "failed")
        if ours:
            s._asks += 1
            s._link.start()
        try:
            while not self._over:
                changed = s._changed.next
                if self._sent is None and s.synced:
                    self._begin(s.state)
                # All of one state: it goes on while an event is with whoever asked.
                for event in list(self._look(s.state)):
                    yield event
                    if isinstance(event, QuestionEvent):
                        self._answers.give(event)
                if self._over:
                    return
                self._answers.check()
                if self._error is not None:
                    raise self._error
                if s.connection.state in ("failed", "disconnected"):
                    raise s.connection.error or line_failed("the session was disconnected")
                await self._wait(changed, end)
        finally:
            await self._leave()
            if ours:
                s._asks -= 1
                if s._asks == 0:
                    await s.close()

    async def _wait(self, changed: asyncio.Event, end: float | None) -> None:
        rest = None if end is None else end - asyncio.get_running_loop().time()
        try:
            if rest is not None and rest <= 0:
                raise asyncio.TimeoutError
            await asyncio.wait_for(changed.wait(), rest)
        except (TimeoutError, asyncio.TimeoutError):
            raise timed_out(f"the work did not end within {self._timeout} s") from None

    def _begin(self, state: State) -> None:
        """Sends the message, once the state is there: from here on each change comes."""
        for task in state.tasks:
            if _end_of(state, task) is not None:
                self._before[task["task_id"]] = task.get("usage", NO_USAGE)
        # It waits for what is under way, and answers no question that is open.
        data = {"delivery": "queue", "may_answer": [], **self._message, "text": self._text}
        self._sent = asyncio.ensure_future(self._session.send("user_message", data, id=self._id))
        self._sent.add_done_callback(self._failed)

    def _failed(self, task: asyncio.Future[Any]) -> None:
        if not task.cancelled() and task.exception() is not None:
            self._error = task.exception()
            self._session._changed.fire()

    async def _leave(self) -> None:
        """The loop is left. The work goes on, unless that is not wanted."""
        self._answers.cancel()
        if self._sent is None:
            return
        self._sent.cancel()
        if self._over or not self._cancel_on_exit:
            return
        send, state = self._session.send, self._session.state
        with suppress(ClewError):  # the server may be gone
            if self._task:
                await send("control_cancel", {"task_id": self._task}, timeout=_CANCEL_WITHIN)
                return
            for queued in state.queue:
                if queued.get("client_message_id") == self._id:
                    waits = {"message_id": queued["message_id"]}
                    await send("remove_queued", waits, timeout=_CANCEL_WITHIN)

    def _look(self, state: State) -> Iterator[AskEvent]:
        after = self._after(state)
        if not self._task:
            return
        roots = {t["task_id"]: t.get("root_task_id") or t["task_id"] for t in state.tasks}
        said = result = ""
        for m in after:
            task = m.get("task_id", "")
            own = task == self._task
            event: AskEvent | None = None
            if m["type"] == "ask":
                event = self._call(m) if roots.get(task, task) == self._task else None
            elif own:
                event = self._words(m)
            if event is not None:
                yield event
            if own and m["type"] == "say" and not m.get("partial"):
                said, result = _conclusion(m, said, result)
        mine = [q for q in state.questions if self._is_mine(q, roots)]
        yield from self._questions(mine)
        outcome = self._outcome(state)
        if outcome is not None:
            self._over = True
            usage = self._used(state, roots)
            yield ResultEvent(self._session.id, self._task, result or said, outcome, usage)

    def _is_mine(self, question: Question, roots: Mapping[str, str]) -> bool:
        task = question.get("task_id", "")
        return not task or roots.get(task, task) == self._task

    def _outcome(self, state: State) -> Outcome | None:
        for task in state.tasks:
            if task["task_id"] == self._task:
                return _end_of(state, task)
        if not self._session.synced:
            return None
        return {"status": "stopped", "message": "the session was taken back to before it"}

    def _after(self, state: State) -> list[Message]:
        """The messages after the one that was sent, in order; finds that one first."""
        found: list[Message] = []
        for m in state._transcript.newest_first():
            if m["message_id"] == self._since:
                break
            if not self._task and m.get("client_message_id") == self._id and m.get("task_id"):
                task = m.get("task_id", "")
                roots = {t["task_id"]: t.get("root_task_id") for t in state.tasks}
                self._task = roots.get(task) or task
                self._since = m["message_id"]
                break
            found.append(m)
        return found[::-1]

    def _words(self, m: Message) -> TextEvent | None:
        if m.get("role") != "assistant" or m.get("say") not in ("text", "completion_result"):
            return None
        message_id, now = m["message_id"], m.get("text", "")
        told = self._told.get(message_id, "")
        if told.startswith(now):
            return None  # told, or behind after a crash
        self._told[message_id] = now
        if now.startswith(told):
            return TextEvent(message_id, now[len(told) :])
        return TextEvent(message_id, now, again=True)

    def _call(self, m: Message) -> ToolEvent | None:
        tool = m.get("tool")
        if tool is None or m.get("ask") not in _CALLS:
            return None
        was, status = self._told.get(m["message_id"], ""), tool["status"]
        if was == status or was in _ENDED or status == "waiting":
            return None
        self._told[m["message_id"]] = status
        return ToolEvent(m["message_id"], m.get("task_id", ""), tool)

    def _questions(self, now: list[Question]) -> Iterator[QuestionEvent]:
        known, self._open = self._open, {q["request_id"] for q in now}
        for question in now:
            if question["request_id"] not in known:
                yield QuestionEvent(question, self._session)

    def _used(self, state: State, roots: Mapping[str, str]) -> Usage:
        total: dict[str, float] = dict.fromkeys(NO_USAGE, 0)
        for task in state.tasks:
            if roots[task["task_id"]] != self._task:
                continue
            now: Mapping[str, Any] = cast("Mapping[str, Any]", task.get("usage", NO_USAGE))
            before = cast("Mapping[str, Any]", self._before.get(task["task_id"], NO_USAGE))
            for name in total:  # to a billionth of a dollar, so that no noise shows
                total[name] = round(total[name] + now[name] - before[name], 9)
        return cast(Usage, total)


def _conclusion(m: Message, said: str, result: str) -> tuple[str, str]:
    """What the agent said last, and its final answer, after one more message."""
    text = m.get("text", "")
    if m.get("role") == "user" and not m.get("agent_id"):
        return "", ""  # to what was said before
    if m.get("role") == "assistant" and m.get("say") == "completion_result":
        return said, text
    if m.get("role") == "assistant" and m.get("say") == "text" and text.strip():
        return text, result
    return said, result


def _end_of(state: State, task: TaskInfo) -> Outcome | None:
    """How a task ended. A run ends as a whole, whatever its turns do."""
    for run in state.runs:
        if run.get("task_id") == task["task_id"]:
            return run.get("ended")
    return task.get("outcome")
