import { ClewError, type CellType } from "@clew-run/client";

/** What somebody wrote into a cell and the server does not have yet. */
export interface Draft {
  readonly text: string;
  /** What the cell was when they began, as a mark. */
  readonly base: string;
  /** For a new cell, should this one be deleted. */
  readonly type: CellType;
  readonly sending: boolean;
  /** Why it could not be sent; it is tried again with the next change. */
  readonly error?: unknown;
}

/** A cell as the server has it. */
export interface CellNow {
  /** Another one for another source. */
  mark: string;
  type: CellType;
  /** Undefined while a long source is not here yet. */
  text: string | undefined;
  /** It runs or waits to: it cannot be changed now. */
  locked: boolean;
}

/** What drafts need of the notebook. */
export interface DraftPort {
  cell(id: string): CellNow | undefined;
  version(): number;
  replace(id: string, text: string, ifVersion: number): Promise<unknown>;
  /** The server took this text, of a notebook of that version. */
  taken(id: string, text: string, version: number): void;
  /** Ends when the notebook is past that version; false if it does not come to that in a while. */
  past(version: number): Promise<boolean>;
}

/** How a cell and what was written into it stand to each other. */
export type Standing = "none" | "open" | "conflict" | "gone";

export function standingOf(draft: Draft | undefined, cell: CellNow | undefined): Standing {
  if (!draft) return "none";
  if (!cell) return "gone";
  if (draft.sending || cell.mark === draft.base || cell.text === draft.text) return "open";
  return "conflict";
}

const pauseMs = 800;
const mostTries = 6;

/**
 * The drafts of a notebook. Each is sent when its writer pauses, and refused by the server if the
 * notebook changed meanwhile. Was it another cell that changed, the draft goes out again; was it this
 * one, both versions stay until the person chooses.
 */
export class Drafts {
  readonly #port: DraftPort;
  readonly #drafts = new Map<string, Draft>();
  readonly #listeners = new Set<() => void>();
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  #line: Promise<unknown> = Promise.resolve(); // one at a time: each needs the version that the one before made

  constructor(port: DraftPort) {
    this.#port = port;
  }

  get = (id: string): Draft | undefined => this.#drafts.get(id);

  /** The cells that have one. */
  get ids(): string[] {
    return [...this.#drafts.keys()];
  }

  subscribe = (fn: () => void): (() => void) => {
    this.#listeners.add(fn);
    return () => this.#listeners.delete(fn);
  };

  write(id: string, text: string): void {
    const cell = this.#port.cell(id);
    const before = this.#drafts.get(id);
    if (!before && (!cell || cell.text === text)) return;
    this.#set(id, {
      text,
      base: before?.base ?? cell!.mark,
      type: cell?.type ?? before!.type,
      sending: before?.sending ?? false,
    });
    clearTimeout(this.#timers.get(id));
    this.#timers.set(
      id,
      setTimeout(() => void this.flush(id), pauseMs),
    );
  }

  /** Sends what there is of a cell. True if the server has all of it then. */
  flush(id: string): Promise<boolean> {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    if (!this.#drafts.has(id)) return Promise.resolve(true);
    const sent = this.#line.then(() => this.#send(id));
    this.#line = sent.catch(() => {});
    return sent;
  }

  async flushAll(): Promise<boolean> {
    const all = await Promise.all(this.ids.map((id) => this.flush(id)));
    return all.every(Boolean);
  }

  /** What this person wrote takes the place of what the other one did. */
  keep(id: string): Promise<boolean> {
    const draft = this.#drafts.get(id);
    const cell = this.#port.cell(id);
    if (!draft || !cell) return Promise.resolve(false);
    this.#set(id, { text: draft.text, base: cell.mark, type: cell.type, sending: false });
    return this.flush(id);
  }

  drop(id: string): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.#set(id, undefined);
  }

  async #send(id: string): Promise<boolean> {
    for (let tries = 0; tries < mostTries; tries++) {
      const draft = this.#drafts.get(id);
      const cell = this.#port.cell(id);
      if (!draft) return true;
      const standing = standingOf(draft, cell);
      if (standing !== "open" || !cell || cell.locked) return false;
      if (cell.text === draft.text) {
        this.drop(id);
        return true;
      }
      const version = this.#port.version();
      this.#set(id, { ...draft, sending: true, error: undefined });
      try {
        await this.#port.replace(id, draft.text, version);
      } catch (error) {
        this.#change(id, { sending: false });
        if (error instanceof ClewError && error.code === "SESSION_INVALID_STATE" && (await this.#port.past(version)))
          continue;
        this.#change(id, { error });
        return false;
      }
      this.#port.taken(id, draft.text, version);
      if (this.#sent(id, draft.text)) return true;
    }
    return false;
  }

  /** The server has this text. True if nothing was written since. */
  #sent(id: string, text: string): boolean {
    const now = this.#drafts.get(id);
    if (!now || now.text === text) {
      this.drop(id);
      return true;
    }
    const cell = this.#port.cell(id);
    const long = cell !== undefined && cell.text === undefined; // a source that long has an address, which comes with its record
    this.#change(id, { sending: false, base: cell && (long || cell.text === text) ? cell.mark : `text ${text}` });
    return false;
  }

  #change(id: string, change: Partial<Draft>): void {
    const now = this.#drafts.get(id);
    if (now) this.#set(id, { ...now, ...change });
  }

  #set(id: string, draft: Draft | undefined): void {
    if (draft) this.#drafts.set(id, draft);
    else this.#drafts.delete(id);
    for (const fn of [...this.#listeners]) fn();
  }
}
