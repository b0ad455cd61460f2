"""Asking the real server."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from asyncio.subprocess import PIPE, STDOUT
from contextlib import aclosing
from typing import Any

import pytest
from conftest import SLOW, World

from clew import (
    Answer,
    AskEvent,
    ClewError,
    Client,
    QuestionEvent,
    ResultEvent,
    Session,
    TextEvent,
    ToolEvent,
)
from clew.types import Question
from program import ROOT, SRC, clean_environment, hear_ctrl_c


async def lines_of(s: Session, text: str, **options: Any) -> tuple[list[str], ResultEvent]:
    """Asks, and writes what came of it in lines; pieces of one message are one line."""
    lines: list[str] = []
    places: dict[str, int] = {}
    last: AskEvent | None = None
    async for last in s.ask(text, **options):
        if isinstance(last, TextEvent):
            if last.message_id in places and not last.again:
                lines[places[last.message_id]] += last.text
            else:
                places[last.message_id] = len(lines)
                lines.append(last.text)
        elif isinstance(last, ToolEvent):
            lines.append(f"[{last.tool['name']} {last.tool.get('target')} {last.tool['status']}]")
        elif isinstance(last, QuestionEvent):
            lines.append(f"[{last.question['type']}]")
    assert isinstance(last, ResultEvent)
    return lines, last


async def test_answer_is_awaited(world: World) -> None:
    async with await world.session() as s:
        result = await s.ask("Hello", timeout=60)
        assert (result.answer, result.outcome["status"]) == ("Hello to you.", "done")
        assert (result.usage["tokens_in"], result.usage["tokens_out"]) == (10, 5)
        assert (await s.ask("Hello", timeout=60)).usage["tokens_in"] == 10  # of this work alone
        assert [m.get("text") for m in s.state.messages if m.get("role") == "user"] == ["Hello", "Hello"]
        assert s.role == "owner"


async def test_text_calls_questions_and_result(world: World) -> None:
    s = await world.session()

    def approve(q: Question) -> Answer:
        assert q["type"] == "hitl_approval_request"
        return Answer("approve")

    lines, result = await lines_of(s, "Run it", on_question=approve, timeout=60)
    assert lines == [
        "[hitl_approval_request]",
        "[execute_command echo noise running]",
        "[execute_command echo noise complete]",
        "It ran.",
    ]
    assert result.answer == "It ran."
    assert s.connection.state == "disconnected"  # it was connected by the ask


async def test_no_and_its_reason(world: World) -> None:
    s = await world.session()

    async def refuse(_: Question) -> Answer:
        return Answer("reject", comment="read only")

    lines, _ = await lines_of(s, "Run it", on_question=refuse, timeout=60)
    assert lines[:2] == ["[hitl_approval_request]", "[execute_command echo noise error]"]


async def test_value_is_asked_for(world: World) -> None:
    async with await world.session() as s:
        async for event in s.ask("Ask me", timeout=60):
            if isinstance(event, QuestionEvent):
                assert event.question["type"] == "hitl_input_request"
                with pytest.raises(ValueError, match="asks for a value"):
                    await event.answer(Answer("approve"))
                await event.answer(Answer(value="blue"))
                with pytest.raises(ClewError) as caught:
                    await event.answer(Answer(value="red"))
                assert caught.value.code == "HITL_REQUEST_EXPIRED"
        assert s.state.settled[-1]["action"] == "answer"


async def test_text_streams(world: World) -> None:
    gate = world.gate("stream")
    async with await world.session() as s:
        pieces: list[str] = []
        async for event in s.ask("slowly stream", timeout=60):
            if isinstance(event, TextEvent):
                pieces.append(event.text)
                if "".join(pieces) == "".join(SLOW[:2]):
                    gate.set()  # the rest comes only now
        assert "".join(pieces) == "".join(SLOW)


def status(s: Session) -> str:
    """Of the newest task."""
    return s.state.tasks[-1]["status"]


async def test_leaving_and_cancelling(world: World) -> None:
    async with await world.session() as s:
        async with s.ask("wait for ever") as asking:
            async for _ in asking:
                break
        assert status(s) == "active"
        await s.send("control_cancel", {})
        async with s.ask("wait for ever", cancel_on_exit=True) as asking:
            async for event in asking:
                if isinstance(event, TextEvent):
                    break
        assert status(s) == "aborted"
        with pytest.raises(ClewError) as caught:
            await s.ask("wait for ever", timeout=0.3, cancel_on_exit=True)
        assert caught.value.code == "CONNECTION_TIMEOUT"
        await asyncio.wait_for(cancelled_at_its_first_words(s), 60)
        assert status(s) == "aborted"


async def cancelled_at_its_first_words(s: Session) -> None:
    """A task that follows an ask, and is cancelled."""
    reached = asyncio.Event()

    async def follow() -> None:
        async with aclosing(aiter(s.ask("wait for ever", cancel_on_exit=True))) as events:
            async for event in events:
                if isinstance(event, TextEvent):
                    reached.set()

    task = asyncio.ensure_future(follow())
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_refusals_have_the_server_s_codes(world: World) -> None:
    s = await world.session()
    with pytest.raises(ClewError) as caught:
        await s.ask("Hello", message={"mode": "no such mode"}, timeout=60)
    assert caught.value.code == "INVALID_MESSAGE"
    with pytest.raises(ClewError) as caught:
        await world.server.client().session("nowhere").ask("Hello", timeout=60)
    assert (caught.value.code, caught.value.number) == ("SESSION_NOT_FOUND", 3001)
    with pytest.raises(ClewError) as caught:
        await Client(world.server.url, "wrong").session(s.id).connect()
    assert caught.value.code == "AUTH_FAILED"
    with pytest.raises(ClewError) as caught:
        await Client(world.server.url, "wrong").request("GET", "/me")
    assert (caught.value.code, caught.value.status) == ("AUTH_FAILED", 401)
    with pytest.raises(ClewError) as caught:
        await s.send("interrupt")  # nobody connected it
    assert caught.value.code == "CONNECTION_FAILED"


async def start_example(world: World, text: str) -> asyncio.subprocess.Process:
    program = ROOT / "examples" / "python" / "ask.py"
    env = {**clean_environment(), "PYTHONPATH": SRC, "URL": world.server.url, "TOKEN": world.server.token}
    return await asyncio.create_subprocess_exec(
        sys.executable, program, text, env=env, stdin=PIPE, stdout=PIPE, stderr=STDOUT, preexec_fn=hear_ctrl_c
    )


async def test_example(world: World) -> None:
    child = await start_example(world, "Run it")
    out, _ = await asyncio.wait_for(child.communicate(b"yes\n"), 60)
    wanted = r"approve\? yes or no: [\s\S]*\[execute_command echo noise: complete\]\nIt ran\.\n-- done, 0\.\d+ USD\n\Z"
    assert re.search(wanted, out.decode()), out.decode()
    assert child.returncode == 0


@pytest.mark.parametrize("way", ["Ctrl-C", "answered by somebody else"])
async def test_example_ends_at_its_prompt(world: World, way: str) -> None:
    child = await start_example(world, f"Run it: {way}")
    assert child.stdout is not None
    await asyncio.wait_for(child.stdout.readuntil(b"yes or no: "), 60)
    found = await world.server.client().request("GET", "/sessions", query={"q": f"Run it: {way}"})
    async with world.server.client().session(found["sessions"][0]["session_id"]) as s:
        if way == "Ctrl-C":
            child.send_signal(signal.SIGINT)
        else:
            await s.answer(s.state.questions[0], Answer("approve"))
        out = await asyncio.wait_for(child.stdout.read(), 60)
        assert (await child.wait(), b"-- done" in out) == ((130, False) if way == "Ctrl-C" else (0, True)), out
        if way == "Ctrl-C":
            assert status(s) == "aborted"
