"""One server and one model for all tests; a proxy for each that breaks connections."""

from __future__ import annotations

import re
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field

import pytest
import pytest_asyncio

from clew import Session
from model import Call, Model, Say
from program import Program, build, free_port
from proxy import Proxy

SLOW = ["one ", "two é한👋 ", "three ", "four ", "five ", "six"]


@dataclass
class World:
    server: Program
    model: Model
    proxy_port: int
    gates: dict[str, threading.Event] = field(default_factory=dict)

    def gate(self, name: str) -> threading.Event:
        """The model waits at this gate in the middle of ``slowly NAME``."""
        return self.gates.setdefault(name, threading.Event())

    async def session(self, url: str | None = None) -> Session:
        """A new session, to be connected."""
        return self.server.client(url).session(await self.server.client().create_session(title="test"))


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    proxy_port = free_port()

    def script(text: str, after_tool: bool) -> Say | Call:
        if "Run it" in text:
            return Say(["It ran."]) if after_tool else Call("execute_command", {"command": "echo noise"})
        if "Ask me" in text:
            question = {"question": "Which colour?", "options": ["red", "blue"]}
            return Say(["So be it."]) if after_tool else Call("ask_followup", question)
        if found := re.search(r"slowly (\w+)", text):
            return Say([*SLOW[:2], world.gate(found.group(1)), *SLOW[2:]])
        if "for ever" in text:
            return Say(["I wait.", model.ended])
        if "escape" in text:
            return Say(["\x1b[31mred\x1b[0m \u202eturned"])
        return Say(["Hello ", "to you."])

    program = build(tmp_path_factory.mktemp("program"))
    model = Model(script)
    server = Program(program, model.settings(), hosts=f"127.0.0.1:{proxy_port}")
    world = World(server, model, proxy_port)
    try:
        server.start()
        yield world
    finally:
        server.end()
        model.end()


@pytest_asyncio.fixture
async def proxy(world: World) -> AsyncIterator[Proxy]:
    proxy = Proxy(world.proxy_port, world.server.port)
    await proxy.start()
    yield proxy
    await proxy.end()
