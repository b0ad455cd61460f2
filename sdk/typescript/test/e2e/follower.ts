import { isDeepStrictEqual } from "node:util";
import { WebSocket } from "ws";
import type { AnyEnvelope } from "../../src/position.js";
import { seqOf } from "../../src/position.js";
import { Replica } from "../../src/replica.js";
import { Transcript } from "../../src/transcript.js";
import type { Message, Question, ServerEnvelope, SessionState } from "../../src/types.gen.js";
import { comparable, stateOf } from "../state.js";
import type { Server } from "./server.js";

type Shown = Record<string, unknown>;

export interface Difference {
  at: number;
  name: string;
  replica: unknown;
  state: unknown;
}

/** How far a text has grown is a matter of moments, as is the last record that changed nothing. */
function shown(state: Partial<SessionState>): Shown {
  const messages = state.messages?.map((m): Message =>
    m.partial ? { ...m, text: undefined, reasoning: undefined } : m,
  );
  return JSON.parse(JSON.stringify({ ...state, messages, last_message_id: undefined })) as Shown;
}

/**
 * Follows a session over one plain connection in view `state`, which it breaks
 * every so many changes, asks for session_state over another one, and compares
 * each answer with the replica as it was at that record. It says yes to every
 * question.
 */
export class Follower {
  readonly replica = new Replica(new Transcript(20_000));
  readonly differences: Difference[] = [];
  compared = 0;
  changes = 0;
  resumed = 0;
  readonly #path: (query: string) => WebSocket;
  readonly #breakEvery: number;
  readonly #answered = new Set<string>();
  readonly #views = new Map<number, Shown>();
  readonly #early = new Map<number, SessionState>();
  #socket: WebSocket;
  #asker: { socket: WebSocket; left: number } | undefined;
  #asked = 0;
  #epoch = "";
  #ended = false;
  #onChange: () => void = () => {};

  constructor(server: Server, id: string, breakEvery: number) {
    this.#path = (query) =>
      new WebSocket(`${server.url.replace("http", "ws")}/ws/${id}${query}`, {
        headers: { Authorization: `Bearer ${server.token}` },
      });
    this.#breakEvery = breakEvery;
    this.#socket = this.#follow();
  }

  send(type: string, data: unknown = {}): void {
    this.#socket.send(JSON.stringify({ type, data }));
  }

  end(): void {
    this.#ended = true;
    this.#socket.terminate();
    this.#asker?.socket.terminate();
  }

  /** Waits until the replica is as wanted. */
  until(what: (replica: Replica) => boolean, withinMs = 60_000): Promise<void> {
    return new Promise((done, fail) => {
      const timer = setTimeout(
        () => fail(new Error(`not in time: ${what.toString()} at ${this.replica.cursor}`)),
        withinMs,
      );
      this.#onChange = () => {
        if (!what(this.replica)) return;
        clearTimeout(timer);
        this.#onChange = () => {};
        done();
      };
      this.#onChange();
    });
  }

  #follow(): WebSocket {
    const resume = this.replica.cursor === "" ? "" : `&resume_from=${this.replica.cursor}&epoch=${this.#epoch}`;
    const socket = this.#path(`?view=state${resume}`);
    socket.on("error", () => {});
    socket.on("message", (data) => this.#socket === socket && this.#take(JSON.parse(String(data)) as ServerEnvelope));
    return socket;
  }

  #take(env: ServerEnvelope): void {
    if (env.type === "ping") this.#socket.send('{"type":"pong"}');
    if (env.type === "connected") this.#epoch = env.data.epoch;
    if (env.type === "text") this.replica.text(env.data);
    if (env.type === "sync_complete") this.#answerAll();
    if (env.type !== "state_changed") return;
    this.replica.apply(env.data);
    const seq = seqOf(this.replica.cursor);
    this.#views.set(seq, shown(stateOf(this.replica)));
    const early = this.#early.get(seq);
    if (early) this.#compare(seq, early);
    this.#ask();
    if (++this.changes % this.#breakEvery === 0 && !this.#ended) {
      this.resumed++;
      this.#socket.terminate();
      this.#socket = this.#follow();
    } else if (env.data.from !== undefined) this.#answerAll();
    this.#onChange();
  }

  #answerAll(): void {
    for (const q of this.replica.entities.question) {
      if (this.#answered.has(q.request_id)) continue;
      this.#answered.add(q.request_id);
      this.#answer(q);
    }
  }

  #answer(q: Question): void {
    const { request_id } = q;
    if (q.type === "hitl_input_request")
      this.send("hitl_input_response", { request_id, value: q.options?.[0]?.value ?? "yes" });
    if (q.type === "hitl_approval_request") this.send("hitl_approval_response", { request_id, action: "approve" });
    if (q.type === "hitl_plan_review") this.send("hitl_plan_response", { request_id, action: "approve" });
  }

  /** Asks for the state. The demo keeps its rates, so others ask, each not too often. */
  #ask(): void {
    if (this.#asked >= 16) return; // more would make for a slow reader
    if (!this.#asker || this.#asker.left === 0) {
      this.#asker?.socket.terminate();
      this.#asked = 1; // the first one comes by itself
      const socket = this.#path("");
      socket.on("error", () => {});
      socket.on("message", (data) => {
        const env = JSON.parse(String(data)) as AnyEnvelope;
        if (env.type === "session_state" && this.#asker?.socket === socket) this.#state(env.data as SessionState);
      });
      this.#asker = { socket, left: 90 };
      return;
    }
    if (this.#asker.socket.readyState !== WebSocket.OPEN) return;
    this.#asked++;
    this.#asker.left--;
    this.#asker.socket.send('{"type":"get_state"}');
  }

  /** A state that somebody else was told may be ahead of us: then it is kept until we are there. */
  #state(s: SessionState): void {
    this.#asked--;
    const seq = seqOf(s.last_message_id);
    if (seq > seqOf(this.replica.cursor)) this.#early.set(seq, s);
    else this.#compare(seq, s);
  }

  #compare(seq: number, state: SessionState): void {
    const held = this.#views.get(seq);
    if (!held) return; // between two changes
    this.compared++;
    const wanted = shown(comparable(state));
    for (const name of Object.keys({ ...wanted, ...held })) {
      if (!isDeepStrictEqual(held[name], wanted[name]))
        this.differences.push({ at: seq, name, replica: held[name], state: wanted[name] });
    }
  }
}
