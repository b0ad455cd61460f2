"""Where a client stands in a journal."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_RECORD = re.compile(r"msg_(\d{12,15})\Z")


class ProtocolFault(Exception):
    """The server sent what cannot be right. The connection is opened again."""


def seq_of(message_id: object) -> int:
    """The number of a record, 0 for what is not a record's id."""
    found = _RECORD.match(message_id) if isinstance(message_id, str) else None
    return int(found.group(1)) if found else 0


def id_of(seq: int) -> str:
    return f"msg_{seq:012d}"


class Position:
    """Decides for each envelope of the view ``records`` whether it is new, a repeat, or
    proof that something is missing."""

    def __init__(self, resume_from: str | None = None, epoch: str = "") -> None:
        self.seq = 0
        self.epoch = epoch
        self._known = resume_from is not None  # seq means something
        self._greeted = self._synced = False  # on this connection
        # Where session_state ends. If that is not the journal that seq is of, only
        # CURSOR_LOST, which comes next, explains it; until then the position stays.
        self._head = (0, "")
        self._doubt = False
        if resume_from is not None and resume_from != "start":
            self.seq = seq_of(resume_from)
            if self.seq == 0:
                raise ValueError(f"resume_from is not a message id: {resume_from}")

    def query(self) -> dict[str, str]:
        """resume_from and epoch of a connection's address."""
        if not self._known:
            return {}
        query = {"resume_from": id_of(self.seq) if self.seq else "start"}
        if self.epoch:
            query["epoch"] = self.epoch
        return query

    def connected(self) -> None:
        """Starts a new connection."""
        self._greeted = self._synced = self._doubt = False

    def take(self, env: Mapping[str, Any]) -> bool:
        """Looks at the next envelope. False for a record that was taken before."""
        data = env.get("data") or {}
        lost = env["type"] == "error" and data.get("code") == "CURSOR_LOST"
        if self._doubt and not lost:
            # Going on would drop the next records of another journal as repeats.
            raise ProtocolFault(f"session_state ends at {self._head[0]}, and {self.seq} was seen")
        if env["type"] == "session_state":
            self._greet(data)
        if env["type"] == "sync_complete":
            self._synced = True
        if lost and self._greeted and not self._synced:
            self.seq, self.epoch = self._head
            self._doubt = False
        message_id = env.get("message_id")
        if not isinstance(message_id, str) or not message_id.startswith("msg_"):
            return True
        return self._record(message_id)

    def _greet(self, data: Mapping[str, Any]) -> None:
        if self._greeted:
            return  # asked for: it tells nothing about the position
        last, epoch = seq_of(data.get("last_message_id")), str(data.get("epoch", ""))
        if not self._known:
            self.seq = last
        self._known = self._greeted = True
        self._head = (last, epoch)
        other = self.epoch not in ("", epoch)
        self._doubt = self.seq > 0 and (last < self.seq or other)
        if not self._doubt:
            self.epoch = epoch

    def _record(self, message_id: str) -> bool:
        seq = seq_of(message_id)
        if seq == 0:
            raise ProtocolFault(f"not a message id: {message_id}")
        if not self._greeted:
            raise ProtocolFault(f"record {seq} before session_state")
        if seq <= self.seq:
            return False
        if seq > self.seq + 1:
            raise ProtocolFault(f"record {seq} after {self.seq}")
        self.seq = seq
        return True
