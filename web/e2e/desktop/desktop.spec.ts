import type { Page } from "playwright-core";
import { barriers, expect, live, size, test, until } from "../harness";
import { markdown, notes, sales, showing, windowOf } from "./stage";

const focused = (page: Page) =>
  page.evaluate(() => {
    const e = document.activeElement;
    return e === document.body || !e ? "" : (e.getAttribute("aria-label") ?? e.textContent ?? "");
  });
const spoken = (page: Page, text: string) =>
  until(`"${text}" is said`, async () => (await page.locator("[data-spoken]").textContent()) === text);

async function tabTo(page: Page, name: string): Promise<void> {
  for (let i = 0; (await focused(page)) !== name; i++) {
    expect(i, `nothing called ${name} is reached`).toBeLessThan(120);
    await page.keyboard.press("Tab");
  }
}

/** Opens the menu that has the focus and picks by arrow keys. */
async function pick(page: Page, item: string): Promise<void> {
  await page.keyboard.press("Enter");
  await page.getByRole("menu").waitFor();
  for (let i = 0; (await focused(page)) !== item; i++) {
    expect(i, `no item ${item}`).toBeLessThan(14);
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
}

const placeOf = (page: Page, id: string) =>
  windowOf(page, id).evaluate((e) => ({
    x: parseInt(e.style.left),
    y: parseInt(e.style.top),
    w: parseInt(e.style.width),
    h: parseInt(e.style.height),
  }));

test("a desktop is used without a mouse", async ({ world, visit }) => {
  const session = await showing(
    world,
    "Keys",
    [sales, notes],
    [{ when: { last_user: "suppliers" }, times: 0, reply: [{ text: "I compare them." }, { delay: "1h" }] }],
  );
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  await windowOf(page, "sales").waitFor();
  await tabTo(page, "Open desktop");
  await page.keyboard.press("Enter");
  await page.locator("[data-desktop=monitor-0]").waitFor();
  await windowOf(page, "sales").getByText("best").waitFor();
  expect(await barriers(page)).toEqual([]);

  // Windows that nobody put anywhere lie beside each other and beside the transcript.
  const boxes = await page
    .locator("[data-window]")
    .evaluateAll((all) =>
      all.map((e) => e.getBoundingClientRect()).map(({ left, top, right, bottom }) => ({ left, top, right, bottom })),
    );
  expect(boxes).toHaveLength(3);
  for (const [i, a] of boxes.entries())
    for (const b of boxes.slice(i + 1))
      expect(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top).toBe(true);

  // F6 goes around: to each window, and to the transcript.
  const seen = new Set<string>();
  for (let i = 0; i < 3; i++) {
    await page.keyboard.press("F6");
    await until("the next window", async () => {
      const name = await focused(page);
      return /^Menu of/.test(name) && !seen.has(name);
    });
    seen.add(await focused(page));
  }
  expect([...seen].sort()).toEqual(["Menu of the transcript", "Menu of window Notes", "Menu of window Sales by month"]);

  // Moving, and tidying up again.
  await tabTo(page, "Menu of window Sales by month");
  const before = await placeOf(page, "sales");
  await pick(page, "Resize");
  for (const key of ["ArrowLeft", "ArrowUp"]) await page.keyboard.press(key);
  await page.keyboard.press("Enter");
  await spoken(page, "Kept");
  expect(await placeOf(page, "sales")).toEqual({ ...before, w: before.w - 24, h: before.h - 24 });
  const other = await visit({ path: `/s/${session}/desktop` });
  await until("others see it so", async () => (await placeOf(other.page, "sales")).w === before.w - 24);
  await tabTo(page, "Tidy up");
  await page.keyboard.press("Enter");
  await until("it is tidy", async () => JSON.stringify(await placeOf(page, "sales")) === JSON.stringify(before));

  // The transcript is put aside and brought back.
  await tabTo(page, "Put the transcript aside");
  await page.keyboard.press("Enter");
  await windowOf(page, ":transcript").waitFor({ state: "hidden" });
  expect(await focused(page)).not.toBe("");
  await tabTo(page, "1 put aside");
  await pick(page, "Transcript");
  await until("it is back", async () => (await focused(page)) === "Menu of the transcript");

  // A second monitor: its first message makes it.
  await page.keyboard.press("Control+2");
  expect(new URL(page.url()).pathname).toBe(`/s/${session}/desktop/monitor-0`); // there is none yet
  await tabTo(page, "Add a monitor");
  await page.keyboard.press("Enter");
  await page.getByText("A new monitor").waitFor();
  await page.keyboard.press("c");
  await page.keyboard.type("Compare suppliers");
  await page.keyboard.press("Enter");
  await page.locator("[data-row=text]").getByText("I compare them.").waitFor();
  expect(await page.locator("[data-row=user]").count()).toBe(1); // the words of the other monitor are not here
  expect(await page.locator("[data-working]").getAttribute("data-working")).toBe("1");
  await page
    .getByRole("navigation", { name: "Monitors" })
    .getByRole("link", { name: "Monitor 2: Compare suppliers" })
    .waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+1");
  await page.locator("[data-desktop=monitor-0]").waitFor();
  await page.locator("[data-row=text]").getByText("There you see it.").waitFor();
  expect(await page.locator("[data-row=text]").getByText("I compare them.").count()).toBe(0);

  // Its agent is stopped from here.
  await tabTo(page, "Stop Compare suppliers");
  await page.keyboard.press("Enter");
  await until("nobody works", async () => (await page.locator("[data-agent]").count()) === 0);
  await world.model.release();

  // Removing it asks first.
  await page.keyboard.press("Control+2");
  await page.locator("[data-desktop=monitor-1]").waitFor();
  await tabTo(page, "More");
  await pick(page, "Remove monitor…");
  await page.getByRole("dialog", { name: "Remove monitor 2?" }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await tabTo(page, "Remove monitor");
  await page.keyboard.press("Enter");
  await page.locator("[data-desktop=monitor-0]").waitFor();
  await until("it is gone", async () => (await page.locator("[data-monitor]").count()) === 1);

  // And the way back.
  await tabTo(page, "Back to session");
  await page.keyboard.press("Enter");
  await page.locator("[data-row=text]").getByText("I compare them.").waitFor(); // the session has the words of all monitors
});

test("a pointer drags, resizes and closes, and each class of device has its own places", async ({ world, visit }) => {
  const session = await showing(world, "Pointer", [sales, notes]);
  const { page } = await visit({ path: `/s/${session}/desktop` });
  await live(page);
  const title = windowOf(page, "sales").getByRole("heading", { name: "Sales by month" });
  const box = (await title.boundingBox())!;
  const before = await placeOf(page, "sales");
  await page.mouse.move(box.x + 2, box.y + 5);
  await page.mouse.down();
  await page.mouse.move(box.x + 60, box.y + 60);
  await page.mouse.move(box.x + 102, box.y + 105);
  await page.mouse.up();
  const moved = await placeOf(page, "sales");
  expect({ w: moved.w, h: moved.h }).toEqual({ w: before.w, h: before.h });
  const laptop = await visit({ path: `/s/${session}/desktop`, size: { width: 1000, height: 800 } });
  await live(laptop.page);
  const there = await placeOf(laptop.page, "sales");
  const head = (await windowOf(laptop.page, "sales").getByRole("heading").first().boundingBox())!;
  await laptop.page.mouse.move(head.x + 2, head.y + 5);
  await laptop.page.mouse.down();
  await laptop.page.mouse.move(head.x + 30, head.y + 42);
  await laptop.page.mouse.up();
  await until("it lies elsewhere", async () => (await placeOf(laptop.page, "sales")).y !== there.y);
  await laptop.page.reload();
  await live(laptop.page);
  await until("it is kept for the laptop", async () => (await placeOf(laptop.page, "sales")).y !== there.y);
  expect(await placeOf(page, "sales")).toEqual(moved);
  await page.reload();
  await live(page);
  await until(
    "and the big screen's is as it was",
    async () => JSON.stringify(await placeOf(page, "sales")) === JSON.stringify(moved),
  );
  await windowOf(page, "notes").getByRole("button", { name: "Close window" }).click();
  await windowOf(laptop.page, "notes").waitFor({ state: "detached" });
});

test("two tabs are two screens, each with its monitor", async ({ world, visit }) => {
  const session = await showing(
    world,
    "Screens",
    [sales],
    [
      { when: { last_user: "left" }, times: 0, reply: [{ text: "Here on the left." }] },
      { when: { last_user: "right" }, times: 0, reply: [{ text: "Here on the right." }] },
    ],
  );
  const left = await visit({ path: `/s/${session}/desktop/monitor-0?screen` });
  const right = await visit({ path: `/s/${session}/desktop/monitor-1?screen` });
  const heard: Record<string, string[]> = { left: [], right: [] };
  for (const [name, v] of [
    ["left", left],
    ["right", right],
  ] as const) {
    v.page.on("websocket", (w) => w.on("framereceived", (f) => heard[name]!.push(String(f.payload))));
    await v.page.reload();
    await live(v.page);
  }
  await windowOf(left.page, "sales").waitFor();
  expect(await windowOf(right.page, "sales").count()).toBe(0);
  const say = async (page: Page, text: string) => {
    await page.getByRole("textbox", { name: "Message to the agent" }).fill(text);
    await page.keyboard.press("Enter");
  };
  await say(right.page, "Say right");
  await right.page.locator("[data-row=text]").getByText("Here on the right.").waitFor();
  await say(left.page, "Say left");
  await left.page.locator("[data-row=text]").getByText("Here on the left.").waitFor();
  await world.settled(session);
  expect(await left.page.getByText("Here on the right.").count()).toBe(0);
  expect(await right.page.getByText("Here on the left.").count()).toBe(0);
  // The other's words do not even come over the line.
  expect(heard.left!.some((f) => f.includes("Here on the right."))).toBe(false);
  expect(heard.right!.some((f) => f.includes("Here on the left."))).toBe(false);
  // From a screen one goes to any monitor, and finds all of it.
  await left.page.keyboard.press("Escape");
  await left.page.locator("[data-monitor=monitor-1]").click();
  await left.page.locator("[data-row=text]").getByText("Here on the right.").waitFor();
});

test("on a phone the conversation and the windows are tabs", async ({ world, visit }) => {
  const session = await showing(world, "Phone", [sales, notes]);
  for (const language of size(["ko"], ["en", "ko"])) {
    const { page } = await visit({
      path: `/s/${session}/desktop`,
      phone: true,
      prefs: { language, theme: language === "ko" ? "dark" : "light" },
    });
    await live(page);
    await page.locator("[data-row=text]").getByText("There you see it.").waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole("tab", { name: "Sales by month" }).click();
    await page.getByText("best").waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press("ArrowRight");
    await page.getByText("remember the ribbon").waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.getByRole("combobox", { name: language === "ko" ? "모니터" : "Monitors" }).selectOption("+");
    await until("it is the second monitor", () => Promise.resolve(new URL(page.url()).pathname.endsWith("/monitor-1")));
  }
});

test("links in a window say where they lead before they open", async ({ world, visit }) => {
  const session = await showing(world, "Links", [
    markdown("links", "Links", "[prices](https://example.org/prices?of=ribbon) and [bad](javascript:alert(1))"),
  ]);
  const v = await visit({ path: `/s/${session}/desktop` });
  const { page } = v;
  await page.evaluate(() => {
    window.open = (...args) => (((window as unknown as { opened: unknown }).opened = args), null);
  });
  await windowOf(page, "links").getByText("prices").click();
  const dialog = page.getByRole("dialog", { name: "Open this link?" });
  await dialog.getByText("example.org", { exact: true }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect(await page.evaluate(() => (window as unknown as { opened?: unknown }).opened)).toBeUndefined();
  await windowOf(page, "links").getByText("prices").click({ button: "middle" });
  await dialog.getByRole("button", { name: "Open link" }).click();
  expect(await page.evaluate(() => (window as unknown as { opened?: unknown }).opened)).toEqual([
    "https://example.org/prices?of=ribbon",
    "_blank",
    "noopener,noreferrer",
  ]);
  expect(await windowOf(page, "links").locator("a").count()).toBe(1);
  expect(v.context.pages()).toHaveLength(1);
});

test("a session without windows loads nothing of the desktop", async ({ world, visit }) => {
  const session = await showing(world, "Plain", []);
  const { page } = await visit();
  const asked: string[] = [];
  page.on("request", (r) => asked.push(r.url()));
  await page.goto(`/s/${session}`);
  await live(page);
  await page.locator("[data-row=text]").first().waitFor();
  expect(asked.filter((u) => /assets\/(Desk|DesktopPage|Window|Content)/.test(u))).toEqual([]);
});
