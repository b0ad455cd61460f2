import { Asking, type AskEvent, type AskOptions } from "./ask.js";
import { Channel, type SessionContext } from "./channel.js";
import type { Receipt } from "./outbox.js";
import { seqOf, type AnyEnvelope } from "./position.js";
import { Replica } from "./replica.js";
import type { Connection, Outgoing } from "./snapshot.js";
import { SessionStore } from "./store.js";
import { Transcript, type TranscriptEnd } from "./transcript.js";
import type { ServerEnvelope } from "./types.gen.js";

export interface SessionOptions {
  /** Tells this connection apart from others of the session; made up if absent. */
  clientId?: string;
  /** How many messages are held at most; 20,000 if absent. */
  messageLimit?: number;
}

/** How far back the message is looked for that a command has made. */
const recent = 50;

/** A live session: its connection, its store, and what can be said to it. */
export class Session extends Channel {
  readonly store: SessionStore;
  readonly #replica: Replica;
  readonly #context: SessionContext;
  #asks = 0; // loops that run on a connection which an ask opened
  #epoch: string | undefined;
  #anew = false; // the whole state is wanted
  #older: Promise<number> | undefined;
  #newer: Promise<number> | undefined;

  /** @internal Made by ClewClient.session. */
  constructor(context: SessionContext, id: string, options: SessionOptions = {}) {
    super(context, id, options.clientId, "state");
    this.#context = context;
    this.#replica = new Replica(new Transcript(options.messageLimit ?? 20_000));
    this.store = new SessionStore(id, this.#replica, this.connection);
  }

  /**
   * Gives the agent something to do and yields what comes of it: its words, tool calls, questions,
   * and at the end the result. The loop ends with the work. Leaving it stops following, not the
   * work, unless `cancelOnExit` is set. Broken lines and killed servers do not end it, and nothing
   * is told twice. It connects the session if nobody did, and then disconnects it at its end.
   */
  async *ask(text: string, options: AskOptions = {}): AsyncGenerator<AskEvent, void, undefined> {
    const { rest, newId } = this.#context;
    const ours = this.#asks > 0 || this.connection.state === "disconnected" || this.connection.state === "failed";
    if (ours) this.#asks++;
    this.connect();
    this.store.flush();
    try {
      yield* new Asking(
        {
          id: this.id,
          store: this.store,
          newId,
          send: (type, data, o) => this.send(type, data, o),
          withdraw: this.withdraw,
          command: (type, data) => rest.sessions.command(this.id, type, data),
          answer: rest.inbox.answer,
        },
        options,
      ).events(text);
    } finally {
      if (ours && --this.#asks === 0) this.disconnect();
    }
  }

  /** Loads older messages. Returns how many came; 0 when there are no more. */
  loadOlder = (count = 100): Promise<number> => {
    this.#older ??= this.#loadOlder(count).finally(() => {
      this.#older = undefined;
    });
    return this.#older;
  };

  /** Loads newer messages, where those held do not reach the end. Returns how many came. */
  loadNewer = (count = 100): Promise<number> => {
    this.#newer ??= this.#loadNewer(count).finally(() => {
      this.#newer = undefined;
    });
    return this.#newer;
  };

  /** Has a message held: if it is not, a page around it takes the place of those that are. */
  loadAround = async (id: string, count = 200): Promise<void> => {
    const { transcript } = this.#replica;
    if (transcript.get(id)) return;
    this.setView("oldest");
    const page = await this.#context.rest.sessions.messages(this.id, { around: id, limit: count });
    if (transcript.get(id) || !page.messages.some((m) => m.message_id === id)) return;
    transcript.replace(page.messages, page.next !== undefined, true);
    this.store.changed();
    this.store.flush();
    if (page.newer === undefined) await this.loadNewer();
  };

  /** Goes back to the newest messages, after they were dropped to save memory: they come with the whole state. */
  loadNewest = async (): Promise<void> => {
    this.setView("newest");
    if (!this.#replica.transcript.hasNewer) return;
    this.#anew = true;
    const came = new Promise<void>((done) => {
      const stop = this.on("sync_complete", () => {
        stop();
        done();
      });
    });
    this.reconnect();
    await came;
    this.store.flush();
  };

  /** Says which end somebody looks at, so that messages are dropped at the other one. */
  setView(view: TranscriptEnd): void {
    this.#replica.transcript.view = view;
  }

  protected resume(): { resume_from?: string; epoch?: string } {
    return this.#anew || this.#replica.cursor === "" ? {} : { resume_from: this.#replica.cursor, epoch: this.#epoch };
  }

  protected take(env: AnyEnvelope): boolean {
    const known = env as ServerEnvelope;
    switch (known.type) {
      case "connected":
        this.#epoch = known.data.epoch;
        this.store.setConnected(known.data);
        break;
      case "state_changed":
        this.#replica.apply(known.data);
        if (known.data.from === undefined) this.#anew = false;
        for (const id of known.data.commands ?? []) this.outbox.confirm(id, this.#deliveryOf(id));
        break;
      case "text":
        this.#replica.text(known.data);
        break;
      case "presence":
        this.#replica.entities = { ...this.#replica.entities, viewers: known.data.viewers };
        break;
      case "sync_complete":
        this.store.synced = true;
        break;
      default:
        return true;
    }
    this.store.changed();
    return true;
  }

  protected progress(): number {
    return seqOf(this.#replica.cursor);
  }

  protected filter(): void {
    this.#replica.filtered = true;
  }

  protected override changed(connection: Connection): void {
    if (!this.link.open) this.store.synced = false;
    this.store.setConnection(connection);
  }

  protected override answered(): void {
    this.store.flush(); // who sent something finds it in the snapshot
  }

  protected override setOutgoing(outgoing: readonly Outgoing[]): void {
    this.store.setOutgoing(outgoing);
  }

  /** How the words that a command brought were delivered, or where they wait. */
  #deliveryOf(id: string): Pick<Receipt, "delivery" | "position"> {
    const waits = this.#replica.entities.queue.findIndex((q) => q.client_message_id === id);
    if (waits >= 0) return { position: waits + 1 };
    return { delivery: this.#replica.transcript.newest(recent).find((m) => m.client_message_id === id)?.delivery };
  }

  async #loadOlder(limit: number): Promise<number> {
    const { transcript } = this.#replica;
    const before = transcript.first;
    if (before === undefined || !transcript.hasOlder) return 0;
    const page = await this.query("get_messages", { limit, before });
    if (transcript.first !== before) return 0; // another past by now
    const count = transcript.prepend(page.messages);
    if (page.next === undefined) transcript.hasOlder = false;
    this.store.changed();
    this.store.flush();
    return count;
  }

  async #loadNewer(limit: number): Promise<number> {
    const { transcript } = this.#replica;
    const after = transcript.last;
    if (after === undefined || !transcript.hasNewer) return 0;
    const read = (from: string, count: number) =>
      this.#context.rest.sessions.messages(this.id, { after: from, limit: count });
    const page = await read(after, limit);
    if (transcript.last !== after || !transcript.hasNewer) return 0; // another page by now
    const count = transcript.append(page.messages);
    if (page.newer === undefined) {
      // From here on new messages come by themselves; those that came meanwhile are asked for once more.
      transcript.hasNewer = false;
      const meanwhile = await read(transcript.last ?? after, 1000);
      if (transcript.get(after)) transcript.append(meanwhile.messages);
    }
    this.store.changed();
    this.store.flush();
    return count;
  }
}
