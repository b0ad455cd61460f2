import { expect, live, screenshots, size, test as base } from "../harness";
import { plansRuns } from "../requirements/scripts";

const test = base.extend({ options: [{ settings: { plan_review_timeout_sec: 3000 } }, { scope: "file" }] });

test("a session that is not here yet has no title and no status", async ({ world, visit }) => {
  const session = await world.session("Its title");
  const { page } = await visit({ path: "/" });
  await page.routeWebSocket(/./, () => {}); // open, and without a word
  await page.goto(`/s/${session}`);
  await page.getByRole("heading", { level: 1, name: "Loading…" }).waitFor();
  expect(await page.locator("main").innerText()).not.toMatch(/Untitled|Idle/);
  await screenshots(page, "truth-loading");
});

test("a wrong address says so, and the rail leads on", async ({ visit }) => {
  const visitor = await visit({ path: "/" });
  visitor.allow(/404.*\/nonsense\/page/);
  const { page } = visitor;
  const answer = await page.goto("/nonsense/page");
  expect(answer?.status()).toBe(404);
  await page.getByRole("heading", { name: "No such page" }).waitFor();
  await screenshots(page, "truth-wrong-address");
  await page.getByRole("link", { name: "Home" }).first().click();
  await page.waitForURL(/\/$/);
});

test("a page without its server says what it knows", async ({ world, visit }) => {
  const { page, context } = await visit({ path: "/" });
  await page.getByRole("heading", { level: 1 }).waitFor();
  await context.route("**/api/v1/me", (r) => r.abort());
  await page.reload();
  await page.getByRole("heading", { name: "The server cannot be reached" }).waitFor();
  expect(await page.locator("main").innerText()).not.toMatch(/goes on|nothing is lost/i);
  world.line.everBad = true; // the requests above were broken on purpose
});

for (const language of size(["ko"], ["en", "ko"])) {
  // shell/connection.spec.ts reads the English words
  test(`on a phone a lost connection is said in words (${language})`, async ({ world, visit }) => {
    const session = await world.session("On the train");
    const { page } = await visit({ path: `/s/${session}`, phone: true, prefs: { language } });
    await live(page);
    world.line.cut();
    const badge = page.locator("[data-connection=reconnecting], [data-connection=failed]").first();
    const words = badge.getByText(
      language === "en" ? /^(Reconnecting…|Connection lost)$/ : /^(다시 연결 중…|연결 끊김)$/,
    );
    await words.waitFor();
    await expect.poll(async () => (await words.boundingBox())?.width ?? 0).toBeGreaterThan(40); // not for screen readers alone
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await screenshots(page, `truth-lost-${language}`, ["narrow"]);
    world.line.mend();
    await live(page);
  });
}

test("the clock of a plan's review says that it cancels the run", async ({ world, visit }) => {
  await world.model.script(plansRuns);
  const session = await world.session("By the clock");
  await world.say(session, "do it", { mode: "run" });
  const request = await world.question(session);
  for (const path of [`/s/${session}`, "/inbox"]) {
    const { page } = await visit({ path });
    const card = page.locator(`[data-question="${request}"]`).first();
    await card.getByRole("timer").waitFor();
    await card.getByText("If nobody answers, the run is cancelled.").waitFor();
    await screenshots(page, path === "/inbox" ? "truth-clock-inbox" : "truth-clock");
  }
});
