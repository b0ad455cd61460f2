import type { View } from "./transcript.js";
import { ServerClock } from "./clock.js";
import { ClewError } from "./error.js";
import { Fold } from "./fold.js";
import { Link, type LinkOptions } from "./link.js";
import { Listeners } from "./listeners.js";
import { Outbox, type Receipt } from "./outbox.js";
import { idOf, Position, ProtocolFault, seqOf, type AnyEnvelope } from "./position.js";
import type { Rest } from "./rest.js";
import type { Connection } from "./snapshot.js";
import { SessionStore } from "./store.js";
import { Transcript } from "./transcript.js";
import {
  eventTypes,
  type CheckpointDiffAnswer,
  type CommandData,
  type CommandType,
  type EventData,
  type EventType,
  type ExportSettingsAnswer,
  type MessagesPage,
  type RewindPreviewAnswer,
  type ServerEnvelope,
  type SessionState,
  type StateData,
  type TestBrowserConnectionAnswer,
} from "./types.gen.js";

export interface SessionOptions {
  /** Tells this connection apart from others of the session; made up if absent. */
  clientId?: string;
  /** A message id, or `start` for all that ever happened. */
  resumeFrom?: string;
  /** The epoch that resumeFrom belongs to. */
  epoch?: string;
  /** How many messages are held at most; 20,000 if absent. */
  messageLimit?: number;
}

/** What a session needs of its client. @internal */
export interface SessionContext {
  rest: Rest;
  socketUrl(path: string, query: Record<string, string | undefined>): string;
  link: Pick<LinkOptions, "token" | "renewable" | "socketClass" | "retry" | "idleMs" | "probeMs" | "now" | "random" | "surroundings">;
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

const answerTypes: Record<keyof Answers, readonly string[]> = {
  get_messages: ["messages_page"],
  rewind_preview: ["rewind_preview"],
  delete_message: ["rewind_preview"],
  edit_message: ["rewind_preview"],
  checkpoint_diff: ["checkpoint_diff"],
  get_state: ["session_state", "state"],
  export_settings: ["export_settings"],
  test_browser_connection: ["test_browser_connection"],
};

/** Command data that may be left out: all of its fields may. */
type DataArgs<T extends CommandType, O> = Record<never, never> extends CommandData[T] ? [data?: CommandData[T], options?: O] : [data: CommandData[T], options?: O];

export interface SendOptions {
  /** The command's name. Given again, it has no second effect. */
  id?: string;
  /** How long to wait for a word about it; for ever if absent. */
  timeoutMs?: number;
}

const known = new Set<string>(eventTypes);
const unanswered = new Set<CommandType>(["subscribe_monitor", "pong", "auth"]);
const confirmMs = 250;
const refreshMs = 1000;

/** A live session: its connection, its store, and what can be said to it. */
export class Session {
  readonly id: string;
  readonly clientId: string;
  readonly store: SessionStore;
  readonly #c: SessionContext;
  readonly #position: Position;
  readonly #fold: Fold;
  readonly #clock: ServerClock;
  readonly #link: Link;
  readonly #outbox: Outbox;
  readonly #listeners = new Listeners<never>();
  readonly #monitors = new Set<string>();
  #line = 0;
  #replaying = false;
  #refreshing = false;
  #refreshed = 0;
  #refreshTimer: ReturnType<typeof setTimeout> | undefined;
  #confirm: ReturnType<typeof setTimeout> | undefined;
  #older: Promise<number> | undefined;

  /** @internal Made by ClewClient.session. */
  constructor(context: SessionContext, id: string, options: SessionOptions = {}) {
    this.id = id;
    this.#c = context;
    this.clientId = options.clientId ?? context.newId();
    this.#position = new Position(options.resumeFrom, options.epoch);
    const transcript = new Transcript(options.messageLimit ?? 20_000);
    transcript.hasOlder = options.resumeFrom !== undefined && options.resumeFrom !== "start";
    this.#fold = new Fold(id, transcript);
    this.#fold.tasks.partial = options.resumeFrom !== "start";
    this.#clock = new ServerClock(context.link.now);
    this.#link = new Link({
      ...context.link,
      url: () => context.socketUrl(`/ws/${encodeURIComponent(id)}`, { client_id: this.clientId, ...this.#position.query() }),
      diagnose: () => context.rest.sessions.get(id).then(() => undefined, (e: unknown) => (e instanceof ClewError ? e : undefined)),
      onOpen: () => this.#opened(),
      onEnvelope: (env) => this.#envelope(env),
      onState: (connection) => this.#connection(connection),
      progress: () => this.#position.seq,
    });
    this.store = new SessionStore(this.#fold, this.#link.connection);
    this.#outbox = new Outbox({
      now: context.link.now,
      newId: context.newId,
      send: (frame) => this.#link.send(frame),
      line: () => this.#line,
      onChange: (outgoing) => this.store.setOutgoing(outgoing),
    });
  }

