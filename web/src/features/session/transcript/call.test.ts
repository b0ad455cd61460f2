import type { TranscriptMessage } from "@clew-run/client";
import { expect, test } from "vitest";
import { allowedWords } from "./allowed";
import { exitCode, isHalted, saysOf, toneOfCall, viewOf } from "./call";
import { transcriptWords } from "./words";

const ask = (m: Partial<TranscriptMessage>): TranscriptMessage => ({ message_id: "msg_000000000001", ts: 1, type: "ask", ask: "tool", role: "assistant", ...m });

test("a call is told by its tool and what it is about", () => {
  expect(viewOf(ask({ text: '{"tool":"read_file","input":{"path":"till.sh"}}' }), false, undefined)).toMatchObject({ name: "read_file", target: "till.sh" });
  expect(viewOf(ask({ ask: "command", text: "run: sh check.sh\nsh more.sh" }), false, undefined)).toMatchObject({ name: "execute_command", target: "sh check.sh …" });
  expect(viewOf(ask({ text: '{"tool":"edit","input":{"path":' }), false, undefined)).toMatchObject({ name: "edit", target: "" });
});

test("a question that is open comes before all else", () => {
  expect(viewOf(ask({ tool: { name: "edit", status: "running" } }), true, undefined).status).toBe("asking");
});

test("what was refused is not called failed", () => {
  expect(viewOf(ask({ answer: { action: "reject", ts: 1 } }), false, undefined).status).toBe("denied");
});

test("a call that a person stopped did not fail", () => {
  const m = ask({ tool: { name: "execute_command", status: "error", error: "interrupted by the user" } });
  const v = viewOf(m, false, undefined);
  expect(v.status).toBe("stopped");
  expect(toneOfCall(v)).toBe("past");
  expect(saysOf(m, v.status)).toBeUndefined(); // the page has words of its own for it
});

test("what the answer below says is not said by the call as well", () => {
  const tool = { name: "execute_command", status: "error", error: "denied by a person" } as const;
  expect(saysOf(ask({ tool, answer: { action: "reject", ts: 1, comment: "not now" } }), "error")).toBeUndefined();
  expect(saysOf(ask({ tool: { ...tool, error: "no such file" }, answer: { action: "approve", ts: 1 } }), "error")).toBe("no such file");
});

test("nothing runs in a task that stopped with the server", () => {
  const resume = { type: "hitl_approval_request", request_id: "r", timeout_sec: 0, ask: "resume_task", task_id: "t1", reason: "", options: [] } as const;
  expect(isHalted([resume as never], "t1")).toBe(true);
  expect(isHalted([resume as never], "t2")).toBe(false);
  expect(isHalted([{ ...resume, ask: "command" } as never], "t1")).toBe(false);
  expect(viewOf(ask({ tool: { name: "edit", status: "running" } }), false, undefined, true).status).toBe("halted");
  expect(viewOf(ask({ tool: { name: "edit", status: "complete" } }), false, undefined, true).status).toBe("complete");
});

test("a call's input is not told twice", () => {
  const call = (summary: string, error?: string) => ask({ tool: { name: "edit", status: "running", summary, error } });
  expect(saysOf(call('{"path":"a"}'), "running")).toBeUndefined();
  expect(saysOf(call("2 of 9 files"), "running")).toBe("2 of 9 files");
  expect(saysOf(call('{"path":"a"}', "no such file"), "error")).toBe("no such file");
});

test("a command that ran and ended badly is marked so", () => {
  const output = "FAIL\n\n[ended after 700ms; exit code 1]";
  const v = viewOf(ask({ ask: "command", text: "run: make", tool: { name: "execute_command", status: "complete" } }), false, output);
  expect(v.exit).toBe("1");
  expect(toneOfCall(v)).toBe("fail");
  expect(exitCode("said exit code 3 in its text\n[ended after 1s; exit code 0]\n")).toBe("0");
});

test("no line of a call is data for machines", () => {
  for (const text of ['{"a":1}', '[{"a":1}]', ' {"cut short', '["a"]']) {
    expect(viewOf(ask({ tool: { name: "x__y", status: "running", input: text, title: text } }), false, undefined).target).toBe("");
    expect(saysOf(ask({ tool: { name: "x__y", status: "running", summary: text } }), "running")).toBeUndefined();
  }
  expect(viewOf(ask({ ask: "use_mcp_server", text: '{"x":1}', tool: { name: "x__y", status: "running", title: "look up the weather" } }), false, undefined).target).toBe("look up the weather");
});

test("a call says which rule allowed it, by names that people know", () => {
  expect(allowedWords(transcriptWords.en, { scope: "task", rule: "git status *" })).toContain("git status *");
  expect(allowedWords(transcriptWords.en, { scope: "settings", rule: "always_allow_write" })).not.toContain("always_allow");
  expect(allowedWords(transcriptWords.ko, { scope: "session", rule: "example.org" })).toContain("example.org");
});
