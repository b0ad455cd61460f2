import type { TimelineMark } from "@clew-run/client";
import { expect, test } from "vitest";
import { describe as inWords, sinceRewind, targetOf } from "./marks";
import { timeWords } from "./words";

const mark = (kind: TimelineMark["kind"], label: string, more: Partial<TimelineMark> = {}): TimelineMark => ({ message_id: "msg_1", ts: 1, kind, label, ...more });
const tools = { execute_command: "Run", write_file: "Write" };
const en = (m: TimelineMark) => inWords(m, timeWords.en, tools);

test("no mark shows an id or a program's word", () => {
  expect(en(mark("rewind", "back to after msg_000000000012", { removed: 3 }))).toBe("3 messages taken back");
  expect(en(mark("rewind", "back to before msg_000000000012", { removed: 1, restored: 2 }))).toBe("1 message taken back, 2 messages brought back");
  expect(en(mark("rewind", "the rewind was undone", { restored: 4 }))).toBe("Undone: 4 messages brought back");
  expect(en(mark("answer", "reject: not now"))).toBe("No: not now");
  expect(en(mark("answer", "reject:"))).toBe("No");
  expect(en(mark("answer", "something else"))).toBe("something else"); // no form that is known: as it came
  expect(en(mark("answer", "approve"))).toBe("Yes");
  expect(en(mark("answer", ": both of them"))).toBe("both of them");
  expect(en(mark("answer", "nobody answered in time: skip"))).toBe("Nobody answered in time: Skipped");
  expect(en(mark("checkpoint", "before execute_command"))).toBe("Before: Run");
  expect(en(mark("checkpoint", "at a message"))).toBe("At a message");
  expect(en(mark("checkpoint", "my own words"))).toBe("my own words");
  expect(en(mark("fork", "forked to sess_12"))).not.toMatch(/sess_/);
  expect(en(mark("tool", "execute_command ls -l"))).toBe("Run ls -l");
  expect(en(mark("tool", 'search_files {"path":"sales","pattern":"a"}'))).toBe("search_files sales");
  expect(en(mark("tool", 'write_file {"content":"one \\"two\\"","path":"a \\"b\\".txt","x'))).toBe('Write a "b".txt');
  expect(en(mark("tool", 'write_file {"content":"cut of'))).toBe("Write");
  expect(en(mark("question", "run: sh check.sh"))).toBe("May it run sh check.sh?");
  expect(inWords(mark("answer", "reject: 아직"), timeWords.ko, tools)).toBe("거절: 아직");
});

test("the target of a rewind is known, of nothing else", () => {
  expect(targetOf(mark("rewind", "back to after msg_12"))).toEqual({ messageId: "msg_12", kept: true });
  expect(targetOf(mark("rewind", "the rewind was undone"))).toBeNull();
  expect(targetOf(mark("user", "back to after msg_12"))).toBeNull();
});

test("an undo takes along what was said since the last rewind that holds", () => {
  const back = mark("rewind", "back to before msg_2");
  expect(sinceRewind([mark("user", "a")])).toEqual([]);
  expect(sinceRewind([mark("user", "a"), back])).toEqual([]);
  expect(sinceRewind([mark("user", "a"), back, mark("user", "b"), mark("checkpoint", "c"), mark("assistant", "d")]).map((m) => m.label)).toEqual(["b", "d"]);
  // A later one that was undone is hidden, and what stands between counts.
  const undone = mark("rewind", "the rewind was undone");
  expect(sinceRewind([back, mark("user", "b"), mark("rewind", "back to before msg_4", { hidden: true }), undone]).map((m) => m.label)).toEqual(["b"]);
});
