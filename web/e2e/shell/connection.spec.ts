import { expect, live, test, until } from "../harness";
import type { Page } from "playwright-core";

/** Silence after which a connection counts as broken. */
const silenceMs = 60_000;

const state = (page: Page) => page.locator("[data-connection]").first().getAttribute("data-connection");
const spoken = (page: Page) => page.locator("[data-spoken]").textContent();

test("a killed server: reconnecting, then live again without a reload", async ({ world, visit }) => {
  const session = await world.session("Killed");
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  await page.evaluate(() => void ((window as unknown as { same: boolean }).same = true));
  await world.kill9();
  await until("not live", async () => (await state(page)) === "reconnecting");
  await until("said so", async () => /lost/i.test((await spoken(page)) ?? ""));
  await page.getByText("Reconnecting…").first().waitFor();
  await world.restart();
  await live(page);
  await until("said so", async () => /again/i.test((await spoken(page)) ?? ""));
  expect(await page.evaluate(() => (window as unknown as { same?: boolean }).same)).toBe(true);
  await world.say(session, "Are you there?");
  await page.getByText("Are you there?").first().waitFor();
});

test("a server that hangs: Live is said no longer than the silence limit", async ({ world, visit }) => {
  const session = await world.session("Frozen");
  const { page } = await visit();
  await page.clock.install();
  await page.goto(`/s/${session}`);
  await live(page);
  world.freeze();
  try {
    await page.clock.fastForward(silenceMs + 5_000);
    await until("not live", async () => (await state(page)) !== "active");
  } finally {
    world.thaw();
  }
  await until(
    "live again",
    async () => {
      await page.clock.runFor(1_000);
      return (await state(page)) === "active";
    },
    45_000,
  );
});

test("a line that is silent is found out when somebody comes back to the page", async ({ world, visit }) => {
  const session = await world.session("Tunnel");
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  world.line.silence();
  try {
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await until("not live", async () => (await state(page)) !== "active");
  } finally {
    world.line.mend();
  }
  await live(page);
});

test("without a network the page says so, and is live when it is back", async ({ world, visit }) => {
  const session = await world.session("Offline");
  const v = await visit({ path: `/s/${session}` });
  await live(v.page);
  world.line.cut();
  await v.context.setOffline(true);
  await until("offline", async () => (await state(v.page)) === "offline");
  await v.page.getByText("Offline").first().waitFor();
  world.line.mend();
  await v.context.setOffline(false);
  await live(v.page);
});

test("a session that is not there is told, and not asked for again and again", async ({ visit }) => {
  const v = await visit({ path: "/s/no-such-session" });
  v.allow(/status of 404|WebSocket connection/);
  await v.page.getByRole("heading").first().waitFor();
  await until("not live", async () => (await v.page.locator("[data-connection=active]").count()) === 0);
  let sockets = 0;
  v.page.on("websocket", (w) => {
    if (w.url().includes("no-such-session")) sockets++;
  });
  await v.page.clock.install();
  await v.page.clock.runFor(60_000);
  expect(sockets).toBe(0);
});
