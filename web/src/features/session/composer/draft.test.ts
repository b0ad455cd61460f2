import type { Draft, DraftChange } from "@clew-run/client";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DraftKeeper, nothing, type Written } from "./draft";
import { intentOf, type Press } from "./keys";

/** A server that keeps one draft as the real one does. */
class Server {
  draft: Draft | null = null;
  down = false;
  puts = 0;
  next = 1;
  get = async () => this.#line(() => this.draft);
  put = async (c: DraftChange) =>
    this.#line(() => {
      if ((this.draft?.revision ?? 0) !== c.revision)
        throw Object.assign(new Error("another was faster"), { status: 409 });
      this.puts++;
      return (this.draft = { text: c.text, images: c.images, updated_ms: 0, revision: this.next++ });
    });
  delete = async (revision?: number) =>
    this.#line(() => {
      if (revision !== undefined && this.draft && this.draft.revision !== revision)
        throw Object.assign(new Error("newer"), { status: 409 });
      this.draft = null;
    });
  #line<T>(fn: () => T): T {
    if (this.down) throw new Error("no line");
    return fn();
  }
}

class Memory {
  map = new Map<string, string>();
  getItem = (k: string) => this.map.get(k) ?? null;
  setItem = (k: string, v: string) => void this.map.set(k, v);
  removeItem = (k: string) => void this.map.delete(k);
}

const words = (text: string): Written => ({ text, images: [] });

