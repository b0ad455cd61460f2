import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { web } from "../harness/build";
import { barriers, expect, live, screenshots, test, until } from "../harness";
import { counter, mute } from "./pages";
import { appIs, holdBack, inside, sentBy, windowOf, withApp } from "./stage";

test("an app runs once a person lets it, answers the agent, and its buttons reach the window's agent", async ({
  world,
  visit,
}) => {
  const session = await withApp(world, "Counter", counter);
  const { page } = await visit({ path: `/s/${session}/desktop` });
  await live(page);
  const w = windowOf(page, "counter");
  await w.getByText("Run this app?").waitFor();
  expect(await w.locator("iframe").count()).toBe(0); // nothing of it is there
  await screenshots(page, "app-asks");
  expect(await barriers(page)).toEqual([]);
  await w.getByRole("button", { name: "Run app" }).press("Enter");
  await appIs(page, "counter", "ready");
  await w.getByText("App · no network").waitFor();
  await screenshots(page, "app-runs");
  expect(await barriers(page)).toEqual([]);

  await inside(page, "counter").getByRole("button", { name: "Add one" }).click();
  await world.say(session, "how many are there?");
  await page.getByText('The app says {"total":4}').waitFor();
  await world.say(session, "add two");
  await page.getByText('Now it is {"total":6}').waitFor();
  expect(await inside(page, "counter").locator("#total").textContent()).toBe("6");
  await inside(page, "counter").getByRole("button", { name: "Save" }).click();
  await page.getByText("I stored what is on the shelf.").first().waitFor();
  await world.settled(session);

  // The same page runs again unasked; another one does not.
  await page.goto(`/s/${session}`);
  await live(page);
  await appIs(page, "counter", "ready");
  await writeFile(join(world.workspace(session), "counter.html"), counter.replace("Boxes on", "Lids on"));
  await world.say(session, "change it");
  await w.getByText("Run this app?").waitFor();
  expect(await w.locator("iframe").count()).toBe(0);
  await w.getByRole("button", { name: "Run app" }).click();
  await inside(page, "counter").getByText("Lids on the shelf").waitFor();
  await w.getByRole("button", { name: "Stop app" }).click();
  await w.getByText("Run this app?").waitFor();
});

test("the app of the documents works", async ({ world, visit }) => {
  const text = await readFile(join(web, "../docs/windows.md"), "utf8");
  const html = /```html\n([^]*?)```/.exec(text)![1]!;
  const session = await withApp(world, "Documents", html);
  const { page } = await visit({ path: `/s/${session}/desktop` });
  await live(page);
  await windowOf(page, "counter").getByRole("button", { name: "Run app" }).click();
  await appIs(page, "counter", "ready");
  await world.say(session, "add two");
  await page.getByText('Now it is {"boxes":2}').waitFor();
  expect(await inside(page, "counter").locator("#boxes").textContent()).toBe("2");
  await inside(page, "counter").getByRole("button", { name: "Order more" }).click();
  await page.getByText("Two boxes, then.").first().waitFor();
});

test("two browsers have it open, and the first answer counts", async ({ world, visit }) => {
  const session = await withApp(world, "Two", counter);
  const here = await Promise.all([visit(), visit()]);
  const answers = await Promise.all(here.map((v) => holdBack(v.page, "app_protocol_response")));
  for (const { page } of here) {
    await page.goto(`/s/${session}/desktop`);
    await live(page);
    await windowOf(page, "counter").getByRole("button", { name: "Run app" }).click();
    await appIs(page, "counter", "ready");
  }
  await inside(here[1]!.page, "counter").getByRole("button", { name: "Add one" }).click();
  await world.say(session, "how many are there?");
  for (const a of answers) await until("its app has answered", async () => a.waiting() > 0);
  for (const [i, a] of answers.entries()) {
    a.letGo();
    if (i === 0) for (const { page } of here) await page.getByText('The app says {"total":3}').waitFor();
  }
  await world.say(session, "add two"); // comes after the second answer
  for (const { page } of here) {
    await page.getByText("Now it is").waitFor();
    expect(await page.getByText("The app says").count()).toBe(1);
  }
});

