import { ClewClient, type ClewOptions, type Session, type SocketClass, type Surroundings } from "../../src/index.js";
import { idOf } from "../../src/position.js";

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

  record(seq: number, type: string, data: unknown, more: Record<string, unknown> = {}): void {
    this.say(type, data, { message_id: idOf(seq), ...more });
  }

  greet(last: number, more: Record<string, unknown> = {}): void {
    this.say("session_state", stateOf(last, more), { message_id: "snap_1" });
  }

  sync(last: number, more: Record<string, unknown> = {}): void {
    this.greet(last, more);
    this.say("sync_complete", { last_message_id: idOf(last), replayed: 0 });
  }

  end(code: number, reason = ""): void {
    this.readyState = 3;
    this.onclose?.({ code, reason, wasClean: code !== 1006 } as never);
  }
}

export function stateOf(last: number, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    status: "idle", current_layer: null, plan: null, todos: [], hitl_pending: null, last_message_id: idOf(last), client_id: "c", epoch: "e1",
    title: "T", owner: "o", messages: [], open_messages: [], hitl_queue: [], runs: [], monitors: [], windows: [], role: "owner", ...more,
  };
}

export function messageOf(seq: number, more: Record<string, unknown> = {}): Record<string, unknown> {
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
