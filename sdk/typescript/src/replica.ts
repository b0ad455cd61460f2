import { ProtocolFault, seqOf } from "./position.js";
import type { Transcript } from "./transcript.js";
import type { StateChangedData, StatePut, TextData, Usage } from "./types.gen.js";

/** All entities but the messages, by their kind. */
export type Entities = { readonly [K in Exclude<keyof StatePut, "message">]-?: Immutable<NonNullable<StatePut[K]>> };

type Immutable<T> = T extends (infer E)[] ? readonly E[] : T;

export const noUsage: Usage = { tokens_in: 0, tokens_out: 0, cache_writes: 0, cache_reads: 0, cost_usd: 0 };

const nothing: Entities = {
  session: { title: "", owner: "" },
  status: { status: "idle" },
  usage: noUsage,
  queue: [],
  rules: [],
  monitors: [],
  agents: [],
  viewers: [],
  task: [],
  run: [],
  todo: [],
  question: [],
  window: [],
  notice: [],
  problem: [],
  settled: [],
  notebook: [],
  cell: [],
};

/** The fields that tell the entities of a collection apart. */
const keys: Record<string, readonly string[]> = {
  task: ["task_id"],
  run: ["run_id"],
  todo: ["of", "id"],
  question: ["request_id"],
  window: ["window_id"],
  notice: ["notice_id"],
  problem: ["message_id"],
  settled: ["request_id"],
  notebook: ["notebook_id"],
  cell: ["notebook_id", "cell_id"],
};

type Entity = Readonly<Record<string, unknown>>;

/** As the server names it where it is gone. */
function keyOf(kind: string, entity: Entity): string {
  return keys[kind]!.map((field) => entity[field]).join("/");
}

/**
 * A session's state as the view `state` sends it. It knows no event: it puts
 * entities in their places. Lists are never changed, but replaced.
 */
export class Replica {
  readonly transcript: Transcript;
  entities: Entities = nothing;
  /** Where to resume from; "" before the first change. */
  cursor = "";
  /** Only some monitors were asked for: changes may be left out. */
  filtered = false;

  constructor(transcript: Transcript) {
    this.transcript = transcript;
  }

  /** Takes a change in. Throws if it does not go on from what is held. */
  apply(d: StateChangedData): void {
    const whole = d.from === undefined;
    if (whole) {
      this.entities = nothing;
      this.transcript.clear();
    } else if (this.cursor === "" || (this.filtered ? seqOf(d.from) < seqOf(this.cursor) : d.from !== this.cursor)) {
      throw new ProtocolFault(`a change from ${d.from}, and ${this.cursor || "nothing"} is held`);
    }
    const next: Record<string, unknown> = { ...this.entities };
    for (const kind of d.reset ?? []) this.#reset(next, kind);
    for (const [kind, gone] of Object.entries(d.del ?? {})) this.#del(next, kind, gone);
    for (const [kind, value] of Object.entries(d.put ?? {})) this.#put(next, kind, value);
    this.entities = next as unknown as Entities;
    this.cursor = d.to;
    if (whole || d.reset?.includes("message")) this.transcript.hasOlder = this.transcript.size < d.total;
  }

  text(d: TextData): void {
    this.transcript.write(d.message_id, d.field ?? "text", d.offset, d.delta);
  }

  #reset(next: Record<string, unknown>, kind: string): void {
    if (kind === "message") this.transcript.clear();
    else if (Object.hasOwn(keys, kind)) next[kind] = [];
  }

  #del(next: Record<string, unknown>, kind: string, gone: readonly string[]): void {
    if (kind === "message") this.transcript.remove(gone);
    if (Object.hasOwn(keys, kind)) next[kind] = (next[kind] as Entity[]).filter((e) => !gone.includes(keyOf(kind, e)));
  }

  #put(next: Record<string, unknown>, kind: string, value: unknown): void {
    if (kind === "message") for (const m of value as NonNullable<StatePut["message"]>) this.transcript.put(m);
    else if (Object.hasOwn(keys, kind)) next[kind] = putAll(kind, next[kind] as Entity[], value as Entity[]);
    else if (Object.hasOwn(nothing, kind)) next[kind] = value;
  }
}

/** Replaces entities in their places and adds the others at the end. */
function putAll(kind: string, list: readonly Entity[], put: readonly Entity[]): Entity[] {
  const all = new Map(list.map((e) => [keyOf(kind, e), e]));
  for (const e of put) all.set(keyOf(kind, e), e); // a map keeps the places
  return [...all.values()];
}
