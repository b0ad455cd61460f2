"""Drives a notebook: runs its cells, follows what they put out, and answers what they ask.

Stop it at any time and start it again: the cells go on meanwhile, and it follows them."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from pathlib import Path

from clew import Answer, Client, Notebook, OutputEvent, RunEvent, Running, plain, words_of
from clew.types import Question

CELLS = [
    """\
import csv

with open("sales.csv") as f:
    sales = list(csv.DictReader(f))
print(len(sales), "lines")""",
    """\
day = input("Which day? ")
for sale in sales:
    if sale["day"] == day:
        print(day, sale["total"])""",
]


terminal = threading.Lock()  # a line answers one question


async def typed() -> str:
    """A line from the terminal, "" at the end of the input. Nobody waits for the thread that
    reads it: Ctrl-C ends the program at a prompt, and so does an answer from elsewhere."""
    loop = asyncio.get_running_loop()
    line: asyncio.Queue[str] = asyncio.Queue()

    def read() -> None:
        # Without a buffer: Python would want to close it while the thread still reads.
        with terminal, open(0, "rb", buffering=0, closefd=False) as keyboard:
            said = keyboard.readline().decode(errors="replace")
        loop.call_soon_threadsafe(line.put_nowait, said)

    threading.Thread(target=read, daemon=True).start()
    return await line.get()


async def on_question(question: Question) -> Answer | None:
    """Asks the person at the terminal. Without one it is left to the page."""
    print(plain(words_of(question)), end="", flush=True)
    said = await typed()
    return Answer(value=said.rstrip("\r\n")) if said else None


async def follow(running: Running) -> str:
    """Prints outputs as they come, and the addresses of images."""
    async for event in running:
        if isinstance(event, OutputEvent):
            print(plain(event.text), end="", flush=True)
            for image in event.message.get("images", []):
                print(f"\n[image {image}]")
        elif isinstance(event, RunEvent):
            return event.status
    return "aborted"


async def work(notebook: Notebook) -> str:
    info = notebook.info
    if "run" in info or info["queue"]:  # of an earlier start of this program
        return await follow(notebook.follow(on_question=on_question))
    if not any(cell.get("source") for cell in notebook.cells):
        for source in CELLS:
            await notebook.add(source)
    return await follow(notebook.run_cells(on_question=on_question, timeout=3600))


async def main(workspace: Path) -> int:
    client = Client(os.environ.get("URL"), os.environ.get("TOKEN"))
    # The session of this directory that was used last, or a new one.
    found = await client.request("GET", "/sessions", query={"workspace": str(workspace), "limit": 1})
    known = [s["session_id"] for s in found["sessions"]]
    session = known[0] if known else await client.create_session(title="Sales", workspace=workspace)
    async with client.session(session) as s:
        notebook = await s.notebook("analysis.ipynb")
        status = await work(notebook)
        await notebook.save()
        print(f"\n-- {status}: analysis.ipynb of session {session}")
    return 0 if status == "ok" else 1


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())))
    except KeyboardInterrupt:
        sys.exit(130)
