import { ClewError, errorOf, lineError } from "./error.js";
import type { AnyEnvelope } from "./position.js";
import type { Outgoing } from "./snapshot.js";
import type {
  CommandType,
  Delivery,
  ErrorData,
  MessageAcceptedData,
  MessageQueuedData,
  ServerEnvelope,
} from "./types.gen.js";

/** What came of a command. */
export interface Receipt {
  clientMessageId: string;
  /** The records it made, as far as they came with its first; only a record stream has them. */
  records: readonly ServerEnvelope[];
  /** It had been taken before, or changed nothing. */
  repeat: boolean;
  /** How a message was delivered. */
  delivery?: Delivery;
  /** The message's place in line, if it waits. */
  position?: number;
}

interface Entry {
  readonly id: string;
  readonly type: CommandType;
  readonly data: unknown;
  readonly since: number;
  readonly answer?: string; // for a question: the type that answers it
  sentOn?: number; // the connection it was sent on last
  broken: boolean; // that connection is gone
  records: ServerEnvelope[];
  timer?: ReturnType<typeof setTimeout>;
  rest?: ReturnType<typeof setTimeout>;
  done(value: Receipt | AnyEnvelope): void;
  fail(error: ClewError): void;
}

export interface OutboxOptions {
  now(): number;
  newId(): string;
  /** Sends a frame on the present connection; false if there is none. */
  send(frame: string): boolean;
  /** Tells connections apart. */
  line(): number;
  onChange(outgoing: readonly Outgoing[]): void;
}

/** Commands that say how they were delivered in a record after the first. */
const delivered = new Set<CommandType>(["user_message", "new_task", "window_message", "edit_message_confirm"]);

/** How long to wait for the other records of a command. They are written together. */
const restMs = 300;

/** The commands on their way, until there is a word about each. */
export class Outbox {
  readonly #o: OutboxOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: OutboxOptions) {
    this.#o = options;
  }

  send(type: CommandType, data: unknown, options: { id?: string; timeoutMs?: number } = {}): Promise<Receipt> {
    return this.#put(type, data, undefined, options) as Promise<Receipt>;
  }

  ask(type: CommandType, data: unknown, answer: string, timeoutMs: number | undefined): Promise<AnyEnvelope> {
    return this.#put(type, data, answer, { timeoutMs }) as Promise<AnyEnvelope>;
  }

  #put(
    type: CommandType,
    data: unknown,
    answer: string | undefined,
    o: { id?: string; timeoutMs?: number },
  ): Promise<Receipt | AnyEnvelope> {
    const id = o.id ?? this.#o.newId();
    if (this.#entries.has(id))
      return Promise.reject(new ClewError("INVALID_MESSAGE", `the id ${id} is in use`, { number: 1003 }));
    return new Promise((done, fail) => {
      const entry: Entry = { id, type, data, since: this.#o.now(), answer, broken: false, records: [], done, fail };
      if (o.timeoutMs !== undefined) {
        entry.timer = setTimeout(
          () => this.#end(entry, lineError("CONNECTION_TIMEOUT", `no word about ${type} in time`)),
          o.timeoutMs,
        );
      }
      this.#entries.set(id, entry);
      this.#say(entry);
      this.#tell();
    });
  }

  /** Gives up waiting for a command. It may have taken effect. */
  withdraw(id: string): boolean {
    const entry = this.#entries.get(id);
    if (entry) this.#end(entry, lineError("CONNECTION_FAILED", "the command was withdrawn", { recoverable: false }));
    return entry !== undefined;
  }

  /** The replay is over: what has no answer yet is said again. */
  sayAgain(): void {
    const line = this.#o.line();
    for (const entry of this.#entries.values()) if (entry.sentOn !== line || entry.broken) this.#say(entry);
    this.#tell();
  }

  /** The line broke. */
  broke(): void {
    for (const entry of this.#entries.values()) if (entry.sentOn !== undefined) entry.broken = true;
    if (this.#entries.size > 0) this.#tell();
  }

  /** Looks whether an envelope is the word that a command waits for. */
  settle(env: AnyEnvelope): void {
    if (this.#entries.size === 0) return;
    const entry = this.#entries.get(nameIn(env) ?? "") ?? this.#byType(env);
    if (!entry) return;
    if (env.type === "error" && env.message_id === undefined) this.#end(entry, errorOf(env.data as ErrorData));
    else if (entry.answer !== undefined) this.#answered(entry, env);
    else this.#taken(entry, env as ServerEnvelope);
  }

  /** A command took effect; its records are in the state. */
  confirm(id: string, about: Pick<Receipt, "delivery" | "position">): void {
    const entry = this.#entries.get(id);
    if (!entry || entry.answer !== undefined) return;
    this.#forget(entry);
    entry.done({ clientMessageId: id, records: [], repeat: false, ...about });
  }

  /** A session_state does not name the command that asked for it. */
  #byType(env: AnyEnvelope): Entry | undefined {
    if (env.type !== "session_state") return undefined;
    for (const e of this.#entries.values()) if (e.answer === "session_state") return e;
    return undefined;
  }

  #answered(entry: Entry, env: AnyEnvelope): void {
    if (entry.answer !== env.type) return;
    this.#forget(entry);
    entry.done(env);
  }

  #taken(entry: Entry, env: ServerEnvelope): void {
    entry.records.push(env);
    const over =
      !delivered.has(entry.type) ||
      env.type === "message_accepted" ||
      env.type === "message_queued" ||
      env.message_id === undefined;
    if (over) this.#receipt(entry);
    else entry.rest ??= setTimeout(() => this.#receipt(entry), restMs);
  }

  #receipt(entry: Entry): void {
    this.#forget(entry);
    const last = entry.records.at(-1);
    const about = last?.data as Partial<MessageAcceptedData & MessageQueuedData> | undefined;
    entry.done({
      clientMessageId: entry.id,
      records: entry.records,
      repeat: last?.message_id === undefined,
      delivery: last?.type === "message_accepted" ? about?.delivery : undefined,
      position: last?.type === "message_queued" ? about?.position : undefined,
    });
  }

  #end(entry: Entry, error: ClewError): void {
    this.#forget(entry);
    entry.fail(error);
  }

  #forget(entry: Entry): void {
    clearTimeout(entry.timer);
    clearTimeout(entry.rest);
    this.#entries.delete(entry.id);
    this.#tell();
  }

  #say(entry: Entry): void {
    const frame = JSON.stringify({ type: entry.type, message_id: entry.id, data: entry.data ?? {} });
    if (!this.#o.send(frame)) return;
    entry.sentOn = this.#o.line();
    entry.broken = false;
  }

  #tell(): void {
    const list: Outgoing[] = [];
    for (const e of this.#entries.values()) {
      if (e.answer !== undefined) continue;
      const state = e.sentOn === undefined ? "unsent" : e.broken ? "unconfirmed" : "sent";
      list.push({ id: e.id, type: e.type, data: e.data, state, since: e.since });
    }
    this.#o.onChange(list);
  }
}

/** The command that an envelope is about. */
function nameIn(env: AnyEnvelope): string | undefined {
  if (env.client_message_id !== undefined) return env.client_message_id;
  const d = env.data as { client_message_id?: string; context?: { client_message_id?: string } } | undefined;
  return d?.client_message_id ?? d?.context?.client_message_id;
}
