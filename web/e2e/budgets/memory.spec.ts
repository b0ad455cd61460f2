import type { Page } from "playwright-core";
import { expect, live, nightly, size, test, until } from "../harness";
import { figures } from "./figures";

// An hour at 100 events a second; ten minutes in CI.
const events = size(60_000, 360_000);
const tokens = 6_000; // of an answer
const warm = 6; // turns after which the page has all that it will ever need

/** The page's heap after everything that can be thrown away was, MiB. */
async function heap(page: Page): Promise<number> {
  const cdp = await page.context().newCDPSession(page);
  for (let i = 0; i < 3; i++) await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  await cdp.detach();
  return usedSize / 2 ** 20;
}

test(
  `${nightly ? "an hour" : "ten minutes"} of streaming leaves nothing behind in the page but the words`,
  { timeout: 240_000 },
  async ({ world, visit }) => {
    const text = Array.from({ length: tokens }, (_, i) => `t${i}${i % 50 === 49 ? "\n\n" : " "}`).join("");
    await world.model.script([{ times: 0, reply: [{ text }] }]);
    const session = await world.session("An hour");
    const v = await visit({ path: `/s/${session}` });
    let frames = 0;
    v.page.on("websocket", (w) => w.on("framereceived", () => frames++));
    await v.page.reload();
    await live(v.page);
    const turns = events / tokens;
    let early = 0;
    let between = 0;
    for (let n = 1; n <= turns; n++) {
      await world.task(session, `turn ${n}.`);
      await world.settled(session);
      await until(`turn ${n} is shown`, async () =>
        (await v.page.locator("[data-row=text]").last().textContent())?.includes(`t${tokens - 1}`),
      );
      if (n === warm) early = await heap(v.page);
      if (n === Math.ceil(turns / 2)) between = await heap(v.page);
    }
    const late = await heap(v.page);
    // The words themselves stay, so that one can read them again; nothing else may.
    const words = (text.length * (turns - warm)) / 2 ** 20;
    const growth = (late - words) / early;
    figures({
      tokens: events,
      frames,
      heap_early_mib: early,
      heap_half_mib: between,
      heap_late_mib: late,
      words_mib: words,
      heap_growth: growth,
    });
    expect(frames).toBeGreaterThan(events / 2); // they came one by one
    expect(growth).toBeLessThanOrEqual(1.2);
  },
);
