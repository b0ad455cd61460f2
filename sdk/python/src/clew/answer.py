"""Answers to questions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from .types import CommandType, PlanEdit, Question, Remember

Action = Literal["approve", "modify", "skip", "reject"]


@dataclass(frozen=True)
class Answer:
    """An answer: ``Answer("approve")`` to an approval or the review of a plan,
    ``Answer(value="blue")`` to a question for input."""

    action: Action | None = None
    value: Any = None
    comment: str = ""
    """The reason of a no, or advice."""
    instruction: str = ""
    """With modify: what the planner should change."""
    modifications: Sequence[PlanEdit] = field(default_factory=tuple)
    """With modify: changes of the plan, as they stand."""
    remember: Remember | None = None
    """With approve: do not ask again, in this scope."""


_COMMANDS: dict[str, CommandType] = {
    "hitl_plan_review": "hitl_plan_response",
    "hitl_approval_request": "hitl_approval_response",
    "hitl_input_request": "hitl_input_response",
    "hitl_clarification": "hitl_clarification_response",
}


def wants_value(question: Question) -> bool:
    """Whether a question asks for a value. The others ask for an action."""
    return question["type"] in ("hitl_input_request", "hitl_clarification")


def command_of(question: Question, answer: Answer) -> tuple[CommandType, dict[str, Any]]:
    """The command that carries an answer, and its data."""
    kind = _COMMANDS[question["type"]]
    data: dict[str, Any] = {"request_id": question["request_id"]}
    if wants_value(question):
        if answer.action is not None:
            raise ValueError("this question asks for a value")
        return kind, {**data, "value": answer.value}
    if answer.action is None:
        raise ValueError("this question asks for an action")
    data["action"] = answer.action
    for name in ("comment", "instruction", "modifications", "remember"):
        given = getattr(answer, name)
        if given:
            data[name] = list(given) if name == "modifications" else given
    return kind, data


def words_of(question: Question) -> str:
    """What a person has to read before answering."""
    if question["type"] == "hitl_input_request":
        labels = [f"- {option['label']}" for option in question.get("options", [])]
        return "\n".join([question["question"], *labels])
    if question["type"] == "hitl_clarification":
        return "\n".join([question["question"], *(f"- {s}" for s in question["suggestions"])])
    if question["type"] == "hitl_plan_review":
        steps = [f"{i}. {todo['task']}" for i, todo in enumerate(question["plan"]["todos"], 1)]
        return "\n".join([question["message"], *steps])
    lines = [question["reason"]]
    effect = question.get("effect")
    if effect:
        lines += [effect["summary"], effect.get("diff", "")]
    if "input_text" in question or "input" in question:
        lines.append(question.get("input_text") or json.dumps(question.get("input"), ensure_ascii=False, indent=2))
    return "\n".join(line for line in dict.fromkeys(lines) if line)
