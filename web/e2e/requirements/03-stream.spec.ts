import { expect, test, until } from "../harness";

// Flushes at most 20 times a second; settled blocks are never made again.

test("a block that is settled is not made again, however much follows", async ({ world, visit }) => {
  const parts = ["first", "second", "third", "fourth"]; // each comes when the one before it is shown
  const words = Array.from({ length: 60 }, (_, i) => [
    ...(i % 15 === 0 ? [{ wait: parts[i / 15] }] : []),
    { text: `Word${i} **bold** and \`code\`. ${i % 4 === 3 ? "\n\n" : ""}` },
    { delay: "15ms" },
  ]).flat();
  await world.model.script([
    {
      when: { last_user: "go" },
      times: 0,
      reply: [
        { text: "# First block\n\nSecond block.\n\nThird block.\n\nFourth block.\n\n" },
        ...words,
        { text: "The end." },
      ],
    },
  ]);
  const session = await world.session("Stream");
  const { page } = await visit({ path: `/s/${session}` });
  await page.locator("[data-composer]").waitFor();
  await world.say(session, "go");
  await page.getByRole("heading", { name: "First block" }).waitFor();
  const blocks = page.locator("[data-row=text] .md > *");
  const first = blocks.first();
  const renders = async () => Number(await first.getAttribute("data-renders"));
  const before = await renders();
  await first.evaluate((el) => {
    const w = window as unknown as { flushes: number; same: Element };
    w.flushes = 0;
    w.same = el;
    new MutationObserver(() => w.flushes++).observe(el.parentElement!, {
      childList: true,
      subtree: true,
      characterData: true,
    });
  });
  let seconds = 0; // in which something came
  for (const [i, part] of parts.entries()) {
    const began = performance.now();
    await world.model.open(part);
    await page.getByText(i < 3 ? `Word${15 * i + 14} ` : "The end.").waitFor();
    seconds += (performance.now() - began) / 1000;
  }
  expect(await renders()).toBe(before);
  expect(await first.evaluate((el) => (window as unknown as { same: Element }).same === el)).toBe(true);
  const flushes = await page.evaluate(() => (window as unknown as { flushes: number }).flushes);
  expect(flushes).toBeGreaterThanOrEqual(parts.length);
  expect(flushes).toBeLessThanOrEqual(Math.ceil(seconds * 20) + parts.length); // and each part's first
  await until("it is what the server has", async () => {
    const said = (await world.rest.sessions.messages(session)).messages.find((m) => m.say === "text");
    return said?.text?.includes("The end.") && (await page.locator("[data-row=text]").innerText()).includes("Word59");
  });
});
