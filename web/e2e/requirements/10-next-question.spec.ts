import { expect, test, until } from "../harness";
import { runsCommands } from "./scripts";

// Over all sessions, oldest deadline first; it never goes anywhere by itself.
test("three questions: three presses of G visit each", async ({ world, visit }) => {
  await world.model.script(runsCommands);
  const { page } = await visit({ path: "/history" });
  await page.getByRole("heading", { level: 1 }).waitFor();
  const asked: string[] = [];
  for (const name of ["One", "Two", "Three"]) {
    const session = await world.session(name);
    await world.say(session, `run: echo ${name}`);
    await world.question(session);
    asked.push(session);
  }
  await page
    .getByRole("link", { name: /Inbox.*3/ })
    .first()
    .waitFor();
  expect(new URL(page.url()).pathname).toBe("/history"); // nobody was taken anywhere
  const order = (await world.rest.inbox.list()).items.map((i) => i.session_id);
  expect([...order].sort()).toEqual([...asked].sort());
  for (const session of order) {
    await page.keyboard.press("g");
    await until(`the question of ${session}`, () => new URL(page.url()).pathname === `/s/${session}`);
    await until("its card has the focus", () =>
      page.evaluate(() => !!document.activeElement?.closest("[data-question]")),
    );
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  }
});

test("without a question G says so", async ({ world, visit }) => {
  for (const i of (await world.rest.inbox.list()).items)
    await world.rest.inbox.answer(i.question.request_id, { action: "reject" });
  const { page } = await visit();
  await page.getByRole("navigation", { name: "Main" }).first().waitFor();
  await until("none is open", async () => (await page.title()) === "clew");
  await page.keyboard.press("g");
  await until("it is said", async () => (await page.locator("[data-spoken]").textContent()) === "No open question");
  expect(new URL(page.url()).pathname).toBe("/");
});
