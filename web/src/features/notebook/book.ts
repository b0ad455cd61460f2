import type { CellEdit, CellInfo, CellType, NotebookInfo, OnConflict, Session } from "@clew-run/client";
import { client } from "@/app/client";
import { notify, notifyError } from "@/app/notices";
import { wordsNow } from "@/i18n";
import { withoutAnsi } from "@/lib/ansi";
import { Drafts, type CellNow } from "./drafts";
import { notebookWords } from "./words";

const patienceMs = 4_000;
const mostAsked = 65_536; // of code about which the server asks a kernel

/**
 * A notebook as this person works with it: what they wrote and is not sent yet, and all that one can
 * do. With drafts it lives as long as the page of the app, so that going elsewhere loses no word.
 */
export class Book {
  readonly id: string;
  readonly drafts: Drafts;
  /** The texts of sources that are too long for a record, by their address. */
  readonly #long = new Map<string, string>();
  #session: Session;

  constructor(session: Session, id: string) {
    this.#session = session;
    this.id = id;
    this.drafts = new Drafts({
      cell: (cell) => this.now(cell),
      version: () => this.info?.version ?? 0,
      replace: (cell, source, version) => this.edit([{ op: "replace", cell_id: cell, source }], version),
      taken: (cell, text, version) => this.#taken(cell, text, version),
      past: (version) => this.#past(version),
    });
    this.drafts.subscribe(() => keep(this));
  }

  get session(): Session {
    return this.#session;
  }

  /** The same session, as another object: one that nobody looked at for a while is forgotten. */
  moveTo(session: Session): void {
    const old = this.#session;
    if (session === old) return;
    this.#session = session;
    // No word about what it sent will come there; the drafts can be sent again here.
    for (const o of old.store.getSnapshot().outgoing)
      if (o.type === "notebook_edit" && (o.data as { notebook_id?: string }).notebook_id === this.id)
        old.withdraw(o.id);
  }

  get info(): NotebookInfo | undefined {
    return this.session.store.getSnapshot().notebooks.find((n) => n.notebook_id === this.id);
  }

  cell(id: string): CellInfo | undefined {
    return this.session.store.getSnapshot().cells.find((c) => c.cell_id === id && c.notebook_id === this.id);
  }

  now(id: string): CellNow | undefined {
    const cell = this.cell(id);
    return cell && { mark: markOf(cell), type: cell.type, text: this.sourceOf(cell), locked: isLocked(cell) };
  }

  /** The source as the server has it; undefined while it has to be fetched. */
  sourceOf(cell: CellInfo): string | undefined {
    return cell.source_blob ? this.#long.get(cell.source_blob) : (cell.source ?? "");
  }

  async fetchSource(address: string): Promise<string> {
    const known = this.#long.get(address);
    if (known !== undefined) return known;
    const text = await (await client.rest.sessions.blob(this.session.id, address)).text();
    this.#long.set(address, text);
    return text;
  }

  edit(edits: CellEdit[], ifVersion?: number): Promise<unknown> {
    return this.session.send("notebook_edit", {
      notebook_id: this.id,
      edits,
      ...(ifVersion !== undefined && { if_version: ifVersion }),
    });
  }

  /** Runs cells after what was written into them is sent. */
  async run(cells: readonly string[]): Promise<void> {
    const sent = await Promise.all(cells.map((c) => this.drafts.flush(c)));
    const ready = cells.filter((_, i) => sent[i]);
    if (ready.length > 0) await this.#do(this.session.send("notebook_run", { notebook_id: this.id, cells: ready }));
  }

