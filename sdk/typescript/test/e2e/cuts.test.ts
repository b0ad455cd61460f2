import { afterAll, beforeAll, expect, test } from "vitest";
import { Model } from "./model.js";
import { Proxy } from "./proxy.js";
import { Server } from "./server.js";
import { active, idle, until } from "./wait.js";

let model: Model;
let server: Server;
let proxy: Proxy;

beforeAll(async () => {
  const pieces = Array.from({ length: 12 }, (_, i) => `${i}é한👋 `);
  model = await Model.start((text) => ({ pieces: [`${text}: `, ...pieces] }));
  proxy = await Proxy.start();
  server = await Server.start({ settings: model.settings(), env: { CLEW_HOSTS: proxy.host } });
  proxy.target = server.port;
});
afterAll(async () => {
  await proxy.end();
  await server.end();
  await model.end();
});

/** A small generator, so that a seed tells the whole story. */
function random(seed: number): () => number {
  return () => {
    seed = (seed * 1664525 + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
}

const rounds = Number(process.env.CLEW_ROUNDS ?? 200);

test(`${rounds} rounds of random cuts: every message once, every text as the server has it`, async () => {
  const chance = random(Number(process.env.CLEW_SEED ?? 7));
  const direct = server.client();
  const { session_id: id } = await direct.rest.sessions.create();
  const retry = { initialDelayMs: 5, maxDelayMs: 10, multiplier: 1, maxRetries: 1_000_000 };
  const s = server.client({ baseUrl: proxy.url, retry }).session(id, {});
  const stream = server.client({ baseUrl: proxy.url, retry }).records(id, { resumeFrom: "start" });
  const created: string[] = [];
  const records: string[] = [];
  stream.on("*", (env) => {
    if (env.message_id?.startsWith("msg_")) records.push(env.message_id);
    if (env.type === "message_created") created.push(env.data.message.message_id);
  });
  s.connect();
  stream.connect();
  for (let round = 0; round < rounds; round++) {
    proxy.cutAfter = chance() < 0.5 ? Math.floor(chance() * 60_000) : undefined;
    await until(s, (x) => x.synced || x.connection.state === "reconnecting");
    const sent = s.send("user_message", { text: `r${round}` });
    if (chance() < 0.7) proxy.cutIn(Math.floor(chance() * 6_000));
    await sent;
    proxy.cutAfter = undefined;
  }
  await until(s, active);
  await until(s, (x) => idle(x) && x.outgoing.length === 0);
  const all: string[] = [];
  const texts = new Map<string, string | undefined>();
  for (let before: string | undefined; ;) {
    const page = await direct.rest.sessions.messages(id, { limit: 1000, before });
    all.unshift(...page.messages.map((m) => m.message_id));
    for (const m of page.messages) texts.set(m.message_id, m.text);
    if (!page.next) break;
    before = page.next;
  }
  while (await s.loadOlder(1000)); // a cut may have cost the state's tail
  expect(s.store.getSnapshot().messageIds).toEqual(all);
  for (const m of all) expect(s.store.message(m)?.text).toBe(texts.get(m));
  await expect.poll(() => created.at(-1), { timeout: 30_000 }).toBe(all.at(-1));
  expect(created).toEqual(all);
  expect(records).toEqual(records.map((_, i) => `msg_${String(i + 1).padStart(12, "0")}`));
  const said = all
    .map((m) => s.store.message(m))
    .filter((m) => m?.role === "user")
    .map((m) => m?.text);
  expect(said).toEqual(Array.from({ length: rounds }, (_, i) => `r${i}`));
  console.log(`${rounds} rounds, ${proxy.connects} connections, ${records.length} records, ${all.length} messages`);
  s.disconnect();
  stream.disconnect();
}, 180_000);
