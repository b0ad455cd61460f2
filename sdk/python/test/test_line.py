"""The connection, against servers that do as they are told."""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from http import HTTPStatus
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from clew import ClewError, Client, Close, Patience, Retry
from clew.background import Background
from clew.ending import closed, refused
from clew.position import Position, ProtocolFault, id_of

QUICK = Patience(retry=Retry(max_retries=3, initial_delay=0.001))
Play = Callable[[ServerConnection, int], Awaitable[None]]


@asynccontextmanager
async def fake(play: Play, **options: Any) -> AsyncIterator[tuple[Client, list[str]]]:
    """A server that plays its part on each connection, which is counted from 1. Gives a client of
    it and the paths that were asked for."""
    paths: list[str] = []

    async def handle(ws: ServerConnection) -> None:
        assert ws.request is not None
        paths.append(ws.request.path)
        assert ws.request.headers["Authorization"] == "Bearer secret"
        await play(ws, len(paths))

    async with serve(handle, "127.0.0.1", 0, **options) as server:
        port = server.sockets[0].getsockname()[1]
        yield Client(f"http://127.0.0.1:{port}", lambda: "secret", patience=QUICK), paths


async def greet(ws: ServerConnection, to: int = 1, start: int | None = None) -> None:
    change: dict[str, Any] = {"to": id_of(to), "total": 0}
    if start is not None:
        change["from"] = id_of(start)
    await say(ws, "connected", client_id="c", role="owner", epoch="e1", view="state")
    await say(ws, "state_changed", **change)
    await say(ws, "sync_complete", last_message_id=id_of(to), replayed=0)


async def say(ws: ServerConnection, type: str, **data: Any) -> None:
    await ws.send(json.dumps({"type": type, "data": data}))


async def test_it_resumes_with_cursor_and_epoch() -> None:
    async def play(ws: ServerConnection, n: int) -> None:
        await greet(ws, n, n - 1 if n > 1 else None)
        if n < 3:
            ws.transport.abort()
        await ws.wait_closed()

    async with fake(play) as (client, paths), client.session("s 1", client_id="me") as s:
        async for state in s.watch():
            if state.cursor == id_of(3):
                break
    assert paths[0] == "/ws/s%201?client_id=me&view=state"
    assert paths[2].endswith(f"&resume_from={id_of(2)}&epoch=e1")


async def test_ping_is_answered_and_commands_are_settled_once() -> None:
    heard: list[dict[str, Any]] = []

    async def play(ws: ServerConnection, n: int) -> None:
        await greet(ws)
        await ws.send('{"type":"ping"}')
        async for frame in ws:
            env = json.loads(frame)
            heard.append(env)
            if env["type"] == "interrupt" and n == 1:
                ws.transport.abort()  # before its answer
            elif env["type"] == "interrupt":
                await say(ws, "message_accepted", client_message_id=env["message_id"])
            elif env["type"] == "get_state":
                await say(ws, "messages_page", messages=[], total=0)  # not what was asked for
                await say(ws, "session_state", title="hello")
            elif env["type"] == "rename_session":
                context = {"client_message_id": env["message_id"]}
                await say(ws, "error", code="FORBIDDEN", number=2004, message="no", context=context)

    async with fake(play) as (client, _), client.session("s") as s:
        receipt = await s.send("interrupt", id="i1", timeout=10)
        assert receipt.repeat
        assert (await s.query("get_state", timeout=10))["title"] == "hello"
        with pytest.raises(ClewError) as caught:
            await s.send("rename_session", {"title": "x"}, timeout=10)
        assert (caught.value.code, caught.value.number) == ("FORBIDDEN", 2004)
        with pytest.raises(ClewError) as caught:
            await s.send("archive_session", {}, timeout=0.01)
        assert caught.value.code == "CONNECTION_TIMEOUT"
        with pytest.raises(ValueError, match="the connection's own"):
            await s.send("subscribe_monitor", {"monitor_id": "monitor-1"})
    kinds = [e["type"] for e in heard]
    assert [e["message_id"] for e in heard if e["type"] == "interrupt"] == ["i1", "i1"]
    assert kinds.count("pong") >= 1


