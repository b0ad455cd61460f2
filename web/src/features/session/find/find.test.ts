import { expect, test } from "vitest";
import { nearest, type Hit } from "./find";
import { pattern } from "./useHighlights";

const hit = (id: string, ...matched: string[]): Hit => ({
  message_id: id,
  kind: "message",
  at_ms: 0,
  excerpt: [{ text: "a " }, ...matched.map((text) => ({ text, match: true }))],
});

test("it begins at the first hit in view or below it, else at the last", () => {
  const hits = ["msg_2", "msg_4", "msg_4", "msg_9"].map((id) => hit(id));
  expect([undefined, "msg_1", "msg_3", "msg_4", "msg_9", "msg_a"].map((m) => nearest(hits, m))).toEqual([
    3, 0, 1, 1, 3, 3,
  ]);
  expect(nearest([], "msg_1")).toBe(-1);
});

test("what the server matched is marked, by the beginnings of words", () => {
  const found = (text: string, ...matched: string[]) =>
    [...text.matchAll(pattern([hit("msg_1", ...matched)])!)].map((m) => m[0]);
  expect(found("A request_key, prerequest, Request key", "request_key", "Request")).toEqual(["request_key", "Request"]);
  expect(found("결제됩니다, 재결제", "결제")).toEqual(["결제", "결제"]);
  expect(found("f(x) and (x)", "(x)")).toEqual(["(x)"]);
  expect(pattern([hit("msg_1")])).toBeNull();
});
