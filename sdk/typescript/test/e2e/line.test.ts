import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ClewClient, ClewOptions, Session } from "../../src/index.js";
import { Gate, Model } from "./model.js";
import { Proxy } from "./proxy.js";
import { Server } from "./server.js";
import { active, idle, until } from "./wait.js";

const quick = { initialDelayMs: 20, maxDelayMs: 200, multiplier: 2, maxRetries: 5 };
const patient = { ...quick, maxRetries: 1000 };

/** A text of many pieces, in letters of one to four bytes. */
const pieces = Array.from({ length: 60 }, (_, i) => `${i} é한👋 `);

function texts(s: Session): (string | undefined)[] {
  const { messageIds } = s.store.getSnapshot();
  return messageIds
    .map((id) => s.store.message(id))
    .filter((m) => m?.say === "text")
    .map((m) => m?.text);
}

// Covers: WS-090, WS-091, WS-092, WS-094
describe("a line that breaks", () => {
  let model: Model;
  let server: Server;
  let proxy: Proxy;
  const open: Session[] = [];
  let gate: Gate; // in the middle of a count

  beforeAll(async () => {
    model = await Model.start((text) =>
      text.startsWith("count") ? { pieces, held: { after: 20, until: gate.opened } } : { pieces: [`Heard: ${text}`] },
    );
    proxy = await Proxy.start();
    server = await Server.start({
      settings: model.settings(),
      env: { CLEW_LIMITS_PING_EVERY: "200ms", CLEW_HOSTS: proxy.host },
    });
    proxy.target = server.port;
  });
  afterEach(() => {
    for (const s of open.splice(0)) s.disconnect();
    proxy.cut();
  });
  afterAll(async () => {
    await proxy.end();
    await server.end();
    await model.end();
  });

  /** A connected session behind a proxy, whose lines can be broken. */
  async function begin(options: ClewOptions = {}): Promise<{ client: ClewClient; s: Session; id: string }> {
    const client = server.client({ baseUrl: proxy.url, retry: patient, ...options });
    const { session_id: id } = await server.client().rest.sessions.create();
    const s = client.session(id);
    open.push(s);
    s.connect();
    await until(s, active);
    return { client, s, id };
  }

  test("cut in the middle of a stream: nothing is lost, nothing twice", async () => {
    gate = new Gate();
    const { s, id } = await begin();
    await s.send("user_message", { text: "count" });
    await until(s, (x) => x.streaming.some((m) => (s.store.message(m)?.text ?? "").length > 40));
    proxy.cut();
    await until(s, (x) => x.connection.state === "reconnecting");
    gate.open();
    await until(s, idle);
    expect(texts(s).at(-1)).toBe(pieces.join(""));
    const page = await server.client().rest.sessions.messages(id, { limit: 1000 });
    expect(s.store.getSnapshot().messageIds).toEqual(page.messages.map((m) => m.message_id));
  });

  test("kill -9 and a new start in the middle of a stream", async () => {
    gate = new Gate();
    const { s, id } = await begin();
    await s.send("user_message", { text: "count" });
    await until(s, (x) => x.streaming.some((m) => (s.store.message(m)?.text ?? "").length > 40));
    await server.kill();
    gate.open();
    await until(s, (x) => x.connection.state === "reconnecting");
    await server.start();
    const { questions } = await until(s, (x) => active(x) && x.questions.length === 1);
    expect(questions[0]).toMatchObject({ type: "hitl_approval_request", ask: "api_req_failed" }); // a person decides about the cost
    await s.send("hitl_approval_response", { request_id: questions[0]!.request_id, action: "approve" });
    await until(s, idle);
    const page = await server.client().rest.sessions.messages(id, { limit: 1000 });
    expect(s.store.getSnapshot().messageIds.map((m) => s.store.message(m))).toEqual(page.messages);
    expect(texts(s).at(-1)).toBe(pieces.join(""));
  });

  test("a command sent into a broken line goes out again and takes effect once", async () => {
    const { s, id } = await begin();
    proxy.down = true;
    proxy.cut();
    await until(s, (x) => x.connection.state === "reconnecting");
    const sent = s.send("user_message", { text: "once" });
    const { outgoing } = await until(s, (x) => x.outgoing.length === 1);
    expect(outgoing[0]).toMatchObject({ type: "user_message", state: "unsent" });
    proxy.down = false;
    await sent;
    await until(s, (x) => idle(x) && x.outgoing.length === 0);
    const page = await server.client().rest.sessions.messages(id, { limit: 1000 });
    expect(page.messages.filter((m) => m.text === "once")).toHaveLength(1);
  });

  test("a command whose answer was lost is said again and takes effect once", async () => {
    const { s, id } = await begin();
    s.on("*", () => {}); // nothing depends on who listens
    const sent = s.send("user_message", { text: "twice?" });
    proxy.freeze(); // it may or may not have got through
    await server.client().rest.sessions.get(id);
    proxy.cut();
    await sent;
    await until(s, idle);
    const page = await server.client().rest.sessions.messages(id, { limit: 1000 });
    expect(page.messages.filter((m) => m.text === "twice?")).toHaveLength(1);
  });

  test("a dead line is noticed by silence", async () => {
    const { s } = await begin({ idleMs: 700 });
    proxy.freeze();
    const x = await until(s, (y) => y.connection.state === "reconnecting");
    expect(x.connection.lastError).toMatchObject({ code: "CONNECTION_TIMEOUT" });
    await until(s, active);
  });

  test("a dead line is noticed by a probe when the page is looked at again", async () => {
    let visible = (): void => {};
    const surroundings = {
      offline: () => false,
      watch: (on: { visible(): void }) => {
        visible = on.visible;
        return () => {};
      },
    };
    const { s } = await begin({ surroundings, probeMs: 2000 });
    visible();
    await until(s, (x) => x.connection.rttMs !== undefined);
    expect(s.connection.state).toBe("active");
    proxy.freeze();
    visible();
    await until(s, (x) => x.connection.state === "reconnecting");
    await until(s, active);
  });

  test("who is taken over does not come back by itself", async () => {
    const { s, id } = await begin();
    const other = server.client().session(id, { clientId: s.clientId });
    open.push(other);
    other.connect();
    await until(other, active);
    const x = await until(s, (y) => y.connection.state === "failed");
    expect(x.connection.lastError?.close).toEqual({ code: 1000, reason: "TAKEN_OVER" });
    s.reconnect(); // somebody wants it back
    await until(s, active);
    await until(other, (y) => y.connection.state === "failed");
  });

  test("after five failures in a row it stops and says so", async () => {
    const { s } = await begin({ retry: quick });
    proxy.down = true;
    const before = proxy.connects;
    proxy.cut();
    const x = await until(s, (y) => y.connection.state === "failed");
    expect(x.connection).toMatchObject({ attempt: 5, lastError: { code: "CONNECTION_FAILED" } });
    expect(proxy.connects - before).toBe(10); // five sockets, and five questions why
    proxy.down = false;
    s.reconnect();
    await until(s, active);
  });

  test("what was said while the server is stopped waits, and a stop is no failure", async () => {
    const { s } = await begin();
    await server.kill();
    const sent = s.send("user_message", { text: "after the pause" });
    await server.start();
    expect(await sent).toMatchObject({ delivery: "direct" });
    await until(s, idle);
    expect(texts(s).at(-1)).toBe("Heard: after the pause");
  });

  test("an older copy of the data: what is held is dropped, and the state taken anew", async () => {
    const { s, id } = await begin();
    await s.send("user_message", { text: "first" });
    await until(s, idle);
    await server.kill();
    const copy = join(server.dir, "copy");
    cpSync(server.data, copy, { recursive: true, filter: (from) => !from.endsWith("clew.sock") });
    await server.start();
    await until(s, active);
    await s.send("user_message", { text: "second" });
    await until(s, (x) => idle(x) && texts(s).at(-1) === "Heard: second");
    await server.kill();
    rmSync(server.data, { recursive: true });
    cpSync(copy, server.data, { recursive: true });
    await server.start();
    await until(s, (x) => active(x) && !texts(s).includes("Heard: second"));
    const page = await server.client().rest.sessions.messages(id, { limit: 1000 });
    expect(s.store.getSnapshot().messageIds).toEqual(page.messages.map((m) => m.message_id));
    await s.send("user_message", { text: "third" });
    await until(s, (x) => idle(x) && texts(s).at(-1) === "Heard: third");
  });

  test("a wrong epoch is CURSOR_LOST: it starts over and goes on", async () => {
    const { client, id } = await begin();
    const s = client.records(id, { resumeFrom: "msg_000000000001", epoch: "another" });
    const codes: string[] = [];
    s.on("error", (env) => codes.push(env.data.code));
    s.connect();
    const { records } = await s.send("user_message", { text: "on we go" });
    expect(codes).toEqual(["CURSOR_LOST"]);
    expect(records.map((r) => r.type)).toContain("message_created");
    s.disconnect();
  });

  test("older messages are loaded page by page, and dropped ones come back", async () => {
    const { client, id } = await begin();
    const talk = client.session(id, {});
    open.push(talk);
    talk.connect();
    for (let i = 0; i < 60; i++) {
      await talk.send("user_message", { text: `m${i}` });
      await until(talk, idle);
    }
    const s = client.session(id, { messageLimit: 210 });
    open.push(s);
    s.connect();
    await until(s, idle);
    expect(s.store.getSnapshot()).toMatchObject({ hasOlder: true, hasNewer: false });
    expect(s.store.getSnapshot().messageIds).toHaveLength(200);
    const all = (await client.rest.sessions.messages(id, { limit: 1000 })).messages.map((m) => m.message_id);
    s.setView("oldest");
    for (let n = 1; n > 0;) n = await s.loadOlder(30);
    const held = s.store.getSnapshot();
    expect(held.messageIds.length).toBeLessThanOrEqual(210);
    expect(held.messageIds).toEqual(all.slice(0, held.messageIds.length));
    expect(held).toMatchObject({ hasOlder: false, hasNewer: true });
    await s.loadNewest();
    expect(s.store.getSnapshot().messageIds).toEqual(all.slice(-200));
    expect(s.store.getSnapshot()).toMatchObject({ hasOlder: true, hasNewer: false });
  });
});