@pytest.mark.parametrize(
    ("code", "reason", "connects", "expected"),
    [
        (1001, "STOPPING", 4, "CONNECTION_FAILED"),
        (1008, "AUTH_FAILED", 1, "AUTH_FAILED"),
        (1008, "TOKEN_EXPIRED", 4, "TOKEN_EXPIRED"),
        (1011, "SESSION_DAMAGED", 1, "SESSION_DAMAGED"),
        (1011, "INTERNAL", 4, "INTERNAL"),
        (1000, "TAKEN_OVER", 1, "CONNECTION_FAILED"),
    ],
)
async def test_closes(code: int, reason: str, connects: int, expected: str) -> None:
    async def play(ws: ServerConnection, n: int) -> None:
        await ws.close(code, reason)

    async with fake(play) as (client, paths):
        with pytest.raises(ClewError) as caught:
            await client.session("s").connect()
    assert (caught.value.code, len(paths)) == (expected, connects)
    assert caught.value.close == (code, reason)


@pytest.mark.parametrize(
    "frame",
    [
        "nonsense",
        "[]",
        '{"type":"text","data":{}}',
        '{"type":"presence","data":[1]}',
        '{"type":"state_changed","data":{"from":"msg_000000000009","to":"x"}}',
    ],
)
async def test_nonsense_is_not_asked_for_ever(frame: str) -> None:
    async def play(ws: ServerConnection, n: int) -> None:
        await greet(ws)
        await ws.send(frame)
        await ws.wait_closed()

    async with fake(play) as (client, paths):
        s = client.session("s")
        await s.connect()
        with pytest.raises(ClewError, match="cannot be right"):
            async for _ in s.watch():
                pass
    assert 4 <= len(paths) <= 5


async def test_a_refused_handshake_says_why() -> None:
    answers = [
        (503, "{}"),
        (429, '{"error":{"code":"RATE_LIMITED","message":"slow down"}}'),
        (403, '{"error":{"code":"FORBIDDEN","message":"no"}}'),
    ]
    asked = 0

    def refuse(_: ServerConnection, __: Request) -> Response:
        nonlocal asked
        status, body = answers[asked]
        asked += 1
        headers = Headers({"Retry-After": "0", "Content-Length": str(len(body))})
        return Response(status, HTTPStatus(status).phrase, headers, body.encode())

    async def play(ws: ServerConnection, n: int) -> None:
        raise AssertionError("it was let in")

    async with fake(play, process_request=refuse) as (client, _):
        with pytest.raises(ClewError) as caught:
            await client.session("s").connect()
    assert (caught.value.code, caught.value.status, asked) == ("FORBIDDEN", 403, 3)


async def test_a_redirect_is_not_followed() -> None:
    def redirect(_: ServerConnection, request: Request) -> Response:
        assert request.path.startswith("/ws/")
        return Response(307, "Temporary Redirect", Headers({"Location": "/elsewhere", "Content-Length": "0"}))

    async def play(ws: ServerConnection, n: int) -> None:
        raise AssertionError("it was let in")

    async with fake(play, process_request=redirect) as (client, _):
        with pytest.raises(ClewError) as caught:
            await client.session("s").connect()
    assert caught.value.status == 307


async def test_a_token_that_cannot_be_had() -> None:
    def token() -> str:
        raise KeyError("no token today")

    s = Client("http://127.0.0.1:1", token, patience=QUICK).session("s")
    with pytest.raises(ClewError, match="no token today"):
        await s.connect()
    with pytest.raises(ClewError, match="no token today"):
        async for _ in s.watch():
            pass


async def test_nobody_is_there() -> None:
    with pytest.raises(ClewError) as caught:
        await Client("http://127.0.0.1:1", "t", patience=QUICK).session("s").connect()
    assert caught.value.code == "CONNECTION_FAILED"
    with pytest.raises(ClewError) as caught:
        await Client("http://127.0.0.1:1", "t", patience=QUICK).create_session()
    assert caught.value.code == "CONNECTION_FAILED"
    with pytest.raises(ValueError, match="not an http or https address"):
        Client("127.0.0.1:1")
    with pytest.raises(ValueError, match="give url, too"):
        Client(token="t")


