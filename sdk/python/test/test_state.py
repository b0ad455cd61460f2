"""The state, from the plays that the server's tests have written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from clew.position import ProtocolFault, id_of
from clew.state import State
from clew.types import StateChangedData

VECTORS = sorted((Path(__file__).resolve().parents[2] / "typescript" / "test" / "vectors").glob("*.jsonl"))


def shown(s: State) -> dict[str, Any]:
    """What session_state shows of a state, but for what is about the connection."""

    def todos(of: str | None) -> list[dict[str, Any]]:
        return [{k: v for k, v in todo.items() if k != "of"} for todo in s.todos if todo["of"] == of]

    status: dict[str, Any] = {"current_layer": None, **s.status}
    front = status.pop("front", None)
    status.pop("last_move", None)
    run = next((r for r in s.runs if r["run_id"] == front), None)
    task = next((t for t in s.tasks if t["task_id"] == front), None)
    plan = run.get("plan") if run else task.get("plan") if task else None
    runs = [
        {**r, "todos": [{k: v for k, v in t.items() if k != "result_summary"} for t in todos(r["run_id"])]}
        for r in s.runs
    ]
    usage = {"usage": s.usage} if any(s.usage.values()) else {}
    return {
        **s.session,
        **status,
        **usage,
        "plan": plan,
        "todos": todos(front),
        "hitl_pending": s.questions[0] if s.questions else None,
        "hitl_queue": list(s.questions[1:]),
        "last_message_id": s.cursor,
        "messages": list(s.messages[-200:]),
        "runs": runs,
        "monitors": s.monitors,
        "agents": s.agents,
        "windows": list(s.windows),
        "notices": list(s.notices),
        "queue": s.queue,
        "allowed": s.allowed,
    }


def test_there_are_plays() -> None:
    assert len(VECTORS) >= 10


@pytest.mark.parametrize("play", VECTORS, ids=lambda p: p.stem)
def test_play(play: Path) -> None:
    s = State()
    compared = 0
    for number, line in enumerate(play.read_text().splitlines(), 1):
        step = json.loads(line)
        if "change" in step:
            s.apply(step["change"])
        if "text" in step:
            s.write(step["text"])
        if "session_state" in step:
            wanted = step["session_state"]
            for name in ("client_id", "epoch", "viewers", "open_messages", "role"):
                wanted.pop(name, None)
            wanted = {"current_layer": None, **wanted, "last_message_id": s.cursor}
            assert shown(s) == wanted, f"{play.name}:{number}"
            compared += 1
    assert compared > 0


def message(seq: int, **more: Any) -> dict[str, Any]:
    return {"message_id": id_of(seq), "ts": seq, "type": "say", "say": "text", **more}


def change(start: int | None, to: int, **more: Any) -> StateChangedData:
    made = {"to": id_of(to), "total": 0, **more}
    if start is not None:
        made["from"] = id_of(start)
    return cast(StateChangedData, made)


def test_a_change_from_elsewhere_is_not_taken() -> None:
    s = State()
    with pytest.raises(ProtocolFault):
        s.apply(change(1, 2))
    s.apply(change(None, 5))
    for start in (4, 6):
        with pytest.raises(ProtocolFault):
            s.apply(change(start, 7))
    assert s.cursor == id_of(5)


def test_unknown_kinds_are_ignored_and_what_is_kept_stays() -> None:
    s = State()
    s.apply(change(None, 5, put={"task": [{"task_id": "t", "status": "active"}], "message": [message(4)]}))
    kept = s.tasks
    s.apply(change(5, 6, put={"strange": [1], "task": [{"task_id": "t", "status": "completed"}]}, reset=["other"]))
    assert (kept[0]["status"], s.tasks[0]["status"]) == ("active", "completed")
    s.apply(change(6, 7, **{"del": {"task": ["t"], "message": [id_of(4)], "strange": ["x"]}}))
    assert (s.tasks, s.messages) == ([], [])


def test_text_is_written_over_what_stands_there() -> None:
    s = State()
    s.apply(change(None, 1, total=1, put={"message": [message(1, text="é", partial=True)]}))

    def write(offset: int, delta: str, field: str | None = None) -> str:
        more = {"field": field} if field else {}
        s.write({"message_id": id_of(1), "offset": offset, "delta": delta, **more})  # type: ignore[typeddict-item]
        found = s.message(id_of(1))
        assert found is not None
        return found.get("reasoning", "") if field else found.get("text", "")

    assert write(2, "한👋") == "é한👋"
    assert write(2, "한") == "é한👋"  # the same again
    assert write(99, "lost") == "é한👋"  # a piece is missing
    assert write(5, "ab") == "é한ab"  # no part of a character is left
    assert write(0, "hm", "reasoning") == "hm"


def test_messages_over_the_limit_are_dropped_and_can_be_loaded_again() -> None:
    s = State(message_limit=4)
    s.apply(change(None, 1, total=1, put={"message": [message(1)]}))
    s.apply(change(1, 6, total=6, put={"message": [message(i) for i in range(2, 7)]}))
    assert [m["ts"] for m in s.messages] == [3, 4, 5, 6]
    assert s.has_older
    s.apply(change(6, 7, put={"message": [message(2, text="older than all that are held")]}))
    assert s.oldest == id_of(3)
    page: Any = {"messages": [message(1), message(2)], "total": 6}
    assert s.add_older(id_of(9), page) == 0  # another past by now
    assert s.add_older(id_of(3), page) == 2
    assert [m["ts"] for m in s.messages] == [1, 2, 3, 4, 5, 6]
    assert not s.has_older
