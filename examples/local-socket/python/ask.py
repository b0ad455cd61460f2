#!/usr/bin/env python3
"""Gives a task to the clew server on this machine and prints the answer.

    python3 ask.py "What is a clew?"
"""

import json
import os
import socket
import sys


def socket_path():
    data = os.environ.get("CLEW_DATA") or os.path.expanduser("~/.local/share/clew")
    return os.environ.get("CLEW_SOCKET") or os.path.join(data, "clew.sock")


class Local:
    """A connection to the local socket: one JSON object a line."""

    def __init__(self, path):
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(path)
        self.file = sock.makefile("rw", encoding="utf-8", newline="\n")
        self.client_id = json.loads(self.file.readline())["data"]["client_id"]  # the ack

    def send(self, name, data, **more):
        frame = {
            "type": "task_command",
            "origin": "client",
            "client_id": self.client_id,
            "data": {"command_name": name, "data": data, **more},
        }
        self.file.write(json.dumps(frame) + "\n")
        self.file.flush()

    def __iter__(self):
        for line in self.file:
            frame = json.loads(line)
            if frame.get("type") == "task_event":
                yield frame


def ask(words):
    local = Local(socket_path())
    local.send("follow", {"scope": "own"})
    local.send("start_new_task", {"text": words}, client_message_id="start")
    session = None
    for frame in local:
        event = frame["data"]
        kind, data = event["type"], event.get("data", {})
        if kind == "error" and frame.get("relay_client_id"):
            sys.exit("ask: " + data["message"])
        if kind == "message_accepted" and data.get("client_message_id") == "start":
            session = event["session_id"]
        if session and event.get("session_id") != session:
            continue
        if kind == "agent_response":
            print(data["delta"], end="", flush=True)
        elif kind == "hitl_input_request":
            print("\n" + data["question"])
            local.send("send_message", {"text": input("> ")})
        elif kind == "task_completed":
            print("\n" + data.get("result_summary", ""))
            return
        elif kind == "task_idle" and not data.get("request_id"):
            print()
            return
        elif kind == "task_aborted":
            sys.exit("ask: the task was stopped: " + data.get("reason", ""))
    sys.exit("ask: the server is gone")


if __name__ == "__main__":
    ask(" ".join(sys.argv[1:]))
