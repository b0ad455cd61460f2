import { barriers, expect, live, screenshots, test, until } from "../harness";
import { nestedSubtasks, parallelSteps } from "./story";

test("steps at the same time are named groups in one card, each with its result beside it", async ({
  world,
  visit,
}) => {
  await world.model.script(parallelSteps);
  const session = await world.session("Duplicate orders on retry", { "saved.py": "old = 1\nolder = 2\n" });
  await world.say(session, "Some customers are charged twice. Find the cause and fix it.", { mode: "run" });
  await world.rest.inbox.answer(await world.question(session), { action: "approve" });
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  const group = (title: string) => page.locator("[data-group]", { hasText: title });
  const key = group("Store a request key");
  const saved = group("Return the saved order");
  await until(
    "one works, the other is done",
    async () => (await key.getAttribute("data-tone")) === "run" && (await saved.getAttribute("data-tone")) === "done",
  );

  // The live one is open, the done one folded with its first line, its counts and its number.
  expect(await key.getAttribute("aria-expanded")).toBe("true");
  expect(await saved.getAttribute("aria-expanded")).toBe("false");
  expect(await saved.locator("[data-result]").innerText()).toContain("Checkout looks up the key.");
  expect((await saved.innerText()).replace(/\s+/g, " ")).toMatch(/2 Return the saved order on retry .*\+1 −2/);
  await page.getByText("I look whether it holds").waitFor();
  expect(await page.getByText("Subtask", { exact: true }).count()).toBe(0);

  // Nothing of one stands in the other, and both share a card.
  const order = await page
    .locator("[data-row]")
    .evaluateAll((rows) =>
      rows.map(
        (r) => `${r.querySelector("[data-group]") ? "head " : ""}${(r as HTMLElement).innerText.replace(/\s+/g, " ")}`,
      ),
    );
  const from = order.findIndex((t) => t.startsWith("head") && t.includes("Store a request key with"));
  const to = order.findIndex((t) => t.startsWith("head") && t.includes("Return the saved order"));
  expect(order.slice(from, to).some((t) => t.includes("key.py"))).toBe(true);
  expect(order.slice(from, to).some((t) => t.includes("saved.py"))).toBe(false);
  expect(order.slice(to + 1).some((t) => t.includes("key.py"))).toBe(false);
  const box = async (of: typeof key) => (await of.boundingBox())!;
  await screenshots(page, "groups-live");
  expect(await barriers(page)).toEqual([]);

  // By keyboard: unfolded, the whole result with its lines.
  await saved.focus();
  await page.keyboard.press("Enter");
  await until("open", async () => (await saved.getAttribute("aria-expanded")) === "true");
  const result = page.locator("[data-result-of=subtask]");
  await result.waitFor();
  expect(await result.innerText()).toMatch(/Checkout looks up the key\.\n+Then it charges\./);
  await page.keyboard.press("Enter");

  await world.model.release();
  await world.settled(session);
  await until("folded", async () => (await key.getAttribute("aria-expanded")) === "false");
  expect(await key.locator("[data-result]").innerText()).toContain("Orders have a key now.");
  const last = group("Add a retry test");
  await last.waitFor();
  expect((await box(saved)).y - (await box(key)).y).toBeLessThan((await box(last)).y - (await box(saved)).y); // a card of its own
  await page.reload();
  await live(page);
  await until("folded again", async () => (await page.locator("[data-group][aria-expanded=false]").count()) === 3);
  await screenshots(page, "groups-done");
  expect(await barriers(page)).toEqual([]);

  // A link to a message in a folded group opens it there.
  const { messages } = await world.rest.sessions.messages(session, { limit: 200 });
  const wrote = messages.find((m) => m.tool?.target === "saved.py")!;
  expect([wrote.tool?.added, wrote.tool?.removed]).toEqual([1, 2]);
  await page.goto(`/s/${session}?message=${wrote.message_id}`);
  await until(
    "it has the focus",
    async () =>
      (await page
        .locator("article:focus")
        .getAttribute("data-message")
        .catch(() => null)) === wrote.message_id,
  );
});

test("a subtask of a subtask stands inside its parent's group, with name, result and time", async ({
  world,
  visit,
}) => {
  await world.model.script(nestedSubtasks);
  const session = await world.session("Nested", { "a.txt": "one\n" });
  await world.say(session, "delegate");
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  const outer = page.locator("[data-group]", { hasText: "the outer part" });
  const inner = page.locator("[data-group]", { hasText: "the inner part" });
  await page.getByText("I have read it.").waitFor();
  expect(await outer.getAttribute("data-depth")).toBe("0");
  expect(await inner.getAttribute("data-depth")).toBe("1");
  const left = async (of: typeof inner) => (await of.boundingBox())!.x;
  expect(await left(inner)).toBeGreaterThan(await left(outer));
  expect(await left(page.getByText("I have read it."))).toBeGreaterThan(
    await left(page.getByText("I give a part of it away.")),
  );
  // One card holds all of it.
  expect(await page.locator("[data-row] > div.rounded-t-lg").count()).toBe(1);
  await screenshots(page, "nested-live");
  expect(await barriers(page)).toEqual([]);
  // Folding the outer one folds the inner one with it.
  await outer.focus();
  await page.keyboard.press("Enter");
  await inner.waitFor({ state: "detached" });
  expect(await page.getByText("I have read it.").count()).toBe(0);
  await page.keyboard.press("Enter");
  await inner.waitFor();

  await world.model.release();
  await world.settled(session);
  await until("the inner one is done", async () => (await inner.getAttribute("data-tone")) === "done");
  expect(await inner.locator("[data-result]").innerText()).toBe("The inner part is done.");
  expect(await page.getByText("The inner part is done.").count()).toBe(1);
  await page.reload();
  await live(page);
  expect(await outer.locator("[data-result]").innerText()).toBe("The outer part is done.");
  expect(await inner.count()).toBe(0);
  await screenshots(page, "nested-done");

  // A link into the inner one opens both.
  const { messages } = await world.rest.sessions.messages(session, { limit: 200 });
  const read = messages.find((m) => m.tool?.name === "read_file")!;
  await page.goto(`/s/${session}?message=${read.message_id}`);
  await until(
    "it has the focus",
    async () =>
      (await page
        .locator("article:focus")
        .getAttribute("data-message")
        .catch(() => null)) === read.message_id,
  );
  expect(await inner.getAttribute("aria-expanded")).toBe("true");
});
