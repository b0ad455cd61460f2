import type { TimelineAsked, TimelineMark } from "@clew-run/client";
import { expect, test } from "vitest";
import { transcriptWords } from "@/features/session/transcript/words";
import { answerAt, describe as inWords, sinceRewind, targetOf } from "./marks";
import { timeWords } from "./words";

const mark = (kind: TimelineMark["kind"], label: string, more: Partial<TimelineMark> = {}): TimelineMark => ({
  message_id: "msg_1",
  ts: 1,
  kind,
  label,
  ...more,
});
const tools = { execute_command: "Run", write_file: "Write" };
const en = (m: TimelineMark) => inWords(m, timeWords.en, tools);

test("no mark shows an id or a program's word", () => {
  expect(
    en(mark("rewind", "back to after msg_000000000012", { what: "after", subject: "msg_000000000012", removed: 3 })),
  ).toBe("3 messages removed");
  expect(
    en(
      mark("rewind", "back to before msg_000000000012", {
        what: "before",
        subject: "msg_000000000012",
        removed: 1,
        restored: 2,
      }),
    ),
  ).toBe("1 message removed, 2 messages restored");
  expect(
    en(mark("rewind", "the rewind was undone", { what: "undone", subject: "msg_000000000012", restored: 4 })),
  ).toBe("Undone: 4 messages restored");
  expect(en(mark("answer", "reject: not now", { what: "reject", words: "not now" }))).toBe("No: not now");
  expect(
    en(
      mark("answer", "reject", {
        what: "reject",
        subject: "run: sh check.sh",
        asked: { kind: "command", subject: "sh check.sh", tool: "execute_command" },
      }),
    ),
  ).toBe("No · May it run sh check.sh?");
  expect(
    en(mark("answer", "answer: both: of them", { what: "answer", words: "both: of them", subject: "Which?" })),
  ).toBe("both: of them · Which?");
  expect(en(mark("answer", "nobody answered in time: skip", { what: "skip", by_timeout: true }))).toBe(
    "Nobody answered in time: Skipped",
  );
  expect(en(mark("fork", "forked to sess_12"))).not.toMatch(/sess_/);
  expect(en(mark("tool", "execute_command ls -l", { what: "execute_command", subject: "ls -l" }))).toBe("Run ls -l");
  expect(en(mark("tool", "search_files", { what: "search_files" }))).toBe("search_files");
  expect(en(mark("run", "began: Tidy up", { what: "began", subject: "Tidy up" }))).toBe("Tidy up");
  expect(en(mark("run", "the plan was approved", { what: "approved" }))).toBe("The plan was approved");
  expect(inWords(mark("answer", "reject: 아직", { what: "reject", words: "아직" }), timeWords.ko, tools)).toBe(
    "거부: 아직",
  );
});

test("checkpoints say in both languages why they were made, and people's reasons stay", () => {
  const saved = (what: string | undefined, subject?: string, words?: string) =>
    mark("checkpoint", "in English", { what, subject, words });
  for (const [m, english, korean] of [
    [saved("before", "execute_command"), "Before: Run", "실행 전"],
    [saved("stopped", "write_file"), "After the server stopped during: Write", "쓰기 중 서버가 멈춘 뒤"],
    [saved("message"), "At a message", "메시지에서"],
    [saved("after", "remote"), "After: remote", "remote 후"],
    [saved("person", "민수"), "Saved by 민수", "민수 님이 저장함"],
    [saved("person", "ann", "before lunch"), "before lunch", "before lunch"],
    [saved(undefined), "in English", "in English"],
    [saved("by_a_newer_server", "x"), "in English", "in English"],
  ] as const) {
    expect(inWords(m, timeWords.en, transcriptWords.en.tools)).toBe(english);
    expect(inWords(m, timeWords.ko, transcriptWords.ko.tools)).toBe(korean);
  }
});

test("questions are put in both languages, and agents' words stay", () => {
  const asked = (kind: TimelineAsked["kind"], subject?: string, tool?: string) =>
    mark("question", "in English", { asked: { kind, subject, tool } });
  for (const [m, english, korean] of [
    [asked("command", "sh check.sh", "execute_command"), "May it run sh check.sh?", "명령을 실행할까요? sh check.sh"],
    [asked("edit", "a.go", "edit"), "May it change a.go?", "파일을 바꿀까요? a.go"],
    [
      asked("tool", "README.md", "read_file"),
      "May it do this? Read README.md",
      "이 작업을 해도 될까요? 읽기 README.md",
    ],
    [asked("tool", undefined, "remote"), "May it do this? remote", "이 작업을 해도 될까요? remote"],
    [asked("budget"), "The budget is used up. Continue?", "예산을 다 썼습니다. 계속할까요?"],
    [asked("plan", "1. rake 2. sweep"), "Work by this plan? 1. rake 2. sweep", "이 계획대로 할까요? 1. rake 2. sweep"],
    [asked("input", "Which one?"), "Which one?", "Which one?"],
    [mark("question", "Which one?"), "Which one?", "Which one?"],
    [asked("of_a_newer_server" as "tool"), "in English", "in English"],
    [asked("constructor" as "tool"), "in English", "in English"],
  ] as const) {
    expect(inWords(m, timeWords.en, transcriptWords.en.tools)).toBe(english);
    expect(inWords(m, timeWords.ko, transcriptWords.ko.tools)).toBe(korean);
  }
  expect(Object.keys(timeWords.en.asked)).toEqual(Object.keys(timeWords.ko.asked));
});

test("a mark without fields is shown as it came", () => {
  for (const kind of ["answer", "rewind", "tool", "run", "error", "checkpoint", "question"] as const)
    expect(en(mark(kind, "reject: as it came"))).toBe("reject: as it came");
});

test("the target of a rewind is known, of nothing else", () => {
  expect(targetOf(mark("rewind", "", { what: "after", subject: "msg_12" }))).toEqual({
    messageId: "msg_12",
    kept: true,
  });
  expect(targetOf(mark("rewind", "", { what: "before", subject: "msg_12" }))).toEqual({
    messageId: "msg_12",
    kept: false,
  });
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
  expect(
    sinceRewind([mark("user", "a"), back, mark("user", "b"), mark("checkpoint", "c"), mark("assistant", "d")]).map(
      (m) => m.label,
    ),
  ).toEqual(["b", "d"]);
  // A later one that was undone is hidden, and what stands between counts.
  const undone = mark("rewind", "", { what: "undone", subject: "msg_4" });
  expect(
    sinceRewind([
      back,
      mark("user", "b"),
      mark("rewind", "", { what: "before", subject: "msg_4", hidden: true }),
      undone,
    ]).map((m) => m.label),
  ).toEqual(["b"]);
});
