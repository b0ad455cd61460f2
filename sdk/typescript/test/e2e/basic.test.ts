import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Model } from "./model.js";
import { Server } from "./server.js";
import { active, idle, until } from "./wait.js";

describe("a session over a real server", () => {
  let model: Model;
  let server: Server;

  beforeAll(async () => {
    model = await Model.start((text) => ({ pieces: [`You said `, text, ` — 안녕 👋.`] }));
    server = await Server.start({ settings: model.settings() });
  });
  afterAll(async () => {
    await server.end();
    await model.end();
  });

  test("a message goes out and its answer streams in", async () => {
    const client = server.client();
    const { session_id } = await client.rest.sessions.create({ title: "One" });
    const s = client.session(session_id);
    const begun = Date.now();
    s.connect();
    await until(s, active);
    // Both have one clock, and what the server said first it said after that.
    expect(s.serverNow()).toBeGreaterThanOrEqual(begun);
    expect(s.serverNow()).toBeLessThanOrEqual(Date.now() + 1);
    const receipt = await s.send("user_message", { text: "hello" });
    expect(receipt).toMatchObject({ delivery: "direct", repeat: false });
    const snapshot = await until(s, (x) => idle(x) && x.usage.tokens_out > 0);
    const texts = snapshot.messageIds.map((id) => s.store.message(id)).filter((m) => m?.say === "text");
    expect(texts.at(-1)?.text).toBe("You said hello — 안녕 👋.");
    expect(snapshot.session).toMatchObject({ title: "One", role: "owner" });
    expect(snapshot.connection.rttMs).toBeGreaterThanOrEqual(0);
    const page = await client.rest.sessions.messages(session_id);
    expect(page.messages.map((m) => m.message_id)).toEqual(snapshot.messageIds);
    s.disconnect();
    expect(s.connection.state).toBe("disconnected");
  });

  test("a refusal rejects with the server's error", async () => {
    const client = server.client();
    const { session_id } = await client.rest.sessions.create();
    const s = client.session(session_id);
    s.connect();
    await until(s, active);
    await expect(s.send("control_retry", { todo_id: "none" })).rejects.toMatchObject({
      name: "ClewError",
      code: "SESSION_INVALID_STATE",
      number: 3003,
    });
    s.disconnect();
  });

  test("a session that does not exist fails at once, and says why", async () => {
    const s = server.client().session("nowhere");
    s.connect();
    const { connection } = await until(s, (x) => x.connection.state === "failed");
    expect(connection.lastError).toMatchObject({ code: "SESSION_NOT_FOUND" });
    const bad = server.client({ token: "wrong" }).session("nowhere");
    bad.connect();
    const end = await until(bad, (x) => x.connection.state === "failed");
    expect(end.connection.lastError).toMatchObject({ code: "AUTH_FAILED" });
  });
});
