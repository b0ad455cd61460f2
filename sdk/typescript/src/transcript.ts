import type { TranscriptMessage } from "./held.js";
import { seqOf } from "./position.js";
import type { Delivery, MessageAnswer, MessageTool, OpenMessage } from "./types.gen.js";
import { dropBytes, utf8Length } from "./utf8.js";

/** A text that grows, and its length in bytes. */
interface Growth {
  text: string;
  textBytes: number;
  reasoning: string;
  reasoningBytes: number;
}

/** Which end of the transcript somebody looks at; the other one is dropped first. */
export type View = "newest" | "oldest";

/**
 * The messages of a session, in order. Streamed text is gathered beside them
 * and joined when they are published, so that a delta costs the same however
 * long the message and the transcript are.
 */
export class Transcript {
  readonly limit: number;
  view: View = "newest";
  hasOlder = false;
  hasNewer = false;
  readonly #byId = new Map<string, TranscriptMessage>();
  readonly #growing = new Map<string, Growth>();
  #ids: string[] = [];
  #published: readonly string[] = [];
  #idsChanged = false;
  readonly #grown = new Set<string>();
  readonly #partial = new Set<string>();
  #partialList: readonly string[] = [];
  readonly #running = new Set<string>(); // messages whose call is under way
  #changed = new Set<string>();

  constructor(limit: number) {
    this.limit = limit;
  }

  get(id: string): TranscriptMessage | undefined {
    return this.#byId.get(id);
  }

