"""Gives an agent something to do, prints what comes of it, and ends with the work."""

from __future__ import annotations

import asyncio
import os
import sys

from clew import Answer, Client, QuestionEvent, TextEvent, ToolEvent, plain, wants_value, words_of
from clew.types import Question


async def on_question(question: Question) -> Answer:
    """Asks the person at the terminal, in a thread: the connection goes on meanwhile."""
    kind = "answer: " if wants_value(question) else "approve? yes or no: "
    said = await asyncio.to_thread(input, f"\n{plain(words_of(question))}\n{kind}")
    if wants_value(question):
        return Answer(value=said)
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
    sys.exit(asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "What is in this directory?")))
