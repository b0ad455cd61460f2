import type { Page } from "playwright-core";
import { staged } from "../access/stage";
import { barriers, expect, live, test, until } from "../harness";
import { shot } from "./measure";

const rail = (page: Page) => page.getByRole("navigation", { name: "Main" }).filter({ visible: true });
const section = (page: Page, name: string | RegExp) => rail(page).getByRole("list", { name });

test("W26: the sessions are in the rail, each in one section, and the open one stands out", async ({
  world,
  visit,
}) => {
  const s = await staged(world);
  const { page } = await visit({ path: `/s/${s.asking}` });
  await live(page);
  const asks = section(page, "Needs you");
  await asks
    .getByRole("link", { name: /Run the tests/ })
    .getByText(/Approve a command/)
    .waitFor();
  await asks
    .getByRole("link", { name: /A larger repair/ })
    .getByText(/Plan ready for review/)
    .waitFor();
  await section(page, /^Recent/)
    .getByRole("link", { name: /Mend the prices/ })
    .waitFor();
  expect(await rail(page).locator(`[data-session="${s.asking}"]`).count()).toBe(1);
  const here = asks.getByRole("link", { name: /Run the tests/ });
  expect(await here.getAttribute("aria-current")).toBe("page");
  expect(
    await here
      .locator("span")
      .first()
      .evaluate((e) => getComputedStyle(e).fontWeight),
  ).toBe("600");
  expect(await rail(page).evaluate((e) => e.getBoundingClientRect().width)).toBe(256);
  await shot(page, "session-1440");
  expect(await barriers(page)).toEqual([]);
});

test("W26: the rail follows what happens elsewhere", async ({ world, visit }) => {
  await world.model.script([
    { when: { last_user: "wait here" }, times: 0, reply: [{ text: "I begin." }, { delay: "1h" }, { text: "Done." }] },
    { when: { last_user: "Run" }, reply: [{ tool: { name: "execute_command", id: "c", input: { command: "date" } } }] }, // once: who is refused does not ask again
    { times: 0, reply: [{ text: "Good day." }] },
  ]);
  const other = await world.session("Elsewhere");
  const { page } = await visit({ path: "/inbox" });
  await section(page, /^Recent/)
    .locator(`[data-session="${other}"]`)
    .waitFor(); // nothing works yet
  await world.say(other, "wait here");
  await section(page, "Running").locator(`[data-session="${other}"]`).waitFor();
  await world.model.release();
  await world.settled(other);
  await section(page, /^Recent/)
    .locator(`[data-session="${other}"]`)
    .waitFor();
  await world.say(other, "Run it");
  const request = await world.question(other);
  await section(page, "Needs you").locator(`[data-session="${other}"]`).waitFor();
  await world.rest.inbox.answer(request, { action: "reject" });
  await until(
    "it is answered",
    async () => (await section(page, "Needs you").locator(`[data-session="${other}"]`).count()) === 0,
  );
});

test("one list: Home and the rail ask for the sessions once", async ({ world, visit }) => {
  await staged(world);
  const { page } = await visit({ path: "/inbox" });
  await page.clock.install(); // it is asked for again every few seconds, which is another matter
  await page.reload();
  await section(page, /^Recent/)
    .first()
    .waitFor();
  await page.clock.pauseAt(Date.now() + 1_000);
  let asked = 0;
  page.on("request", (r) => {
    if (/\/api\/v1\/sessions\?/.test(r.url())) asked++;
  });
  await rail(page).getByRole("link", { name: "Home" }).click();
  await page.getByRole("heading", { name: "What should we work on?" }).waitFor();
  await page
    .getByRole("region", { name: "Recent" })
    .getByRole("link", { name: /Mend the prices/ })
    .waitFor();
  await until("a request", async () => asked > 0);
  expect(asked).toBe(1);
});

test("many sessions: the rail is bounded, scrolls by itself and leads to all", async ({ world, visit }) => {
  for (let i = 0; i < 45; i++) await world.session(`Session ${i}`);
  const { page } = await visit();
  await rail(page).locator("[data-session]").first().waitFor();
  expect(await rail(page).locator("[data-session]").count()).toBeLessThanOrEqual(40);
  const box = rail(page).locator("[data-rail-sessions]");
  expect(await box.evaluate((e) => e.scrollHeight > e.clientHeight)).toBe(true);
  expect(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight)).toBe(true);
  await shot(page, "many-1440");
  await rail(page).getByRole("link", { name: "All sessions" }).click();
  await page.getByRole("heading", { level: 1, name: "History" }).waitFor();
});

test("the rail folds to icons, which is remembered, and comes back", async ({ world, visit }) => {
  await staged(world);
  const { page } = await visit();
  await rail(page).getByRole("button", { name: "Hide sessions" }).click();
  await until("icons", async () => (await rail(page).evaluate((e) => e.getBoundingClientRect().width)) === 56);
  await page.reload();
  await rail(page)
    .getByRole("img", { name: /open question/ })
    .waitFor();
  expect(await rail(page).evaluate((e) => e.getBoundingClientRect().width)).toBe(56);
  expect(await barriers(page)).toEqual([]);
  await rail(page).getByRole("button", { name: "Show sessions" }).click();
  await section(page, "Needs you").waitFor();
});

test("W19: who one is stands at the foot of the rail, with a role for people and the way out", async ({
  world,
  visit,
}) => {
  const { token } = await world.rest.keys.create({ user: "mina-park", role: "owner" });
  const v = await visit({ stranger: true, path: `/#token=${token}` });
  const { page } = v;
  v.allow(/status of 401/);
  v.allow(/WebSocket connection/);
  const me = rail(page).getByRole("button", { name: /mina-park/ });
  await me.getByText("Member", { exact: true }).waitFor();
  await me.getByText("MP", { exact: true }).waitFor();
  await me.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menu", { name: "Your account" }).waitFor();
  await shot(page, "person-1440");
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

test("W19: an administrator is called one, also on a phone", async ({ visit }) => {
  const wide = (await visit()).page;
  await rail(wide).locator("[data-person]").getByText("Admin", { exact: true }).waitFor();
  const { page } = await visit({ phone: true });
  await page.getByRole("button", { name: "You" }).tap();
  for (const name of ["Settings", "Usage", "Sign out"]) await page.getByRole("menuitem", { name }).waitFor();
  expect(await barriers(page)).toEqual([]);
});
