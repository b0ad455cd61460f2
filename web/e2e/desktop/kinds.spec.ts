import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { barriers, expect, live, test, until } from "../harness";
import { opens, order, page as planner, showing, stock, week, windowOf, type Shown } from "./stage";

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAFklEQVR4nGP4TyRgGFVAioJRBRgqABjDxzmOWyYfAAAAAElFTkSuQmCC",
  "base64",
);

test("a table is sorted, and exported as CSV in that order", async ({ world, visit }) => {
  const session = await showing(world, "Table", [stock]);
  const { page } = await visit({ path: `/s/${session}/desktop` });
  const table = windowOf(page, "stock").getByRole("table", { name: "Low stock" });
  const firsts = () =>
    table.locator("tbody tr").evaluateAll((rows) => rows.slice(0, 2).map((r) => r.firstElementChild!.textContent));
  await table.waitFor();
  expect(await barriers(page)).toEqual([]);
  await table.getByRole("button", { name: "In stock" }).press("Enter");
  expect(await firsts()).toEqual(["Ribbon, red", "Gift box, small"]);
  await table.getByRole("button", { name: "In stock" }).press("Enter");
  expect(await firsts()).toEqual(["Mug, grey", "Card set, winter"]);
  expect(await table.getByRole("columnheader", { name: "In stock" }).getAttribute("aria-sort")).toBe("descending");
  const saved = page.waitForEvent("download");
  await windowOf(page, "stock").getByRole("button", { name: "Export CSV" }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe("Low stock.csv");
  const chunks: Buffer[] = [];
  for await (const c of await file.createReadStream()) chunks.push(c as Buffer);
  expect(Buffer.concat(chunks).toString().split("\r\n").slice(0, 2)).toEqual([
    "Item,In stock,Weekly sales,Weeks left",
    '"Mug, grey",133,52,2.6',
  ]);
});

test("a row is chosen where that means something", async ({ world, visit }) => {
  const rows: Shown = { ...stock, input: { ...stock.input, row_action: "look" } };
  const session = await showing(
    world,
    "Rows",
    [rows, { ...stock, id: "calm", title: "Calm" }],
    [{ when: { last_user: 'action="look"' }, times: 0, reply: [{ text: "It is in shelf 4." }] }],
  );
  const { page } = await visit({ path: `/s/${session}` });
  const sent: { type: string; data: Record<string, unknown> }[] = [];
  page.on("websocket", (w) => w.on("framesent", (f) => sent.push(JSON.parse(String(f.payload)))));
  await page.goto(`/s/${session}/desktop`);
  await live(page);
  const chosen = () => Promise.resolve(sent.filter((f) => f.type === "component_action").map((f) => f.data));
  const grid = windowOf(page, "stock").getByRole("grid", { name: "Low stock" });
  await grid.waitFor();
  expect(await barriers(page)).toEqual([]);
  // A click on an ordinary table is no message.
  await windowOf(page, "calm").getByRole("cell", { name: "Mug, grey" }).click();
  expect(await windowOf(page, "calm").getByRole("grid").count()).toBe(0);
  // By keys, in another order than that of the table itself.
  await grid.getByRole("button", { name: "In stock" }).press("Enter");
  await grid.getByRole("row", { name: /Ribbon, red/ }).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await windowOf(page, "stock").locator("footer").getByText("It is in shelf 4.").waitFor();
  expect(await chosen()).toEqual([
    {
      window_id: "stock",
      action: "look",
      form_data: { index: 4, row: { item: "Card set, winter", stock: 120, sales: 76, left: 1.6 } },
    },
  ]);
  expect(await grid.getByRole("row", { selected: true }).allTextContents()).toEqual(["Card set, winter120761.6"]);
  expect(await barriers(page)).toEqual([]);
  // By a click.
  await grid.getByRole("gridcell", { name: "Candle, amber" }).click();
  await until("it is sent", async () => (await chosen()).length === 2);
  await until(
    "it is chosen",
    async () => (await grid.getByRole("row", { selected: true }).allTextContents()).join() === "Candle, amber51441.2",
  );
  await page.locator("[data-row=user]").getByText("Candle, amber", { exact: true }).waitFor();
});

test("a file of many rows is read page by page", async ({ world, visit }) => {
  const rows = Array.from({ length: 450 }, (_, i) => `Item ${i + 1},${(i * 7919) % 1000}`);
  const file: Shown = { id: "items", title: "All items", input: { kind: "table", path: "items.csv" } };
  await world.model.script([
    { when: { tool_result: "window" }, times: 0, reply: [{ text: "There you see it." }] },
    { when: { turn: 1 }, times: 0, reply: [opens(file)] },
  ]);
  const session = await world.session("File", { "items.csv": `name,sold\n${rows.join("\n")}\n` });
  await world.say(session, "show me");
  await world.settled(session);
  const { page } = await visit({ path: `/s/${session}/desktop` });
  const w = windowOf(page, "items");
  await w.getByText("Rows 1 to 200 of 450").waitFor();
  await w.getByRole("button", { name: "Next rows" }).press("Enter");
  await w.getByRole("button", { name: "Next rows" }).press("Enter");
  await w.getByText("Rows 401 to 450 of 450").waitFor();
  await w.getByText("Item 450", { exact: true }).waitFor();
  await w.getByRole("button", { name: "sold" }).press("Enter"); // over all pages, as numbers
  await w.getByText("Rows 1 to 200 of 450").waitFor();
  const sold = await w.locator("tbody td:nth-child(2)").allTextContents();
  expect(sold.map(Number)).toEqual([...sold.map(Number)].sort((a, b) => a - b));
  expect(sold[0]).toBe("0");
});

test("a form sends what was filled in, and shows what the server says", async ({ world, visit }) => {
  const session = await showing(world, "Form", [order]);
  const { page } = await visit({ path: `/s/${session}` });
  const sent: { type: string; data: Record<string, unknown> }[] = [];
  page.on("websocket", (w) => w.on("framesent", (f) => sent.push(JSON.parse(String(f.payload)))));
  await page.goto(`/s/${session}/desktop`);
  await live(page);
  const form = windowOf(page, "order");
  expect(await barriers(page)).toEqual([]);
  await form.getByLabel("Supplier").selectOption("baltic");
  await form.getByLabel("Order: Gift box, small").fill("200");
  await form.getByLabel("Split into two deliveries").uncheck();
  await form.getByRole("button", { name: "Place order" }).press("Enter");
  const pressed = await until("it is sent", () => Promise.resolve(sent.find((f) => f.type === "component_action")));
  expect(pressed.data).toEqual({
    window_id: "order",
    action: "place",
    component_path: "0.4.0",
    form_data: { supplier: "baltic", by: "2026-12-04", box: 200, ribbon: 240, split: false },
  });
  await until("the server has answered", async () => (await form.locator("[aria-busy=true]").count()) === 0);
  // What was typed stays while the window shows the same.
  expect(await form.getByLabel("Order: Gift box, small").inputValue()).toBe("200");
});

test("text, images and pages are drawn, and what cannot be says so", async ({ world, visit }) => {
  const shown: Shown[] = [
    { id: "log", title: "Log", input: { kind: "text", content: "<b>not bold</b>\n  two spaces" } },
    { id: "dot", title: "Dot", input: { kind: "image", path: "dot.png", alt: "A teal dot" } },
    planner,
    week,
  ];
  await world.model.script([
    { when: { tool_result: "window" }, times: 0, reply: [{ text: "There you see it." }] },
    { when: { turn: 1 }, times: 0, reply: shown.map(opens) },
  ]);
  const session = await world.session("Kinds", { "a.txt": "a" });
  await writeFile(join(world.workspace(session), "dot.png"), pixel);
  await world.say(session, "show me");
  await world.settled(session);
  const v = await visit({ path: `/s/${session}/desktop` });
  const { page } = v;
  await windowOf(page, "log").getByText("<b>not bold</b>").waitFor();
  await until("the image is there", () =>
    windowOf(page, "dot")
      .getByRole("img", { name: "A teal dot" })
      .evaluate((e) => (e as HTMLImageElement).naturalWidth > 0),
  );
  await page.frameLocator("[data-window=planner] iframe").getByText("180 boxes").waitFor();
  expect(await barriers(page)).toEqual([]);

  // The image cannot be loaded any more: the window says so, and the server hears of it once.
  v.allow(/ERR_FAILED/);
  const sent: string[] = [];
  page.on("websocket", (w) => w.on("framesent", (f) => sent.push(String(f.payload))));
  await page.route(/\/blobs\//, (r) => r.abort());
  await page.reload();
  await live(page);
  await windowOf(page, "dot").getByText("This window could not be drawn.").waitFor();
  const told = await until("the server is told", () =>
    Promise.resolve(sent.find((f) => f.includes("rendering_feedback"))),
  );
  expect(JSON.parse(told).data).toMatchObject({ window_id: "dot", success: false });
  await page.unroute(/\/blobs\//);
  await windowOf(page, "dot").getByRole("button", { name: "Try again" }).click();
  await windowOf(page, "dot").getByRole("img", { name: "A teal dot" }).waitFor();
});

test("a notice is a toast until somebody dismisses it", async ({ world, visit }) => {
  await world.model.script([
    { when: { tool_result: "notify" }, times: 0, reply: [{ text: "Told." }] },
    {
      when: { turn: 1 },
      times: 0,
      reply: [{ tool: { name: "notify", id: "n", input: { title: "Backup", text: "It is done." } } }],
    },
  ]);
  const session = await world.session("Notice");
  const one = await visit({ path: `/s/${session}/desktop` });
  const two = await visit({ path: `/s/${session}/desktop`, phone: true });
  await live(one.page);
  await world.say(session, "tell me");
  await one.page.locator("[data-notice]").getByText("It is done.").waitFor();
  await until(
    "it is said",
    async () => (await one.page.locator("[data-spoken]").textContent()) === "Backup. It is done.",
  );
  await two.page.locator("[data-notice]").waitFor();
  expect(await barriers(one.page)).toEqual([]);
  await one.page.getByRole("button", { name: "Dismiss" }).press("Enter");
  for (const { page } of [one, two]) await page.locator("[data-notice]").waitFor({ state: "detached" });
});

test("a notice lies over the session as well, and is said when it comes", async ({ world, visit }) => {
  await world.model.script([
    { when: { tool_result: "notify" }, times: 0, reply: [{ delay: "1h" }, { text: "Told." }] }, // a new answer is said as well, and in its place
    {
      when: { turn: 1 },
      times: 0,
      reply: [{ tool: { name: "notify", id: "n", input: { title: "Backup", text: "It is done." } } }],
    },
  ]);
  const session = await world.session("Notice there");
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  await world.say(session, "tell me");
  await page.locator("[data-notice]").getByText("It is done.").waitFor();
  await until("it is said", async () => (await page.locator("[data-spoken]").textContent()) === "Backup. It is done.");
  expect(await barriers(page)).toEqual([]);
  await page.reload();
  await page.getByRole("button", { name: "Dismiss" }).press("Enter");
  await page.locator("[data-notice]").waitFor({ state: "detached" });
});

test("a helper answers beside the main agent, and it says so", async ({ world, visit }) => {
  await world.model.script([
    { when: { last_user: "How many" }, times: 0, reply: [{ text: "1,284 small gift boxes." }] },
    { when: { turn: 1 }, times: 0, reply: [{ text: "I write the summary." }, { delay: "1h" }] },
  ]);
  const session = await world.session("Helper");
  const { page } = await visit({ path: `/s/${session}/desktop` });
  await live(page);
  await world.say(session, "Write the summary");
  await page.locator("[data-row=text]").getByText("I write the summary.").waitFor();
  await page.getByRole("textbox", { name: "Message to the agent" }).fill("How many boxes did we sell?");
  await page.getByRole("button", { name: "Choose when it is delivered" }).click();
  await page.getByRole("menuitem", { name: "Ask a helper" }).click();
  await page.locator("[data-row=text]").getByText("1,284 small gift boxes.").waitFor();
  await page.getByText("Answered without the conversation").waitFor();
  await page.getByRole("article", { name: "Helper" }).waitFor();
  expect(await page.locator("[data-alone]").count()).toBe(1);
  expect(await barriers(page)).toEqual([]);
  await world.model.release();
});
