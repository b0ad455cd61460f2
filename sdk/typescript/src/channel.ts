import { ServerClock } from "./clock.js";
import { ClewError, lineError } from "./error.js";
import { Link, type LinkOptions } from "./link.js";
import { Listeners } from "./listeners.js";
import { Outbox, type Receipt } from "./outbox.js";
import type { AnyEnvelope } from "./position.js";
import type { Rest } from "./rest.js";
import type { Connection, Outgoing } from "./snapshot.js";
import {
  eventTypes,
  type CheckpointDiffAnswer,
  type CommandData,
  type CommandType,
  type EventType,
  type ExportSettingsAnswer,
  type MessagesPage,
  type RewindPreviewAnswer,
  type ServerEnvelope,
  type SessionState,
  type StateData,
  type TestBrowserConnectionAnswer,
  type View,
} from "./types.gen.js";

/** What a channel needs of its client. @internal */
export interface SessionContext {
  rest: Rest;
  socketUrl(path: string, query: Record<string, string | undefined>): string;
  link: Pick<
    LinkOptions,
    "token" | "renewable" | "socketClass" | "retry" | "idleMs" | "probeMs" | "now" | "random" | "surroundings"
  >;
  newId(): string;
}

/** What each question is answered with. */
export interface Answers {
  get_messages: MessagesPage;
  rewind_preview: RewindPreviewAnswer;
  delete_message: RewindPreviewAnswer;
  edit_message: RewindPreviewAnswer;
  checkpoint_diff: CheckpointDiffAnswer;
  get_state: SessionState | StateData;
  export_settings: ExportSettingsAnswer;
  test_browser_connection: TestBrowserConnectionAnswer;
}

/** The answers whose type is not the question's own. */
const answerTypes: { [T in keyof Answers]?: string } = {
  get_messages: "messages_page",
  delete_message: "rewind_preview",
  edit_message: "rewind_preview",
  get_state: "session_state",
};

/** Command data that may be left out: all of its fields may. */
type DataArgs<T extends CommandType, O> =
  Record<never, never> extends CommandData[T]
    ? [data?: CommandData[T], options?: O]
    : [data: CommandData[T], options?: O];

export interface SendOptions {
  /** The command's name. Given again, it has no second effect. */
  id?: string;
  /** How long to wait for a word about it; for ever if absent. */
  timeoutMs?: number;
}

const known = new Set<string>(eventTypes);
const unanswered = new Set<CommandType>(["subscribe_monitor", "pong", "auth"]);

/** A connection to one session: commands go out, envelopes come in. What is made of these is up to its kind. */
export abstract class Channel {
  readonly id: string;
  readonly clientId: string;
  protected readonly link: Link;
  protected readonly outbox: Outbox;
  readonly #clock: ServerClock;
  readonly #listeners = new Listeners<never>();
  readonly #monitors = new Set<string>();
  #line = 0;
  #left = false; // by disconnect, so that nothing waits for a line that nobody opens

  constructor(context: SessionContext, id: string, clientId: string | undefined, view: View) {
    this.id = id;
    this.clientId = clientId ?? context.newId();
    this.#clock = new ServerClock(context.link.now);
    this.link = new Link({
      ...context.link,
      url: () =>
        context.socketUrl(`/ws/${encodeURIComponent(id)}`, { client_id: this.clientId, view, ...this.resume() }),
      diagnose: () =>
        context.rest.sessions.get(id).then(
          () => undefined,
          (e: unknown) => (e instanceof ClewError ? e : undefined),
        ),
      onOpen: () => {
        this.#line++;
        this.#clock.restart();
        this.opened();
      },
      onEnvelope: (env) => this.#envelope(env),
      onState: (connection) => {
        if (!this.link.open) this.outbox.broke();
        this.changed(connection);
      },
      progress: () => this.progress(),
    });
    this.outbox = new Outbox({
      now: context.link.now,
      newId: context.newId,
      // What is sent earlier may be in the whole state that comes at the start, which names no
      // commands: nobody would hear that it took effect.
      send: (frame) => this.connection.state === "active" && this.link.send(frame),
      line: () => this.#line,
      onChange: (outgoing) => this.setOutgoing(outgoing),
    });
  }

