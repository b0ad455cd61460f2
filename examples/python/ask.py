"""Gives an agent something to do, prints what comes of it, and ends with the work."""

from __future__ import annotations

import asyncio
import os
import sys
import threading

from clew import Answer, Client, QuestionEvent, TextEvent, ToolEvent, plain, wants_value, words_of
from clew.types import Question

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
    """Asks the person at the terminal. Without one it is left to the inbox."""
    kind = "answer: " if wants_value(question) else "approve? yes or no: "
    print(f"\n{plain(words_of(question))}\n{kind}", end="", flush=True)
    said = await typed()
    if not said:
        return None
    if wants_value(question):
        return Answer(value=said.rstrip("\r\n"))
    return Answer("approve" if said.strip().lower() in ("y", "yes") else "reject")


async def main(text: str) -> int:
    client = Client(os.environ.get("URL"), os.environ.get("TOKEN"))
    session = await client.create_session(title=text[:60])
    async with client.session(session) as s:
        asking = s.ask(text, on_question=on_question, timeout=3600, cancel_on_exit=True)
        async with asking:
            async for event in asking:
                if isinstance(event, TextEvent):
                    print(plain(event.text), end="", flush=True)
                elif isinstance(event, ToolEvent):
                    tool = event.tool
                    print(f"\n[{tool['name']} {plain(tool.get('target', ''))}: {tool['status']}]")
                elif not isinstance(event, QuestionEvent):
                    print(f"\n-- {event.outcome['status']}, {event.usage['cost_usd']:.4f} USD")
                    return 0 if event.outcome["status"] == "done" else 1
    return 1


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "What is in this directory?")))
    except KeyboardInterrupt:
        sys.exit(130)
