import type { SessionContext } from "./channel.js";
import { ServerClock } from "./clock.js";
import { ClewError } from "./error.js";
import { Link } from "./link.js";
import { Notifier } from "./notifier.js";
import type { AnyEnvelope } from "./position.js";
import type { InboxCounts, InboxItem } from "./rest_types.js";
import type { Connection } from "./snapshot.js";

export interface InboxSnapshot {
  readonly connection: Connection;
  /** The whole inbox is in. */
  readonly synced: boolean;
  /** The nearest deadline first, then the oldest. */
  readonly items: readonly InboxItem[];
  readonly counts: InboxCounts;
}

const none: InboxCounts = { total: 0, by_kind: {}, due_soon: 0 };

/** A person's open questions, live, over all sessions. */
export class Inbox {
  readonly #link: Link;
  readonly #clock: ServerClock;
  readonly #items = new Map<string, InboxItem>();
  readonly #listeners = new Set<() => void>();
  readonly #notifier = new Notifier(() => this.#publish());
  #counts = none;
  #synced = false;
  #frames = 0;
  #snapshot: InboxSnapshot;

  /** @internal Made by ClewClient.inbox. */
  constructor(context: SessionContext) {
    this.#clock = new ServerClock(context.link.now);
    this.#link = new Link({
      ...context.link,
      url: () => context.socketUrl("/api/v1/inbox/feed", {}),
      diagnose: () =>
        context.rest.inbox.counts().then(
          () => undefined,
          (e: unknown) => (e instanceof ClewError ? e : undefined),
        ),
      onOpen: () => this.#clock.restart(),
      onEnvelope: (env) => this.#envelope(env),
      onState: () => this.#changed(),
      progress: () => this.#frames,
    });
    this.#snapshot = { connection: this.#link.connection, synced: false, items: [], counts: none };
  }

  get connection(): Connection {
    return this.#link.connection;
  }

  connect = (): void => this.#link.start();
  disconnect = (): void => this.#link.stop();
  reconnect = (): void => this.#link.restart();
  serverNow = (): number => this.#clock.serverNow();

  readonly store = {
    getSnapshot: (): InboxSnapshot => this.#snapshot,
    subscribe: (fn: () => void): (() => void) => {
      this.#listeners.add(fn);
      return () => this.#listeners.delete(fn);
    },
    flush: (): void => this.#notifier.flush(),
  };

  #changed(): void {
    if (!this.#link?.open) this.#synced = false;
    this.#notifier?.mark();
  }

  #envelope(env: AnyEnvelope): void {
    this.#frames++;
    this.#clock.observe(env.timestamp);
    if (env.type === "inbox_state") {
      const d = env.data as { items: InboxItem[]; counts: InboxCounts };
      this.#items.clear();
      for (const item of d.items) this.#items.set(item.question.request_id, item);
      this.#counts = d.counts;
      this.#synced = true;
      this.#link.synced();
    } else if (env.type === "inbox_changed") {
      const d = env.data as { added: InboxItem[]; removed: string[]; counts: InboxCounts };
      for (const id of d.removed) this.#items.delete(id);
      for (const item of d.added) this.#items.set(item.question.request_id, item);
      this.#counts = d.counts;
    } else return;
    this.#notifier.mark();
  }

  #publish(): void {
    const items = [...this.#items.values()].sort(
      (a, b) =>
        (a.question.deadline_ms ?? Infinity) - (b.question.deadline_ms ?? Infinity) ||
        a.asked_ms - b.asked_ms ||
        a.seq - b.seq,
    );
    this.#snapshot = { connection: this.#link.connection, synced: this.#synced, items, counts: this.#counts };
    for (const fn of [...this.#listeners]) fn();
  }
}
