import { Listeners } from "./listeners.js";
import { Notifier } from "./notifier.js";
import type { Replica } from "./replica.js";
import type { Connection, Outgoing, SessionSnapshot } from "./snapshot.js";
import type { TranscriptMessage } from "./transcript.js";
import type { ConnectedData } from "./types.gen.js";
import { Views } from "./views.js";

type Listener = () => void;

/**
 * What is known of a session, for those who show it. Snapshots are immutable;
 * listeners hear at most once a frame. Streamed text changes only its message:
 * listen to that with subscribeMessage.
 */
export class SessionStore {
  /** @internal Everything up to now is in. */
  synced = false;
  readonly #id: string;
  readonly #replica: Replica;
  readonly #views = new Views();
  readonly #notifier = new Notifier(() => this.#publish());
  readonly #all = new Set<Listener>();
  readonly #messages = new Listeners<void>();
  #connection: Connection;
  #connected: ConnectedData | undefined;
  #outgoing: readonly Outgoing[] = [];
  #snapshot: SessionSnapshot;

  constructor(id: string, replica: Replica, connection: Connection) {
    this.#id = id;
    this.#replica = replica;
    this.#connection = connection;
    this.#snapshot = this.#now([]);
  }

  getSnapshot = (): SessionSnapshot => this.#snapshot;

  subscribe = (fn: Listener): (() => void) => {
    this.#all.add(fn);
    return () => this.#all.delete(fn);
  };

  /** A message that is held; the same object until it changes. */
  message = (id: string): TranscriptMessage | undefined => this.#replica.transcript.get(id);

  subscribeMessage = (id: string, fn: Listener): (() => void) => this.#messages.add(id, fn);

  /** Publishes what came in since the last frame now. */
  flush(): void {
    this.#notifier.flush();
  }

  /** @internal Something changed. */
  changed(): void {
    this.#notifier.mark();
  }

  /** @internal */
  setConnection(connection: Connection): void {
    this.#connection = connection;
    this.changed();
  }

  /** @internal */
  setConnected(connected: ConnectedData): void {
    this.#connected = connected;
    this.changed();
  }

  /** @internal */
  setOutgoing(outgoing: readonly Outgoing[]): void {
    this.#outgoing = outgoing;
    this.changed();
  }

  #now(messageIds: readonly string[]): SessionSnapshot {
    const { entities: e, transcript, cursor } = this.#replica;
    return {
      connection: this.#connection,
      synced: this.synced,
      session: cursor === "" ? null : this.#views.session(this.#id, e.session, e.status, this.#connected),
      lastMessageId: cursor || null,
      messageIds,
      hasOlder: transcript.hasOlder,
      hasNewer: transcript.hasNewer,
      streaming: transcript.streaming,
      tasks: e.task,
      runs: this.#views.runs(e.run, e.todo),
      plan: this.#views.plan(e),
      todos: this.#views.todos(e),
      questions: this.#views.questions(e.question),
      settled: e.settled,
      queue: e.queue,
      allowed: e.rules,
      viewers: e.viewers,
      windows: e.window,
      notices: e.notice,
      notebooks: e.notebook,
      cells: e.cell,
      monitors: e.monitors,
      agents: e.agents,
      usage: e.usage,
      problems: e.problem,
      outgoing: this.#outgoing,
    };
  }

  #publish(): void {
    const { ids, changed } = this.#replica.transcript.publish();
    const next = this.#now(ids);
    const unchanged = (Object.keys(next) as (keyof SessionSnapshot)[]).every((k) => next[k] === this.#snapshot[k]);
    if (!unchanged) this.#snapshot = next;
    for (const id of changed) this.#messages.call(id);
    if (!unchanged) for (const fn of [...this.#all]) fn();
  }
}