  async runAll(to?: string): Promise<void> {
    if (await this.#allSent())
      await this.#do(this.session.send("notebook_run", { notebook_id: this.id, all: true, ...(to && { to }) }));
  }

  interrupt(): Promise<boolean> {
    return this.#do(this.session.send("kernel_interrupt", { notebook_id: this.id }));
  }

  async restart(thenRun = false): Promise<void> {
    if (thenRun && !(await this.#allSent())) return; // before the kernel loses what it knows
    const restarts = await this.#do(this.session.send("kernel_restart", { notebook_id: this.id }));
    if (thenRun && restarts) await this.runAll();
  }

  shutdown(): Promise<boolean> {
    return this.#do(this.session.send("kernel_shutdown", { notebook_id: this.id }));
  }

  async save(more: { path?: string; conflict?: OnConflict } = {}): Promise<void> {
    await this.drafts.flushAll();
    await this.#do(this.session.send("notebook_save", { notebook_id: this.id, ...more }));
  }

  async close(): Promise<void> {
    await this.#do(this.session.send("notebook_close", { notebook_id: this.id }));
  }

  /** Puts a cell behind another one, or at the start, and says which it is; undefined if that was refused. */
  async insert(after: string, type: CellType, source = ""): Promise<string | undefined> {
    const cell = newCellId();
    return (await this.#do(this.edit([{ op: "insert", cell_id: cell, after, type, source }]))) ? cell : undefined;
  }

  async remove(id: string): Promise<void> {
    this.drafts.drop(id);
    await this.#do(this.edit([{ op: "delete", cell_id: id }]));
  }

  async retype(id: string, type: CellType): Promise<void> {
    await this.drafts.flush(id);
    await this.#do(this.edit([{ op: "replace", cell_id: id, type }]));
  }

  /** Moves a cell by one place. */
  async move(id: string, by: 1 | -1): Promise<void> {
    const cells = this.info?.cells ?? [];
    const at = cells.indexOf(id);
    const to = at + by;
    if (at < 0 || to < 0 || to >= cells.length) return;
    await this.#do(this.edit([{ op: "move", cell_id: id, after: by === 1 ? cells[to]! : (cells[to - 1] ?? "") }]));
  }

  clear(id?: string): Promise<boolean> {
    return this.#do(this.edit([{ op: "clear", ...(id && { cell_id: id }) }]));
  }

  async complete(code: string, cursor: number): Promise<{ matches: string[]; start: number; end: number }> {
    return code.length > mostAsked ? { matches: [], start: 0, end: 0 } : this.#ask("complete", { code, cursor });
  }

  async inspect(code: string, cursor: number): Promise<{ found: boolean; text: string }> {
    if (code.length > mostAsked) return { found: false, text: "" };
    const { found, text } = await this.#ask<{ found: boolean; text: string }>("inspect", { code, cursor });
    return { found, text: withoutAnsi(text) };
  }

  #ask<T>(what: string, body: unknown): Promise<T> {
    return client.rest.request(
      "POST",
      `/sessions/${encodeURIComponent(this.session.id)}/notebooks/${encodeURIComponent(this.id)}/${what}`,
      body,
    );
  }

  /** An order whose refusal is told as a notice; the page shows what became of it. True if it was taken. */
  async #do(sent: Promise<unknown>): Promise<boolean> {
    try {
      await sent;
      return true;
    } catch (error) {
      notifyError(error);
      return false;
    }
  }

  /** Sends all that was written. If that cannot be, a notice says where, as nothing runs then. */
  async #allSent(): Promise<boolean> {
    if ((await this.drafts.flushAll()) || this.drafts.ids.length === 0) return true;
    const places = this.drafts.ids
      .map((id) => (this.info?.cells.indexOf(id) ?? -1) + 1)
      .filter((n) => n > 0)
      .sort((a, b) => a - b);
    notify({
      tone: "fail",
      text: wordsNow(notebookWords).unsent(places),
      about: `unsent ${this.session.id} ${this.id}`,
    });
    return false;
  }

  /** A source that is long has its address now. If it is still what was sent, nobody has to fetch it. */
  #taken(id: string, text: string, version: number): void {
    const address = this.cell(id)?.source_blob;
    if (address && this.info?.version === version + 1) this.#long.set(address, text);
  }

  #past(version: number): Promise<boolean> {
    const isPast = () => (this.info?.version ?? 0) > version;
    return new Promise((done) => {
      if (isPast()) return done(true);
      const end = (yes: boolean) => {
        clearTimeout(timer);
        stop();
        done(yes);
      };
      const stop = this.session.store.subscribe(() => isPast() && end(true));
      const timer = setTimeout(() => end(false), patienceMs);
    });
  }
}

/** Another mark for another source. */
function markOf(cell: CellInfo): string {
  return cell.source_blob ? `blob ${cell.source_blob}` : `text ${cell.source ?? ""}`;
}

/** A cell that runs, or waits to, cannot be changed. */
export function isLocked(cell: CellInfo): boolean {
  return cell.status === "running" || cell.status === "queued";
}

function newCellId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(4)), (b) => b.toString(16).padStart(2, "0")).join("");
}

/** Those with drafts. */
const books = new Map<string, Book>();

const keyOf = (session: Session, id: string) => `${session.id} ${id}`;

/** The one of this notebook. */
export function bookOf(session: Session, id: string): Book {
  const book = books.get(keyOf(session, id)) ?? new Book(session, id);
  book.moveTo(session);
  return book;
}

/** Keeps a book as long as it has drafts. Only then leaving is asked about: it costs the browser's own memory of the page. */
function keep(book: Book): void {
  const key = keyOf(book.session, book.id);
  if (book.drafts.ids.length > 0) books.set(key, book);
  else if (books.get(key) === book) books.delete(key);
  if (books.size > 0) addEventListener("beforeunload", beforeLeaving);
  else removeEventListener("beforeunload", beforeLeaving);
}

/** Asks before words are lost. Those of a notebook that is closed cannot be sent any more. */
function beforeLeaving(e: BeforeUnloadEvent): void {
  const open = [...books.values()].filter((b) => b.info);
  for (const b of open) void b.drafts.flushAll();
  if (open.length > 0) e.preventDefault();
}
