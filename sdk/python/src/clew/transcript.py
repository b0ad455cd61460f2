"""The messages of a session, in order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, cast

from .position import seq_of
from .types import Message

Field = Literal["text", "reasoning"]


class Transcript:
    """Messages are replaced and never changed. Streamed text is gathered in bytes beside them
    and joined when the message is read, so a piece costs the same however long the text is."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.has_older = False
        self._by_id: dict[str, Message] = {}
        self._ids: list[str] = []
        self._growing: dict[str, dict[Field, bytearray]] = {}
        self._unread: set[str] = set()  # grown since they were read last

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self._ids)

    @property
    def first(self) -> str | None:
        return self._ids[0] if self._ids else None

    def get(self, message_id: str) -> Message | None:
        if message_id in self._unread:
            self._join(message_id)
        return self._by_id.get(message_id)

    def newest_first(self) -> Iterable[Message]:
        for message_id in reversed(self._ids):
            message = self.get(message_id)
            if message is not None:
                yield message

    def clear(self) -> None:
        self._by_id.clear()
        self._ids.clear()
        self._growing.clear()
        self._unread.clear()

    def put(self, message: Message) -> None:
        """Puts a message in its place. One before all that are held is left out."""
        message_id = message["message_id"]
        self._growing.pop(message_id, None)
        self._unread.discard(message_id)
        if message_id not in self._by_id:
            at, seq = len(self._ids), seq_of(message_id)
            while at > 0 and seq_of(self._ids[at - 1]) > seq:
                at -= 1
            if self._ids and at == 0:
                return
            self._ids.insert(at, message_id)
        self._by_id[message_id] = message
        self._trim()

    def remove(self, gone: Iterable[str]) -> None:
        dropped = set(gone)
        self._ids = [i for i in self._ids if i not in dropped]
        self._drop(dropped)

    def write(self, message_id: str, field: Field, offset: int, delta: str) -> None:
        """Writes a piece of text over what stands at an offset, in bytes of UTF-8."""
        message = self._by_id.get(message_id)
        if message is None:
            return
        fields = self._growing.setdefault(message_id, {})
        if field not in fields:
            text = message.get(field, "")
            fields[field] = bytearray(text.encode("utf-8", "surrogatepass"))
        held, piece = fields[field], delta.encode("utf-8", "surrogatepass")
        if offset > len(held):
            return  # a piece is missing: the message's next form has all
        end = offset + len(piece)
        while end < len(held) and held[end] & 0xC0 == 0x80:
            end += 1  # no part of a character is left
        held[offset:end] = piece
        self._unread.add(message_id)

    def prepend(self, messages: Iterable[Message]) -> int:
        """Puts a page of older messages before those held. Says how many were new."""
        fresh = [m for m in messages if m["message_id"] not in self._by_id]
        for m in fresh:
            self._by_id[m["message_id"]] = m
        self._ids[:0] = [m["message_id"] for m in fresh]
        return len(fresh)

    def _join(self, message_id: str) -> None:
        self._unread.discard(message_id)
        message = self._by_id.get(message_id)
        if message is None:
            return
        joined = {
            field: held.decode("utf-8", "surrogatepass") for field, held in self._growing.get(message_id, {}).items()
        }
        self._by_id[message_id] = cast(Message, {**message, **joined})

    def _trim(self) -> None:
        over = len(self._ids) - self.limit
        if over <= 0:
            return
        count = max(over, min(self.limit // 16, 1000))  # in slices, not one by one
        gone, self._ids = self._ids[:count], self._ids[count:]
        self._drop(gone)
        self.has_older = True

    def _drop(self, gone: Iterable[str]) -> None:
        for message_id in gone:
            self._by_id.pop(message_id, None)
            self._growing.pop(message_id, None)
            self._unread.discard(message_id)