  get connection(): Connection {
    return this.#link.connection;
  }

  /** Connects, and stays so as far as it can. */
  connect = (): void => this.#link.start();

  disconnect = (): void => this.#link.stop();

  /** Tries at once, with a new connection. */
  reconnect = (): void => this.#link.restart();

  /**
   * Sends a command and waits for the word about it. It goes under an id that
   * is made before; if the line breaks it is said again under the same id, so
   * that it takes effect once. A refusal rejects with the server's error.
   */
  send<T extends CommandType>(type: T, ...[data, options]: DataArgs<T, SendOptions>): Promise<Receipt> {
    if (type === "subscribe_monitor") this.#remember((data as CommandData["subscribe_monitor"]).monitor_id);
    if (unanswered.has(type)) {
      this.#link.send(JSON.stringify({ type, data: data ?? {} }));
      return Promise.resolve({ clientMessageId: "", records: [], repeat: false });
    }
    return this.#outbox.send(type, data, options).finally(() => this.store.flush());
  }

  /** Asks for something that is answered to this client alone. */
  ask(type: "get_state", data: { scope: "ui" }, options?: SendOptions): Promise<StateData>;
  ask(type: "get_state", data?: { scope?: "session" }, options?: SendOptions): Promise<SessionState>;
  ask<T extends keyof Answers>(type: T, data?: CommandData[T], options?: SendOptions): Promise<Answers[T]>;
  async ask(type: keyof Answers, data?: unknown, options: SendOptions = {}): Promise<unknown> {
    const ui = type === "get_state" && (data as { scope?: string } | undefined)?.scope === "ui";
    const env = await this.#outbox.ask(type, data, ui ? ["state"] : type === "get_state" ? ["session_state"] : answerTypes[type], options.timeoutMs);
    this.store.flush();
    return env.data;
  }

  /** Gives up waiting for a command that is on its way. */
  withdraw = (id: string): boolean => this.#outbox.withdraw(id);

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

