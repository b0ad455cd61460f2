"""Broken connections and killed servers: nothing is lost, and nothing happens twice."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest
from conftest import SLOW, World

from clew import Answer, Patience, QuestionEvent, ResultEvent, Retry, Session, TextEvent
from clew.types import Message
from proxy import Proxy


async def transcript(world: World, session_id: str) -> list[Message]:
    """The messages as the server has them."""
    page = await world.server.client().request("GET", f"/sessions/{session_id}/messages", query={"limit": 1000})
    messages: list[Message] = page["messages"]
    return messages


async def said(world: World, session_id: str, text: str) -> int:
    """How often somebody said it."""
    return sum(m.get("text") == text for m in await transcript(world, session_id))


async def until(s: Session, what: Any) -> None:
    """Waits until a session's state is as wanted."""

    async def look() -> None:
        async for _ in s.watch():
            if what(s):
                return

    await asyncio.wait_for(look(), 60)


def at_rest(s: Session) -> bool:
    working = s.state.agents or s.state.queue or any(m.get("partial") for m in s.state.messages)
    return s.synced and s.state.status["status"] == "idle" and not working


async def agreed(world: World, s: Session) -> list[Message]:
    """Waits until the session is at rest and holds what the server has. Between two turns it may
    seem to be at rest; the last change decides."""
    there: list[Message] = []

    async def look() -> None:
        nonlocal there
        async for _ in s.watch():
            if at_rest(s):
                while await s.load_older(1000):
                    pass
                there = await transcript(world, s.id)
                if list(s.state.messages) == there:
                    return

    try:
        await asyncio.wait_for(look(), 60)
    except asyncio.TimeoutError:
        assert list(s.state.messages) == there
        raise
    return there


async def test_killed_during_a_stream(world: World) -> None:
    async with await world.session() as s:
        texts: dict[str, str] = {}
        killed = False
        result = None
        async for event in s.ask("slowly killed", timeout=120):
            if isinstance(event, TextEvent):
                before = "" if event.again else texts.get(event.message_id, "")
                texts[event.message_id] = before + event.text
                if not killed and texts[event.message_id] == "".join(SLOW[:2]):
                    killed = True
                    world.server.kill()
                    world.gate("killed").set()
                    await asyncio.to_thread(world.server.start)
            elif isinstance(event, ResultEvent):
                result = event
        assert killed and result is not None
        assert (result.answer, result.outcome["status"]) == ("".join(SLOW), "done")
        assert list(texts.values())[-1] == "".join(SLOW)
        await agreed(world, s)
        assert await said(world, s.id, "slowly killed") == 1


async def test_killed_at_a_question(world: World) -> None:
    async with await world.session() as s:
        tools: list[str] = []
        questions = 0
        async for event in s.ask("Run it", timeout=120):
            if isinstance(event, QuestionEvent):
                questions += 1
                await world.server.restart()
                await event.answer(Answer("approve"))  # waits for the connection
            elif isinstance(event, ResultEvent):
                assert event.answer == "It ran."
        assert questions == 1
        tools = [m["tool"]["status"] for m in await transcript(world, s.id) if "tool" in m]
        assert tools == ["complete"]


async def test_killed_after_a_command_was_recorded_and_before_its_answer(world: World, proxy: Proxy) -> None:
    s = await world.session(proxy.url)
    async with s:
        proxy.hold_answers()
        sent = asyncio.ensure_future(s.send("user_message", {"text": "recorded"}))

        async def recorded() -> None:
            while await said(world, s.id, "recorded") == 0:
                await asyncio.sleep(0.01)

        await asyncio.wait_for(recorded(), 60)  # and nobody here knows
        assert not sent.done()
        world.server.kill()
        proxy.cut()
        await asyncio.to_thread(world.server.start)
        receipt = await asyncio.wait_for(sent, 60)
        assert receipt.repeat  # it was sent again, and had no second effect
        await agreed(world, s)
        assert await said(world, s.id, "recorded") == 1
        assert world.model.heard.count("recorded") <= 2  # the model may be asked again, as it was cut off


async def test_killed_before_a_command_arrived(world: World, proxy: Proxy) -> None:
    s = await world.session(proxy.url)
    async with s:
        proxy.hold_commands()
        sent = asyncio.ensure_future(s.send("user_message", {"text": "on its way"}, id="mine-1"))
        await asyncio.sleep(0)  # it begins
        assert s._outbox._entries["mine-1"].line == s._link.line  # it is out
        world.server.kill()
        proxy.cut()
        await asyncio.to_thread(world.server.start)
        receipt = await asyncio.wait_for(sent, 60)
        assert (receipt.id, receipt.repeat) == ("mine-1", False)
        assert (await s.send("user_message", {"text": "on its way"}, id="mine-1")).repeat
        await agreed(world, s)
        assert await said(world, s.id, "on its way") == 1


