import type { Page } from "playwright-core";
import { barriers, expect, live, screenshots, test, until, type World } from "../harness";
import { notes, opens, order, showing, windowOf, type Shown } from "./stage";

const pressed = (action: string) => `action="${action}"`;
const foot = (page: Page, id = "order") => windowOf(page, id).locator("footer");
const pill = (page: Page, role: string) => page.locator(`[data-agents] [data-agent="${role}"]`);

/** A form with a button whose presses run beside each other. */
const form: Shown = {
  ...order,
  input: {
    kind: "components",
    root: {
      type: "stack",
      children: [
        { type: "input", name: "boxes", label: "Boxes", input_type: "number", value: 180 },
        {
          type: "row",
          children: [
            { type: "button", label: "Place order", action: "place", submit: true },
            { type: "button", label: "Save draft", action: "draft" },
            { type: "button", label: "Check dates", action: "check", parallel: true },
          ],
        },
      ],
    },
  },
};

/** What the main agent and the window's one say: all but the draft waits until it is released. */
const script = [
  { when: { last_user: pressed("draft") }, times: 0, reply: [{ text: "The draft is saved." }] },
  {
    when: { last_user: pressed("place"), tool_result: "window" },
    times: 0,
    reply: [{ text: "180 boxes are ordered." }],
  },
  {
    when: { last_user: pressed("place") },
    times: 0,
    reply: [
      { text: "I check the delivery dates." },
      { delay: "1h" },
      { tool: { name: "window", id: "u", input: { action: "update", window_id: "order", title: "Order 1041" } } },
    ],
  },
  { when: { last_user: pressed("check") }, times: 0, reply: [{ text: "Two dates fit." }, { delay: "1h" }] },
  {
    when: { last_user: "summary" },
    times: 0,
    reply: [{ text: "I write the summary." }, { delay: "1h" }, { text: " It is written." }],
  },
];

/** Presses a button of the form. Until that is sent, the same button takes no other press. */
async function press(page: Page, name: string): Promise<void> {
  const button = windowOf(page, "order").getByRole("button", { name });
  await button.press("Enter");
  await until(`${name} is sent`, async () => (await button.getAttribute("aria-busy")) !== "true");
}

async function withForm(world: World, name: string, windows: readonly Shown[] = [form]): Promise<string> {
  await world.model.release(); // of the test before
  return showing(world, name, windows, script);
}

test("the agent of a form works under its window while the main agent talks", async ({ world, visit }) => {
  const session = await withForm(world, "Form agent", [form, notes]);
  const { page } = await visit({ path: `/s/${session}/desktop` });
  await live(page);
  await world.say(session, "Write the summary");
  await page.locator("[data-row=text]").getByText("I write the summary.").waitFor();
  await windowOf(page, "order").getByRole("button", { name: "Place order" }).click();
  await foot(page).getByText("I check the delivery dates.").waitFor();
  await pill(page, "window-order").waitFor();
  expect(await page.locator("[data-working]").getAttribute("data-working")).toBe("2");
  expect(await foot(page, "notes").count()).toBe(0);
  await page.getByRole("button", { name: /Restock order.*Window agent/s }).waitFor(); // its words fold under its name in the transcript
  expect(await barriers(page)).toEqual([]);

  // What is pressed next waits in the window, not with what is written to the main agent.
  await windowOf(page, "order").getByRole("button", { name: "Save draft" }).click();
  await foot(page).getByRole("button", { name: "1 waiting" }).waitFor();
  expect(await page.locator("[data-queued]").count()).toBe(0);
  await screenshots(page, "window-agent");

  // Another page, and this one loaded again, show the same.
  const other = await visit({ path: `/s/${session}` });
  await foot(other.page).getByText("I check the delivery dates.").waitFor();
  await page.reload();
  await live(page);
  await foot(page).getByText("I check the delivery dates.").waitFor();
  await foot(page).getByRole("button", { name: "1 waiting" }).waitFor();

  // The window changes, its answer stays below it, and the next press has its turn.
  await world.model.release();
  await windowOf(page, "order").getByRole("heading", { name: "Order 1041" }).waitFor();
  await foot(page).getByText("The draft is saved.").waitFor();
  await page.locator("[data-row=text]").getByText("It is written.").waitFor();
  await world.settled(session);
  expect(await page.locator("[data-agent]").count()).toBe(0);
  expect(await foot(page).getByRole("button").count()).toBe(0);
  const group = page.locator("[data-group]").first();
  await until("it is at rest", async () => (await group.getAttribute("data-tone")) === "done");
  await until(
    "nothing beside it is live",
    async () => (await page.locator("article[data-row=group] [data-thread] circle").count()) === 0,
  );
  await page.reload();
  await foot(page).getByText("The draft is saved.").waitFor();
});