  /** Loads older messages. Returns how many came; 0 when there are no more. */
  loadOlder = (count = 100): Promise<number> => {
    this.#older ??= this.#loadOlder(count).finally(() => {
      this.#older = undefined;
    });
    return this.#older;
  };

  /** Goes back to the newest messages, after they were dropped to save memory. */
  loadNewest = async (): Promise<void> => {
    this.setView("newest");
    if (this.#fold.transcript.hasNewer) await this.ask("get_state");
  };

  /** Says which end somebody looks at, so that messages are dropped at the other one. */
  setView(view: View): void {
    this.#fold.transcript.view = view;
  }

  /** Loads the tasks from before this connection into the snapshot. */
  loadTasks = async (): Promise<void> => {
    const { task_history: history } = await this.ask("get_state", { scope: "ui" });
    for (const h of history) {
      if (this.#fold.tasks.get(h.id)) continue;
      this.#fold.tasks.set({
        task_id: h.id,
        parent_task_id: h.parent_task_id,
        root_task_id: h.root_task_id ?? h.id,
        task: h.task,
        mode: h.mode,
        status: h.status === "completed" || h.status === "aborted" ? h.status : h.status === "delegated" ? "paused" : "idle",
        focused: false,
        result_summary: h.completion_result_summary,
      });
    }
    this.store.changed();
    this.store.flush();
  };

  /** The time by the server's clock, for deadlines. */
  serverNow = (): number => this.#clock.serverNow();

  #connection(connection: Connection): void {
    if (!this.#link?.open) {
      this.#fold.synced = false;
      this.#outbox?.broke();
    }
    this.store?.setConnection(connection);
  }

  #opened(): void {
    this.#line++;
    this.#replaying = true;
    this.#refreshing = false;
    this.#refreshed = 0;
    this.#position.connected();
    this.#clock.restart();
  }

  #remember(monitor: string): void {
    this.#position.filtered = true;
    this.#monitors.add(monitor);
  }

  #envelope(env: AnyEnvelope): void {
    const { fresh, anew } = this.#position.take(env);
    this.#clock.observe(env.timestamp);
    if (fresh) this.#apply(env, anew);
    this.#outbox.settle(env);
    if (fresh) this.#emit(env);
  }

  #apply(env: AnyEnvelope, anew: boolean): void {
    switch (env.type) {
      case "session_state":
        this.#state(env.data as SessionState, anew);
        break;
      case "sync_complete":
        this.#synced();
        break;
      default:
        if (refusedState(env)) this.#refreshing = false; // it is asked for again
        else this.#fold.envelope(env);
    }
    if (this.#fold.stale && this.#fold.synced) this.#refresh();
    if (this.#fold.unsure) this.#confirmSoon();
    this.store.changed();
  }

  #state(state: SessionState, anew: boolean): void {
    if (!Array.isArray(state?.messages)) throw new ProtocolFault("session_state without messages");
    const asked = !anew && !this.#replaying;
    if (asked) {
      this.#refreshing = false;
      // The line was faster than the answer: what it says is not the last word.
      if (seqOf(state.last_message_id) < this.#position.seq) {
        this.#fold.stale = true;
        return;
      }
    }
    this.#fold.state(state, anew, asked);
  }

  #synced(): void {
    this.#replaying = false;
    this.#fold.complete();
    this.#link.synced();
    for (const monitor_id of this.#monitors) {
      this.#link.send(JSON.stringify({ type: "subscribe_monitor", data: { monitor_id } }));
    }
    this.#outbox.sayAgain();
  }

  /** Asks for the state once, however often a record makes that needed, and not more than once a second. */
  #refresh(): void {
    if (this.#refreshing || this.#refreshTimer !== undefined) return;
    const wait = this.#refreshed + refreshMs - this.#c.link.now();
    if (wait > 0) {
      this.#refreshTimer = setTimeout(() => {
        this.#refreshTimer = undefined;
        if (this.#fold.stale && this.#fold.synced) this.#refresh();
      }, wait);
      return;
    }
    this.#refreshed = this.#c.link.now();
    this.#refreshing = this.#link.send('{"type":"get_state"}');
  }

  /** Asks by HTTP whether a status that was put together is right. */
  #confirmSoon(): void {
    if (this.#confirm !== undefined) return;
    this.#confirm = setTimeout(() => {
      this.#confirm = undefined;
      if (!this.#link.open || !this.#fold.unsure) return;
      void this.#c.rest.sessions.get(this.id).then((detail) => {
        const s = this.#fold.session;
        if (!s || !this.#fold.unsure) return;
        if (detail.last_message_id !== idOf(this.#position.seq)) {
          this.#confirmSoon(); // one of the two is behind
          return;
        }
        this.#fold.unsure = false;
        if (detail.status !== s.status) this.#fold.session = { ...s, status: detail.status };
        this.store.changed();
      }, () => {}); // the guess stays
    }, confirmMs);
  }

  async #loadOlder(limit: number): Promise<number> {
    const { transcript } = this.#fold;
    const before = transcript.first;
    if (before === undefined || !transcript.hasOlder) return 0;
    const page = await this.ask("get_messages", { limit, before });
    if (transcript.first !== before) return 0; // another past by now
    const count = transcript.prepend(page.messages);
    this.#fold.index(page.messages);
    if (page.next === undefined) transcript.hasOlder = false;
    this.store.changed();
    this.store.flush();
    return count;
  }

  #emit(env: AnyEnvelope): void {
    if (!known.has(env.type) && !this.#listeners.has(env.type)) this.#listeners.call("", env as never);
    for (const name of [env.type, "*"]) this.#listeners.call(name, env as never);
  }
}

/** The server was asked for the state too often. */
function refusedState(env: AnyEnvelope): boolean {
  const context = env.type === "error" ? (env.data as EventData["error"]).context : undefined;
  return context?.command_type === "get_state" && context.client_message_id === undefined;
}
