"""The magics, in a real kernel and in a terminal."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import SLOW, World
from jupyter_client.manager import KernelManager

from clew.plain import plain
from program import SRC, clean_environment


def environment(world: World, home: Path) -> dict[str, str]:
    """That of a person whose server runs in the data directory."""
    own = {"CLEW_DATA": str(world.server.data), "PYTHONPATH": SRC, "IPYTHONDIR": str(home), "HOME": str(home)}
    return {**clean_environment(), **own}


class Notebook:
    """A kernel, and what its cells print."""

    def __init__(self, world: World, home: Path) -> None:
        self.manager: Any = KernelManager(connection_file=str(home / "kernel.json"))
        self.manager.start_kernel(env=environment(world, home), cwd=str(home))
        self.client: Any = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        assert self.run("%load_ext clew.magics") == ""

    def run(
        self,
        code: str,
        answers: list[str] | None = None,
        see: Callable[[str], None] = lambda text: None,
        asked: Callable[[], None] | None = None,
        fails: bool = False,
    ) -> str:
        """Runs a cell; ``see`` gets what it has printed so far, with each piece."""
        printed = ""

        def show(message: dict[str, Any]) -> None:
            nonlocal printed
            content = message["content"]
            if message["msg_type"] == "stream":
                printed += content["text"]
                see(printed)
            elif message["msg_type"] == "error":
                printed += f"{content['ename']}: {content['evalue']}"

        def type_in(message: dict[str, Any]) -> None:
            nonlocal printed
            printed += message["content"]["prompt"]
            if asked:
                asked()
                return
            self.client.input((answers or []).pop(0))

        reply = self.client.execute_interactive(
            code,
            timeout=120,
            allow_stdin=answers is not None or asked is not None,
            stdin_hook=type_in,
            output_hook=show,
        )
        assert (reply["content"]["status"] == "error") == fails, printed
        assert not answers
        return printed

    @property
    def session(self) -> str:
        found = re.search(r"session +(sess_\w+)", self.run("%clew"))
        assert found
        return found.group(1)

    def end(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def notebook(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Notebook]:
    n = Notebook(world, tmp_path_factory.mktemp("home"))
    yield n
    n.end()


def test_the_answer_is_the_output_of_the_cell(notebook: Notebook) -> None:
    assert "none yet" in notebook.run("%clew")
    assert notebook.run("%clew Hello") == "Hello to you.\n"
    session = notebook.session
    assert notebook.run("%%clew -o answer\nHello\nagain") == "Hello to you.\n"
    assert notebook.run("print(answer.answer, answer.usage['tokens_in'])") == "Hello to you. 10\n"
    assert notebook.session == session  # one session for the kernel, one connection
    assert notebook.run("import asyncio; await asyncio.sleep(0)\n%clew Hello") == "Hello to you.\n"
    assert notebook.run("%clew --new Hello") == "Hello to you.\n"
    assert notebook.session != session
    notebook.run(f"%clew --session {session}")
    assert notebook.session == session


def test_text_streams_into_the_cell(world: World, notebook: Notebook) -> None:
    gate = world.gate("notebook")
    half = "".join(SLOW[:2])

    def see(text: str) -> None:
        if text == half:
            gate.set()

    text = notebook.run("%clew slowly notebook", see=see)
    assert text == "".join(SLOW) + "\n"  # the rest comes only after the half was seen


def test_a_killed_server_changes_nothing(world: World, notebook: Notebook) -> None:
    half, killed = "".join(SLOW[:2]), threading.Event()

    def kill(text: str) -> None:
        if text == half and not killed.is_set():
            killed.set()
            world.server.kill()
            world.gate("cell").set()
            world.server.start()

    text = notebook.run("%clew slowly cell", see=kill)
    assert killed.is_set()
    assert text.endswith("".join(SLOW) + "\n")
    page = asyncio.run(world.server.client().request("GET", f"/sessions/{notebook.session}/messages"))
    assert sum(m.get("text") == "slowly cell" for m in page["messages"]) == 1


def test_approvals_are_asked_by_input(notebook: Notebook) -> None:
    text = notebook.run("%clew Run it", answers=["y"])
    assert "echo noise" in text and "approve? [y/N] " in text
    assert text.endswith("[execute_command echo noise: complete]\nIt ran.\n")
    text = notebook.run("%clew Run it", answers=["no, read only"])
    assert "[execute_command echo noise: error]" in text and "complete]" not in text
    text = notebook.run("%clew Ask me", answers=["blue"])
    assert "Which colour?\n- red\n- blue\nanswer: " in text and text.endswith("So be it.\n")


def newest_task(world: World, notebook: Notebook) -> str:
    tasks = asyncio.run(world.server.client().request("GET", f"/sessions/{notebook.session}/tasks"))
    return str(tasks["tasks"][-1]["status"])


def test_interrupting_the_cell_cancels_the_work(world: World, notebook: Notebook) -> None:

    def interrupt(text: str) -> None:
        if text == "I wait.":
            notebook.manager.interrupt_kernel()

    text = notebook.run("%clew wait for ever", see=interrupt, fails=True)
    assert "KeyboardInterrupt" in text and newest_task(world, notebook) == "aborted"
    text = notebook.run("%clew Run it", asked=notebook.manager.interrupt_kernel, fails=True)
    assert "KeyboardInterrupt" in text and newest_task(world, notebook) == "aborted"
    assert notebook.run("%clew Hello") == "Hello to you.\n"


def test_what_cannot_be_done_is_one_line(notebook: Notebook) -> None:
    assert notebook.run("%clew --session nowhere", fails=True).startswith("UsageError: SESSION_NOT_FOUND: ")
    assert "unrecognized arguments: --nonsense" in notebook.run("%clew --nonsense x", fails=True)
    assert "--workspace" in notebook.run("%clew --help", fails=True)
    assert "nobody can be asked" in notebook.run("%clew --new --timeout 1 Run it", fails=True)


def test_text_cannot_command_the_terminal(notebook: Notebook) -> None:
    assert notebook.run("%clew --new escape") == "␛[31mred␛[0m ⟨202E⟩turned\n"
    assert plain("a\tb\nc\x7f\x9b") == "a\tb\nc␡⟨009B⟩"


def test_unloading_ends_the_connection(notebook: Notebook) -> None:
    notebook.run("%clew Hello")
    assert notebook.run("%unload_ext clew.magics") == ""
    count = "import threading; print([t.name for t in threading.enumerate() if t.name == 'clew'])"
    assert notebook.run(count) == "[]\n"


def test_terminal(world: World, tmp_path: Path) -> None:
    code = "%load_ext clew.magics\n%clew Run it"
    line = [sys.executable, "-m", "IPython", "--no-banner", "--no-confirm-exit", "--colors=nocolor", "-c", code]
    done = subprocess.run(
        line, input="y\n", env=environment(world, tmp_path), cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.endswith("[execute_command echo noise: complete]\nIt ran.\n"), done