describe("drafts", () => {
  let server: Server;
  let storage: Memory;
  let found: Written[];
  beforeEach(() => {
    vi.useFakeTimers();
    server = new Server();
    storage = new Memory();
    found = [];
  });
  afterEach(() => vi.useRealTimers());
  const keeper = () => new DraftKeeper({ key: "d", server, storage, onFound: (w) => found.push(w) });
  const soon = () => vi.advanceTimersByTimeAsync(700);

  test("words that are sent again after a reload are no draft, and go with their message", async () => {
    const before = keeper();
    before.load();
    before.change(words("into the dark"));
    await soon();
    before.sending();
    before.change(nothing);

    const after = keeper();
    expect(after.load([words("into the dark")])).toEqual(nothing);
    await soon();
    expect(found).toEqual([]);
    expect(server.draft?.text).toBe("into the dark"); // until the server has the message
    after.acknowledged();
    await soon();
    expect(server.draft).toBeNull();
    expect(storage.map.size).toBe(0);
  });

  test("a message that is sent before its draft is read takes it along", async () => {
    server.draft = { text: "fast", images: [], updated_ms: 0, revision: 4 };
    const k = keeper();
    k.load([words("fast")]);
    k.acknowledged();
    await soon();
    expect(found).toEqual([]);
    expect(server.draft).toBeNull();
  });

  test("what was written after a message that waits is a draft", async () => {
    storage.setItem("d", JSON.stringify({ text: "and more", images: [], unsaved: true }));
    expect(keeper().load([words("into the dark")])).toEqual(words("and more"));
  });

  test("words that the server refused are a draft again after a reload", async () => {
    storage.setItem("d", JSON.stringify({ text: "refused", images: [], unsaved: true }));
    const k = keeper();
    k.load([words("refused")]);
    k.failed();
    await soon();
    expect(keeper().load()).toEqual(words("refused"));
  });

  test("typing is saved once it rests", async () => {
    const k = keeper();
    k.load();
    for (const text of ["h", "he", "hello"]) k.change(words(text));
    expect(server.puts).toBe(0);
    await soon();
    expect(server.draft?.text).toBe("hello");
    expect(server.puts).toBe(1);
  });

  test("typing is not written to the browser's storage with each key, and leaving loses nothing", async () => {
    const k = keeper();
    k.load();
    let writes = 0;
    storage.setItem = (key, v) => void (writes++, storage.map.set(key, v));
    server.down = true;
    for (const text of ["h", "he", "hel"]) k.change(words(text));
    expect(writes).toBe(0);
    await vi.advanceTimersByTimeAsync(200);
    expect(writes).toBe(1);
    k.change(words("hello"));
    void k.flush();
    expect(keeper().load()).toEqual(words("hello"));
  });

  test("a page that opens finds the draft", async () => {
    server.draft = { text: "from before", updated_ms: 0, revision: server.next++ };
    expect(keeper().load()).toEqual(nothing);
    await soon();
    expect(found).toEqual([words("from before")]);
  });

  test("without a line the browser's copy is found, and reaches the server later", async () => {
    server.down = true;
    const k = keeper();
    k.load();
    k.change(words("offline"));
    await soon();
    expect(server.draft).toBeNull();
    server.down = false;
    expect(keeper().load()).toEqual(words("offline"));
    await soon();
    expect(server.draft!.text).toBe("offline");
    expect(found).toEqual([]);
  });

  test("sending keeps it until the server has the message", async () => {
    const k = keeper();
    k.load();
    k.change(words("important"));
    await soon();
    k.sending();
    k.change(nothing);
    await soon();
    expect(server.draft?.text).toBe("important");
    expect(storage.map.get("d")).toContain("important");
    k.acknowledged();
    await soon();
    expect(server.draft).toBeNull();
    expect(storage.map.size).toBe(0);
  });

  test("a refused message leaves it where it was", async () => {
    const k = keeper();
    k.load();
    k.change(words("important"));
    await soon();
    k.sending();
    k.change(nothing);
    k.failed();
    k.change(words("important"));
    await soon();
    expect(server.draft?.text).toBe("important");
  });

  test("what is written after sending is a draft of its own", async () => {
    const k = keeper();
    k.load();
    k.change(words("first"));
    await soon();
    k.sending();
    k.change(nothing);
    k.change(words("second"));
    k.acknowledged();
    await soon();
    expect(server.draft?.text).toBe("second");
  });

  test("another device's newer draft is not deleted by our acknowledgement", async () => {
    const k = keeper();
    k.load();
    k.change(words("mine"));
    await soon();
    k.sending();
    k.change(nothing);
    server.draft = { text: "theirs", updated_ms: 0, revision: server.next++ };
    k.acknowledged();
    await soon();
    expect(server.draft.text).toBe("theirs");
  });

  test("who types counts, also if another device was faster", async () => {
    const k = keeper();
    k.load();
    await soon();
    server.draft = { text: "theirs", updated_ms: 0, revision: server.next++ };
    k.change(words("mine"));
    await soon();
    expect(server.draft.text).toBe("mine");
  });

  test("typing before the server answered is not overwritten", async () => {
    server.draft = { text: "old", updated_ms: 0, revision: server.next++ };
    const k = keeper();
    k.load();
    k.change(words("new"));
    await soon();
    expect(found).toEqual([]);
    expect(server.draft.text).toBe("new");
  });

  test("a draft that was sent from another device goes here, too, unless somebody writes", async () => {
    const k = keeper();
    k.load();
    k.change(words("both"));
    await soon();
    server.draft = null;
    await k.refresh();
    expect(found).toEqual([nothing]);
    k.change(words("mine"));
    await k.refresh();
    expect(found).toEqual([nothing]);
    await soon();
    expect(server.draft!.text).toBe("mine");
  });

  test("emptying by hand takes it away", async () => {
    const k = keeper();
    k.load();
    k.change(words("x"));
    await soon();
    k.change(nothing);
    await soon();
    expect(server.draft).toBeNull();
  });
});

describe("keys of the composer", () => {
  const press = (p: Partial<Press>): Press => ({
    key: "Enter",
    shiftKey: false,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    isComposing: false,
    keyCode: 13,
    ...p,
  });

  test("Enter sends, with Shift it does not, with Ctrl or ⌘ it steers", () => {
    expect(intentOf(press({}), false)).toBe("send");
    expect(intentOf(press({ shiftKey: true }), false)).toBeNull();
    expect(intentOf(press({ ctrlKey: true }), false)).toBe("steer");
    expect(intentOf(press({ metaKey: true }), false)).toBe("steer");
    expect(intentOf(press({ key: "a" }), false)).toBeNull();
  });

  test("an input method's Enter never sends", () => {
    expect(intentOf(press({ isComposing: true }), false)).toBeNull();
    expect(intentOf(press({ keyCode: 229 }), false)).toBeNull();
    expect(intentOf(press({}), true)).toBeNull(); // Safari: the composition ended just before
  });
});
