import { ClewError, type CellInfo, type NotebookInfo, type Session } from "@clew-run/client";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { createElement } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { client } from "@/app/client";
import * as notices from "@/app/notices";
import { Book, bookOf } from "./book";
import { Gone } from "./Conflict";

/** A session with one notebook; its answers are what a test says. */
class Fake {
  readonly id: string;
  cells = new Map<string, Partial<CellInfo>>([
    ["a", { source: "one" }],
    ["b", { source: "two" }],
  ]);
  version = 1;
  open = true;
  sent: string[] = [];
  outgoing: { id: string; type: string; data: unknown; fail(e: unknown): void }[] = [];
  /** Edits are refused with this. */
  refusal: Error | undefined;
  /** Nobody answers. */
  silent = false;
  constructor(id: string) {
    this.id = id;
  }
  store = {
    subscribe: () => () => {},
    getSnapshot: () => ({
      notebooks: this.open
        ? [{ notebook_id: "n", version: this.version, cells: [...this.cells.keys()] } as NotebookInfo]
        : [],
      cells: [...this.cells].map(([cell_id, c]) => ({ notebook_id: "n", cell_id, type: "code", outputs: [], ...c })),
      outgoing: this.outgoing,
    }),
  };
  send = (
    type: string,
    data: { edits?: { op: string; cell_id: string; source?: string; type?: string }[]; all?: boolean },
  ) => {
    const [edit] = data.edits ?? [];
    this.sent.push(edit ? [edit.op, edit.op === "insert" ? edit.type : edit.cell_id, edit.source].join(" ") : type);
    if (this.silent)
      return new Promise((_, fail) =>
        this.outgoing.push({ id: `${this.outgoing.length}`, type, data: { notebook_id: "n", ...data }, fail }),
      );
    if (!edit) return Promise.resolve();
    if (this.refusal) return Promise.reject(this.refusal);
    this.version++;
    const long = (edit.source?.length ?? 0) > 65_536;
    this.cells.set(edit.cell_id, long ? { source_blob: `blob${this.version}` } : { source: edit.source });
    return Promise.resolve();
  };
  withdraw = (id: string) =>
    this.outgoing.find((o) => o.id === id)!.fail(new ClewError("CONNECTION_FAILED", "withdrawn"));
  get session() {
    return this as unknown as Session;
  }
}

let fake: Fake;
let book: Book;
let said: unknown[];
let count = 0;
beforeEach(() => {
  fake = new Fake(`s${++count}`);
  book = bookOf(fake.session, "n");
  said = [];
  vi.spyOn(notices, "notify").mockImplementation((n) => void said.push(n.text));
  vi.spyOn(notices, "notifyError").mockImplementation((e) => void said.push((e as Error).message));
});
afterEach(() => {
  for (const id of book.drafts.ids) book.drafts.drop(id);
  cleanup();
  vi.restoreAllMocks();
});

const full = new ClewError("SESSION_INVALID_STATE", "a notebook has at most 1000 cells");
/** Somebody else changes a cell while this person writes in it. */
const conflict = (id: string) => {
  book.drafts.write(id, "mine");
  fake.cells.set(id, { source: "theirs" });
};

test("an insert says which cell it made, or that it was refused", async () => {
  const made = await book.insert("a", "code", "x");
  expect(fake.cells.get(made!)).toEqual({ source: "x" });
  fake.refusal = full;
  expect(await book.insert("a", "code")).toBeUndefined();
  expect(said).toEqual([full.message]);
});

test("what was written into a deleted cell stays until it is in a new one, of the same type", async () => {
  fake.cells.set("a", { source: "# one", type: "markdown" });
  book.drafts.write("a", "# mine");
  fake.cells.delete("a");
  render(createElement(Gone, { book, id: "a", draft: book.drafts.get("a")!, after: "b" }));
  const button = screen.getByRole("button", { name: "Insert mine as a new cell" });
  fake.refusal = full;
  fireEvent.click(button);
  await waitFor(() => expect(said).toEqual([full.message]));
  expect(book.drafts.get("a")?.text).toBe("# mine");
  fake.refusal = undefined;
  await waitFor(() => expect(button.getAttribute("aria-busy")).toBeNull());
  fireEvent.click(button);
  fireEvent.click(button);
  await waitFor(() => expect(book.drafts.get("a")).toBeUndefined());
  expect(fake.sent).toEqual(["insert markdown # mine", "insert markdown # mine"]);
});