  /** The query's resume_from and epoch. */
  protected abstract resume(): { resume_from?: string; epoch?: string };
  /** Takes an envelope in. False: it was taken before. Throws ProtocolFault for what cannot be right. */
  protected abstract take(env: AnyEnvelope): boolean;
  /** A figure that grows as the client gets further. */
  protected abstract progress(): number;
  /** From now on some monitors are left out. */
  protected abstract filter(): void;
  protected opened(): void {}
  protected changed(_connection: Connection): void {}
  /** Somebody is about to hear what came of a command. */
  protected answered(): void {}
  protected setOutgoing(_outgoing: readonly Outgoing[]): void {}

  get connection(): Connection {
    return this.link.connection;
  }

  /** Connects, and stays so as far as it can. */
  connect = (): void => {
    this.#left = false;
    this.link.start();
  };

  /** Ends the connection. What is sent after it is rejected, until `connect`. */
  disconnect = (): void => {
    this.#left = true;
    this.link.stop();
  };

  /** Tries at once, with a new connection. */
  reconnect = (): void => {
    this.#left = false;
    this.link.restart();
  };

  /**
   * Sends a command and waits for the word about it. It goes under an id that
   * is made before; if the line breaks it is said again under the same id, so
   * that it takes effect once. A refusal rejects with the server's error.
   */
  send<T extends CommandType>(type: T, ...[data, options]: DataArgs<T, SendOptions>): Promise<Receipt> {
    if (this.#left) return Promise.reject(disconnected());
    if (type === "subscribe_monitor") {
      this.filter();
      this.#monitors.add((data as CommandData["subscribe_monitor"]).monitor_id);
    }
    if (!unanswered.has(type)) return this.outbox.send(type, data, options).finally(() => this.answered());
    this.link.send(JSON.stringify({ type, data: data ?? {} }));
    return Promise.resolve({ clientMessageId: "", records: [], repeat: false });
  }

  /** Asks for something that is answered to this client alone. */
  query(type: "get_state", data: { scope: "ui" }, options?: SendOptions): Promise<StateData>;
  query(type: "get_state", data?: { scope?: "session" }, options?: SendOptions): Promise<SessionState>;
  query<T extends keyof Answers>(type: T, data?: CommandData[T], options?: SendOptions): Promise<Answers[T]>;
  async query(type: keyof Answers, data?: unknown, options: SendOptions = {}): Promise<unknown> {
    if (this.#left) throw disconnected();
    const ui = type === "get_state" && (data as { scope?: string } | undefined)?.scope === "ui";
    const env = await this.outbox.ask(type, data, ui ? "state" : (answerTypes[type] ?? type), options.timeoutMs);
    this.answered();
    return env.data;
  }

  /** Gives up waiting for a command that is on its way. */
  withdraw = (id: string): boolean => this.outbox.withdraw(id);

  /** Calls fn with every envelope of a type, or with all; returns how to stop. */
  on<T extends EventType>(type: T, fn: (envelope: Extract<ServerEnvelope, { type: T }>) => void): () => void;
  on(type: "*", fn: (envelope: ServerEnvelope) => void): () => void;
  on(type: string, fn: (envelope: never) => void): () => void {
    return this.#listeners.add(type, fn);
  }

  /** Calls fn with envelopes of types that this package does not know. */
  onUnknown(fn: (envelope: AnyEnvelope) => void): () => void {
    return this.#listeners.add("", fn);
  }

  /** The time by the server's clock, for deadlines. */
  serverNow = (): number => this.#clock.serverNow();

  #envelope(env: AnyEnvelope): void {
    const fresh = this.take(env);
    this.#clock.observe(env.timestamp);
    if (env.type === "sync_complete") this.#synced();
    this.outbox.settle(env);
    if (!fresh) return;
    if (!known.has(env.type) && !this.#listeners.has(env.type)) this.#listeners.call("", env as never);
    for (const name of [env.type, "*"]) this.#listeners.call(name, env as never);
  }

  #synced(): void {
    this.link.synced();
    for (const monitor_id of this.#monitors)
      this.link.send(JSON.stringify({ type: "subscribe_monitor", data: { monitor_id } }));
    this.outbox.sayAgain();
  }
}

function disconnected(): ClewError {
  return lineError("CONNECTION_FAILED", "the session is disconnected; connect() opens it again", {
    recoverable: false,
  });
}
