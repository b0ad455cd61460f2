import type { ServerEnvelope } from "./types.gen.js";

/** An envelope of whatever type, also of one that this package does not know. */
export interface AnyEnvelope {
  type: string;
  session_id?: string;
  message_id?: string;
  client_message_id?: string;
  timestamp?: string;
  data?: unknown;
}

/** The server sent what cannot be right. The connection is opened again. */
export class ProtocolFault extends Error {}

/** The number of a record, 0 for what is not a record's id. */
export function seqOf(id: string | null | undefined): number {
  if (id == null || !/^msg_\d{12,15}$/.test(id)) return 0;
  return Number(id.slice(4));
}

export function idOf(seq: number): string {
  return `msg_${String(seq).padStart(12, "0")}`;
}

/**
 * Where a client stands in a journal. It decides for each envelope whether it
 * is new, a repeat, or proof that something is missing.
 */
export class Position {
  /** The newest record taken. */
  seq = 0;
  epoch = "";
  /** Only some monitors were asked for: records may be left out. */
  filtered = false;
  #known = false; // seq means something
  #greeted = false; // session_state came on this connection
  #synced = false; // sync_complete came on it
  // Where session_state ends. If that is not the journal that seq is of, only CURSOR_LOST, which
  // comes next, explains it; until then the position stays as it is.
  #head = 0;
  #headEpoch = "";
  #doubt = false;

  constructor(from?: string, epoch = "") {
    if (from === undefined) return;
    this.#known = true;
    this.epoch = epoch;
    if (from === "start") return;
    this.seq = seqOf(from);
    if (this.seq === 0) throw new TypeError(`resumeFrom is not a message id: ${from}`);
  }

  /** The query's resume_from and epoch. */
  query(): { resume_from?: string; epoch?: string } {
    if (!this.#known) return {};
    return { resume_from: this.seq === 0 ? "start" : idOf(this.seq), epoch: this.epoch || undefined };
  }

  /** Starts a new connection. */
  connected(): void {
    this.#greeted = false;
    this.#synced = false;
    this.#doubt = false;
  }

  /** Looks at the next envelope. False for a record that was taken before. */
  take(env: AnyEnvelope): boolean {
    const known = env as ServerEnvelope;
    const lost = known.type === "error" && known.data?.code === "CURSOR_LOST";
    if (this.#doubt && !lost) {
      // A journal shorter than what we saw, or another one, without a word about it: going on
      // would drop its next records as repeats.
      throw new ProtocolFault(`session_state ends at ${this.#head}, ${this.seq} was seen`);
    }
    if (known.type === "session_state") this.#greet(known.data.last_message_id, known.data.epoch);
    if (known.type === "sync_complete") this.#synced = true;
    if (lost && this.#greeted && !this.#synced) {
      this.seq = this.#head;
      this.epoch = this.#headEpoch;
      this.#doubt = false;
    }
    return !env.message_id?.startsWith("msg_") || this.#record(env.message_id);
  }

  #greet(lastId: string | null, epoch: string): void {
    const last = seqOf(lastId);
    if (this.#greeted) return; // asked for: tells nothing about the position
    if (!this.#known) this.seq = last;
    this.#known = true;
    this.#greeted = true;
    this.#head = last;
    this.#headEpoch = epoch;
    this.#doubt = this.seq > 0 && (last < this.seq || (this.epoch !== "" && this.epoch !== epoch));
    if (!this.#doubt) this.epoch = epoch;
  }

  #record(id: string): boolean {
    const seq = seqOf(id);
    if (seq === 0) throw new ProtocolFault(`not a message id: ${id}`);
    if (!this.#greeted) throw new ProtocolFault(`record ${seq} before session_state`);
    if (seq <= this.seq) return false;
    if (seq > this.seq + 1 && !this.filtered) throw new ProtocolFault(`record ${seq} after ${this.seq}`);
    this.seq = seq;
    return true;
  }
}
