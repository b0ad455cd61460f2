import type { Draft, DraftChange } from "@clew-run/client";

/** What somebody has written and not sent. */
export interface Written {
  text: string;
  images: string[];
}

export const nothing: Written = { text: "", images: [] };

export interface DraftServer {
  get(): Promise<Draft | null>;
  put(change: DraftChange): Promise<Draft>;
  delete(revision: number): Promise<void>;
}

type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export interface DraftOptions {
  key: string;
  server: DraftServer;
  storage: Store;
  debounceMs?: number;
  /** A draft from before, or from another device. */
  onFound(w: Written): void;
}

const mirrorMs = 200;

interface Mirror extends Written {
  /** The server does not have it yet. */
  unsaved: boolean;
}

/**
 * Keeps a draft: almost at once in the browser, soon after on the server. While a
 * message is on its way the draft stays; it goes when the server has the message.
 */
export class DraftKeeper {
  readonly #o: DraftOptions;
  #now: Written = nothing;
  #revision = 0;
  #touched = false;
  #onWay = 0; // messages that are not acknowledged
  #timer: ReturnType<typeof setTimeout> | undefined;
  #mirroring: ReturnType<typeof setTimeout> | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(options: DraftOptions) {
    this.#o = options;
  }

  /**
   * What the browser has, at once; the server's comes by onFound if it is newer.
   * Words in `sent` are a message that an earlier page could not send: they are on
   * their way again, and are no draft unless that fails.
   */
  load(sent: readonly Written[] = []): Written {
    const isSent = (w: Written) => sent.some((s) => same(s, w));
    this.#onWay += sent.length;
    const kept = this.#mirror();
    const mirror = kept && isSent(kept) ? null : kept;
    if (mirror) this.#now = { text: mirror.text, images: mirror.images };
    void this.#o.server.get().then(
      (d) => {
        this.#revision = d?.revision ?? 0;
        if (mirror?.unsaved || this.#touched) return this.#later();
        const found = d ? { text: d.text, images: d.images ?? [] } : nothing;
        if (isSent(found)) return this.#onWay > 0 ? undefined : this.#discard(); // sent meanwhile, or still on its way
        if (same(found, this.#now)) return;
        this.#now = found;
        this.#remember(false);
        this.#o.onFound(found);
      },
      () => {},
    ); // no line: the browser's copy is what there is
    return this.#now;
  }

  /** Somebody comes back to the page: another device may have written or sent meanwhile. */
  async refresh(): Promise<void> {
    const quiet = () => this.#timer === undefined && this.#onWay === 0 && !this.#mirror()?.unsaved;
    if (!quiet()) return;
    const before = this.#now;
    const d = await this.#o.server.get().catch(() => undefined);
    if (d === undefined || !quiet() || !same(before, this.#now)) return;
    this.#revision = d?.revision ?? 0;
    const found = d ? { text: d.text, images: d.images ?? [] } : nothing;
    if (same(found, this.#now)) return;
    this.#now = found;
    if (empty(found)) this.#forget();
    else this.#remember(false);
    this.#o.onFound(found);
  }

  change(w: Written): void {
    if (same(w, this.#now)) return;
    this.#now = w;
    this.#touched = true;
    if (empty(w) && this.#onWay > 0) return; // emptied by sending: the old one stays until it is acknowledged
    this.#rememberSoon();
    this.#later();
  }

  /** A message with these words is on its way. */
  sending(): void {
    clearTimeout(this.#timer);
    this.#rememberNow();
    this.#onWay++;
  }

  /** The server has the message. What was written since then stays. */
  acknowledged(): void {
    this.#onWay--;
    if (!empty(this.#now) || this.#onWay > 0) return;
    clearTimeout(this.#timer);
    this.#discard();
  }

  /** Its words are in a message that the server has. */
  #discard(): void {
    this.#forget();
    this.#queue(async () => {
      const had = this.#revision;
      this.#revision = 0;
      if (had > 0) await this.#o.server.delete(had); // another device's newer one is left alone
    });
  }

  /** The message did not go; its words are written again. */
  failed(): void {
    this.#onWay--;
  }

  /** Saves at once what is not saved: the page is about to go. */
  flush(): Promise<void> {
    this.#rememberNow();
    if (this.#timer !== undefined) {
      clearTimeout(this.#timer);
      this.#save();
    }
    return this.#work;
  }

  #later(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#save(), this.#o.debounceMs ?? 600);
  }

  #save(): void {
    this.#timer = undefined;
    this.#queue(async () => {
      const w = this.#now;
      if (empty(w)) {
        if (this.#onWay > 0) return;
        const had = this.#revision;
        this.#revision = 0;
        if (had > 0) await this.#o.server.delete(had);
        this.#forget();
        return;
      }
      await this.#put(w);
      if (same(w, this.#now)) this.#remember(false);
    });
  }

  /** Somebody writes here, so what is here counts, also if another device was faster. */
  async #put(w: Written): Promise<void> {
    const change = (revision: number): DraftChange => ({
      text: w.text,
      images: w.images.length > 0 ? w.images : undefined,
      revision,
    });
    try {
      this.#revision = (await this.#o.server.put(change(this.#revision))).revision;
    } catch (e) {
      if ((e as { status?: number }).status !== 409) throw e;
      this.#revision = (await this.#o.server.get())?.revision ?? 0;
      this.#revision = (await this.#o.server.put(change(this.#revision))).revision;
    }
  }

  #queue(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch(() => {}); // the browser's copy stays marked as unsaved
  }

  #mirror(): Mirror | null {
    try {
      const found = JSON.parse(this.#o.storage.getItem(this.#o.key) ?? "null") as Partial<Mirror> | null;
      return found && { text: found.text ?? "", images: found.images ?? [], unsaved: found.unsaved ?? false };
    } catch {
      return null;
    }
  }

  /** The browser's storage writes to disk while the page waits: not with each key. */
  #rememberSoon(): void {
    this.#mirroring ??= setTimeout(() => this.#remember(true), mirrorMs);
  }

  #rememberNow(): void {
    if (this.#mirroring !== undefined) this.#remember(true);
  }

  #remember(unsaved: boolean): void {
    this.#rest();
    try {
      this.#o.storage.setItem(this.#o.key, JSON.stringify({ ...this.#now, unsaved } satisfies Mirror));
    } catch {
      // images may be too much for it: the server has them
    }
  }

  #rest(): void {
    clearTimeout(this.#mirroring);
    this.#mirroring = undefined;
  }

  #forget(): void {
    this.#rest();
    try {
      this.#o.storage.removeItem(this.#o.key);
    } catch {
      // nothing was there then
    }
  }
}

function empty(w: Written): boolean {
  return w.text === "" && w.images.length === 0;
}

function same(a: Written, b: Written): boolean {
  return a.text === b.text && a.images.length === b.images.length && a.images.every((x, i) => x === b.images[i]);
}
