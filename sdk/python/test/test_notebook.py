"""Notebooks, on the real server with a real kernel."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

import pytest
from conftest import World

from clew import Answer, CellEvent, ClewError, Notebook, OutputEvent, QuestionEvent, RunEvent, Running, Session
from clew.types import Question
from program import ROOT, SRC, clean_environment, hear_ctrl_c
from proxy import Proxy

WITHIN = 120.0
EXAMPLE = ROOT / "examples" / "python-notebook" / "sales.py"


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


WAIT = "import os, time\nwhile not os.path.exists('gate'): time.sleep(0.05)\n"
MANY = [str(i) for i in range(300)]  # more than the state has after a break


async def ran(s: Session) -> None:
    """Waits until a cell has run."""
    async for state in s.watch():
        if any(c.get("status") == "ok" for c in state.cells):
            return


async def test_outputs_that_a_break_leaves_out_are_fetched(world: World, proxy: Proxy, tmp_path: Path) -> None:
    session_id = await world.server.client().create_session(workspace=tmp_path)
    async with (
        world.server.client(proxy.url).session(session_id) as s,
        world.server.client().session(session_id) as other,
    ):
        n = await s.notebook()
        cells = n.run(f"display(0)\n{WAIT}for i in range(1, 300): display(i)", timeout=WITHIN)
        async for event in cells:
            if isinstance(event, OutputEvent):
                break
        proxy.hold_answers()
        (tmp_path / "gate").touch()
        await asyncio.wait_for(ran(other), WITHIN)
        proxy.cut()
        texts, _, end = await told(cells)
        assert end.status == "ok" and len(s.state.messages) < 300
        assert [m["text"] for m in end.outputs] == MANY
        assert list(texts.values()) == MANY[1:]
        await n.close()


async def test_outputs_from_before_a_program_came_are_fetched(world: World, tmp_path: Path) -> None:
    session_id = await world.server.client().create_session(workspace=tmp_path)
    code = f"h = display(-1, display_id=True)\nfor i in range(60): display([i, 'x' * 30_000])\n{WAIT}h.update(-2)"
    async with world.server.client().session(session_id) as s:
        n = await s.notebook()
        async with n.run(code, timeout=WITHIN) as running:
            seen = 0
            async for event in running:
                seen += isinstance(event, OutputEvent)
                if seen == 61:
                    break
        async with world.server.client().session(session_id) as late:
            cells = Notebook(late, n.id).follow(timeout=WITHIN)
            async for event in cells:
                assert isinstance(event, OutputEvent) and event.text == "-1"
                break
            assert len(late.state.messages) < 60
            (tmp_path / "gate").touch()
            texts, _, end = await told(cells)
            first = [m.get("text", "").strip("[").split(",")[0] for m in end.outputs]
            assert first == ["-2", *MANY[:60]]  # also what changed since it was fetched
            assert len(texts) == 61 and texts[end.outputs[0]["message_id"]] == "-2"
        await n.close()


async def test_a_notebook_that_cannot_be_opened_is_not_in_the_way(world: World, tmp_path: Path) -> None:
    session_id = await world.server.client().create_session(workspace=tmp_path)
    async with world.server.client().session(session_id) as s:
        for _ in range(10):  # 8 can be open
            with pytest.raises(ClewError, match="there is no file"):
                await s.notebook("x.ipynb", new=False)
        assert not s.state.notebooks
        await s.send("notebook_open", {"path": "x.ipynb"})  # as somebody else's that failed
        async for state in s.watch():
            if state.notebooks[0]["status"] == "failed":
                break
        n = await s.notebook("x.ipynb")
        assert [x["notebook_id"] for x in s.state.notebooks] == [n.id]


async def test_notebooks_opened_at_once(world: World, tmp_path: Path) -> None:
    session_id = await world.server.client().create_session(workspace=tmp_path)
    async with world.server.client().session(session_id) as s:
        a, b, c, d = await asyncio.gather(s.notebook(), s.notebook(), s.notebook("c.ipynb"), s.notebook("c.ipynb"))
        assert c.id == d.id
        assert {a.id, b.id, c.id} == {n["notebook_id"] for n in s.state.notebooks} and len(s.state.notebooks) == 3


async def test_saving_to_another_file(world: World, tmp_path: Path) -> None:
    session_id = await world.server.client().create_session(workspace=tmp_path)
    async with world.server.client().session(session_id) as s:
        n = await s.notebook()
        with pytest.raises(ClewError, match="no file"):
            await n.save()
        await n.save("a.ipynb")
        assert (tmp_path / "a.ipynb").exists() and n.info.get("path") == "a.ipynb"
        await n.add("mine = 1")
        (tmp_path / "b.ipynb").write_text("{}")
        with pytest.raises(ClewError, match=r"b\.ipynb"):
            await n.save("b.ipynb")
        assert ((tmp_path / "b.ipynb").read_text(), n.info.get("path")) == ("{}", "a.ipynb")
        await n.save("b.ipynb", conflict="beside")
        assert n.info.get("path") not in ("a.ipynb", "b.ipynb") and (tmp_path / n.info["path"]).exists()
        await n.save("b.ipynb", conflict="overwrite")
        assert "mine = 1" in (tmp_path / "b.ipynb").read_text()
        (tmp_path / "b.ipynb").write_text((tmp_path / "b.ipynb").read_text().replace("mine", "theirs"))
        with pytest.raises(ClewError, match="somebody else"):
            await n.save()
        await n.save(conflict="take")
        assert [c.get("source") for c in n.cells][-1] == "theirs = 1"


async def start_example(world: World, workspace: Path) -> asyncio.subprocess.Process:
    (workspace / "sales.csv").write_text("day,total\nmonday,14.83\ntuesday,18.09\n")
    env = {**clean_environment(), "PYTHONPATH": SRC, "URL": world.server.url, "TOKEN": world.server.token}
    return await asyncio.create_subprocess_exec(
        sys.executable,
        str(EXAMPLE),
        str(workspace),
        env=env,
        stdin=PIPE,
        stdout=PIPE,
        stderr=STDOUT,
        preexec_fn=hear_ctrl_c,
    )


async def test_the_example(world: World, tmp_path: Path) -> None:
    program = await start_example(world, tmp_path)
    out, _ = await asyncio.wait_for(program.communicate(b"monday\n"), WITHIN)
    assert program.returncode == 0, out.decode()
    for line in ["2 lines", "Which day? ", "monday 14.83", "-- ok: analysis.ipynb"]:
        assert line in out.decode()
    assert "14.83" in (tmp_path / "analysis.ipynb").read_text()
    check = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(EXAMPLE)]
    done = await asyncio.to_thread(
        subprocess.run, check, env={**os.environ, "MYPYPATH": SRC}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


async def test_the_example_ends_at_its_prompt(world: World, tmp_path: Path) -> None:
    program = await start_example(world, tmp_path)
    assert program.stdout is not None
    await asyncio.wait_for(program.stdout.readuntil(b"Which day? "), WITHIN)
    program.send_signal(signal.SIGINT)
    assert await asyncio.wait_for(program.wait(), WITHIN) == 130

    program = await start_example(world, tmp_path)  # it asks again
    assert program.stdout is not None
    await asyncio.wait_for(program.stdout.readuntil(b"Which day? "), WITHIN)
    found = await world.server.client().request("GET", "/sessions", query={"workspace": str(tmp_path)})
    async with world.server.client().session(found["sessions"][0]["session_id"]) as s:
        await s.answer(s.state.questions[0], Answer(value="tuesday"))
    out = await asyncio.wait_for(program.stdout.read(), WITHIN)
    assert b"tuesday 18.09" in out and b"-- ok: analysis.ipynb" in out
    assert await program.wait() == 0
