import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { barriers, expect, live, size, test as plain, until, type World } from "../harness";
import { web } from "../harness/build";
import { markdown, opens, order, page as planner, stock, week, windowOf, type Shown } from "./stage";

const test = plain.extend({ options: [{ settings: { monitor_max_concurrent: 6 } }, { scope: "file" }] });

const sizes = {
  phone: { width: 390, height: 844 },
  small: { width: 900, height: 700 },
  usual: { width: 1440, height: 900 },
  large: { width: 2560, height: 1440 },
};
type Size = keyof typeof sizes;

const table = (id: string, title: string, columns: [string, string], rows: [string, number][]): Shown => ({
  id,
  title,
  input: {
    kind: "table",
    columns: [
      { name: "a", title: columns[0] },
      { name: "b", title: columns[1], numeric: true },
    ],
    rows,
  },
});
const prices = table(
  "prices",
  "Ribbon prices",
  ["Supplier", "Price"],
  [
    ["Nordlicht Paper", 2.1],
    ["Baltic Boxes", 1.9],
  ],
);
const log: Shown = {
  id: "log",
  title: "Nightly import",
  input: { kind: "text", content: "00:01 148 items read\n00:02 3 changed" },
};
const korean: Shown[] = [
  {
    id: "order",
    title: "재고 주문",
    input: {
      kind: "components",
      root: {
        type: "stack",
        children: [
          { type: "input", name: "box", label: "선물 상자, 소", input_type: "number", value: 180 },
          { type: "checkbox", name: "split", label: "두 번에 나누어 받기", value: true },
          {
            type: "row",
            children: [
              { type: "button", label: "주문하기", action: "place", submit: true },
              { type: "button", label: "임시 저장", action: "draft" },
            ],
          },
        ],
      },
    },
  },
  table(
    "stock",
    "부족한 재고",
    ["품목", "재고"],
    [
      ["빨간 리본", 18],
      ["선물 상자, 소", 42],
    ],
  ),
  markdown("week", "이번 주에 바뀐 것", "## 46주 요약\n\n수요가 작년보다 **14% 높습니다**."),
];

const waits = { delay: "1h" };
const script = [
  { when: { last_user: "has ended" }, times: 0, reply: [{ text: "I would take Baltic Boxes." }] },
  { when: { last_user: 'action="place"' }, times: 0, reply: [{ text: "I check the delivery dates." }, waits] },
  {
    when: { tool_result: "delegate" },
    times: 0,
    reply: [{ text: "Three items run out before the holidays. A task compares suppliers meanwhile." }, waits],
  },
  {
    when: { last_user: { regexp: "(Compare suppliers|공급처 비교)$" } },
    times: 0,
    reply: [{ text: "Two suppliers have ribbon." }, waits],
  },
  {
    when: { last_user: { regexp: "the suppliers$" } },
    times: 0,
    reply: [
      {
        tool: {
          name: "ask_followup",
          id: "q",
          input: { question: "Send 2 emails to suppliers?", options: ["Send both", "Only Nordlicht"] },
        },
      },
    ],
  },
  {
    when: { last_user: { regexp: "prices$" }, tool_result: "window" },
    times: 0,
    reply: [{ text: "Baltic Boxes is cheaper by 0.20." }],
  },
  { when: { last_user: { regexp: "prices$" } }, times: 0, reply: [opens(prices)] },
  {
    when: { last_user: { regexp: "the night$" }, tool_result: "window" },
    times: 0,
    reply: [{ text: "I watch it." }, waits],
  },
  { when: { last_user: { regexp: "the night$" } }, times: 0, reply: [opens(log)] },
  {
    when: { last_user: "run out", tool_result: "window" },
    times: 0,
    reply: [{ tool: { name: "delegate", id: "d", input: { goal: "Compare suppliers", wait: false } } }],
  },
  { when: { last_user: "run out" }, times: 0, reply: [order, stock, week, planner].map(opens) },
  {
    when: { last_user: "품목", tool_result: "window" },
    times: 0,
    reply: [{ tool: { name: "delegate", id: "d", input: { goal: "공급처 비교", wait: false } } }],
  },
  { when: { last_user: "품목" }, times: 0, reply: korean.map(opens) },
];

