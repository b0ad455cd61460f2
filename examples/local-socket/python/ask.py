#!/usr/bin/env python3
"""Gives a task to the clew server on this machine and prints the answer.

python3 ask.py "What is a clew?"
"""

import json
import os
import re
import socket
import sys
import uuid


def socket_path():
    data = os.environ.get("CLEW_DATA") or os.path.expanduser("~/.local/share/clew")
    return os.environ.get("CLEW_SOCKET") or os.path.join(data, "clew.sock")


def show(text, end=""):
    """Prints what a model wrote, without what would steer the terminal."""
    print(re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "", text), end=end, flush=True)


class Local:
    """A connection to the local socket: one JSON object a line."""

    def __init__(self, path):
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(path)
        self.file = sock.makefile("rw", encoding="utf-8", newline="\n")
        self.client_id = json.loads(self.file.readline())["data"]["client_id"]  # the ack

    def send(self, name, data):
        """Sends a command and gives the id that its answer will have."""
        own_id = uuid.uuid4().hex
        frame = {
            "type": "task_command",
            "origin": "client",
            "client_id": self.client_id,
            "data": {"command_name": name, "client_message_id": own_id, "data": data},
        }
        self.file.write(json.dumps(frame) + "\n")
        self.file.flush()
        return own_id

    def __iter__(self):
        for line in self.file:
            frame = json.loads(line)
            if frame.get("type") == "task_event":
                yield frame


def ask(words):
    local = Local(socket_path())
    local.send("follow", {"scope": "own"})
    start, session = local.send("start_new_task", {"text": words}), None
    for frame in local:
        event = frame["data"]
        kind, data = event["type"], event.get("data", {})
        if kind == "message_accepted" and data.get("client_message_id") == start:
            session = event["session_id"]
        if session and event.get("session_id") not in (session, "", None):
            continue  # from before the server knew that we want our own only
        if kind.startswith("task_") and data.get("parent_task_id"):
            continue  # a part of the task, which goes on
        if kind == "error" and frame.get("relay_client_id"):
            sys.exit("ask: " + data["message"])
        if kind == "agent_response":
            show(data["delta"])
        elif kind in ("hitl_input_request", "hitl_clarification"):
            show("\n" + data["question"] + "\n> ")
            local.send("send_message", {"text": input()})
        elif kind in ("hitl_approval_request", "hitl_plan_review"):  # words would be a no
            show(f"\nIt asks for approval: clew answer {data['request_id']}\n")
        elif kind == "task_completed":
            show("\n" + data.get("result_summary", "") + "\n")
            return
        elif kind == "task_idle" and not data.get("request_id"):
            print()
            return
        elif kind == "task_aborted":
            sys.exit("ask: the task was stopped: " + data.get("reason", ""))
    sys.exit("ask: the server is gone")


if __name__ == "__main__":
    try:
        ask(" ".join(sys.argv[1:]))
    except EOFError:
        sys.exit("ask: nobody answers")
    except KeyboardInterrupt:
        sys.exit(130)  # the task goes on
    except OSError as err:
        sys.exit(f"ask: no server at {socket_path()} ({err.strerror or err}); clew serve starts one")
