import type { Session, TranscriptMessage } from "@clew-run/client";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { Brief } from "./Brief";

afterEach(cleanup);

const snapshot = { runs: [], tasks: [] };
const session = { id: "s1", store: { getSnapshot: () => snapshot, subscribe: () => () => {} } } as unknown as Session;
const brief = (more: object) => ({ message_id: "msg_1", ts: 1, type: "say", say: "text", role: "user", agent_id: "a", text: "You carry out one step.\nAll of it.", ...more }) as TranscriptMessage;

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
