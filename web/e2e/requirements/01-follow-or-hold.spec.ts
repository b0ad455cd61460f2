import type { Page } from "playwright-core";
import { expect, test, until } from "../harness";

// Follows within 80 px of the end, else holds and says how much is new.

const paragraphs = (n: number, word: string) =>
  Array.from({ length: n }, (_, i) => `${word} ${i}: some words that make a line of text.\n\n`).join("");
const long = [
  { when: { last_user: "fill" }, times: 0, reply: [{ text: paragraphs(60, "Filled") }] },
  {
    when: { last_user: "stream" },
    times: 0,
    reply: [
      { text: paragraphs(3, "Begun") },
      { delay: "1h" },
      ...Array.from({ length: 20 }, (_, i) => [{ text: paragraphs(2, `Part ${i}`) }, { delay: "20ms" }]).flat(),
      { text: "The very end." },
    ],
  },
];

const gap = (page: Page) =>
  page.locator("[data-transcript]").evaluate((b) => b.scrollHeight - b.scrollTop - b.clientHeight);

test("at the end the view goes along; further up it does not move by a pixel", async ({ world, visit }) => {
  await world.model.script(long);
  const session = await world.session("Follow");
  await world.say(session, "fill");
  await world.settled(session);
  const { page } = await visit({ path: `/s/${session}` });
  await page.getByText("Filled 59").waitFor();
  await until("it opens on its end", async () => (await gap(page)) <= 1);

  await world.say(session, "stream");
  await page.getByText("Begun 2").waitFor();
  await until("it follows", async () => (await gap(page)) <= 1);

  await page.getByLabel("Message to the agent").fill("A draft\nof some lines\nmakes the composer grow.");
  await until("it is still at its end", async () => (await gap(page)) <= 1);
  await page.locator("[data-transcript]").hover();
  await page.mouse.wheel(0, -700);
  await page.getByRole("button", { name: "Jump to latest" }).waitFor();
  const mark = page.getByText("Filled 5", { exact: false }).last();
  const top = async () => (await mark.boundingBox())!.y;
  await until("the wheel is at rest", async () => {
    const before = await top();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    return (await top()) === before;
  });
  const before = await top();
  await world.model.release();
  await world.settled(session);
  await until("all of it is there", async () => (await gap(page)) > 900);
  expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(1);

  await world.say(session, "stream");
  await page.getByRole("button", { name: /\d+ new/ }).click();
  await page.getByText("The very end.").last().waitFor();
  await until(
    "it is at the end and follows again",
    async () => (await gap(page)) <= 1 && (await page.locator("[data-following=true]").count()) === 1,
  );
});