async def test_killed_while_a_session_is_made(world: World) -> None:
    world.server.kill()
    making = asyncio.ensure_future(world.server.client().create_session(title="made once"))
    await asyncio.to_thread(world.server.start)
    session_id = await asyncio.wait_for(making, 60)
    found = await world.server.client().request("GET", "/sessions", query={"limit": 100, "q": "made once"})
    assert [x["session_id"] for x in found["sessions"]] == [session_id]


async def test_random_cuts(world: World, proxy: Proxy) -> None:
    """Every message once and every text as the server has it, in both views."""
    chance, rounds = random.Random(7), 40
    s = await world.session(proxy.url)
    records = world.server.client(proxy.url).records(s.id, resume_from="start")
    seen: list[str] = []

    async def keep() -> None:
        async for env in records:
            if env.get("message_id", "").startswith("msg_"):
                seen.append(env["message_id"])

    keeper = asyncio.ensure_future(keep())
    cuts = 0
    async with s, records:
        for i in range(rounds):
            line = s._link.line
            if chance.random() < 0.5:
                proxy.cut_after = chance.randrange(60_000)
            sent = asyncio.ensure_future(s.send("user_message", {"text": f"r{i}"}))
            for _ in range(chance.randrange(200)):
                await asyncio.sleep(0)
            cut = chance.random() < 0.7
            if cut:
                proxy.cut()
                cuts += 1
            await asyncio.wait_for(sent, 60)
            await until(s, lambda s, line=line + cut: s.synced and s._link.line >= line)
        proxy.cut_after = None
        there = await agreed(world, s)
        assert [m.get("text") for m in there if m.get("role") == "user"] == [f"r{i}" for i in range(rounds)]
        last = int(s.state.cursor[4:])

        async def kept() -> None:
            while len(seen) < last and not keeper.done():
                await asyncio.sleep(0.01)

        await asyncio.wait_for(kept(), 60)
        assert len(seen) >= last
    assert seen == [f"msg_{i:012d}" for i in range(1, len(seen) + 1)]
    await asyncio.wait_for(keeper, 10)
    assert proxy.connects > cuts > rounds // 2


async def test_records_resume_where_they_were_left(world: World) -> None:
    async with await world.session() as s:
        await s.ask("Hello", timeout=60)
        client = world.server.client()
        seen: list[str] = []
        records = client.records(s.id, resume_from="start")
        async with records:
            async for env in records:
                if env["type"] == "message_created":
                    seen.append(env["message_id"])
                    break
        await world.server.restart()
        rest = client.records(s.id, **records.position)
        async with rest:
            async for env in rest:
                if env.get("message_id", "").startswith("msg_"):
                    assert env["message_id"] > seen[-1]
                    seen.append(env["message_id"])
                if env["type"] == "sync_complete":
                    break
        first = int(seen[0][4:])
        assert seen == [f"msg_{first + i:012d}" for i in range(len(seen))]
        assert len(seen) > 5


async def test_silence_is_noticed(world: World, proxy: Proxy) -> None:
    patience = Patience(retry=Retry(10_000, 0.02, 0.1), silence=0.5)
    client = world.server.client(proxy.url, patience)
    s = client.session(await client.create_session())
    async with s:
        proxy.hold_answers()
        await until(s, lambda s: s.connection.state == "reconnecting")
        error = s.connection.error
        assert error is not None and error.code == "CONNECTION_TIMEOUT"
        proxy.cut()
        await until(s, lambda s: s.synced)


async def test_a_server_that_stays_away(world: World, proxy: Proxy) -> None:
    patience = Patience(retry=Retry(max_retries=2, initial_delay=0.01))
    client = world.server.client(proxy.url, patience)
    s = client.session(await client.create_session())
    await s.connect()
    proxy.target = 1  # nobody is there
    proxy.hold_commands()
    sent = asyncio.ensure_future(s.send("user_message", {"text": "lost"}))
    await asyncio.sleep(0)
    proxy.cut()
    with pytest.raises(Exception, match="may have taken effect") as caught:
        await asyncio.wait_for(sent, 60)
    assert getattr(caught.value, "code", "") == "CONNECTION_FAILED"
    assert s.connection.state == "failed"
    await s.close()
