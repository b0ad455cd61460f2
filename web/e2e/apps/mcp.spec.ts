import { createServer } from "node:net";
import type { Page } from "playwright-core";
import { barriers, expect, live, screenshots, test as base, until, type World } from "../harness";

const script = new URL("server.mjs", import.meta.url).pathname;
const server = (...args: string[]) => ({ command: process.execPath, args: [script, ...args] });

const listener = createServer((s) => {
  calls++;
  s.destroy();
});
let calls = 0;
await new Promise<void>((done) => listener.listen(0, "127.0.0.1", done));
const abroad = `https://api.localhost:${(listener.address() as { port: number }).port}`;

const test = base.extend({
  options: [
    {
      settings: {
        mcp_servers: {
          weather: server("weather"),
          abroad: server("abroad", abroad),
          tries: server("tries", abroad),
          other: server("other"),
        },
      },
    },
    { scope: "file" },
  ],
});

/** A session whose agent has asked a server for the weather. */
async function asked(world: World, name: string, of: string): Promise<string> {
  await world.model.script([
    { when: { last_user: "is it warm" }, times: 0, reply: [{ text: "Warm enough for a walk." }] },
    { when: { tool_result: `mcp__${of}__forecast` }, times: 0, reply: [{ text: "It is 21 degrees." }] },
    {
      when: { turn: 1 },
      times: 0,
      reply: [{ tool: { name: `mcp__${of}__forecast`, id: "c", input: { city: "Oslo" } } }],
    },
  ]);
  await until(
    "the server is connected",
    async () => (await world.rest.mcp.list()).mcp_servers.find((s) => s.name === of)?.status === "connected",
  );
  const session = await world.session(name);
  await world.say(session, "the weather in Oslo, please");
  await world.rest.inbox.answer(await world.question(session), { action: "approve" });
  await world.settled(session);
  return session;
}

const windowIn = (page: Page) => page.locator("[data-window]", { has: page.locator("[data-app]") });
const pageIn = (page: Page) => windowIn(page).frameLocator("iframe");

test("the page of a tool server shows a call, uses its server by approval, and speaks with the window's agent", async ({
  world,
  visit,
}) => {
  const session = await asked(world, "Weather", "weather");
  const { page } = await visit({ path: `/s/${session}/desktop` });
  await live(page);
  const w = windowIn(page);
  await w.getByText("It comes from the tool server weather.").waitFor();
  expect(await w.locator("iframe").count()).toBe(0);
  expect(await barriers(page)).toEqual([]);
  await w.getByRole("button", { name: "Run app" }).click();
  const app = pageIn(page);
  await app.getByRole("heading", { name: "Oslo" }).waitFor();
  await app.getByText("21°").waitFor();
  await app.getByText("light en").waitFor();
  await w.getByText("App · no network").waitFor();
  await screenshots(page, "mcp-app-runs");
  expect(await barriers(page)).toEqual([]);

  // A tool of its server: a person approves, and the page has the answer.
  await app.getByRole("button", { name: "Refresh" }).click();
  const first = await world.question(session);
  await page.getByText("A window’s agent · Allow mcp__weather__refresh?").locator("visible=true").first().waitFor();
  await screenshots(page, "mcp-app-asks", ["wide"]);
  expect(await barriers(page)).toEqual([]);
  await world.rest.inbox.answer(first, { action: "approve" });
  await app.getByText('done "refreshed"').waitFor();
  await app.getByText("23°").waitFor();
  await app.getByRole("button", { name: "Refresh" }).click();
  await app.getByText("asking").waitFor();
  await world.rest.inbox.answer(
    await until("another question", async () => {
      const q = await world.question(session);
      return q === first ? undefined : q;
    }),
    { action: "reject" },
  );
  await app.getByText(/^refused: /).waitFor();

  await app.getByRole("button", { name: "Ask about it" }).click();
  await page.getByText("Warm enough for a walk.").first().waitFor();

  // A link opens only after its host was shown.
  await app.getByRole("button", { name: "Source" }).click();
  const question = page.getByRole("dialog", { name: "Open this link?" });
  await question.locator("[data-host]").getByText("weather.example.org").waitFor();
  await question.getByRole("button", { name: "Cancel" }).click();
  await app.getByText("refused: the person did not open the link").waitFor();

  // The page hears of another theme and language.
  await page.evaluate(() => void (document.documentElement.dataset.theme = "dark"));
  await app.getByText("dark en").waitFor();
});

