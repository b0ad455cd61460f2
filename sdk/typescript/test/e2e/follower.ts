import { WebSocket } from "ws";
import { Fold } from "../../src/fold.js";
import type { AnyEnvelope } from "../../src/position.js";
import { idOf, seqOf } from "../../src/position.js";
import { Transcript } from "../../src/transcript.js";
import type { Message, Question, RunState, SessionState, Todo } from "../../src/types.gen.js";
import type { Server } from "./server.js";

/** What a fold and a session_state must agree in. */
export interface View {
  [name: string]: unknown;
}

const shownMessages = 200;

export function viewOfFold(f: Fold): View {
  const s = f.session!;
  const { ids } = f.transcript.publish();
  return clean({
    status: s.status,
    current_layer: s.layer,
    title: s.title,
    owner: s.owner,
    workspace: s.workspace,
    can_undo: s.canUndo,
    can_redo: s.canRedo,
    returning: s.returning,
    checkpoint: s.checkpoint,
    forked_from: s.forkedFrom,
    plan: f.plan && { id: f.plan.id, status: f.plan.status, version: f.plan.version, total_todos: f.plan.total_todos },
    todos: f.todos,
    questions: byId(f.questions),
    runs: f.runs.map((r) => ({ ...r, todos: lean(r.todos), details: undefined, ended: undefined, review: undefined, report_paths: r.report_paths?.length ? r.report_paths : undefined })),
    usage: f.usage,
    queue: f.queue,
    messages: ids.slice(-shownMessages).map((id) => settledText(f.transcript.get(id)!)),
  });
}

export function viewOfState(s: SessionState): View {
  return clean({
    status: s.status,
    current_layer: s.current_layer,
    title: s.title,
    owner: s.owner,
    workspace: s.workspace,
    can_undo: s.can_undo ?? false,
    can_redo: s.can_redo ?? false,
    returning: s.returning,
    checkpoint: s.checkpoint,
    forked_from: s.forked_from,
    plan: s.plan,
    todos: s.todos,
    questions: byId(s.hitl_pending ? [s.hitl_pending, ...s.hitl_queue] : []),
    runs: s.runs.map((r: RunState) => ({ ...r, todos: lean(r.todos) })),
    usage: s.usage ?? { tokens_in: 0, tokens_out: 0, cache_writes: 0, cache_reads: 0, cost_usd: 0 },
    queue: (s as { queue?: unknown[] }).queue ?? [],
    messages: s.messages.map(settledText),
  });
}

/** How far a text has grown is a matter of moments. */
const settledText = (m: Message): Message => (m.partial ? { ...m, text: undefined, reasoning: undefined } : m);
const byId = (list: readonly Question[]): Question[] => [...list].sort((a, b) => (a.request_id < b.request_id ? -1 : 1));
const lean = (todos: readonly Todo[]): Todo[] => todos.map((t) => ({ ...t, result_summary: undefined }));

/** As JSON has it: without what is undefined, empty texts and zero figures that a server leaves out. */
function clean(view: View): View {
  return JSON.parse(JSON.stringify(view, (_, v: unknown) => (v === "" ? undefined : v))) as View;
}

export interface Difference {
  at: string;
  after: string;
  name: string;
  fold: unknown;
  state: unknown;
}

/**
 * Follows a session over one plain connection, asks for its state after every
 * record, and compares each answer with the fold as it was at that record.
 */
export class Follower {
  readonly fold: Fold;
  readonly differences: Difference[] = [];
  readonly kinds = new Map<string, number>();
  compared = 0;
  /** Compared without the status, which was a guess. */
  unsure = 0;
  head = 0;
  recent: string[] = [];
  readonly #socket: WebSocket;
  readonly #open: (query: string) => WebSocket;
  #asker: { socket: WebSocket; left: number } | undefined;
  readonly #views = new Map<number, { view: View; after: string; unsure: boolean }>();
  readonly #early = new Map<number, SessionState>();
  #stale = false;
  #greeted = false;
  #asked = 0;
  #onEvent: (env: AnyEnvelope) => void = () => {};

