import type { ToolCall, TranscriptMessage } from "./held.js";
import type { Fold } from "./fold.js";
import { Listeners } from "./listeners.js";
import { Notifier } from "./notifier.js";
import type { Connection, Outgoing, SessionSnapshot } from "./snapshot.js";

type Listener = () => void;

/**
 * What is known of a session, for those who show it. Snapshots are immutable;
 * listeners hear at most once a frame. Streamed text changes only its message:
 * listen to that with subscribeMessage.
 */
export class SessionStore {
  readonly #fold: Fold;
  readonly #notifier = new Notifier(() => this.#publish());
  readonly #all = new Set<Listener>();
  readonly #messages = new Listeners<void>();
  readonly #calls = new Listeners<void>();
  #connection: Connection;
  #outgoing: readonly Outgoing[] = [];
  #snapshot: SessionSnapshot;

  constructor(fold: Fold, connection: Connection) {
    this.#fold = fold;
    this.#connection = connection;
    this.#snapshot = this.#now([]);
  }

  getSnapshot = (): SessionSnapshot => this.#snapshot;

  subscribe = (fn: Listener): (() => void) => {
    this.#all.add(fn);
    return () => this.#all.delete(fn);
  };

  /** A message that is held; the same object until it changes. */
  message = (id: string): TranscriptMessage | undefined => this.#fold.transcript.get(id);

  subscribeMessage = (id: string, fn: Listener): (() => void) => this.#messages.add(id, fn);

  /** A tool call whose records this client saw. Older ones: rest.sessions.tool. */
  toolCall = (id: string): ToolCall | undefined => this.#fold.calls.get(id);

  subscribeToolCall = (id: string, fn: Listener): (() => void) => this.#calls.add(id, fn);

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
    this.#notifier.mark();
  }

  /** @internal */
  setOutgoing(outgoing: readonly Outgoing[]): void {
    this.#outgoing = outgoing;
    this.#notifier.mark();
  }

  #now(messageIds: readonly string[]): SessionSnapshot {
    const f = this.#fold;
    return {
      connection: this.#connection,
      synced: f.synced,
      session: f.session,
      lastMessageId: f.lastMessageId,
      messageIds,
      hasOlder: f.transcript.hasOlder,
      hasNewer: f.transcript.hasNewer,
      streaming: f.transcript.streaming(),
      tasks: f.tasks.list(),
      runs: f.runs,
      plan: f.plan,
      todos: f.todos,
      questions: f.questions,
      settled: f.settled,
      queue: f.queue,
      allowed: f.allowed,
      viewers: f.viewers,
      windows: f.windows,
      monitors: f.monitors,
      usage: f.usage,
      errors: f.errors,
      outgoing: this.#outgoing,
    };
  }

  #publish(): void {
    const f = this.#fold;
    const { ids, changed } = f.transcript.publish();
    const next = this.#now(ids);
    const same = (Object.keys(next) as (keyof SessionSnapshot)[]).every((k) => next[k] === this.#snapshot[k]);
    if (!same) this.#snapshot = next;
    const calls = [...f.changedCalls];
    f.changedCalls.clear();
    for (const id of changed) this.#messages.call(id);
    for (const id of calls) this.#calls.call(id);
    if (!same) for (const fn of [...this.#all]) fn();
  }
}
