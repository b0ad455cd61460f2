import type { InboxItem, SessionSummary } from "@clew-run/client";
import { expect, test } from "vitest";
import { initials } from "@/ui";
import { recentMost, sectionsOf } from "./sections";

const session = (id: string, more: Partial<SessionSummary> = {}) =>
  ({ session_id: id, title: id, status: "idle", updated_ms: 0, ...more }) as SessionSummary;
const asks = (id: string, request = `q_${id}`) =>
  ({ session_id: id, title: id, question: { request_id: request } }) as unknown as InboxItem;
const ids = (list: readonly SessionSummary[]) => list.map((s) => s.session_id);

test("a session is in one section, and its first question stands for it", () => {
  const all = [session("a", { status: "awaiting_input" }), session("b", { status: "executing" }), session("c")];
  const { asking, running, recent } = sectionsOf([asks("a", "q1"), asks("a", "q2"), asks("far")], all);
  expect(asking.map((x) => x.item.question.request_id)).toEqual(["q1", "q_far"]); // also one that is not in the list
  expect(ids(running)).toEqual(["b"]);
  expect(recent.map((g) => ids(g.sessions))).toEqual([["c"]]);
});

test("what waits for somebody else runs, and does not need this person", () => {
  const { asking, running } = sectionsOf([], [session("a", { status: "awaiting_input" })]);
  expect(asking).toEqual([]);
  expect(ids(running)).toEqual(["a"]);
});

test("recent ones are grouped by folder, those alone in theirs together, and bounded", () => {
  const list = [
    session("a", { workspace: "/w/shop" }),
    session("b", { workspace: "/w/one" }),
    session("c", { workspace: "/w/shop" }),
    session("d"),
  ];
  expect(sectionsOf([], list).recent.map((g) => [g.folder, ids(g.sessions)])).toEqual([
    ["shop", ["a", "c"]],
    ["", ["b", "d"]],
  ]);
  const many = Array.from({ length: 60 }, (_, i) => session(`s${i}`));
  expect(sectionsOf([], many).recent.flatMap((g) => g.sessions)).toHaveLength(recentMost);
});

test("initials are of the first two words, or the first letters", () => {
  expect(["Mina Park", "mina-park", "owner", "박민아", "j.w.x", ""].map(initials)).toEqual([
    "MP",
    "MP",
    "OW",
    "박",
    "JW",
    "?",
  ]);
});