  constructor(server: Server, id: string, from: "start" | undefined) {
    this.fold = new Fold(id, new Transcript(20_000));
    this.fold.tasks.partial = from === undefined;
    this.#open = (query) => new WebSocket(`${server.url.replace("http", "ws")}/ws/${id}${query}`, { headers: { Authorization: `Bearer ${server.token}` } });
    this.#socket = this.#open(from ? `?resume_from=${from}` : "");
    this.#socket.on("message", (data) => this.#take(JSON.parse(String(data)) as AnyEnvelope, from !== undefined));
    this.#socket.on("error", () => {});
    this.#socket.on("close", (code, reason) => {
      this.recent.push(`closed ${code} ${String(reason)}`);
    });
  }

  onEvent(fn: (env: AnyEnvelope) => void): void {
    this.#onEvent = fn;
  }

  send(type: string, data: unknown = {}): void {
    this.#socket.send(JSON.stringify({ type, data }));
  }

  end(): void {
    this.#socket.terminate();
    this.#asker?.socket.terminate();
  }

  /** Asks for the state. The demo keeps its rates, so others ask, each not too often. */
  #ask(): void {
    if (this.#asked >= 16) return; // more would make for a slow reader
    if (!this.#asker || this.#asker.left === 0) {
      this.#asker?.socket.terminate();
      this.#asked = 1; // the first one comes by itself
      const socket = this.#open("");
      socket.on("error", () => {});
      socket.on("message", (data) => {
        const env = JSON.parse(String(data)) as AnyEnvelope;
        if (env.type === "session_state" && this.#asker?.socket === socket) this.#answer(env.data as SessionState);
      });
      this.#asker = { socket, left: 90 };
      return;
    }
    if (this.#asker.socket.readyState !== WebSocket.OPEN) return;
    this.#asked++;
    this.#asker.left--;
    this.#asker.socket.send('{"type":"get_state"}');
  }

  #take(env: AnyEnvelope, replayed: boolean): void {
    if (env.type === "ping") this.#socket.send('{"type":"pong"}');
    else if (env.type === "session_state") this.#state(env.data as SessionState, replayed);
    else if (env.type === "sync_complete") this.fold.complete();
    else this.#envelope(env);
    this.#onEvent(env);
  }

  #state(s: SessionState, replayed: boolean): void {
    if (!this.#greeted) {
      this.#greeted = true;
      this.fold.state(s, !replayed, false);
    }
  }

  /** A state that somebody else was told may be ahead of us: then it is kept until we are there. */
  #answer(s: SessionState): void {
    this.#asked--;
    const seq = seqOf(s.last_message_id);
    if (seq > this.head) {
      this.#early.set(seq, s);
      return;
    }
    this.#look(seq, s);
    this.onAnswer();
  }

  onAnswer: () => void = () => {};

  #look(seq: number, s: SessionState): void {
    const at = this.#views.get(seq);
    if (at && !this.#stale) this.#compare(seq, at, viewOfState(s));
    if (at?.unsure) this.unsure++;
    if (this.fold.unsure && seq === this.head && this.fold.session) { // what a client finds out by HTTP
      this.fold.session = { ...this.fold.session, status: s.status };
      this.fold.unsure = false;
    }
    if (this.#stale && seq === this.head) { // what a client does after a rewind
      this.fold.state(s, false, true);
      this.#stale = false;
      this.#views.set(seq, { view: viewOfFold(this.fold), after: "a rewind and get_state", unsure: false });
    }
  }

  #compare(seq: number, at: { view: View; after: string; unsure: boolean }, state: View): void {
    this.compared++;
    for (const name of Object.keys({ ...state, ...at.view })) {
      if (at.unsure && name === "status") continue;
      let [a, b] = [sorted(at.view[name]), sorted(state[name])];
      if (JSON.stringify(a) === JSON.stringify(b)) continue;
      if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
        const i = a.findIndex((x, j) => JSON.stringify(x) !== JSON.stringify((b as unknown[])[j]));
        [a, b] = [a[i], b[i]];
      }
      this.differences.push({ at: idOf(seq), after: at.after, name, fold: a, state: b });
    }
  }

  #envelope(env: AnyEnvelope): void {
    this.fold.envelope(env);
    const seq = seqOf(env.message_id);
    if (env.type === "error") this.recent.push(JSON.stringify(env.data));
    if (seq === 0) return;
    this.head = seq;
    this.recent = [...this.recent.slice(-9), env.type];
    this.kinds.set(env.type, (this.kinds.get(env.type) ?? 0) + 1);
    if (this.fold.stale) {
      this.#stale = true;
      this.fold.stale = false;
    }
    if (!this.fold.synced) return;
    this.#views.set(seq, { view: viewOfFold(this.fold), after: env.type, unsure: this.fold.unsure });
    this.#views.delete(seq - 300);
    const early = this.#early.get(seq);
    if (early) this.#look(seq, early);
    this.#early.delete(seq);
    this.#ask();
  }
}

/** The same value with its fields in one order. */
function sorted(v: unknown): unknown {
  if (Array.isArray(v)) return v.map(sorted);
  if (v === null || typeof v !== "object") return v;
  return Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1)).map(([k, x]) => [k, sorted(x)]));
}
