import type { Page } from "playwright-core";
import { staged } from "../access/stage";
import { barriers, expect, live, test, until } from "../harness";
import { edges, shot } from "./measure";

const tablet = { width: 900, height: 1100 };
const inside = (page: Page) => page.evaluate(() => document.activeElement?.closest("dialog") !== null);

test("W8: at 900 px the text has 720 px, the rail is icons and the panel is asked for", async ({ world, visit }) => {
  const { planned } = await staged(world);
  const { page } = await visit({ path: `/s/${planned}`, size: tablet });
  await live(page);
  const { text, composer } = await edges(page);
  expect(text.right - text.left).toBe(720);
  expect(composer.right - composer.left).toBe(720);
  const nav = page.getByRole("navigation", { name: "Main" }).filter({ visible: true });
  expect(await nav.evaluate((e) => e.getBoundingClientRect().width)).toBe(56);
  expect(await page.getByRole("tab", { name: /^Plan/ }).count()).toBe(0);
  await shot(page, "session-900");
  expect(await barriers(page)).toEqual([]);
});

test("W8: the panel comes over the page, keeps the focus, and gives it back", async ({ world, visit }) => {
  const { planned } = await staged(world);
  const { page } = await visit({ path: `/s/${planned}`, size: tablet });
  await live(page);
  const before = await edges(page);
  const show = page.getByRole("button", { name: "Show the panel" });
  await show.focus();
  await page.keyboard.press("Enter");
  const panel = page.getByRole("dialog", { name: "Plan, changes and terminal" });
  await panel.getByRole("tab", { name: /^Plan/ }).waitFor();
  expect(await panel.evaluate((e) => e.getBoundingClientRect().width)).toBe(380);
  expect(await edges(page)).toEqual(before); // nothing moved below it
  await shot(page, "panel-900");
  expect(await barriers(page)).toEqual([]);
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press("Tab");
    expect((await inside(page)) || (await page.evaluate(() => document.activeElement === document.body))).toBe(true);
  }
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  expect(await show.evaluate((b) => b === document.activeElement)).toBe(true);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("complementary", { name: "Plan, changes and terminal" }).waitFor();
});

test("W8: the sessions come over the page, and a choice closes them", async ({ world, visit }) => {
  const { planned, story } = await staged(world);
  const { page } = await visit({ path: `/s/${planned}`, size: tablet });
  await live(page);
  await page.getByRole("button", { name: "Show sessions" }).click();
  const over = page.getByRole("dialog", { name: "Main" });
  await over.getByRole("link", { name: /Mend the prices/ }).waitFor();
  await shot(page, "rail-over-900");
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await over.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Show sessions" }).click();
  await over.getByRole("link", { name: /Mend the prices/ }).click();
  await until("the other session", () => page.url().includes(story));
  await over.waitFor({ state: "detached" });
});

for (const width of [1440, 2560]) {
  test(`W26: at ${width} px the transcript is centred and shares both edges with the composer`, async ({
    world,
    visit,
  }) => {
    const { story } = await staged(world);
    const { page } = await visit({ path: `/s/${story}`, size: { width, height: 900 } });
    await live(page);
    const { text, composer, thread, chat } = await edges(page);
    expect(text.right - text.left).toBe(720);
    expect(composer).toEqual(text);
    expect(text.left - thread.left).toBe(29);
    expect(Math.abs(text.left - chat.left - (chat.right - text.right))).toBeLessThanOrEqual(16); // a scroll bar may have its place
    await shot(page, `story-${width}`);
  });
}

test("the request stays in sight as a line, and leads back to it", async ({ world, visit }) => {
  await world.model.script([
    { times: 0, reply: [{ text: Array.from({ length: 90 }, (_, i) => `Paragraph ${i}.`).join("\n\n") }] },
  ]);
  const session = await world.session("A long answer");
  await world.say(session, "Tell me **everything** about it.");
  await world.settled(session);
  const { page } = await visit({ path: `/s/${session}` });
  await page.getByText("Paragraph 89.").waitFor();
  const line = page.locator("[data-request]");
  await line.getByText("Tell me everything about it.").waitFor();
  await shot(page, "request-1440");
  expect(await barriers(page)).toEqual([]);
  await line.getByRole("button").click();
  await until("the message is in sight", () =>
    page
      .locator("[data-row=user]")
      .first()
      .evaluate((e) => e.getBoundingClientRect().top >= 0 && e.getBoundingClientRect().bottom < innerHeight)
      .catch(() => false),
  );
  await line.waitFor({ state: "detached" });
});

test("the head says folder, model and people, and changes the model's company", async ({ world, visit }) => {
  const { story } = await staged(world);
  await world.rest.sessions.setAccess(story, "vera", "viewer");
  const { token } = await world.rest.keys.create({ user: "vera", role: "viewer" });
  const { page } = await visit({ path: `/s/${story}` });
  await live(page);
  const guest = await visit({ stranger: true, path: `/s/${story}#token=${token}` });
  await live(guest.page);
  const head = page.getByRole("banner").or(page.locator("header")).first();
  await head.locator("[data-viewers='2']").waitFor();
  expect(await guest.page.locator("[data-model-fact]").count()).toBe(0);
  await head.getByRole("button", { name: /^Model, mode and permissions: web-1/ }).click();
  await page.getByRole("menuitemradio", { name: "Code", checked: true }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("menuitemradio", { name: "Edit files" }).click();
  await page.getByRole("button", { name: "Permissions: Edit files" }).waitFor(); // the composer's chip says the same
  expect(await head.evaluate((e) => e.getBoundingClientRect().height)).toBe(52);
  await shot(page, "head-1440");
});
