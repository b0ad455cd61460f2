"""A model that speaks the Chat Completions API and says what it is told to."""

from __future__ import annotations

import contextlib
import itertools
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Say:
    """Pieces of text. At a gate, the model waits until it is opened."""

    pieces: Sequence[str | threading.Event]


@dataclass
class Call:
    """One tool call."""

    tool: str
    input: dict[str, Any]


# What a person said last, and whether a tool answered since.
Script = Callable[[str, bool], "Say | Call"]


class Model:
    def __init__(self, script: Script) -> None:
        self.script = script
        self.heard: list[str] = []  # what it was asked to answer, each call once
        self.ended = threading.Event()
        self._calls = itertools.count()
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                model._serve(self, body["messages"])

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,))
        self._thread.start()

    def settings(self) -> dict[str, Any]:
        """The settings of a server that uses this model."""
        profile = {
            "provider": "openai",
            "model": "test-1",
            "base_url": f"http://127.0.0.1:{self._http.server_port}/v1",
            "price_in": 3,
            "price_out": 15,
            "context_window": 1_000_000,
        }
        return {
            "model_profile": "test",
            "model_profiles": {"test": profile},
            "command_sandbox": "none",
            "model_crash_retry": "auto",
        }

    def end(self) -> None:
        self.ended.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _serve(self, to: BaseHTTPRequestHandler, messages: list[dict[str, Any]]) -> None:
        said = [m for m in messages if m["role"] == "user"][-1]
        text = _text(said["content"])
        self.heard.append(text)
        reply = self.script(text, messages[-1]["role"] == "tool")
        to.send_response(200)
        to.send_header("Content-Type", "text/event-stream")
        to.end_headers()
        with contextlib.suppress(OSError):  # the server was killed
            self._write(to, reply)

    def _write(self, to: BaseHTTPRequestHandler, reply: Say | Call) -> None:
        def send(choices: list[dict[str, Any]], **more: Any) -> None:
            chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "test-1"}
            to.wfile.write(f"data: {json.dumps({**chunk, 'choices': choices, **more})}\n\n".encode())
            to.wfile.flush()

        if isinstance(reply, Call):
            function = {"name": reply.tool, "arguments": json.dumps(reply.input)}
            call = {"index": 0, "id": f"call_{next(self._calls)}", "type": "function", "function": function}
            send([{"index": 0, "delta": {"role": "assistant", "tool_calls": [call]}}])
            send([{"index": 0, "delta": {}, "finish_reason": "tool_calls"}])
        else:
            for piece in reply.pieces:
                if isinstance(piece, threading.Event):
                    while not piece.wait(0.02):
                        if self.ended.is_set():
                            return
                else:
                    send([{"index": 0, "delta": {"role": "assistant", "content": piece}}])
            send([{"index": 0, "delta": {}, "finish_reason": "stop"}])
        send([], usage={"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15})
        to.wfile.write(b"data: [DONE]\n\n")


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)
