import type { TimelineMark } from "@clew-run/client";
import { expect, test } from "vitest";
import { answerAt, describe as inWords, sinceRewind, targetOf } from "./marks";
import { timeWords } from "./words";

const mark = (kind: TimelineMark["kind"], label: string, more: Partial<TimelineMark> = {}): TimelineMark => ({ message_id: "msg_1", ts: 1, kind, label, ...more });
const tools = { execute_command: "Run", write_file: "Write" };
const en = (m: TimelineMark) => inWords(m, timeWords.en, tools);

test("no mark shows an id or a program's word", () => {
  expect(en(mark("rewind", "back to after msg_000000000012", { what: "after", subject: "msg_000000000012", removed: 3 }))).toBe("3 messages taken back");
  expect(en(mark("rewind", "back to before msg_000000000012", { what: "before", subject: "msg_000000000012", removed: 1, restored: 2 }))).toBe("1 message taken back, 2 messages brought back");
  expect(en(mark("rewind", "the rewind was undone", { what: "undone", subject: "msg_000000000012", restored: 4 }))).toBe("Undone: 4 messages brought back");
  expect(en(mark("answer", "reject: not now", { what: "reject", words: "not now" }))).toBe("No: not now");
  expect(en(mark("answer", "reject", { what: "reject", subject: "run: sh check.sh" }))).toBe("No · May it run sh check.sh?");
  expect(en(mark("answer", "answer: both: of them", { what: "answer", words: "both: of them", subject: "Which?" }))).toBe("both: of them · Which?");
  expect(en(mark("answer", "nobody answered in time: skip", { what: "skip", by_timeout: true }))).toBe("Nobody answered in time: Skipped");
  expect(en(mark("checkpoint", "before execute_command"))).toBe("Before: Run");
  expect(en(mark("checkpoint", "after the server stopped during write_file"))).toBe("After the server stopped during: Write");
  expect(en(mark("checkpoint", "at a message"))).toBe("At a message");
  expect(en(mark("checkpoint", "my own words"))).toBe("my own words");
  expect(en(mark("checkpoint", "constructor"))).toBe("constructor");
  expect(en(mark("checkpoint", "toString it"))).toBe("toString it");
  expect(en(mark("fork", "forked to sess_12"))).not.toMatch(/sess_/);
  expect(en(mark("tool", "execute_command ls -l", { what: "execute_command", subject: "ls -l" }))).toBe("Run ls -l");
  expect(en(mark("tool", "search_files", { what: "search_files" }))).toBe("search_files");
  expect(en(mark("question", "run: sh check.sh"))).toBe("May it run sh check.sh?");
  expect(en(mark("run", "began: Tidy up", { what: "began", subject: "Tidy up" }))).toBe("Tidy up");
  expect(en(mark("run", "the plan was approved", { what: "approved" }))).toBe("The plan was approved");
  expect(inWords(mark("answer", "reject: 아직", { what: "reject", words: "아직" }), timeWords.ko, tools)).toBe("거절: 아직");
});

test("a mark without fields is shown as it came", () => {
  for (const kind of ["answer", "rewind", "tool", "run", "error"] as const) expect(en(mark(kind, "reject: as it came"))).toBe("reject: as it came");
});

test("the target of a rewind is known, of nothing else", () => {
  expect(targetOf(mark("rewind", "", { what: "after", subject: "msg_12" }))).toEqual({ messageId: "msg_12", kept: true });
  expect(targetOf(mark("rewind", "", { what: "before", subject: "msg_12" }))).toEqual({ messageId: "msg_12", kept: false });
  expect(targetOf(mark("rewind", "", { what: "undone", subject: "msg_12" }))).toBeNull();
  expect(targetOf(mark("user", "", { what: "after", subject: "msg_12" }))).toBeNull();
});

test("only an answer that can be gone back to is a place of its own", () => {
  const answer = mark("answer", "", { message_id: "msg_7", target: true });
  const withdrawn = mark("answer", "", { message_id: "msg_8" });
  const marks = [mark("question", "", { message_id: "msg_6", target: true }), answer, withdrawn];
  expect(answerAt(marks, "msg_7")).toBe(answer);
  for (const other of ["msg_6", "msg_8", "msg_9"]) expect(answerAt(marks, other)).toBeUndefined();
});

test("an undo takes along what was said since the last rewind that holds", () => {
  const back = mark("rewind", "", { what: "before", subject: "msg_2" });
  expect(sinceRewind([mark("user", "a")])).toEqual([]);
  expect(sinceRewind([mark("user", "a"), back])).toEqual([]);
  expect(sinceRewind([mark("user", "a"), back, mark("user", "b"), mark("checkpoint", "c"), mark("assistant", "d")]).map((m) => m.label)).toEqual(["b", "d"]);
  // A later one that was undone is hidden, and what stands between counts.
  const undone = mark("rewind", "", { what: "undone", subject: "msg_4" });
  expect(sinceRewind([back, mark("user", "b"), mark("rewind", "", { what: "before", subject: "msg_4", hidden: true }), undone]).map((m) => m.label)).toEqual(["b"]);
});
