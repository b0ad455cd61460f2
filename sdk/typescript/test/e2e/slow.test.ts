import { expect, test } from "vitest";
import { Proxy } from "./proxy.js";
import { Server } from "./server.js";
import { active, idle, until } from "./wait.js";

test("who reads too slowly is closed, comes back at once and has missed nothing", async () => {
  const proxy = await Proxy.start();
  const server = await Server.start({ env: { CLEW_HOSTS: proxy.host, CLEW_LIMITS_WRITE_TIMEOUT: "300ms" } }); // its model says back what it hears
  try {
    proxy.target = server.port;
    const { rest } = server.client();
    const { session_id: id } = await rest.sessions.create();
    const s = server.client({ baseUrl: proxy.url }).session(id);
    const reasons = new Set<string | undefined>();
    s.store.subscribe(() => reasons.add(s.connection.lastError?.close?.reason));
    s.connect();
    await until(s, active);
    proxy.freeze();
    const large = "x".repeat(300_000);
    const closed = async (): Promise<boolean> => {
      const metrics = await fetch(`${server.url}/metrics`, { headers: { Authorization: `Bearer ${server.token}` } });
      return /slow_closed_total [1-9]/.test(await metrics.text());
    };
    for (let i = 0; i < 200 && !(await closed()); i++)
      await rest.sessions.command(id, "user_message", { text: `${i} ${large}` });
    expect(await closed()).toBe(true);
    proxy.thaw();
    await until(s, (x) => active(x) && [...reasons].some((r) => r !== undefined));
    await until(s, idle);
    expect(reasons).toContain("TOO_SLOW");
    const page = await rest.sessions.messages(id, { limit: 3 });
    await until(s, (x) => x.messageIds.at(-1) === page.messages.at(-1)?.message_id);
    for (const m of page.messages) expect(s.store.message(m.message_id)?.text?.length).toBe(m.text?.length);
    s.disconnect();
  } finally {
    await server.end();
    await proxy.end();
  }
});
