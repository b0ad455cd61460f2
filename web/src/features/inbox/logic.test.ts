import type { InboxItem } from "@clew-run/client";
import { expect, test } from "vitest";
import { approval } from "@/features/session/questions/samples";
import { pruneRows, updateRows } from "./rows";
import { noWork, start } from "./start";

const item = (id: string): InboxItem => ({
  session_id: "s",
  title: "",
  owner: "o",
  kind: "k",
  asked_ms: 0,
  seq: 1,
  question: approval({ request_id: id }),
});
const show = (rows: readonly { item: InboxItem; goneAt?: number }[]) =>
  rows.map((r) => r.item.question.request_id + (r.goneAt === undefined ? "" : "×")).join(" ");

test("a settled question stays in its place for a while", () => {
  let rows = updateRows([], [item("a"), item("b"), item("c")], 0);
  rows = updateRows(rows, [item("a"), item("c")], 1000);
  expect(show(rows)).toBe("a b× c");
  rows = updateRows(rows, [item("a"), item("d"), item("c")], 2000); // a new one comes to its place, and nothing else moves
  expect(show(rows)).toBe("a b× d c");
  expect(show(pruneRows(rows, 5000, 12_000, undefined))).toBe("a b× d c");
  expect(show(pruneRows(rows, 13_000, 12_000, undefined))).toBe("a d c");
  expect(show(pruneRows(rows, 13_000, 12_000, "b"))).toBe("a b× d c"); // somebody is on it
  expect(show(updateRows(rows, [item("b"), item("a"), item("d"), item("c")], 3000))).toBe("a b d c"); // taken back by a rewind
});

const commands = {
  slashCommands: async () => ({ commands: [{ name: "review", description: "", path: "" }], skills: [] }),
  expand: async (_: string, text: string) => ({ text: text.replace("/review", "Review with care:"), mode: "ask" }),
};

test("a beginning that failed half-way goes on where it stood", async () => {
  const said: unknown[] = [];
  let down = true;
  const ways = {
    ...commands,
    create: async () => {
      said.push("create");
      return { session_id: "s1" };
    },
    command: async (...args: unknown[]) => {
      said.push(args);
      if (down) throw new Error("gone");
      return { records: [] };
    },
  };
  const begun = { messageId: "m1" };
  const work = { ...noWork, text: " do it ", plan: true };
  await expect(start(ways, work, begun)).rejects.toThrow("gone");
  down = false;
  expect(await start(ways, work, begun)).toBe("s1");
  const message = ["s1", "user_message", { text: "do it", mode: "run" }, "m1"];
  expect(said).toEqual(["create", message, message]); // one session, and the same name for the same words
});

test("images go with the first words, or without any", async () => {
  const said: unknown[] = [];
  const ways = {
    ...commands,
    create: async () => ({ session_id: "s1" }),
    command: async (...args: unknown[]) => (said.push(args), { records: [] }),
  };
  await start(ways, noWork, { messageId: "m1" }, ["data:image/png;base64,AA=="]);
  expect(said).toEqual([["s1", "user_message", { text: "", images: ["data:image/png;base64,AA=="] }, "m1"]]);
});

test("a command is sent as what it stands for, in its mode; words that only begin like one stay", async () => {
  const said: unknown[] = [];
  const ways = {
    ...commands,
    create: async () => ({ session_id: "s1" }),
    command: async (...args: unknown[]) => (said.push(args[2]), { records: [] }),
  };
  await start(ways, { ...noWork, text: "/review a.go", mode: "code" }, { messageId: "m1" });
  await start(ways, { ...noWork, text: "/etc is full", mode: "code" }, { messageId: "m2" });
  expect(said).toEqual([
    { text: "Review with care: a.go", mode: "ask" },
    { text: "/etc is full", mode: "code" },
  ]);
});
