import type { Page } from "playwright-core";
import { barriers, expect, live, screenshots, size, test, until, type World } from "../harness";
import { smallTargets, tooWide } from "./measure";

const words = {
  en: {
    approve: "Approve",
    deny: "Deny",
    lower: "Hide the request",
    raise: /^Show the request: Run this command\?/,
    network: "Network",
  },
  ko: { approve: "승인", deny: "거부", lower: "요청 숨기기", raise: /^요청 보기: /, network: "네트워크" },
};

const sheet = (page: Page) => page.locator("[data-sheet]");
const composer = (page: Page) => page.locator("[data-composer]");
const raised = (page: Page) => page.locator("[data-sheet=raised]").waitFor();
const story = `${"A line of what was said before.\n\n".repeat(30)}The last line.`;
const script = [
  { when: { last_user: "tell" }, times: 0, reply: [{ text: story }] },
  { when: { tool_result: "execute_command" }, times: 0, reply: [{ text: "It is done." }] },
  {
    when: { last_user: { regexp: "run: (.*)" } },
    times: 0,
    reply: [{ tool: { name: "execute_command", id: "c_run", input: { command: "{{match 1}}" } } }],
  },
];

/** A session with more than a screen of text, whose agent asks to run a command. */
async function asking(world: World): Promise<{ session: string; request: string }> {
  await world.model.script(script);
  const session = await world.session("Sheet");
  await world.say(session, "tell");
  await until("it is told", async () =>
    (await world.rest.sessions.messages(session)).messages.some((m) => m.text?.includes("The last line.")),
  );
  await world.settled(session);
  await world.say(session, "run: date");
  return { session, request: await world.question(session) };
}

for (const [language, theme] of size(
  [["ko", "dark"]] as const,
  [
    ["en", "light"],
    ["ko", "dark"],
  ] as const,
)) {
  test(`a request stands above the tabs, within reach of a thumb: ${language} ${theme}`, async ({ world, visit }) => {
    const t = words[language];
    const { session, request } = await asking(world);
    const { page } = await visit({ path: `/s/${session}`, phone: true, prefs: { language, theme } });
    await live(page);
    await raised(page);
    const card = sheet(page).locator(`[data-question="${request}"]`);
    await card.getByText(t.network).waitFor();
    expect(await page.locator("[data-question]").count()).toBe(1); // once on the page

    const box = (await sheet(page).boundingBox())!;
    const tabs = (await page.getByRole("navigation").last().boundingBox())!;
    expect(box.y + box.height).toBeCloseTo(tabs.y, 0);
    for (const name of [t.approve, t.deny]) {
      const at = (await card.getByRole("button", { name, exact: true }).boundingBox())!;
      expect(at.height).toBe(48);
      expect(at.y).toBeGreaterThan(844 / 2);
    }
    expect(await composer(page).isVisible()).toBe(false);
    // What was said can be read behind it.
    const top = () => page.locator("[data-transcript]").evaluate((e) => e.scrollTop);
    const from = await top();
    expect(from).toBeGreaterThan(0);
    await page.locator("[data-transcript]").evaluate((e) => e.scrollBy(0, -400));
    await until("it scrolled", async () => (await top()) < from);
    expect((await sheet(page).boundingBox())!.y).toBe(box.y);
    await page.locator("[data-transcript]").evaluate((e) => e.scrollTo(0, e.scrollHeight));
    // Who listens hears the transcript, the request, the tabs.
    expect(
      await page.evaluate(() => {
        const all = ["[data-transcript]", "[data-sheet]", "[data-composer]", "nav[aria-label]:last-of-type"].map((s) =>
          [...document.querySelectorAll(s)].at(-1)!,
        );
        return all.slice(1).every((e, i) => !!(all[i]!.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING));
      }),
    ).toBe(true);
    expect([...(await smallTargets(page)), ...(await tooWide(page))]).toEqual([]);
    expect(await barriers(page)).toEqual([]);
    await screenshots(page, `sheet-${language}`, ["narrow"]);

    await sheet(page).getByRole("button", { name: t.lower }).tap();
    const line = sheet(page).getByRole("button", { name: t.raise });
    await line.waitFor();
    expect(await line.evaluate((e) => e === document.activeElement && e.ariaExpanded === "false")).toBe(true);
    expect((await sheet(page).boundingBox())!.height).toBeLessThan(60);
    expect(await composer(page).isVisible()).toBe(true);
    expect([...(await smallTargets(page)), ...(await tooWide(page))]).toEqual([]);
    expect(await barriers(page)).toEqual([]);
    await screenshots(page, `sheet-lowered-${language}`, ["narrow"]);
    await line.tap();
    await raised(page);
    await sheet(page).getByRole("button", { name: t.lower }).tap();
    await page.locator(`[data-asked="${request}"]`).tap(); // where it was asked
    await raised(page);
    await until("it has the focus", () => card.evaluate((e) => e === document.activeElement));
    await card.getByRole("button", { name: t.approve, exact: true }).tap();
    await sheet(page).waitFor({ state: "detached" });
    expect((await world.rest.sessions.messages(session)).messages.find((m) => m.answer)?.answer?.action).toBe(
      "approve",
    );
    await composer(page).waitFor();
  });
}

test("the sheet follows when the request is answered elsewhere, and the focus stays on the page", async ({
  world,
  visit,
}) => {
  const { session, request } = await asking(world);
  const { page } = await visit({ path: `/s/${session}`, phone: true });
  await live(page);
  await raised(page);
  await sheet(page).getByRole("button", { name: "Deny", exact: true }).focus();
  await world.model.script([{ times: 0, reply: [{ delay: "1h" }, { text: "It is done." }] }]); // nothing else is said meanwhile
  await world.rest.inbox.answer(request, { action: "approve" });
  await sheet(page).waitFor({ state: "detached" });
  await page.getByText("Approved by you", { exact: true }).waitFor();
  await until("it is said", async () =>
    (await page.locator("[data-spoken]").allTextContents()).join().includes("Approved by you: date"),
  );
  expect(await page.evaluate(() => !!document.activeElement?.closest("[data-transcript]"))).toBe(true);
  await composer(page).waitFor();
  await world.model.release();
  await world.settled(session);
});

test("a request does not come over somebody who writes", async ({ world, visit }) => {
  await world.model.script(script);
  const session = await world.session("Writes");
  const { page } = await visit({ path: `/s/${session}`, phone: true });
  await live(page);
  await composer(page).tap();
  await composer(page).fill("and one more thing");
  await world.say(session, "run: date");
  const request = await world.question(session);
  await page.locator("[data-sheet=lowered]").waitFor();
  expect(await composer(page).evaluate((e) => e === document.activeElement)).toBe(true);
  await page.goto(`/s/${session}?question=${request}`); // who asks for it sees it
  await raised(page);
  await until("it has the focus", () =>
    page.locator(`[data-question="${request}"]`).evaluate((e) => e === document.activeElement),
  );
  await sheet(page).getByRole("button", { name: "Hide the request" }).tap();
  await until("the words are there", async () => (await composer(page).inputValue()) === "and one more thing");
});

test("a wide page has the card in the transcript, and no sheet", async ({ world, visit }) => {
  const { session, request } = await asking(world);
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  await page.locator(`[data-transcript] [data-question="${request}"]`).waitFor();
  expect(await sheet(page).count()).toBe(0);
});
