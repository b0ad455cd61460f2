import { expect, test } from "vitest";
import { alikeGroups, likeness } from "./alike";
import { commandFor } from "./answer";
import { crossed } from "./deadline";
import { askedAs, askerOf, kindOf } from "./kinds";
import { newerReview } from "./QuestionCard";
import { approval, input, review } from "./samples";
import { readValue, startText, suggestionsOf } from "./value";
import { questionWords } from "./words";

test("alike are the same kind, tool and rule, and nothing else", () => {
  const ask = (id: string, command: string, more = {}) => ({
    session_id: "s",
    question: approval({ request_id: id, effect: { summary: "", command, digest: id }, ...more }),
  });
  const all = [
    ask("1", "go test ./a"),
    ask("2", "go test ./b"),
    ask("3", "git push"),
    ask("4", "go test ./c", { options: ["reject"] }),
    ask("5", "go test ./d", { limit: "budget" }),
    { session_id: "s", question: input() },
  ];
  const groups = [...alikeGroups(all).values()];
  expect(groups.map((g) => g.map((i) => i.question.request_id))).toEqual([["1", "2"]]);

  const ruled = (id: string, command: string, pattern: string) =>
    approval({
      request_id: id,
      effect: { summary: "", command, digest: id },
      remember: { scopes: ["task"], pattern },
    } as never);
  expect(likeness(ruled("6", "git log", "git log *"))).toBe(likeness(ruled("7", "git log -p", "git log *")));
  expect(likeness(ruled("6", "git log", "git log *"))).not.toBe(likeness(ruled("8", "git push", "git push *")));
  // The rule, not the first word, says what a program's calls have in common; another tool is another thing.
  expect(likeness(approval({ tool: "a" }))).not.toBe(likeness(approval({ tool: "b" })));
});

test("kinds", () => {
  expect(kindOf(approval())).toBe("command");
  expect(kindOf(approval({ limit: "budget" }))).toBe("limit");
  expect(kindOf(approval({ ask: "api_req_failed" }))).toBe("retry");
  expect(kindOf(approval({ ask: "tool", effect: { summary: "", diff: "+a", digest: "d" } }))).toBe("edit");
  expect(kindOf(approval({ ask: "tool", effect: { summary: "", url: "https://example.org", digest: "d" } }))).toBe(
    "fetch",
  );
  expect(
    kindOf(approval({ ask: "use_mcp_server", effect: { summary: "", url: "https://example.org", digest: "d" } })),
  ).toBe("server");
  expect(kindOf(review())).toBe("plan");
  expect(askedAs(approval())).toBe("command");
  expect(askedAs(approval({ tool: "run_cell" }))).toBe("cell");
});

test("who asks is told by a name that people know, never by an id", () => {
  expect(askerOf(approval({ agent_kind: "main", agent_id: "a1" }))).toBe("");
  expect(askerOf(approval({ agent_kind: "task", agent_id: "a2" }))).toBe(":sub");
  expect(askerOf(approval({ agent_kind: "step", agent_id: "a3" }))).toBe(":step");
  expect(askerOf(approval({ agent_kind: "window", agent_id: "window-notes" }))).toBe(":window");
  for (const t of [questionWords.en, questionWords.ko]) {
    for (const who of ["", ":sub", ":step", ":window"]) expect(t.titles.command(who)).not.toContain(":");
  }
  expect(questionWords.ko.titles.command(":sub")).toContain("하위 작업 · 이 명령을 실행할까요?");
});

test("every answer becomes the command of its question", () => {
  expect(commandFor(approval(), { action: "reject", comment: "no" })).toEqual({
    type: "hitl_approval_response",
    data: { request_id: "req_1", action: "reject", comment: "no" },
  });
  expect(
    commandFor(approval(), { action: "approve", remember: { scope: "task", pattern: "go test *" } }).data,
  ).toMatchObject({ remember: { scope: "task", pattern: "go test *" } });
  expect(commandFor(input(), { value: 3 })).toEqual({
    type: "hitl_input_response",
    data: { request_id: "req_2", field: "answer", value: 3 },
  });
  expect(commandFor(input(), { action: "reject" })).toMatchObject({
    type: "ask_response",
    data: { ask_response: "no_button_clicked" },
  });
  expect(commandFor(review(), { action: "modify", instruction: "shorter" })).toMatchObject({
    type: "hitl_plan_response",
    data: { action: "modify", instruction: "shorter" },
  });
});

test("60 and 10 seconds are passed once each, however the clock is looked at", () => {
  expect(crossed(60_400, 59_900)).toBe(60);
  expect(crossed(59_900, 59_400)).toBeNull();
  expect(crossed(10_200, 9_700)).toBe(10);
  expect(crossed(90_000, 5_000)).toBe(10); // the page slept: the nearer one counts
  expect(crossed(9_000, -500)).toBeNull(); // the end is the server's to say
  expect(crossed(70_000, -1)).toBeNull();
});

test("values are read as the type that is asked for", () => {
  expect(readValue("number", " 3,5 ", true)).toEqual({ value: 3.5 });
  expect(readValue("number", "three", true)).toEqual({ problem: "number" });
  expect(readValue("date", "2028-02-29", true)).toEqual({ value: "2028-02-29" });
  expect(readValue("date", "soon", true)).toEqual({ problem: "date" });
  expect(readValue("date", "2027-02-29", true)).toEqual({ problem: "date" });
  expect(readValue("text", "  ", true)).toEqual({ problem: "empty" });
  expect(readValue("text", "", false)).toEqual({ value: "" });
  expect(suggestionsOf(input({ input_type: "boolean" }), { yes: "Yes", no: "No" }).map((s) => s.value)).toEqual([
    true,
    false,
  ]);
  expect(suggestionsOf(input({ options: [{ value: 2, label: "Two" }] }), { yes: "", no: "" })).toEqual([
    { value: 2, label: "Two" },
  ]);
  expect(startText(input({ default_value: 7 }))).toBe("7");
  expect(startText(input())).toBe("");
});

test("a review of an older version is out of date, and says which one is newer", () => {
  const next = review({ request_id: "req_4", version: 2 });
  expect(newerReview(review(), [review(), next], 2)).toEqual({ version: 2, requestId: "req_4" });
  expect(newerReview(review(), [], 3)).toEqual({ version: 3 });
  expect(newerReview(next, [next], 2)).toBeUndefined();
  expect(newerReview(review(), [review({ request_id: "req_5", plan_id: "plan_2", version: 9 })], 1)).toBeUndefined();
  expect(newerReview(approval(), [next], 2)).toBeUndefined();
});