test("who may only watch sees the app, and nothing of theirs is sent", async ({ world, visit }) => {
  const session = await withApp(world, "Watched", counter);
  await world.rest.sessions.setAccess(session, "vera", "viewer");
  const { token } = await world.rest.keys.create({ user: "vera", role: "viewer" });
  const { page } = await visit({ stranger: true, path: `/#token=${token}` });
  await page
    .getByRole("main")
    .getByRole("link", { name: /Watched/ })
    .waitFor(); // signed in
  const sent = sentBy(page);
  await page.goto(`/s/${session}/desktop`);
  await live(page);
  await windowOf(page, "counter").getByRole("button", { name: "Run app" }).click();
  await appIs(page, "counter", "ready");
  await windowOf(page, "counter").getByText("Only the session’s owner can use this app.").waitFor();
  expect(await barriers(page)).toEqual([]);
  await screenshots(page, "app-watched", ["wide"]);
  const app = inside(page, "counter");
  await app.getByRole("button", { name: "Add one" }).click();
  await app.getByRole("button", { name: "Save" }).click();
  await app.locator("#total", { hasText: "4" }).waitFor();
  // The owner's app answers, not theirs.
  const owner = (await visit({ path: `/s/${session}/desktop` })).page;
  await windowOf(owner, "counter").getByRole("button", { name: "Run app" }).click();
  await appIs(owner, "counter", "ready");
  await world.say(session, "how many are there?");
  await page.getByText('The app says {"total":3}').waitFor();
  expect(sent.filter((f) => /^(app_|component_|window_)/.test(f.type))).toEqual([]);
});

test("an app that does not answer says so, is reloaded, and keeps nobody in", async ({ world, visit }) => {
  const session = await withApp(world, "Mute", mute);
  const v = await visit({ path: `/s/${session}/desktop` });
  const { page } = v;
  await live(page);
  const w = windowOf(page, "counter");
  await w.getByRole("button", { name: "Run app" }).click();
  await w.getByText("Starting…").waitFor();
  await w.getByText("This app has not answered yet").waitFor();
  await screenshots(page, "app-silent", ["wide"]);

  // The page keeps every key; F6 leaves it all the same, and its frame can be skipped.
  await inside(page, "counter").getByLabel("Field").click();
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("IFRAME");
  await page.keyboard.press("F6");
  await until(
    "the focus is out",
    async () =>
      (await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))) ===
      "Menu of window Stock counter",
  );
  await w.getByRole("button", { name: "Skip this app" }).press("Enter");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Reload app");

  await w.getByRole("button", { name: "Reload app" }).click();
  await w.getByText("Starting…").waitFor();
  v.allow(/ERR_FAILED/);
  await page.route(/\/blobs\//, (r) => r.abort());
  await w.getByRole("button", { name: "Reload app" }).click();
  await w.getByText("Its page cannot be loaded.").waitFor();
  await page.unroute(/\/blobs\//);
  await w.getByRole("button", { name: "Try again" }).click();
  await inside(page, "counter").getByLabel("Field").waitFor();
});

test("an app works on a phone and in Korean", async ({ world, visit }) => {
  const session = await withApp(world, "Phone", counter);
  const v = await visit({ path: `/s/${session}/desktop`, phone: true, prefs: { language: "ko", theme: "dark" } });
  v.allow(/localStorage/); // what sets the choices runs in the frame as well, which has no storage
  const { page } = v;
  await live(page);
  await page.getByRole("tab", { name: "Stock counter" }).click();
  await page.getByText("이 프로그램을 실행할까요?").first().waitFor();
  expect(await barriers(page)).toEqual([]);
  await screenshots(page, "app-phone-asks", ["narrow"]);
  await page.getByRole("button", { name: "프로그램 실행" }).click();
  await page.getByText("프로그램 · 네트워크 없음").first().waitFor();
  await page.locator("[data-app=ready]").waitFor();
  expect(await barriers(page)).toEqual([]);
  await screenshots(page, "app-phone-runs", ["narrow"]);
  await page.frameLocator("iframe").getByRole("button", { name: "Save" }).click();
  await until("the window's agent has answered", async () =>
    (await world.rest.sessions.messages(session, { limit: 20 })).messages.some((m) =>
      JSON.stringify(m).includes("I stored what is on the shelf."),
    ),
  );
});
