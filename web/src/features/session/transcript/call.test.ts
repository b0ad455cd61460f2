import type { EndCode, TranscriptMessage } from "@clew-run/client";
import { expect, test } from "vitest";
import { endWords } from "../ends";
import { allowedWords } from "./allowed";
import { isHalted, saysOf, toneOfCall, viewOf } from "./call";
import { transcriptWords } from "./words";

const why = endWords.en;
const ask = (m: Partial<TranscriptMessage>): TranscriptMessage => ({
  message_id: "msg_000000000001",
  ts: 1,
  type: "ask",
  ask: "tool",
  role: "assistant",
  ...m,
});

test("a call is told by its tool and what it is about", () => {
  expect(
    viewOf(ask({ tool: { name: "read_file", status: "running", target: "till.sh" } }), false, false),
  ).toMatchObject({ name: "read_file", target: "till.sh" });
  expect(
    viewOf(
      ask({ ask: "use_mcp_server", tool: { name: "x__y", status: "running", title: "Look up the weather" } }),
      false,
      false,
    ).target,
  ).toBe("Look up the weather");
  expect(viewOf(ask({ ask: "command", text: "run: make" }), false, false)).toMatchObject({
    name: "execute_command",
    target: "",
  });
});

test("a question that is open comes before all else", () => {
  expect(viewOf(ask({ tool: { name: "edit", status: "running" } }), true, false).status).toBe("asking");
});

test("what was refused is not called failed", () => {
  expect(viewOf(ask({ answer: { action: "reject", ts: 1 } }), false, false).status).toBe("denied");
});

test("what was refused is denied, though its record says that it failed", () => {
  const tool = { name: "execute_command", status: "error", error: "denied by a person" } as const;
  const v = viewOf(ask({ tool, answer: { action: "reject", ts: 1 } }), false, false);
  expect(v.status).toBe("denied");
  expect(toneOfCall(v)).toBe("past");
  expect(viewOf(ask({ tool, answer: { action: "approve", ts: 1 } }), false, false).status).toBe("error");
});

test("what nobody answered in time was not denied by anybody", () => {
  const tool = { name: "execute_command", status: "error", error: "nobody answered" } as const;
  for (const action of ["reject", "skip", "cancelled"] as const) {
    const v = viewOf(ask({ tool, answer: { action, by_timeout: true, ts: 1 } }), false, false);
    expect([v.status, toneOfCall(v)]).toEqual(["expired", "past"]);
  }
});

test("a call that a person stopped did not fail", () => {
  const m = ask({ tool: { name: "execute_command", status: "stopped", error: "x", why_code: "interrupted" } });
  const v = viewOf(m, false, false);
  expect(v.status).toBe("stopped");
  expect(toneOfCall(v)).toBe("past");
  expect(saysOf(m, v.status, why)).toBeUndefined(); // the page has words of its own for it
});

test("a call that the session was rewound into says only that", () => {
  for (const why_code of ["rewound", "undone", "redone"] as const) {
    const m = ask({
      tool: { name: "execute_command", status: "stopped", error: "x", in_doubt: true, why_code },
      answer: { action: "approve", ts: 1 },
    });
    expect(viewOf(m, false, false).status).toBe("rewound");
    expect(toneOfCall(viewOf(m, false, false))).toBe("past");
  }
});

test("why a call has no result is said in the words of the page, and a failure in its own", () => {
  const m = (why_code: EndCode) =>
    ask({ tool: { name: "edit", status: "error", error: "the server's sentence", why_code } });
  expect(saysOf(m("turn_over"), "error", endWords.ko)).toBe(endWords.ko.turn_over);
  expect(saysOf(m("failed"), "error", endWords.ko)).toBe("the server's sentence");
  expect(Object.keys(endWords.ko)).toEqual(Object.keys(endWords.en));
});

test("what the answer below says is not said by the call as well", () => {
  const tool = { name: "execute_command", status: "error", error: "denied by a person" } as const;
  expect(saysOf(ask({ tool, answer: { action: "reject", ts: 1, comment: "not now" } }), "error", why)).toBeUndefined();
  expect(
    saysOf(ask({ tool: { ...tool, error: "no such file" }, answer: { action: "approve", ts: 1 } }), "error", why),
  ).toBe("no such file");
});

test("nothing runs in a task that stopped with the server", () => {
  const resume = {
    type: "hitl_approval_request",
    request_id: "r",
    timeout_sec: 0,
    ask: "resume_task",
    task_id: "t1",
    reason: "",
    options: [],
  } as const;
  expect(isHalted([resume as never], "t1")).toBe(true);
  expect(isHalted([resume as never], "t2")).toBe(false);
  expect(isHalted([{ ...resume, ask: "command" } as never], "t1")).toBe(false);
  expect(viewOf(ask({ tool: { name: "edit", status: "running" } }), false, false, true).status).toBe("halted");
  expect(viewOf(ask({ tool: { name: "edit", status: "complete" } }), false, false, true).status).toBe("complete");
});

test("a call's input is not told twice", () => {
  const call = (summary: string, error?: string) =>
    ask({ tool: { name: "edit", status: "running", input: '{"path":"a"}', summary, error } });
  expect(saysOf(call('{"path":"a"}'), "running", why)).toBeUndefined();
  expect(saysOf(call("2 of 9 files"), "running", why)).toBe("2 of 9 files");
  expect(saysOf(call('{"path":"a"}', "no such file"), "error", why)).toBe("no such file");
});

test("a command that ran and ended badly is marked so", () => {
  const command = (exit_code: number) =>
    viewOf(ask({ ask: "command", tool: { name: "execute_command", status: "complete", exit_code } }), false, true);
  expect(command(1).exit).toBe(1);
  expect(toneOfCall(command(1))).toBe("fail");
  expect(toneOfCall(command(0))).toBe("done");
});

test("a call says which rule allowed it, by names that people know", () => {
  expect(allowedWords(transcriptWords.en, { scope: "task", rule: "git status *" })).toContain("git status *");
  expect(allowedWords(transcriptWords.en, { scope: "settings", rule: "always_allow_write" })).not.toContain(
    "always_allow",
  );
  expect(allowedWords(transcriptWords.ko, { scope: "session", rule: "example.org" })).toContain("example.org");
});
