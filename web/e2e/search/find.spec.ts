import type { Page } from "playwright-core";
import { barriers, expect, live, screenshots, test, until } from "../harness";
import { parallelSteps } from "../transcript/story";
import { longOne } from "./stage";

const place = (page: Page) => page.locator("[data-find-at]").textContent();
const at = (page: Page, text: string) => until(text, async () => (await place(page)) === text);
/** Whether a text stands in the transcript where it can be read. */
const inView = (page: Page, text: string) =>
  until(`"${text}" is in view`, () =>
    page.locator("[data-transcript]").evaluate((box, words) => {
      const b = box.getBoundingClientRect();
      return [...box.querySelectorAll("article")].some((a) => {
        const r = a.getBoundingClientRect();
        return a.textContent.includes(words) && r.top >= b.top - 1 && r.bottom <= b.bottom + 1;
      });
    }, text),
  );

test("a message that is not loaded is opened with those around it, and one reads on to both ends", async ({
  world,
  visit,
}) => {
  const session = await longOne(world, 1200);
  const found = await world.rest.search({ q: "needle", session });
  const hit = found.groups[0]!.hits.find((h) =>
    h.excerpt
      .map((e) => e.text)
      .join("")
      .includes("number 350."),
  )!;
  const { page } = await visit({ path: `/s/${session}?message=${hit.message_id}` });
  await live(page);
  await inView(page, "needle number 350.");
  await until("it has the focus", () =>
    page.evaluate((id) => document.activeElement?.getAttribute("data-message") === id, hit.message_id),
  );
  expect(await page.getByText("Answer 1199.").count()).toBe(0);
  // Downwards the next pages come, without a jump.
  const box = page.locator("[data-transcript]");
  await until("the end is there", async () => {
    await box.evaluate((b) => (b.scrollTop += b.clientHeight * 20));
    return page.getByText("Answer 1199.").isVisible();
  });
  expect(await box.getAttribute("data-following")).toBe("true");
  // And what is said now comes by itself.
  await world.model.script([{ times: 0, reply: [{ text: "A fresh word." }] }]);
  await world.say(session, "hello");
  await page.getByText("A fresh word.").waitFor();
});

test("find goes over the whole history, next and previous, and gives the focus back", async ({ world, visit }) => {
  const session = await longOne(world, 900);
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  await page.getByText("Answer 899.").waitFor();
  const row = page.locator("[data-transcript] article").last();
  await row.focus();
  const from = await row.getAttribute("data-message");
  await page.keyboard.press("/");
  await page.getByRole("searchbox", { name: "Find in this session" }).waitFor();
  await page.keyboard.type("needle");
  await at(page, "9 of 9");
  await inView(page, "needle number 850.");
  await page.keyboard.press("Enter");
  await at(page, "1 of 9");
  await inView(page, "needle number 50.");
  await page.keyboard.press("Enter");
  await at(page, "2 of 9");
  await inView(page, "needle number 150.");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.press("Shift+Enter");
  await at(page, "9 of 9");
  await inView(page, "needle number 850.");
  expect(await page.locator("[data-find-marks] > i").count()).toBe(10);
  expect(await page.evaluate(() => CSS.highlights.get("found-now")?.size)).toBe(1);
  await screenshots(page, "find");
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Commands 0" }).click();
  await page.getByText("No matches").waitFor();
  await page.keyboard.press("Escape");
  await until("the bar is gone", async () => (await page.locator("[data-find]").count()) === 0);
  expect(await page.evaluate(() => CSS.highlights.size)).toBe(0);
  await until("the focus is back", () =>
    page.evaluate((id) => {
      const now = document.activeElement as HTMLElement | null;
      return now?.closest("[data-transcript]") !== null && (now?.dataset.message === id || now?.tagName === "ARTICLE");
    }, from),
  );
});

test("the menu and the palette find in the session; the browser's own find stays", async ({ world, visit }) => {
  const session = await longOne(world, 120);
  const { page } = await visit({ path: `/s/${session}`, prefs: { theme: "dark", language: "ko" } });
  await live(page);
  await page.getByRole("button", { name: "이 세션 메뉴" }).click();
  await page.getByRole("menuitem", { name: /^이 세션에서 찾기/ }).click();
  await page.getByRole("searchbox", { name: "이 세션에서 찾기" }).fill("needle");
  await at(page, "1개 중 1번째");
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("button", { name: "완료" }).click();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("찾기");
  await page.getByRole("option", { name: /^이 세션에서 찾기/ }).click();
  await until("the field has the focus", () =>
    page.evaluate(() => document.activeElement?.matches("[data-find] input")),
  );
  await page.keyboard.press("Escape");
  const taken = await page.evaluate(
    () =>
      !document.body.dispatchEvent(
        new KeyboardEvent("keydown", { key: "f", ctrlKey: true, bubbles: true, cancelable: true }),
      ),
  );
  expect(taken).toBe(false);
});

test("a folded step says how many matches it has inside, and opens at them", async ({ world, visit }) => {
  await world.model.script(parallelSteps);
  await world.model.release();
  const session = await world.session("Duplicate orders on retry", { "saved.py": "old = 1\nolder = 2\n" });
  await world.say(session, "Some customers are charged twice. Find the cause and fix it.", { mode: "run" });
  await world.rest.inbox.answer(await world.question(session), { action: "approve" });
  await until(
    "the run is done",
    async () =>
      (await world.rest.sessions.get(session)).status === "completed" ||
      (await world.rest.sessions.get(session)).status === "idle",
  );
  await until(
    "it is in the index",
    async () => (await world.rest.search({ q: "saved.py", session, kind: "file" })).total > 0,
  );
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  const step = page.locator("[data-group]", { hasText: "Return the saved order" });
  await until("folded", async () => (await step.getAttribute("aria-expanded")) === "false");
  await page.keyboard.press("/");
  await page.getByRole("searchbox", { name: "Find in this session" }).fill("key");
  await page
    .locator("[data-find-at]")
    .getByText(/^\d+ of \d+$/)
    .waitFor();
  await page
    .locator("[data-group][aria-expanded=false]")
    .getByText(/^\d+ match(es)? inside$/)
    .first()
    .waitFor();
  await screenshots(page, "find-steps");
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("searchbox", { name: "Find in this session" }).fill("saved.py");
  await page.getByRole("button", { name: /^Files [1-9]/ }).click();
  await until("its step is open", async () => (await step.getAttribute("aria-expanded")) === "true");
  await inView(page, "saved.py");
});
