import { barriers, expect, live, screenshots, test, until } from "../harness";

const says = [
  {
    when: { last_user: "in arabic" },
    times: 0,
    reply: [{ text: "مرحبا بالعالم\n\nAnd English.\n\n- שלום עולם\n- עוד" }],
  },
  {
    when: { last_user: "long code" },
    times: 0,
    reply: [{ text: `\`\`\`python\nx = "${"long line ".repeat(40)}"\n\`\`\`` }],
  },
  {
    when: { last_user: "choose" },
    times: 0,
    reply: [
      {
        tool: {
          name: "ask_followup",
          id: "c_ask",
          input: { question: "Which one?", options: ["The left", "The right"] },
        },
      },
    ],
  },
  { times: 0, reply: [{ text: "Yes." }] },
];

test("a person's Markdown is set in the transcript and plain in lists; a long text is folded", async ({
  world,
  visit,
}) => {
  await world.model.script(says);
  const created = await world.session("");
  await world.say(created, "## Mend **the price**\n\n- run `go test`\n- then stop\nand say so");
  await world.settled(created);
  const { page } = await visit({ path: `/s/${created}` });
  const mine = page.locator("[data-row=user]").first();
  await mine.locator("strong", { hasText: "the price" }).waitFor();
  expect(await mine.locator("li").count()).toBe(2);
  expect(await mine.innerText()).not.toMatch(/[#*`]/);
  const info = await world.rest.sessions.get(created);
  expect(info.title).toBe("Mend the price run go test then stop and say so");
  await world.say(created, Array.from({ length: 2000 }, (_, i) => `Line ${i + 1}`).join("\n"));
  await world.settled(created);
  const long = page.locator("[data-row=user]").last();
  const all = long.getByRole("button", { name: "Show all 2000 lines" });
  await all.waitFor();
  expect(await long.innerText()).not.toContain("Line 13\n");
  expect((await long.boundingBox())!.height).toBeLessThan(500);
  await screenshots(page, "people");
  expect(await barriers(page)).toEqual([]);
  await all.click();
  await until("all of it", async () => (await long.innerText()).includes("Line 2000"));
  await page.goto("/history");
  await page.getByText("Mend the price run go test").first().waitFor();
  expect(await page.locator("main").innerText()).not.toMatch(/\*\*|##|`/);
});

test("Arabic and Hebrew begin at the right, and a code block's label covers none of it", async ({ world, visit }) => {
  await world.model.script(says);
  const session = await world.session("Directions");
  await world.say(session, "in arabic");
  await world.settled(session);
  await world.say(session, "long code");
  await world.settled(session);
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  const sides = await page
    .locator("[data-row=text] .md")
    .first()
    .locator("> div")
    .evaluateAll((blocks) => blocks.map((b) => getComputedStyle(b).direction));
  expect(sides).toEqual(["rtl", "ltr", "rtl"]);
  const code = page.getByRole("region", { name: "Code, python" });
  await code.evaluate((e) => (e.scrollLeft = 300));
  const text = (await code.boundingBox())!;
  for (const over of [page.getByText("python", { exact: true }), page.getByRole("button", { name: "Copy code" })]) {
    const label = (await over.boundingBox())!;
    expect(label.y + label.height).toBeLessThanOrEqual(text.y + 1);
  }
  await screenshots(page, "directions");
  expect(await barriers(page)).toEqual([]);
});

test("an empty Send is no main button where one can choose", async ({ world, visit }) => {
  await world.model.script(says);
  const session = await world.session("Choice");
  await world.say(session, "choose");
  const { page } = await visit({ path: `/s/${session}` });
  const card = page.locator(`[data-question="${await world.question(session)}"]`);
  const send = card.getByRole("button", { name: "Send" });
  const filled = async () =>
    (await send.evaluate((e) => getComputedStyle(e).backgroundColor)) ===
    (await page.evaluate(() => {
      const probe = document.createElement("i");
      probe.style.color = "var(--c-run)";
      document.body.append(probe);
      const color = getComputedStyle(probe).color;
      probe.remove();
      return color;
    }));
  await send.waitFor();
  expect(await filled()).toBe(false);
  await card.getByRole("textbox").fill("Neither");
  await until("it is the main one", filled);
  await screenshots(page, "choice", ["wide"]);
});
