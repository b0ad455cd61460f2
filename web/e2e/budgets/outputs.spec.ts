import type { Page } from "playwright-core";
import { expect, nightly, size, until } from "../harness";
import { cell, ended, opened, testWithKernel as test } from "../notebook/stage";
import { figures } from "./figures";
import { traced } from "./trace";

const displays = size(600, 5_000); // 500 are shown, with what is printed between them
const printed = size(12, 50); // MB
const tries = 3;
const screens = size(4, 0.9); // of a step through all of it
const most = 50; // ms of the main thread's own time

// In turns, so that neither uses up all of what is shown of a run.
const code = `from IPython.display import display, HTML
line = 'x' * 99 + '\\n'
for i in range(${displays}):
    display(HTML(f'<p>number {i}</p>') if i % 10 == 9 else i)
    print(line * ${Math.round((printed * 10_000) / displays)}, end='')
print('the end')`;

test(
  `${displays} displays and ${printed} MB of prints in one cell hold up nobody`,
  { timeout: nightly ? 600_000 : 300_000 },
  async ({ browser, world, visit }) => {
    const session = await opened(world, "A lot", [{ source: code }, { source: "'behind'" }]);
    const other = await opened(world, "A little", [{ source: "1" }]);
    const { page } = await visit({ path: `/s/${session}/notebook` });
    await cell(page, "c0").waitFor();
    // A kernel takes its time to start, which is none of this.
    await cell(page, "c1").getByRole("button", { name: "Run cell" }).click();
    await ended(page, "c1");
    const runs = await traced(browser, page, async () => {
      await cell(page, "c0").getByRole("button", { name: "Run cell" }).click();
      await ended(page, "c0", "ok");
      await cell(page, "c0").locator("[data-outputs]").waitFor();
    });
    await until(
      "outputs",
      async () => Number(await cell(page, "c0").locator("[data-outputs]").getAttribute("data-outputs")) > 200,
    );
    const outputs = Number(await cell(page, "c0").locator("[data-outputs]").getAttribute("data-outputs"));
    const scrolls = await least(async () => (await traced(browser, page, () => scrollThrough(page))).task);
    expect(await page.locator("[data-output]").count()).toBeLessThan(200);
    const comes = await least(async () => {
      await page.getByRole("link", { name: "Transcript", exact: true }).click();
      await page.locator("[data-transcript]").waitFor();
      return (
        await traced(browser, page, async () => {
          await page.locator("[data-views] a").last().click();
          await cell(page, "c0").locator("[data-output]").first().waitFor();
        })
      ).task;
    });
    // A page that begins elsewhere has nothing of it and fetches it. How the app itself begins is none of this.
    const opens = await least(async () => {
      await page.goto(`/s/${other}/notebook`);
      await cell(page, "c0").waitFor();
      return (
        await traced(browser, page, async () => {
          await page.evaluate((path) => history.pushState(null, "", path), `/s/${session}/notebook`);
          await cell(page, "c0").locator("[data-output]").first().waitFor();
          await scrollThrough(page);
        })
      ).task;
    });
    figures({
      outputs_shown: outputs,
      outputs_run_task_ms: runs.task,
      outputs_scroll_task_ms: scrolls,
      outputs_back_task_ms: comes,
      outputs_open_task_ms: opens,
    });
    expect(runs.task, "while it runs").toBeLessThanOrEqual(most);
    expect(scrolls, "while somebody looks through").toBeLessThanOrEqual(most);
    expect(comes, "when somebody comes back").toBeLessThanOrEqual(most);
    expect(opens, "when somebody opens it").toBeLessThanOrEqual(most);
  },
);

/** The longest task of the best of some tries: on a machine that others use even a thread's own time is longer at times. */
async function least(longest: () => Promise<number>): Promise<number> {
  let best = Infinity;
  for (let n = 0; n < tries && best > most; n++) best = Math.min(best, await longest());
  return best;
}

/** To the end of all cells and back, so many screens in a frame. */
async function scrollThrough(page: Page): Promise<void> {
  await page.locator("[data-cells]").evaluate(async (box, screens) => {
    for (const by of [1, -1]) {
      for (let n = 0; n < 400; n++) {
        const was = box.scrollTop;
        box.scrollBy(0, by * box.clientHeight * screens);
        await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
        if (box.scrollTop === was) break;
      }
    }
    box.scrollTo(0, box.scrollHeight);
    await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
  }, screens);
}
