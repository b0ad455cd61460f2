"""Notebooks, on the real server with a real kernel."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

import pytest
from conftest import World
from program import ROOT, SRC, clean_environment
from proxy import Proxy

from clew import Answer, CellEvent, ClewError, OutputEvent, QuestionEvent, RunEvent, Running
from clew.types import Question

WITHIN = 120.0


async def told(cells: Running) -> tuple[dict[str, str], list[str], RunEvent]:
    """What outputs came to, each in its own line, the questions, and the end."""
    texts: dict[str, str] = {}
    asked: list[str] = []
    last: CellEvent | None = None
    async for last in cells:
        if isinstance(last, OutputEvent):
            message_id = last.message["message_id"]
            texts[message_id] = last.text if last.again else texts.get(message_id, "") + last.text
        elif isinstance(last, QuestionEvent):
            asked.append(str(last.question.get("question")))
    assert isinstance(last, RunEvent)
    return texts, asked, last


async def test_cells_run_and_are_followed(world: World, tmp_path: Path) -> None:
    session_id = await world.server.client().create_session(title="data", workspace=tmp_path)
    async with world.server.client().session(session_id) as s:
        n = await s.notebook("data.ipynb")
        first = await n.run("x = 20\nprint('one')", timeout=WITHIN)
        assert (first.status, first.text) == ("ok", "one")
        texts, asked, end = await told(n.run("print('two', flush=True)\nx + 22", timeout=WITHIN))
        assert (list(texts.values()), asked, end.status) == (["two\n", "42"], [], "ok")
        assert [m["text"] for m in end.outputs] == ["two\n", "42"]

        bad = await n.add("1/0")
        never = await n.add("print('never')")
        end = await n.run_cells(bad, never, timeout=WITHIN)
        assert (end.status, [c["cell_id"] for c in end.cells]) == ("error", [bad, never])
        assert "ZeroDivisionError" in end.text and "never" not in end.text
        await n.replace(bad, "print('repaired')")
        end = await n.run_cells(timeout=WITHIN)  # all of them
        assert (end.status, end.text) == ("ok", "one\ntwo\n42\nrepaired\nnever")

        await n.save()
        assert "repaired" in (tmp_path / "data.ipynb").read_text()
        assert (await s.notebook("data.ipynb")).id == n.id  # it is opened once
        with pytest.raises(ClewError):
            await s.notebook("none.ipynb", new=False)
        await n.close()


async def test_magics_in_a_notebook_of_clew_say_where_the_agent_is(world: World, tmp_path: Path) -> None:
    session_id = await world.server.client().create_session(workspace=tmp_path)
    shutil.copytree(Path(SRC) / "clew", tmp_path / "clew", ignore=shutil.ignore_patterns("__pycache__"))
    async with world.server.client().session(session_id) as s:
        n = await s.notebook()
        end = await n.run("%load_ext clew.magics\n%clew hello", timeout=WITHIN)
        assert (end.status, "beside the cells" in end.text) == ("error", True), end.text
        await n.close()


async def test_images_are_at_an_address(world: World, tmp_path: Path) -> None:
    session_id = await world.server.client().create_session(workspace=tmp_path)
    async with world.server.client().session(session_id) as s:
        n = await s.notebook()
        code = (
            "import base64, IPython.display\n"
            "IPython.display.Image(base64.b64decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='))"
        )
        end = await n.run(code, timeout=WITHIN)
        assert end.status == "ok", end
        (image,) = [i for m in end.outputs for i in m.get("images", [])]
        assert (await s.blob(image)).startswith(b"\x89PNG")
        await n.close()


async def test_input_is_answered_and_a_cut_is_not_noticed(world: World, proxy: Proxy, tmp_path: Path) -> None:
    session_id = await world.server.client().create_session(workspace=tmp_path)
    async with world.server.client(proxy.url).session(session_id) as s:
        n = await s.notebook()

        def answer(q: Question) -> Answer:
            proxy.cut()
            return Answer(value="Ada")

        code = "name = input('Your name? ')\nfor i in range(3): print(i, name, flush=True)"
        texts, asked, end = await told(n.run(code, on_question=answer, timeout=WITHIN))
        assert (asked, end.status) == (["Your name? "], "ok")
        assert "".join(texts.values()) == "0 Ada\n1 Ada\n2 Ada\n"
        assert proxy.connects > 1
        await n.close()


async def test_a_program_that_comes_back_follows_what_runs(world: World, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    session_id = await world.server.client().create_session(workspace=tmp_path)
    code = "print('before', flush=True)\nimport os, time\nwhile not os.path.exists('gate'): time.sleep(0.05)\nprint('after')"
    async with world.server.client().session(session_id) as s:
        n = await s.notebook("a.ipynb")
        async with n.run(code, timeout=WITHIN) as running:
            async for event in running:
                if isinstance(event, OutputEvent):
                    break
    async with world.server.client().session(session_id) as s:
        n = await s.notebook("a.ipynb")
        gate.touch()
        end = await n.follow(timeout=WITHIN)
        assert (end.status, end.text) == ("ok", "before\nafter")
        assert (await n.follow(timeout=WITHIN)).status == "ok"  # nothing runs
        await n.close()


async def test_the_example(world: World, tmp_path: Path) -> None:
    example = ROOT / "examples" / "python-notebook" / "sales.py"
    (tmp_path / "sales.csv").write_text("day,total\nmonday,14.83\ntuesday,18.09\n")
    env = {**clean_environment(), "PYTHONPATH": SRC, "URL": world.server.url, "TOKEN": world.server.token}
    program = await asyncio.create_subprocess_exec(
        sys.executable, str(example), str(tmp_path), env=env, stdin=PIPE, stdout=PIPE, stderr=STDOUT
    )
    out, _ = await asyncio.wait_for(program.communicate(b"monday\n"), WITHIN)
    assert program.returncode == 0, out.decode()
    for line in ["2 lines", "Which day? ", "monday 14.83", "-- ok: analysis.ipynb"]:
        assert line in out.decode()
    assert "14.83" in (tmp_path / "analysis.ipynb").read_text()
    check = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(example)]
    done = subprocess.run(check, env={**os.environ, "MYPYPATH": SRC}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
