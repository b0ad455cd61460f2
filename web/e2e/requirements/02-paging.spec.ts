import { expect, test, until } from "../harness";

// A session opens on its last 200 messages; older ones come before them without a jump.

test("older messages are put before those in view, and nothing in view moves", async ({ world, visit }) => {
  const messages = Array.from({ length: 900 }, (_, i) => ({
    role: i % 2 === 0 ? "user" : "assistant",
    type: "text",
    timestamp: 1_700_000_000_000 + i * 1000,
    content: i % 2 === 0 ? `Question ${i}?` : `Answer ${i}.\n\n${"Some more words about it. ".repeat(i % 7)}`,
  }));
  const file = new Blob([JSON.stringify({ sessionId: "long-one", messages, updatedAt: 1_700_000_900_000 })]);
  const { session_id: session } = await world.rest.sessions.import(file, { format: "message-store", new_id: true });
  const { page } = await visit({ path: `/s/${session}` });
  await page.getByText("Answer 899.").waitFor();
  const box = page.locator("[data-transcript]");
  const size = () => box.evaluate((b) => b.scrollHeight);
  const opened = await size();

  // Each time a page comes in, what was in view must be where it was.
  await box.evaluate((b) => {
    const w = window as unknown as { worst: number; pages: number };
    w.worst = 0;
    w.pages = 0;
    const seen = () =>
      [...b.querySelectorAll<HTMLElement>("article")].map(
        (a) => [a.dataset.message!, a.getBoundingClientRect().top, Number(a.getAttribute("aria-posinset"))] as const,
      );
    let before = seen();
    const look = () => {
      const now = seen();
      const first = before.find(([id]) => now.some((n) => n[0] === id));
      const same = first && now.find((n) => n[0] === first[0])!;
      if (first && same && same[2] > first[2]) {
        w.pages++;
        w.worst = Math.max(w.worst, Math.abs(same[1] - first[1]));
      }
      before = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  const pagesIn = () => page.evaluate(() => (window as unknown as { pages: number }).pages);
  for (let page = 1; page <= 3; page++) {
    await box.evaluate((b) => (b.scrollTop = 400)); // near the top: the next page is fetched
    await until(`page ${page} is in`, async () => (await pagesIn()) >= page);
  }
  await until("the beginning is in view", async () => {
    await box.evaluate((b) => (b.scrollTop = 0));
    return page.getByRole("feed").getByText("Question 0?").isVisible();
  });
  const { pages, worst } = await page.evaluate(() => {
    const { pages, worst } = window as unknown as { worst: number; pages: number };
    return { pages, worst };
  });
  expect(pages).toBeGreaterThanOrEqual(3);
  expect(await size()).toBeGreaterThan(opened);
  expect(worst).toBeLessThanOrEqual(1);
});