test("presses beside each other have a line and a stop button each", async ({ world, visit }) => {
  const session = await withForm(world, "Parallel");
  const { page } = await visit({ path: `/s/${session}/desktop` });
  await live(page);
  await windowOf(page, "order").getByRole("button", { name: "Place order" }).click();
  await foot(page).getByText("I check the delivery dates.").waitFor();
  await press(page, "Check dates");
  await foot(page).getByText("Two dates fit.").waitFor();
  await press(page, "Check dates");
  await until("three lines", async () => (await foot(page).count()) === 3);
  expect(await page.locator("[data-agents] li").count()).toBe(3);
  expect(await barriers(page)).toEqual([]);
  // One of them is stopped; the others work.
  await foot(page).filter({ hasText: "Two dates fit." }).first().getByRole("button", { name: "Stop" }).press("Enter");
  await until("two lines", async () => (await foot(page).count()) === 2);
  await foot(page).getByText("I check the delivery dates.").waitFor();
  await page.locator("[data-agents] li").first().getByRole("button", { name: /^Stop/ }).click();
  await until("one line", async () => (await foot(page).getByRole("button", { name: "Stop" }).count()) === 1);
  await foot(page).getByText("Two dates fit.").waitFor();
});

test("what waits can be removed, and closing the window ends its agent", async ({ world, visit }) => {
  const session = await withForm(world, "Closing");
  const { page } = await visit({ path: `/s/${session}/desktop` });
  await live(page);
  for (const name of ["Place order", "Save draft", "Save draft"]) await press(page, name);
  await foot(page).getByRole("button", { name: "2 waiting" }).press("Enter");
  await page.getByRole("menuitem", { name: "Remove Save draft" }).first().click();
  await foot(page).getByRole("button", { name: "1 waiting" }).waitFor();
  await windowOf(page, "order").getByRole("button", { name: "Close window" }).click();
  await windowOf(page, "order").waitFor({ state: "detached" });
  await until("nobody works", async () => (await page.locator("[data-agent]").count()) === 0);
  await world.settled(session);
  const asked = (await world.model.requests()).requests;
  await world.model.release();
  await world.settled(session);
  expect((await world.model.requests()).requests).toBe(asked); // nobody took up what waited
});

test("a screen shows the agents of its own monitor", async ({ world, visit }) => {
  const second: Shown = { ...form, id: "second", title: "Second order" };
  await world.model.release();
  await world.model.script([
    ...script,
    { when: { tool_result: "window" }, times: 0, reply: [{ text: "There you see it." }] },
    { when: { last_user: "on two" }, times: 0, reply: [opens(second)] },
    { when: { last_user: "on one" }, times: 0, reply: [opens(form)] },
  ]);
  const session = await world.session("Two screens");
  const one = await visit({ path: `/s/${session}/desktop/monitor-0?screen` });
  const two = await visit({ path: `/s/${session}/desktop/monitor-1?screen` });
  for (const [v, text] of [
    [one, "on one"],
    [two, "on two"],
  ] as const) {
    await live(v.page);
    await v.page.getByRole("textbox", { name: "Message to the agent" }).fill(text);
    await v.page.keyboard.press("Enter");
  }
  await windowOf(two.page, "second").getByRole("button", { name: "Place order" }).click();
  await foot(two.page, "second").getByText("I check the delivery dates.").waitFor();
  await windowOf(one.page, "order").waitFor();
  expect(await one.page.locator("footer").getByText("I check the delivery dates.").count()).toBe(0);
  expect(await windowOf(one.page, "second").count()).toBe(0);
  await windowOf(one.page, "order").getByRole("button", { name: "Check dates" }).click();
  await foot(one.page).getByText("Two dates fit.").waitFor();
  expect(await foot(two.page, "second").getByText("Two dates fit.").count()).toBe(0);
  // Stopping it there leaves the other at work.
  await foot(two.page, "second").getByRole("button", { name: "Stop" }).click();
  await until(
    "it stopped",
    async () => (await foot(two.page, "second").getByRole("button", { name: "Stop" }).count()) === 0,
  );
  expect(await foot(one.page).getByRole("button", { name: "Stop" }).count()).toBe(1);
});
