import { seqOf } from "./position.js";
import type { Message } from "./types.gen.js";
import { dropBytes, utf8Length } from "./utf8.js";

/** A message of the transcript, with what became of its call or question. */
export type TranscriptMessage = Message;

/** A text that grows, and its length in bytes. */
interface Growing {
  text: string;
  bytes: number;
}

type Field = "text" | "reasoning";

/** An end of the transcript. */
export type TranscriptEnd = "newest" | "oldest";

/**
 * The messages of a session, in order. Streamed text is gathered beside them
 * and joined when they are published, so that a delta costs the same however
 * long the message and the transcript are.
 */
export class Transcript {
  readonly limit: number;
  /** The end that somebody looks at; over the limit, messages at the other one go. */
  view: TranscriptEnd = "newest";
  hasOlder = false;
  hasNewer = false;
  readonly #byId = new Map<string, TranscriptMessage>();
  readonly #growing = new Map<string, { [F in Field]?: Growing }>();
  #ids: string[] = [];
  #published: readonly string[] = [];
  #idsChanged = false;
  readonly #partial = new Set<string>();
  #streaming: readonly string[] = [];
  #changed = new Set<string>();

  constructor(limit: number) {
    this.limit = limit;
  }

  get(id: string): TranscriptMessage | undefined {
    return this.#byId.get(id);
  }

  get first(): string | undefined {
    return this.#ids[0];
  }

  get last(): string | undefined {
    return this.#ids.at(-1);
  }

  get size(): number {
    return this.#ids.length;
  }

  /** The messages that grow. */
  get streaming(): readonly string[] {
    return this.#streaming;
  }

  /** The last messages, newest first. */
  newest(count: number): TranscriptMessage[] {
    return this.#ids
      .slice(-count)
      .reverse()
      .map((id) => this.#byId.get(id)!);
  }

  clear(): void {
    this.#drop(this.#ids);
    this.#ids = [];
    this.hasNewer = false;
  }

  /** Puts a message in its place. One beyond an end that is not held is left out. */
  put(m: TranscriptMessage): void {
    this.#growing.delete(m.message_id);
    if (!this.#byId.has(m.message_id)) {
      const seq = seqOf(m.message_id);
      let at = this.#ids.length;
      while (at > 0 && seqOf(this.#ids[at - 1]) > seq) at--;
      if (this.#ids.length > 0 && (at === 0 || (at === this.#ids.length && this.hasNewer))) return;
      this.#ids.splice(at, 0, m.message_id);
      this.#idsChanged = true;
    }
    this.#set(m);
    this.#trim();
  }

  remove(gone: readonly string[]): void {
    this.#ids = this.#ids.filter((id) => !gone.includes(id));
    this.#drop(gone);
  }

  /** Writes a piece of text over what stands at an offset, in bytes of UTF-8. */
  write(id: string, field: Field, offset: number, delta: string): void {
    const m = this.#byId.get(id);
    if (!m) return;
    let both = this.#growing.get(id);
    if (!both) this.#growing.set(id, (both = {}));
    const g = (both[field] ??= { text: m[field] ?? "", bytes: utf8Length(m[field] ?? "") });
    if (offset > g.bytes) return; // a piece is missing: the message's next form has all
    if (offset === g.bytes) g.text += delta;
    else {
      const rest = dropBytes(g.text, offset);
      g.text = g.text.slice(0, g.text.length - rest.length) + delta + dropBytes(rest, utf8Length(delta));
    }
    g.bytes = Math.max(g.bytes, offset + utf8Length(delta));
    this.#changed.add(id);
  }

  /** Puts a page of older messages before those held. Returns how many were new. */
  prepend(messages: readonly TranscriptMessage[]): number {
    const fresh = messages.filter((m) => !this.#byId.has(m.message_id));
    if (fresh.length === 0) return 0;
    for (const m of fresh) this.#set(m);
    this.#ids = [...fresh.map((m) => m.message_id), ...this.#ids];
    this.#idsChanged = true;
    this.#trim();
    return fresh.length;
  }

  /** Puts a page of newer messages behind those held. Returns how many were new. */
  append(messages: readonly TranscriptMessage[]): number {
    const fresh = messages.filter((m) => !this.#byId.has(m.message_id));
    for (const m of fresh) this.#set(m);
    this.#ids = [...this.#ids, ...fresh.map((m) => m.message_id)].sort((a, b) => seqOf(a) - seqOf(b));
    this.#idsChanged = true;
    this.#trim("newest"); // somebody reads on towards the end
    return fresh.length;
  }

  /** Holds a page from the middle of the session in place of what is held. */
  replace(messages: readonly TranscriptMessage[], hasOlder: boolean, hasNewer: boolean): void {
    this.clear();
    this.hasOlder = hasOlder;
    this.hasNewer = hasNewer;
    this.append(messages);
  }

  /** Joins what was gathered. Gives the ids in order and those whose message is another one now. */
  publish(): { ids: readonly string[]; changed: ReadonlySet<string> } {
    const changed = this.#changed;
    for (const id of changed) {
      const m = this.#byId.get(id);
      const { text, reasoning } = this.#growing.get(id) ?? {};
      if (m && (text || reasoning))
        this.#byId.set(id, { ...m, ...(text && { text: text.text }), ...(reasoning && { reasoning: reasoning.text }) });
    }
    this.#changed = new Set();
    if (this.#idsChanged) this.#published = this.#ids.slice();
    this.#idsChanged = false;
    return { ids: this.#published, changed };
  }

  #set(m: TranscriptMessage): void {
    this.#byId.set(m.message_id, m);
    this.#changed.add(m.message_id);
    this.#markPartial(m.message_id, m.partial === true);
  }

  #markPartial(id: string, partial: boolean): void {
    if (partial === this.#partial.has(id)) return;
    if (partial) this.#partial.add(id);
    else this.#partial.delete(id);
    this.#streaming = [...this.#partial];
  }

  #trim(view = this.view): void {
    const over = this.#ids.length - this.limit;
    if (over <= 0) return;
    const slice = Math.max(over, Math.min(this.limit >> 4, 1000)); // in slices, not one by one
    if (view === "newest") {
      this.#drop(this.#ids.splice(0, slice));
      this.hasOlder = true;
    } else {
      this.#drop(this.#ids.splice(this.#ids.length - slice));
      this.hasNewer = true;
    }
  }

  #drop(ids: readonly string[]): void {
    for (const id of ids) {
      this.#byId.delete(id);
      this.#growing.delete(id);
      this.#markPartial(id, false);
      this.#changed.add(id);
    }
    this.#idsChanged = true;
  }
}
