"""A session's state, as the view `state` sends it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from . import types as t
from .position import ProtocolFault, seq_of
from .transcript import Transcript

NO_USAGE: t.Usage = {
    "tokens_in": 0,
    "tokens_out": 0,
    "cache_writes": 0,
    "cache_reads": 0,
    "cost_usd": 0.0,
}

_SINGLE: dict[str, Any] = {
    "session": {"title": "", "owner": ""},
    "status": {"status": "idle"},
    "usage": NO_USAGE,
    "queue": [],
    "rules": [],
    "monitors": [],
    "agents": [],
    "viewers": [],
}

# The fields that tell the entities of a collection apart.
_KEYS: dict[str, tuple[str, ...]] = {
    "task": ("task_id",),
    "run": ("run_id",),
    "todo": ("of", "id"),
    "question": ("request_id",),
    "window": ("window_id",),
    "notice": ("notice_id",),
    "problem": ("message_id",),
    "settled": ("request_id",),
    "notebook": ("notebook_id",),
    "cell": ("notebook_id", "cell_id"),
}


class State:
    """All that is known of a session, always up to date: read it, and never change it.

    It knows no event. The server says which entities changed, and this puts them in their
    places. Entities are replaced as a whole, so one that you keep stays as it was.
    """

    def __init__(self, message_limit: int = 20_000) -> None:
        self._transcript = Transcript(message_limit)
        self._entities: dict[str, Any] = {}
        self._cursor = ""
        self._empty()

    @property
    def cursor(self) -> str:
        """The newest record that is in the state, "" before it is there."""
        return self._cursor

    @property
    def session(self) -> t.SessionInfo:
        """Title, owner, workspace."""
        return cast(t.SessionInfo, self._entities["session"])

    @property
    def status(self) -> t.StatusInfo:
        return cast(t.StatusInfo, self._entities["status"])

    @property
    def usage(self) -> t.Usage:
        """Tokens and cost of the session."""
        return cast(t.Usage, self._entities["usage"])

    @property
    def queue(self) -> Sequence[t.QueuedMessage]:
        """Messages that wait, in order."""
        return cast("list[t.QueuedMessage]", self._entities["queue"])

    @property
    def allowed(self) -> Sequence[t.RememberedRule]:
        """What people let be remembered for tasks."""
        return cast("list[t.RememberedRule]", self._entities["rules"])

    @property
    def monitors(self) -> Sequence[t.MonitorState]:
        return cast("list[t.MonitorState]", self._entities["monitors"])

    @property
    def agents(self) -> Sequence[t.AgentState]:
        """Those that have a turn now."""
        return cast("list[t.AgentState]", self._entities["agents"])

    @property
    def viewers(self) -> Sequence[t.Viewer]:
        return cast("list[t.Viewer]", self._entities["viewers"])

    @property
    def tasks(self) -> Sequence[t.TaskInfo]:
        return self._list("task")

    @property
    def runs(self) -> Sequence[t.RunInfo]:
        return self._list("run")

    @property
    def todos(self) -> Sequence[t.TodoInfo]:
        """Of all runs and tasks; ``of`` names whose."""
        return self._list("todo")

    @property
    def questions(self) -> Sequence[t.Question]:
        """The open ones, oldest first."""
        return self._list("question")

    @property
    def windows(self) -> Sequence[t.WindowState]:
        """The open ones, the front one last."""
        return self._list("window")

    @property
    def notices(self) -> Sequence[t.NoticeState]:
        return self._list("notice")

    @property
    def problems(self) -> Sequence[t.Problem]:
        """The last errors on record."""
        return self._list("problem")

    @property
    def settled(self) -> Sequence[t.SettledQuestion]:
        """The last questions that were settled, and how."""
        return self._list("settled")

    @property
    def notebooks(self) -> Sequence[t.NotebookInfo]:
        """The open ones. Their cells are in `cells`."""
        return self._list("notebook")

    @property
    def cells(self) -> Sequence[t.CellInfo]:
        """The cells of all notebooks; a notebook's `cells` has their order."""
        return self._list("cell")

    @property
    def messages(self) -> Sequence[t.Message]:
        """The messages held, in order: the newest 200 at first."""
        return list(self._transcript.newest_first())[::-1]

    @property
    def has_older(self) -> bool:
        """There are messages before the first one held."""
        return self._transcript.has_older

    def message(self, message_id: str) -> t.Message | None:
        return self._transcript.get(message_id)

    def _list(self, kind: str) -> list[Any]:
        return list(self._entities[kind].values())

    def _empty(self) -> None:
        self._transcript.clear()
        self._entities = {**_SINGLE, **{kind: {} for kind in _KEYS}}

    def apply(self, change: t.StateChangedData) -> None:
        """Takes a change in. Raises ProtocolFault if it does not go on from what is held."""
        whole = "from" not in change
        if whole:
            self._empty()
        elif self._cursor == "" or change["from"] != self._cursor:
            held = self._cursor or "nothing"
            raise ProtocolFault(f"a change from {change['from']}, and {held} is held")
        reset = change.get("reset", [])
        for kind in reset:
            self._reset(kind)
        for kind_name, gone in change.get("del", {}).items():
            self._del(kind_name, gone)
        put = cast("Mapping[str, Any]", change.get("put", {}))
        for kind_name, value in put.items():
            self._put(kind_name, value)
        self._cursor = change["to"]
        if whole or "message" in reset:
            self._transcript.has_older = len(self._transcript) < change["total"]

    def write(self, text: t.TextData) -> None:
        """Takes a piece of a message that grows."""
        self._transcript.write(text["message_id"], text.get("field", "text"), text["offset"], text["delta"])

    def see(self, viewers: Sequence[t.Viewer]) -> None:
        """Takes in who watches."""
        self._entities["viewers"] = list(viewers)

    def add_older(self, before: str, page: t.MessagesPage) -> int:
        """Puts a page of older messages in front, if it still meets what is held."""
        if self._transcript.first != before:
            return 0
        if "next" not in page:
            self._transcript.has_older = False
        return self._transcript.prepend(page["messages"])

    @property
    def oldest(self) -> str | None:
        """The first message held."""
        return self._transcript.first

    @property
    def progress(self) -> int:
        """Grows as the state gets further."""
        return seq_of(self._cursor)

    def _reset(self, kind: str) -> None:
        if kind == "message":
            self._transcript.clear()
        elif kind in _KEYS:
            self._entities[kind] = {}

    def _del(self, kind: str, gone: Sequence[str]) -> None:
        if kind == "message":
            self._transcript.remove(gone)
        elif kind in _KEYS:
            held = self._entities[kind]
            self._entities[kind] = {k: e for k, e in held.items() if k not in gone}

    def _put(self, kind: str, value: Any) -> None:
        if kind == "message":
            for message in value:
                self._transcript.put(message)
        elif kind in _KEYS:
            keys = _KEYS[kind]
            for entity in value:  # a dict keeps the places
                self._entities[kind]["/".join(entity[k] for k in keys)] = entity
        elif kind in _SINGLE:
            self._entities[kind] = value