test("a page reaches the hosts that a person let it, and no others", async ({ world, visit }) => {
  const session = await asked(world, "Abroad", "abroad");
  calls = 0;
  const v = await visit({ path: `/s/${session}/desktop` });
  v.allow(/content policy|Content Security Policy|elsewhere|ERR_|Failed to load|fetch/);
  const { page } = v;
  await live(page);
  const w = windowIn(page);
  await w.locator("[data-host]").first().waitFor();
  expect(await w.locator("[data-host]").allTextContents()).toEqual([abroad]);
  expect(await barriers(page)).toEqual([]);
  await screenshots(page, "mcp-app-hosts");
  const reach = () =>
    pageIn(page)
      .locator("body")
      .evaluate(
        (_, to) =>
          fetch(`${to}/told`, { mode: "no-cors" }).then(
            () => "reached",
            () => "failed",
          ),
        abroad,
      );
  await w.getByRole("button", { name: "Run without network" }).click();
  await pageIn(page).getByText("21°").waitFor();
  expect(await reach()).toBe("failed");
  expect(calls, "calls to a host that was denied").toBe(0);
  await page.reload(); // remembered
  await pageIn(page).getByText("21°").waitFor();
  expect(await reach()).toBe("failed");
  expect(calls).toBe(0);
  await w.getByRole("button", { name: "Stop app" }).click();
  await w.getByRole("button", { name: "Run and allow these hosts" }).click();
  await pageIn(page).getByText("21°").waitFor();
  await w.getByText(`App · network: ${abroad.slice("https://".length)}`).waitFor();
  await reach(); // whoever listens there speaks no TLS
  await until("the host was called", async () => calls > 0);
});

test("a page of a tool server finds no way out", async ({ world, visit }) => {
  const session = await asked(world, "Tries", "tries");
  calls = 0;
  const v = await visit({ path: `/s/${session}/desktop` });
  v.allow(/./); // the browser says at length what it refuses; what counts is below
  const { page } = v;
  const sent: { type: string }[] = [];
  page.on("websocket", (s) => s.on("framesent", (f) => sent.push(JSON.parse(String(f.payload)))));
  await page.reload();
  await live(page);
  await windowIn(page).getByRole("button", { name: "Run app" }).click();
  await pageIn(page).getByText("21°").waitFor();
  await pageIn(page).getByRole("button", { name: "Try" }).click();
  const log = await until("all was tried", async () => {
    const text = await pageIn(page).locator("#log").textContent();
    return text?.endsWith("end") ? text.split("\n") : undefined;
  });
  expect(log).toHaveLength(19);
  expect(log.filter((l) => l.endsWith(": out"))).toEqual([]);
  expect(calls, "calls to a host that nobody allowed").toBe(0);
  expect(new URL(page.url()).pathname).toBe(`/s/${session}/desktop`);
  expect(v.context.pages()).toHaveLength(1);
  expect(await page.evaluate(() => (window as unknown as { __ran?: number }).__ran)).toBeUndefined();
  // The bridge lets 30 requests through; each of them was refused by the server, and nothing else was sent.
  expect(sent.filter((f) => f.type === "app_call").length).toBeLessThanOrEqual(30);
  expect(sent.filter((f) => /^(user_message|window_message|component_action)$/.test(f.type))).toEqual([]);
  expect((await world.rest.inbox.list({ limit: 100 })).items.filter((i) => i.session_id === session)).toEqual([]);
});