const say = (world: World, session: string, text: string, monitor = 0) =>
  world.rest.sessions.command(session, "user_message", { text, monitor_id: `monitor-${monitor}` });

/** Looks at a page in these sizes: nothing sticks out, nothing is a barrier. CLEW_SHOTS takes pictures of all sizes. */
async function look(page: Page, name: string, which: Size[], theme = "light"): Promise<void> {
  for (const as of process.env.CLEW_SHOTS ? (Object.keys(sizes) as Size[]) : which) {
    const { width, height } = sizes[as];
    await page.setViewportSize({ width, height });
    await (as === "phone" ? page.getByRole("tablist") : windowOf(page, ":transcript")).waitFor();
    const themes = process.env.CLEW_SHOTS ? ["light", "dark"] : [theme];
    for (const t of themes) {
      await page.evaluate((to) => void (document.documentElement.dataset.theme = to), t);
      await picture(page, `${name}-${as}-${t}`);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `${name} at ${width}`).toBe(width);
    expect(await barriers(page), `${name} at ${width}`).toEqual([]);
  }
  await page.setViewportSize(sizes.usual);
}

async function picture(page: Page, name: string): Promise<void> {
  if (!process.env.CLEW_SHOTS) return;
  const dir = join(web, "e2e/shots");
  await mkdir(dir, { recursive: true });
  await page.screenshot({ path: join(dir, `${name}.png`), animations: "disabled" });
}

test("a desktop of one, two and four monitors fits every size", async ({ world, visit }) => {
  await world.model.script(script);
  const session = await world.session("Holiday restock");
  const { page } = await visit({ path: `/s/${session}/desktop` });
  await live(page);
  await say(world, session, "Which items run out before the holidays? Prepare an order for them.");
  await page.locator("[data-row=text]").getByText("Three items run out").waitFor();
  await windowOf(page, "order").getByRole("button", { name: "Place order" }).click();
  await windowOf(page, "order").locator("footer").getByText("I check the delivery dates.").waitFor();
  await look(page, "one", size([], ["large"]), "dark");

  await say(world, session, "Write to the suppliers", 1);
  await page.locator("[data-monitor=monitor-1]").getByText("Needs you").waitFor();
  expect(await page.locator("[data-agent]").first().getAttribute("data-agent")).toBe("main-monitor-1"); // who asks is first
  await look(page, "two", size(["small"], ["small", "usual"]));

  await say(world, session, "Show me ribbon prices", 2);
  await say(world, session, "Watch the import of the night", 3);
  await until("five are at work", async () => (await page.locator("[data-agent]").count()) === 5);
  await look(page, "four", size(["phone", "large"], ["phone", "small", "usual", "large"]), "dark");
  await page.keyboard.press("Control+2");
  await page.locator("[data-desktop=monitor-1]").waitFor();
  await look(page, "four-second", size([], ["phone"]));
  await page.keyboard.press("Control+3");
  await windowOf(page, "prices").waitFor();
  await look(page, "four-third", size([], ["large"]));

  // All come to an end; the main agent is told what became of the task, under its name.
  await page.keyboard.press("Control+1");
  await world.model.release();
  await page.locator("[data-row=text]").getByText("I would take Baltic Boxes.").waitFor();
  await page
    .locator("article[data-row=brief]")
    .getByRole("button", { name: /Result of a task\s*Compare suppliers/ })
    .waitFor();
  await look(page, "ended", ["usual"]);
});

test("a desktop in Korean", async ({ world, visit }) => {
  await world.model.release();
  await world.model.script(script);
  const session = await world.session("연말 재고 준비");
  const { page } = await visit({ path: `/s/${session}/desktop`, prefs: { language: "ko" } });
  await live(page);
  await say(world, session, "연말 전에 떨어지는 품목이 무엇인가요?");
  await page.locator("[data-row=text]").getByText("Three items run out").waitFor();
  await windowOf(page, "order").getByRole("button", { name: "주문하기" }).click();
  await windowOf(page, "order").locator("footer").getByText("I check the delivery dates.").waitFor();
  await say(world, session, "Write to the suppliers", 1);
  await page.locator("[data-monitor=monitor-1]").getByText("확인 필요").waitFor();
  await look(page, "korean", size(["usual"], ["phone", "small", "usual"]), "dark");
  await world.model.release();
});
