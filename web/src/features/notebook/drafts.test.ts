import { ClewError } from "@clew-run/client";
import { beforeEach, expect, test, vi } from "vitest";
import { Drafts, standingOf, type DraftPort } from "./drafts";
import { lineDiff } from "./lineDiff";

/** A server with one notebook: edits of another version than its own are refused. */
class Server implements DraftPort {
  cells = new Map([
    ["a", "one"],
    ["b", "two"],
  ]);
  locked = new Set<string>();
  at = 1;
  sent: string[] = [];
  /** What happens before the next edit arrives. */
  meanwhile: (() => void) | undefined;
  cell = (id: string) => {
    const text = this.cells.get(id);
    return text === undefined
      ? undefined
      : { mark: `text ${text}`, type: "code" as const, text, locked: this.locked.has(id) };
  };
  version = () => this.at;
  async replace(id: string, text: string, ifVersion: number) {
    const first = this.meanwhile;
    this.meanwhile = undefined;
    first?.();
    this.sent.push(`${id} ${text} if ${ifVersion}`);
    if (ifVersion !== this.at) throw new ClewError("SESSION_INVALID_STATE", "somebody else changed the notebook");
    this.other(id, text);
  }
  taken = () => {};
  past = async (version: number) => this.at > version;
  other(id: string, text: string | undefined) {
    if (text === undefined) this.cells.delete(id);
    else this.cells.set(id, text);
    this.at++;
  }
}

let server: Server;
let drafts: Drafts;
beforeEach(() => {
  vi.useFakeTimers();
  server = new Server();
  drafts = new Drafts(server);
});

const standing = (id: string) => standingOf(drafts.get(id), server.cell(id));

test("what is written goes out after a pause, once", async () => {
  drafts.write("a", "o");
  drafts.write("a", "on");
  await vi.advanceTimersByTimeAsync(700);
  drafts.write("a", "once");
  expect(server.sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(900);
  expect(server.sent).toEqual(["a once if 1"]);
  expect(drafts.get("a")).toBeUndefined();
  expect(server.cells.get("a")).toBe("once");
});

test("another cell changed meanwhile: the draft goes out again", async () => {
  server.meanwhile = () => server.other("b", "theirs");
  drafts.write("a", "mine");
  expect(await drafts.flush("a")).toBe(true);
  expect(server.sent).toEqual(["a mine if 1", "a mine if 2"]);
  expect(server.cells).toEqual(
    new Map([
      ["a", "mine"],
      ["b", "theirs"],
    ]),
  );
});

test("the same cell changed meanwhile: neither is lost, and the person chooses", async () => {
  server.meanwhile = () => server.other("a", "theirs");
  drafts.write("a", "mine");
  expect(await drafts.flush("a")).toBe(false);
  expect(standing("a")).toBe("conflict");
  expect(server.cells.get("a")).toBe("theirs");
  expect(drafts.get("a")!.text).toBe("mine");
  expect(await drafts.keep("a")).toBe(true);
  expect(server.cells.get("a")).toBe("mine");
  expect(standing("a")).toBe("none");
});

test("theirs can stay, too", async () => {
  drafts.write("a", "mine");
  server.other("a", "theirs");
  expect(standing("a")).toBe("conflict");
  expect(await drafts.flush("a")).toBe(false);
  expect(server.sent).toEqual([]);
  drafts.drop("a");
  expect(server.cells.get("a")).toBe("theirs");
});

test("both wrote the same: there is nothing to choose", async () => {
  drafts.write("a", "same");
  server.other("a", "same");
  expect(standing("a")).toBe("open");
  expect(await drafts.flush("a")).toBe(true);
  expect(server.sent).toEqual([]);
});

test("who writes on while it is sent loses nothing", async () => {
  drafts.write("a", "first");
  server.meanwhile = () => drafts.write("a", "first and more");
  expect(await drafts.flush("a")).toBe(true);
  expect(server.cells.get("a")).toBe("first and more");
});

test("a cell that runs gets its words afterwards", async () => {
  server.locked.add("a");
  drafts.write("a", "later");
  expect(await drafts.flush("a")).toBe(false);
  expect(server.sent).toEqual([]);
  server.locked.clear();
  expect(await drafts.flush("a")).toBe(true);
  expect(server.cells.get("a")).toBe("later");
});

test("a cell that is gone keeps what was written into it", async () => {
  drafts.write("a", "mine");
  server.other("a", undefined);
  expect(await drafts.flush("a")).toBe(false);
  expect(standing("a")).toBe("gone");
  expect(drafts.ids).toEqual(["a"]);
});

test("another refusal is told, and the words stay", async () => {
  server.replace = async () => {
    throw new ClewError("INVALID_MESSAGE", "too long");
  };
  drafts.write("a", "mine");
  expect(await drafts.flush("a")).toBe(false);
  expect(drafts.get("a")).toMatchObject({ text: "mine", sending: false, error: { message: "too long" } });
});

test("how two versions differ", () => {
  expect(lineDiff("a\nb\nc", "a\nx\nc")).toEqual([
    { kind: "same", text: "a" },
    { kind: "del", text: "b" },
    { kind: "add", text: "x" },
    { kind: "same", text: "c" },
  ]);
  expect(lineDiff("same", "same")).toEqual([{ kind: "same", text: "same" }]);
});