async def test_a_connect_that_is_cancelled_leaves_nothing() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        client = Client(f"http://127.0.0.1:{silent.getsockname()[1]}", "t", patience=QUICK)

        async def enter() -> None:
            async with client.session("s"):
                raise AssertionError("it is connected")

        for work in (enter(), client.session("s").connect()):
            with pytest.raises((TimeoutError, asyncio.TimeoutError)):
                await asyncio.wait_for(work, 0.2)
            assert asyncio.all_tasks() == {asyncio.current_task()}

        background = Background()  # as in a notebook
        with pytest.raises(concurrent.futures.TimeoutError):
            await asyncio.to_thread(background.run, client.session("s").connect(), 0.2)
        for _ in range(1000):
            if not asyncio.all_tasks(background._loop):
                break
            await asyncio.sleep(0.01)
        assert not asyncio.all_tasks(background._loop)
        background.stop()


@asynccontextmanager
async def answering(*answers: bytes) -> AsyncIterator[Client]:
    """A server that answers each request with the next of these bytes, and hangs up."""
    rest = list(answers)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(rest.pop(0))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield Client(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", "t", patience=QUICK)
    assert not rest


async def test_an_answer_that_breaks_off() -> None:
    cut = [
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf",
        b"HTTP/1.1 503 Unavailable\r\nContent-Length: 50\r\n\r\nhalf",
        b"nonsense\r\n\r\n",
    ]
    for answer in cut:
        async with answering(answer) as client:
            with pytest.raises(ClewError) as caught:
                await client.session("s").blob("blob:x")
            assert caught.value.code == "CONNECTION_FAILED"
    async with answering(*cut, b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}") as client:
        assert await client.create_session()


def test_endings() -> None:
    said = ClewError("SESSION_NOT_FOUND", "no such session")
    assert closed(Close(1008, "SESSION_NOT_FOUND"), said, False).error is said
    assert closed(Close(1008, "TOKEN_EXPIRED"), None, False).final
    assert closed(Close(1013, "TOO_SLOW"), None, False).at_once
    assert closed(Close(1000, "BYE"), None, False).error is None
    assert refused(502, {}, b"<html>").code == "UNAVAILABLE"
    assert refused(429, {"Retry-After": "7"}, b"{}").retry_after_ms == 7000


def test_delays() -> None:
    retry = Retry()
    assert [retry.delay(n, 1) for n in range(7)] == [1, 2, 4, 8, 16, 30, 30]
    assert retry.delay(0, 0) == 0.5
    assert retry.delay(100_000, 1) == 30


def record(seq: int) -> dict[str, Any]:
    return {"type": "message_created", "message_id": id_of(seq)}


def state(last: int, epoch: str = "e1") -> dict[str, Any]:
    return {"type": "session_state", "data": {"last_message_id": id_of(last), "epoch": epoch}}


def test_position() -> None:
    p = Position()
    assert p.query() == {}
    with pytest.raises(ProtocolFault):
        p.take(record(1))
    assert p.take(state(4))
    assert p.take(record(5)) and not p.take(record(5))
    with pytest.raises(ProtocolFault):
        p.take(record(7))
    assert p.query() == {"resume_from": id_of(5), "epoch": "e1"}
    p.connected()
    p.take(state(2, "e2"))  # an old backup was restored
    with pytest.raises(ProtocolFault):
        p.take(record(3))
    p.connected()
    p.take(state(2, "e2"))
    p.take({"type": "error", "data": {"code": "CURSOR_LOST"}})
    assert p.take(record(3))
    assert p.query() == {"resume_from": id_of(3), "epoch": "e2"}
    assert Position("start").query() == {"resume_from": "start"}
    with pytest.raises(ValueError, match="not a message id"):
        Position("yesterday")
