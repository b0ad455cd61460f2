import { barriers, expect, screenshots, test, until } from "../harness";
import { openTime } from "../pages/files";
import { nestedSubtasks, parallelSteps } from "./story";

test("time travel has the transcript's groups, each as it stood then", async ({ world, visit }) => {
  await world.model.script(nestedSubtasks);
  const session = await world.session("Past", { "a.txt": "one\n" });
  await world.say(session, "delegate");
  await until("it reads", async () =>
    (await world.rest.sessions.messages(session, { limit: 200 })).messages.some((m) => m.text === "I have read it."),
  );
  await world.model.release();
  await world.settled(session);
  const { messages } = await world.rest.sessions.messages(session, { limit: 200 });
  const { page } = await visit({ path: `/s/${session}/time` });
  const then = page.locator("section[aria-label='Snapshot']");
  const outer = then.locator("[data-group]", { hasText: "the outer part" });
  const inner = then.locator("[data-group]", { hasText: "the inner part" });

  // At the end both are done: one folded line with its result.
  await then.getByText("All of it is done.").waitFor();
  expect(await outer.getAttribute("aria-expanded")).toBe("false");
  expect(await outer.getAttribute("data-tone")).toBe("done");
  expect(await outer.locator("[data-result]").innerText()).toBe("The outer part is done.");
  expect(await inner.count()).toBe(0);
  await screenshots(page, "past-end");
  expect(await barriers(page)).toEqual([]);
  await outer.focus();
  await page.keyboard.press("Enter");
  await inner.waitFor();
  expect(await outer.evaluate((e) => e === document.activeElement)).toBe(true);
  expect(await inner.locator("[data-result]").innerText()).toBe("The inner part is done.");

  // In the middle both are at work, and the one that was there is marked in its group.
  const read = messages.find((m) => m.tool?.name === "read_file")!;
  await openTime(page, session, read.message_id);
  await then.locator("[aria-current=step]", { hasText: "a.txt" }).waitFor();
  for (const group of [outer, inner]) {
    expect(await group.getAttribute("data-tone")).toBe("run");
    expect(await group.getAttribute("aria-expanded")).toBe("true");
  }
  expect([await outer.getAttribute("data-depth"), await inner.getAttribute("data-depth")]).toEqual(["0", "1"]);
  expect(await then.getByText("The inner part is done.").count()).toBe(0);
  await screenshots(page, "past-inside");
  expect(await barriers(page)).toEqual([]);

  // Before any of it there is no group.
  await openTime(page, session, messages[0]!.message_id);
  await until(
    "no group",
    async () => (await then.locator("[data-group]").count()) === 0 && (await then.getByText("delegate").count()) > 0,
  );
});

test("the steps of a run are groups in time travel", async ({ world, visit }) => {
  await world.model.script(parallelSteps);
  const session = await world.session("Past run", { "saved.py": "old = 1\n" });
  await world.say(session, "Find the cause and fix it.", { mode: "run" });
  await world.rest.inbox.answer(await world.question(session), { action: "approve" });
  await world.model.release();
  await world.settled(session);
  const { page } = await visit({ path: `/s/${session}/time`, prefs: { language: "ko" } });
  const groups = page.locator("section[aria-label] [data-group]");
  await until("all three", async () => (await groups.count()) === 3);
  expect((await groups.first().innerText()).replace(/\s+/g, " ")).toMatch(
    /1 Store a request key with each order .*Orders have a key now\./,
  );
  await screenshots(page, "past-run");
  await groups.first().click();
  await page.getByText("key.py").first().waitFor();
  expect(await barriers(page)).toEqual([]);
});
