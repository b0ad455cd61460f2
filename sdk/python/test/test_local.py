"""Finding the server of this machine."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import World

from clew import ClewError, Client
from clew.link import this_machine
from clew.local import data_directory, find


@contextmanager
def listener(path: Path, line: bytes) -> Iterator[None]:
    """A local socket that says a line to whoever comes."""
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(str(path))
        s.listen()

        def serve() -> None:
            peer, _ = s.accept()
            with peer:
                peer.sendall(line)

        thread = threading.Thread(target=serve)
        thread.start()
        yield
        thread.join()


def ack(url: str) -> bytes:
    return json.dumps({"type": "ack", "origin": "server", "data": {"client_id": "c", "url": url}}).encode() + b"\n"


async def test_the_server_in_the_data_directory(world: World) -> None:
    client = Client(data=world.server.data)
    place = await client.place()
    assert (place.url, place.token, place.sees_files) == (world.server.url, world.server.token, True)
    assert (await client.request("GET", "/me"))["role"] == "admin"
    async with client.session(await client.create_session()) as s:
        assert (await s.ask("Hello", timeout=60)).answer == "Hello to you."


def test_names_come_first(world: World, tmp_path: Path) -> None:
    env = {"CLEW_DATA": str(world.server.data)}
    assert find(environ=env).token == world.server.token
    assert find(environ={**env, "CLEW_TOKEN": "mine"}).token == "mine"
    named = find(environ={**env, "CLEW_SERVER": "localhost:9"})
    assert (named.url, named.token) == ("http://localhost:9", world.server.token)
    elsewhere = {**env, "CLEW_SERVER": "https://clew.example/"}
    for other in (elsewhere, {**env, "CLEW_SERVER": "127.0.0.1.example.org"}):
        with pytest.raises(ClewError) as caught:  # the owner token is not for another machine
            find(environ=other)
        assert caught.value.code == "AUTH_REQUIRED"
    found = find(environ={**elsewhere, "CLEW_TOKEN": "mine"})
    assert (found.url, found.token, found.sees_files) == ("https://clew.example", "mine", False)
    assert find(world.server.data, environ=elsewhere).url == world.server.url
    assert find(environ={"CLEW_TOKEN": "t", "CLEW_DATA": str(tmp_path)}).url == "http://127.0.0.1:8000"


def test_nobody_runs(world: World, tmp_path: Path) -> None:
    for env in ({"CLEW_DATA": str(tmp_path)}, {"CLEW_DATA": str(world.server.data), "CLEW_SOCKET": "off"}):
        with pytest.raises(ClewError, match="no server runs in") as caught:
            find(environ=env)
        assert caught.value.code == "CONNECTION_FAILED"
    with socket.socket(socket.AF_UNIX) as s:  # left by a server that was killed
        s.bind(str(tmp_path / "clew.sock"))
    with pytest.raises(ClewError, match="no server at the local socket"):
        find(tmp_path)


def test_strangers_are_not_believed(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("secret\n")
    for i, line in enumerate([ack("http://192.0.2.1:80"), ack("file:///etc/passwd"), b"", b"nonsense\n"]):
        directory = tmp_path / str(i)
        directory.mkdir()
        with listener(directory / "clew.sock", line), pytest.raises(ClewError):
            find(directory)


def test_a_long_path(tmp_path: Path) -> None:
    directory = tmp_path / ("d" * 100)
    directory.mkdir()
    path = tmp_path / "short.sock"
    with listener(path, ack("http://127.0.0.1:7")):
        path.rename(directory / "clew.sock")
        assert find(directory).url == "http://127.0.0.1:7"


def test_data_directory() -> None:
    assert data_directory({"CLEW_DATA": "/d", "HOME": "/h"}) == Path("/d")
    assert data_directory({"XDG_DATA_HOME": "/x", "HOME": "/h"}) == Path("/x/clew")
    assert data_directory({"XDG_DATA_HOME": "x", "HOME": "/h"}) == Path("/h/.local/share/clew")


def test_addresses_of_this_machine() -> None:
    for host in ("localhost", "LOCALHOST:9", "127.0.0.1", "127.8.8.8:80", "[::1]:8000"):
        assert this_machine(f"http://{host}/x"), host
    for host in ("127.0.0.1.example.org", "127.example", "localhost.example", "192.0.2.1", "[2001:db8::1]", ""):
        assert not this_machine(f"http://{host}/x"), host