  /** Starts over with a tail of the transcript. */
  replace(messages: readonly TranscriptMessage[]): void {
    for (const id of this.#ids) this.#changed.add(id);
    this.#byId.clear();
    this.#growing.clear();
    this.#grown.clear();
    this.#partial.clear();
    this.#partialList = [];
    this.#running.clear();
    this.#ids = messages.map((m) => m.message_id);
    for (const m of messages) this.#set(m);
    this.#idsChanged = true;
    this.hasNewer = false;
  }

  /** Takes the newest part anew and keeps what is held before it, if nothing is missing between. */
  mend(tail: readonly TranscriptMessage[]): void {
    const first = tail[0];
    const at = first ? this.#ids.indexOf(first.message_id) : -1;
    if (!first || (at < 0 && this.#ids.length > 0) || this.hasNewer) {
      this.replace(tail);
      this.hasOlder = tail.length > 0;
      return;
    }
    const kept = this.#ids.slice(0, Math.max(at, 0)).map((id) => this.#byId.get(id)!);
    const older = this.hasOlder;
    this.replace([...kept, ...tail]);
    this.hasOlder = older;
  }

  /** A record brought a new message. */
  create(m: TranscriptMessage): void {
    if (this.#byId.has(m.message_id)) {
      this.update(m);
      return;
    }
    if (this.hasNewer) return; // the end is not held; loading it brings this one, too
    const seq = seqOf(m.message_id);
    let at = this.#ids.length;
    while (at > 0 && seqOf(this.#ids[at - 1]) > seq) at--;
    if (at === this.#ids.length) this.#ids.push(m.message_id);
    else this.#ids.splice(at, 0, m.message_id);
    this.#idsChanged = true;
    this.#set(m);
    this.#trim();
  }

  /** A record brought all of a message that is held. Others are hidden or not loaded. */
  update(m: TranscriptMessage): void {
    const old = this.#byId.get(m.message_id);
    if (!old) return;
    this.#growing.delete(m.message_id);
    this.#grown.delete(m.message_id);
    // Messages in records do not say what became of them.
    this.#set({ ...m, tool: m.tool ?? old.tool, answer: m.answer ?? old.answer, delivery: m.delivery ?? old.delivery });
  }

  /** Streamed text; offset counts UTF-8 bytes. */
  grow(id: string, field: "text" | "reasoning", offset: number, delta: string): void {
    const m = this.#byId.get(id);
    if (!m?.partial) return;
    const g = this.#growth(m);
    const held = field === "text" ? g.textBytes : g.reasoningBytes;
    if (offset > held) return; // something is missing: message_updated will bring the whole
    const more = offset === held ? delta : dropBytes(delta, held - offset);
    if (more === "") return;
    if (field === "text") {
      g.text += more;
      g.textBytes += utf8Length(more);
    } else {
      g.reasoning += more;
      g.reasoningBytes += utf8Length(more);
    }
    this.#grown.add(id);
  }

  /** The texts of growing messages as a session_state has them: they may be ahead of the records. */
  open(list: readonly OpenMessage[]): void {
    for (const o of list) {
      this.grow(o.message_id, "text", 0, o.text);
      this.grow(o.message_id, "reasoning", 0, o.reasoning ?? "");
    }
  }

  /** What became of a message, its call or its question. */
  note(id: string | undefined, more: { tool?: MessageTool; answer?: MessageAnswer; is_answered?: boolean; delivery?: Delivery }): void {
    const m = id === undefined ? undefined : this.#byId.get(id);
    if (m) this.#set({ ...m, ...more });
  }

  /** Puts older messages before those held. Returns how many were new. */
  prepend(messages: readonly TranscriptMessage[]): number {
    const fresh = messages.filter((m) => !this.#byId.has(m.message_id));
    if (fresh.length === 0) return 0;
    for (const m of fresh) this.#set(m);
    this.#ids = [...fresh.map((m) => m.message_id), ...this.#ids];
    this.#idsChanged = true;
    this.#trim();
    return fresh.length;
  }

  /** Drops every message from this one on, or every one after it. */
  cut(from: string, keep: boolean): void {
    const seq = seqOf(from) + (keep ? 1 : 0);
    const at = this.#ids.findIndex((id) => seqOf(id) >= seq);
    if (at >= 0) this.#drop(this.#ids.splice(at));
    if (at >= 0) this.hasNewer = false;
  }

  remove(id: string): void {
    const at = this.#ids.indexOf(id);
    if (at >= 0) this.#drop(this.#ids.splice(at, 1));
  }

  get first(): string | undefined {
    return this.#ids[0];
  }

  /** The messages that grow. */
  streaming(): readonly string[] {
    return this.#partialList;
  }

  /** The messages whose tool call is under way. */
  running(): string[] {
    return [...this.#running];
  }

  /** Joins what was gathered. Gives the ids in order and those whose message is another one now. */
  publish(): { ids: readonly string[]; changed: ReadonlySet<string> } {
    for (const id of this.#grown) {
      const m = this.#byId.get(id);
      const g = this.#growing.get(id);
      if (m && g) this.#set({ ...m, text: g.text, ...(g.reasoning ? { reasoning: g.reasoning } : {}) });
    }
    this.#grown.clear();
    if (this.#idsChanged) {
      this.#published = this.#ids.slice();
      this.#idsChanged = false;
    }
    const changed = this.#changed;
    this.#changed = new Set();
    return { ids: this.#published, changed };
  }

  #growth(m: TranscriptMessage): Growth {
    let g = this.#growing.get(m.message_id);
    if (!g) {
      const text = m.text ?? "";
      const reasoning = m.reasoning ?? "";
      g = { text, textBytes: utf8Length(text), reasoning, reasoningBytes: utf8Length(reasoning) };
      this.#growing.set(m.message_id, g);
    }
    return g;
  }

  #set(m: TranscriptMessage): void {
    this.#byId.set(m.message_id, m);
    this.#changed.add(m.message_id);
    if ((m.partial ?? false) !== this.#partial.has(m.message_id)) this.#markPartial(m.message_id, m.partial === true);
    if (m.tool?.status === "running") this.#running.add(m.message_id);
    else this.#running.delete(m.message_id);
  }

  #markPartial(id: string, partial: boolean): void {
    if (partial) this.#partial.add(id);
    else if (!this.#partial.delete(id)) return;
    this.#partialList = [...this.#partial];
  }

  #trim(): void {
    const over = this.#ids.length - this.limit;
    if (over <= 0) return;
    const slice = Math.max(over, Math.min(this.limit >> 4, 1000)); // in slices, not one by one
    if (this.view === "newest") {
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
      this.#grown.delete(id);
      this.#markPartial(id, false);
      this.#running.delete(id);
      this.#changed.add(id);
    }
    this.#idsChanged = true;
  }
}
