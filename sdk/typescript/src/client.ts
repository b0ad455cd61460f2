import type { SessionContext } from "./channel.js";
import { Inbox } from "./inbox.js";
import { RecordStream, type RecordsOptions } from "./records.js";
import { queryOf, Rest } from "./rest.js";
import { defaultRetry, type Retry } from "./retry.js";
import { Session, type SessionOptions } from "./session.js";
import { findSocketClass, type SocketClass } from "./socket.js";
import { browserSurroundings, type Surroundings } from "./surroundings.js";

export interface ClewOptions {
  /** Where the server is; in a browser the page's own origin if absent. */
  baseUrl?: string;
  /** Credentials. Without them a browser's cookie counts. A function is asked before each use. */
  token?: string | (() => string | Promise<string>);
  fetch?: typeof globalThis.fetch;
  WebSocket?: SocketClass;
  now?: () => number;
  random?: () => number;
  retry?: Partial<Retry>;
  /** Silence after which a connection counts as broken; 60 s. */
  idleMs?: number;
  /** How long a connection may take to answer when asked whether it is alive; 5 s. */
  probeMs?: number;
  /** How long a session stays connected after the last who used it left; 2 s. */
  lingerMs?: number;
  /** What tells about the network; a browser's own events if absent. */
  surroundings?: Surroundings;
}

/** How many sessions that nobody uses are remembered, to come back to quickly. */
const remembered = 5;

interface Shared<T> {
  readonly thing: T;
  users: number;
  timer?: ReturnType<typeof setTimeout>;
}

/** The way to a clew server. */
export class ClewClient {
  readonly baseUrl: string;
  readonly rest: Rest;
  readonly #context: SessionContext;
  readonly #lingerMs: number;
  readonly #sessions = new Map<string, Shared<Session>>();
  #inbox: Shared<Inbox> | undefined;

  constructor(options: ClewOptions = {}) {
    const { token } = options;
    this.baseUrl = (
      options.baseUrl ??
      (globalThis as { location?: Location }).location?.origin ??
      "http://127.0.0.1:8000"
    ).replace(/\/+$/, "");
    this.#lingerMs = options.lingerMs ?? 2000;
    const tokenOf = async (): Promise<string | undefined> => (typeof token === "function" ? await token() : token);
    const fetchOf = options.fetch ?? ((...args: Parameters<typeof fetch>) => globalThis.fetch(...args));
    this.rest = new Rest({ baseUrl: this.baseUrl, token: tokenOf, fetch: fetchOf });
    this.#context = {
      rest: this.rest,
      socketUrl: (path, query) => this.baseUrl.replace(/^http/, "ws") + path + queryOf(query),
      newId,
      link: {
        token: tokenOf,
        renewable: typeof token === "function",
        socketClass: () => findSocketClass(options.WebSocket),
        retry: { ...defaultRetry, ...options.retry },
        idleMs: options.idleMs ?? 60_000,
        probeMs: options.probeMs ?? 5000,
        now: options.now ?? (() => Date.now()),
        random: options.random ?? (() => Math.random()),
        surroundings: options.surroundings ?? browserSurroundings(),
      },
    };
  }

  /**
   * The session of this id. Without options everybody gets the same one; with
   * options it is one of the caller's own.
   */
  session(id: string, options?: SessionOptions): Session {
    if (options) return new Session(this.#context, id, options);
    return this.#shared(id).thing;
  }

  /** The records of a session, for programs that keep or judge them. It is the caller's own. */
  records(id: string, options?: RecordsOptions): RecordStream {
    return new RecordStream(this.#context, id, options);
  }

  /** The inbox; everybody gets the same one. */
  inbox(): Inbox {
    return this.#sharedInbox().thing;
  }

  /** Connects a shared session for somebody who uses it; returns how to let go. */
  use(id: string): () => void {
    return this.#use(this.#shared(id), () => this.#tidy());
  }

  /** Connects the inbox for somebody who uses it; returns how to let go. */
  useInbox(): () => void {
    return this.#use(this.#sharedInbox(), () => {});
  }

  /** Ends all that is shared: connections close, and nothing is remembered. */
  close(): void {
    for (const { thing, timer } of this.#sessions.values()) {
      clearTimeout(timer);
      thing.disconnect();
    }
    this.#sessions.clear();
    clearTimeout(this.#inbox?.timer);
    this.#inbox?.thing.disconnect();
    this.#inbox = undefined;
  }

  #shared(id: string): Shared<Session> {
    let s = this.#sessions.get(id);
    if (s) this.#sessions.delete(id); // the last one used stands last
    else s = { thing: new Session(this.#context, id), users: 0 };
    this.#sessions.set(id, s);
    return s;
  }

  #sharedInbox(): Shared<Inbox> {
    this.#inbox ??= { thing: new Inbox(this.#context), users: 0 };
    return this.#inbox;
  }

  /** A page that mounts, unmounts and mounts again keeps one connection. */
  #use(s: Shared<Session | Inbox>, left: () => void): () => void {
    clearTimeout(s.timer);
    s.users++;
    s.thing.connect();
    let gone = false;
    return () => {
      if (gone) return;
      gone = true;
      if (--s.users > 0) return;
      s.timer = setTimeout(() => {
        s.thing.disconnect();
        left();
      }, this.#lingerMs);
    };
  }

  #tidy(): void {
    const idle = [...this.#sessions].filter(([, s]) => s.users === 0);
    for (const [id] of idle.slice(0, Math.max(0, idle.length - remembered))) this.#sessions.delete(id);
  }
}

/** A new name for a command or client. `randomUUID` would want a secure context, which a phone in the same house may not have. */
export function newId(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}