test("nothing runs while something cannot be sent, and one is told where", async () => {
  conflict("b");
  await book.runAll();
  await book.runAll("a");
  expect(said).toEqual(Array(2).fill("Cell 2 has changes that could not be sent. Nothing was run."));
  conflict("a");
  await book.restart(true);
  expect(said.at(-1)).toBe("Cells 1, 2 have changes that could not be sent. Nothing was run.");
  expect(fake.sent).toEqual([]); // no kernel lost what it knows
  await book.restart();
  expect(fake.sent).toEqual(["kernel_restart"]);
});

test("what was written goes before the restart and the run", async () => {
  book.drafts.write("b", "mine");
  await book.restart(true);
  expect(fake.sent).toEqual(["replace b mine", "kernel_restart", "notebook_run"]);
  expect(said).toEqual([]);
});

test("nothing runs after a restart that was refused", async () => {
  const send = fake.send;
  fake.send = (type, data) => (type === "kernel_restart" ? Promise.reject(full) : send(type, data));
  await book.restart(true);
  expect(fake.sent).toEqual([]);
  expect(said).toEqual([full.message]);
});

test("a long source that was sent need not be fetched, unless somebody else was faster", async () => {
  const blob = vi.spyOn(client.rest.sessions, "blob");
  const long = "x".repeat(70_000);
  book.drafts.write("a", long);
  expect(await book.drafts.flush("a")).toBe(true);
  expect(book.sourceOf(book.cell("a")!)).toBe(long);
  expect(await book.fetchSource("blob2")).toBe(long);
  expect(blob).not.toHaveBeenCalled();
  const send = fake.send;
  fake.send = async (type, data) => {
    await send(type, data);
    fake.version++;
    fake.cells.set("a", { source_blob: "theirs" });
  };
  book.drafts.write("a", `${long}y`);
  await book.drafts.flush("a");
  expect(book.sourceOf(book.cell("a")!)).toBeUndefined();
});

test("drafts outlive the session object that they were begun with", async () => {
  conflict("a");
  book.drafts.write("b", "sent to nobody");
  fake.silent = true;
  const never = book.drafts.flush("b");
  await vi.waitFor(() => expect(fake.outgoing).toHaveLength(1));
  const again = new Fake(fake.id);
  again.cells.set("a", { source: "theirs" });
  const moved = bookOf(again.session, "n");
  expect(moved === book).toBe(true); // a book is not printed: its answers would be asked for
  expect(moved.session === again.session).toBe(true);
  expect(await never).toBe(false);
  expect(book.drafts.get("a")?.text).toBe("mine");
  expect(await book.drafts.flush("b")).toBe(true);
  expect(again.sent).toEqual(["replace b sent to nobody"]);
  expect(bookOf(again.session, "other") === book).toBe(false);
});

test("a book without drafts is not kept, and leaving is asked about only with some", async () => {
  const asked = () => !dispatchEvent(new Event("beforeunload", { cancelable: true }));
  expect(bookOf(fake.session, "n") === book).toBe(false);
  expect(asked()).toBe(false);
  conflict("a");
  expect(bookOf(fake.session, "n") === book).toBe(true);
  expect(asked()).toBe(true);
  fake.open = false; // there is nowhere to send it
  expect(asked()).toBe(false);
  fake.open = true;
  await book.drafts.keep("a");
  expect(fake.cells.get("a")).toEqual({ source: "mine" });
  expect(asked()).toBe(false);
  expect(bookOf(fake.session, "n") === book).toBe(false);
});
