import type { Page } from "playwright-core";
import { Rest } from "../../../sdk/typescript/src/rest";
import { barriers, expect, live, screenshots, test as base, until, type World } from "../harness";
import { findable } from "./stage";

const test = base.extend({
  options: [{ settings: { always_allow_execute: true, allowed_commands: ["echo *"] } }, { scope: "file" }],
});
const results = (page: Page) => page.getByRole("list", { name: "Matches" });

test("words are found in all sessions, with who said them, and open at the message", async ({ world, visit }) => {
  const { orders } = await findable(world);
  const { page } = await visit({ path: "/search?q=request+key" });
  await page.getByText(/^\d+ matches in 2 sessions$/).waitFor();
  const group = results(page).locator(`[data-session="${orders}"]`);
  await group.getByRole("link", { name: "Duplicate orders on retry" }).waitFor();
  const marked = await group.locator("mark").allTextContents();
  expect(marked.length).toBeGreaterThan(0);
  for (const m of marked) expect(m.toLowerCase()).toMatch(/request|key/);
  await screenshots(page, "search");
  expect(await barriers(page)).toEqual([]);

  // The kinds count, and one of them alone is a step to go back from.
  await page.getByRole("radio", { name: /^Commands \d+$/ }).check({ force: true });
  await until("the address", () => page.url().includes("kind=command"));
  await page.getByText("2 matches in 1 session").waitFor(); // the command and its output
  await group.getByText("Command", { exact: true }).waitFor();
  await group.getByText("Output", { exact: true }).waitFor();
  await page.goBack();
  await page.getByText(/^\d+ matches in 2 sessions$/).waitFor();

  // By keys alone: from the field to a hit, into the session, and back to the same search.
  await page.getByRole("searchbox").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  const aim = await page.evaluate(() => document.activeElement?.getAttribute("href"));
  await page.keyboard.press("Enter");
  await until("the session", () => page.url().endsWith(aim!));
  const message = new URL(page.url()).searchParams.get("message")!;
  await until("the message has the focus", () =>
    page.evaluate((id) => document.activeElement?.getAttribute("data-message") === id, message),
  );
  await page
    .locator("[data-find-at]")
    .getByText(/^\d+ of \d+$/)
    .waitFor();
  await until("its words are marked", () => page.evaluate(() => (CSS.highlights.get("found-now")?.size ?? 0) > 0));
  await page.goBack();
  await page.getByText(/^\d+ matches in 2 sessions$/).waitFor();
  expect(await page.getByRole("searchbox").inputValue()).toBe("request key");
});

test("Korean is found by any part; nothing found says so", async ({ world, visit }) => {
  await findable(world);
  const { page } = await visit({ path: "/search", prefs: { language: "ko" } });
  await page.getByRole("searchbox").fill("결제");
  await page.getByText("세션 1개에서 2건 찾음").waitFor();
  expect(await page.locator("mark").allTextContents()).toContain("결제");
  await until("the address holds it", () => decodeURIComponent(page.url()).endsWith("q=결제"));
  await screenshots(page, "search-ko");
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("searchbox").fill("zebrafish");
  await page.getByText("검색 결과가 없습니다").waitFor();
  expect(await barriers(page)).toEqual([]);
});

test("dark, on a phone, without barriers", async ({ world, visit }) => {
  await findable(world);
  const { page } = await visit({ path: "/search?q=request+key", phone: true, prefs: { theme: "dark" } });
  await page.getByText(/^\d+ matches in 2 sessions$/).waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await results(page).getByRole("link").nth(1).tap();
  await page.locator("[data-find]").waitFor();
  await live(page);
  await page
    .locator("[data-find-at]")
    .getByText(/^\d+ of \d+$/)
    .waitFor();
  expect(await barriers(page)).toEqual([]);
});

test("in sessions of others nothing is found", async ({ world, visit }) => {
  await findable(world);
  const { token } = await world.rest.keys.create({ user: "bob", role: "owner" });
  const bob = new Rest({ baseUrl: world.direct, token: async () => token, fetch });
  const { session_id } = await bob.sessions.create({ title: "Bob's request key" });
  await indexed(bob, "request key");
  const { page } = await visit({ stranger: true, path: `/search?q=request+key#token=${token}` });
  await page.getByText("1 match in 1 session").waitFor();
  expect(
    await results(page)
      .locator("[data-session]")
      .evaluateAll((all) => all.map((e) => e.getAttribute("data-session"))),
  ).toEqual([session_id]);
  expect(await page.getByRole("button", { name: /^Said by/ }).count()).toBe(0);
  // The owner of the server finds it once everyone's sessions are included.
  const { page: mine } = await visit({ path: "/search?q=request+key" });
  await mine.getByText(/in 2 sessions$/).waitFor();
  await mine.getByRole("button", { name: /^Said by/ }).click();
  await mine
    .getByRole("menuitemradio", { name: "Include everyone's sessions" })
    .or(mine.getByRole("menuitemcheckbox", { name: "Include everyone's sessions" }))
    .click();
  await mine.getByText(/in 3 sessions$/).waitFor();
});

test("the palette finds words inside of sessions, and leads to the whole search", async ({ world, visit }) => {
  const { orders } = await findable(world);
  const { page } = await visit();
  await page.getByRole("navigation", { name: "Main" }).first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("ledger");
  const hits = page.getByRole("listbox").getByRole("group", { name: "In sessions" });
  await hits.getByRole("option", { name: /Duplicate orders on retry/ }).waitFor();
  expect(await page.getByRole("option").last().textContent()).toBe("Search everything for “ledger”");
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("option").last().click();
  await page.getByText("1 match in 1 session").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("ledger");
  await hits.getByRole("option", { name: /Duplicate orders on retry/ }).click();
  await until("the session", () => page.url().includes(`/s/${orders}?message=`));
});

test("the folder menu and the palette know every session, however old, and archived ones", async ({ world, visit }) => {
  const old = await world.session("Beaver census of the river", { "a.txt": "a\n" });
  await world.rest.sessions.command(old, "archive_session", { archived: true });
  await Promise.all(Array.from({ length: 45 }, (_, n) => world.rest.sessions.create({ title: `Newer one ${n}` })));
  await indexed(world.rest, "census");
  const { page } = await visit({ path: "/search" });
  await page.getByRole("button", { name: "Folder: Any folder" }).click();
  await page.getByRole("menuitemradio", { name: world.workspace(old) }).click();
  await until("the address", () => decodeURIComponent(page.url()).includes(`folder=${world.workspace(old)}`));
  await page.getByRole("searchbox").fill("beaver");
  await page.getByText("1 match in 1 session").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("census beaver"); // words of its title, as nobody wrote them
  const sessions = page.getByRole("listbox").getByRole("group", { name: "Sessions", exact: true });
  await sessions.getByRole("option", { name: /Beaver census of the river/ }).click();
  await until("the session", () => page.url().endsWith(`/s/${old}`));
});

async function indexed(rest: World["rest"], q: string): Promise<void> {
  await until(`"${q}" is in the index`, async () => (await rest.search({ q })).total > 0);
}
