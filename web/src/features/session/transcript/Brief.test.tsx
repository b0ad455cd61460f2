import type { Session, TranscriptMessage } from "@clew-run/client";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { Brief } from "./Brief";

afterEach(cleanup);

const snapshot = { runs: [], tasks: [] };
const session = { id: "s1", store: { getSnapshot: () => snapshot, subscribe: () => () => {} } } as unknown as Session;
const brief = (more: object) =>
  ({
    message_id: "msg_1",
    ts: 1,
    type: "say",
    say: "text",
    role: "user",
    agent_id: "a",
    text: "You carry out one step.\nAll of it.",
    ...more,
  }) as TranscriptMessage;

test("the brief of a step is folded under its title", () => {
  render(<Brief session={session} message={brief({ summary: "Count the words" })} />);
  const button = screen.getByRole("button", { name: /Step\s*Count the words/ });
  expect(screen.queryByText(/All of it/)).toBeNull();
  fireEvent.click(button);
  expect(screen.getByText(/All of it/)).toBeTruthy();
});

test("what has no title is a subtask, and shows how it begins", () => {
  render(<Brief session={session} message={brief({})} />);
  expect(screen.getByRole("button", { name: /Handed to a subtask\s*You carry out one step\./ })).toBeTruthy();
});

test("what became of a task that nobody waited for is told under its name", () => {
  const known = {
    id: "s1",
    store: {
      getSnapshot: () => ({ runs: [], tasks: [{ task_id: "t2", agent_id: "task-t2", text: "Compare suppliers" }] }),
      subscribe: () => () => {},
    },
  } as unknown as Session;
  for (const inGroup of [false, true]) {
    render(
      <Brief
        session={known}
        message={brief({
          agent_id: "task-t2",
          agent_kind: "task",
          task_id: "t1",
          summary: "The task you delegated has ended.",
        })}
        inGroup={inGroup}
      />,
    );
    expect(screen.getByRole("button", { name: /Result of a task\s*Compare suppliers/ })).toBeTruthy();
    cleanup();
  }
});
