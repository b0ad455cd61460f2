import { ClewClient, type ClewOptions, type Session, type SocketClass, type Surroundings } from "../../src/index.js";
import { idOf } from "../../src/position.js";
import type { Message, StateChangedData, StatePut } from "../../src/types.gen.js";

/** A WebSocket whose other end is the test. */
export class FakeSocket {
  static all: FakeSocket[] = [];
  readonly url: string;
  readyState = 0;
  sent: { type: string; message_id?: string; data?: Record<string, unknown> }[] = [];
  onopen: ((e: never) => void) | null = null;
  onmessage: ((e: never) => void) | null = null;
  onclose: ((e: never) => void) | null = null;
  onerror: ((e: never) => void) | null = null;
  probes = 0;
  answersProbes = true;
  closedWith: { code?: number; reason?: string } | undefined;

  constructor(url: string) {
    this.url = url;
    FakeSocket.all.push(this);
  }

  static get last(): FakeSocket {
    return FakeSocket.all.at(-1)!;
  }

  get query(): URLSearchParams {
    return new URL(this.url).searchParams;
  }

  send(text: string): void {
    const frame = JSON.parse(text) as FakeSocket["sent"][number];
    if (frame.message_id === "clew-probe") {
      this.probes++;
      if (this.answersProbes) this.say("messages_page", { messages: [], total: 0, client_message_id: "clew-probe" });
    } else this.sent.push(frame);
  }

  close(code?: number, reason?: string): void {
    this.readyState = 3;
    this.closedWith = { code, reason };
  }

  // What the test does as the server.

  open(): void {
    this.readyState = 1;
    this.onopen?.({} as never);
  }

  say(type: string, data?: unknown, more: Record<string, unknown> = {}): void {
    const env = { type, session_id: "s", timestamp: new Date(Date.now()).toISOString(), data, ...more };
    this.onmessage?.({ data: JSON.stringify(env) } as never);
  }

  /** A change of the state, from one record to another. */
  change(from: number, to: number, put: StatePut = {}, more: Partial<StateChangedData> = {}): void {
    this.say("state_changed", { from: idOf(from), to: idOf(to), total: 0, put, ...more });
  }

  /** Who this connection is, and the whole state. */
  greet(last: number, put: StatePut = {}, more: { epoch?: string; total?: number } = {}): void {
    this.say("connected", { client_id: "c", role: "owner", epoch: more.epoch ?? "e1", view: "state" });
    const whole = { session: { title: "T", owner: "o" }, status: { status: "idle" }, ...put };
    this.say("state_changed", { to: idOf(last), total: more.total ?? put.message?.length ?? 0, put: whole });
  }

  sync(last: number, put: StatePut = {}, more: { epoch?: string; total?: number } = {}): void {
    this.greet(last, put, more);
    this.synced(last);
  }

  synced(last: number, replayed = 0): void {
    this.say("sync_complete", { last_message_id: idOf(last), replayed });
  }

  /** A record, as the view `records` has it. */
  record(seq: number, type: string, data: unknown, more: Record<string, unknown> = {}): void {
    this.say(type, data, { message_id: idOf(seq), ...more });
  }

  end(code: number, reason = ""): void {
    this.readyState = 3;
    this.onclose?.({ code, reason, wasClean: code !== 1006 } as never);
  }
}

export function messageOf(seq: number, more: Partial<Message> = {}): Message {
  return { message_id: idOf(seq), ts: seq, type: "say", say: "text", role: "assistant", text: `m${seq}`, ...more };
}

/** Surroundings that the test moves. */
export class FakeSurroundings implements Surroundings {
  isOffline = false;
  on: Parameters<Surroundings["watch"]>[0] | undefined;
  offline = (): boolean => this.isOffline;
  watch(on: Parameters<Surroundings["watch"]>[0]): () => void {
    this.on = on;
    return () => {
      this.on = undefined;
    };
  }
}

export function fakeClient(options: ClewOptions = {}): ClewClient {
  FakeSocket.all = [];
  return new ClewClient({
    baseUrl: "http://clew.test",
    WebSocket: FakeSocket as unknown as SocketClass,
    fetch: () => Promise.reject(new TypeError("no network")),
    random: () => 1,
    ...options,
  });
}

/** Lets promises and microtasks run. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}

/** A session that is connected and in sync at a record. */
export async function connected(options: ClewOptions = {}, last = 1): Promise<{ s: Session; socket: FakeSocket }> {
  const s = fakeClient(options).session("s");
  s.connect();
  await settle();
  const socket = FakeSocket.last;
  socket.open();
  socket.sync(last);
  await settle();
  return { s, socket };
}
