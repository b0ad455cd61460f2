import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, live, screenshots, test, until } from "../harness";
import { sayAll, writesFiles } from "../pages/files";
import { plansRuns, runsCommands } from "../requirements/scripts";
import { figures } from "./figures";
import { longSession } from "./long";
import { traced } from "./trace";

// How long a page may take, by the clock: requirements 9, 15, 16 and 17.

test("pause shows within 250 ms and is confirmed by the event", async ({ world, visit }) => {
  await world.model.script(plansRuns);
  const session = await world.session("Controls");
  await world.say(session, "do it, and it takes long", { mode: "run" });
  await world.rest.inbox.answer(await world.question(session), { action: "approve" });
  const { page } = await visit({ path: `/s/${session}` });
  await page.locator("[data-todo=left][data-status=in_progress]").waitFor();
  const plan = page.locator("[data-run]");

  world.freeze(); // a server that takes its time
  // The page itself notes how long it takes: the way to the test takes its own time.
  const took = page.evaluate(
    () =>
      new Promise<number>((done) => {
        document.addEventListener(
          "click",
          (e) => {
            const look = () =>
              document.querySelector("[data-run]")?.textContent?.includes("Pausing…") &&
              done(performance.now() - e.timeStamp);
            new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
          },
          { capture: true, once: true },
        );
      }),
  );
  await plan.getByRole("button", { name: "Pause" }).click();
  await plan.getByRole("button", { name: "Pausing…" }).waitFor();
  expect(await took).toBeLessThanOrEqual(250);
  expect(await plan.getByText(/^Paused/).count()).toBe(0);
  world.thaw();
  await plan.getByText(/^Paused/).waitFor();
  await plan.getByText(/^finishing: \S/).waitFor(); // what is under way ends first
  await plan.getByRole("button", { name: "Resume" }).click();
  await plan.getByRole("button", { name: "Pause" }).waitFor();

  await page.locator("[data-todo=join]").hover();
  await plan.getByRole("button", { name: "Skip step 4" }).click();
  await page.locator("[data-todo=join][data-status=skipped]").waitFor();

  await plan.getByRole("button", { name: "Cancel run" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel run" }).click();
  await until("cancelled", async () => (await world.rest.sessions.get(session)).runs.at(-1)?.phase === "cancelled");
  await plan.getByText("The run was cancelled").waitFor();
  await world.model.release();
});

test("an answer is seen on the other device within a second", async ({ world, visit }) => {
  await world.model.script(runsCommands);
  const session = await world.session("Two devices", { "a.txt": "a\n" });
  const near = await visit({ path: `/s/${session}` });
  const far = await visit({ path: "/inbox", phone: true });
  await world.say(session, "run: cat a.txt");
  const request = await world.question(session);
  await near.page.locator(`[data-question="${request}"]`).first().waitFor();
  // The page itself notes when it says so: the way to the test takes its own time.
  const seen = near.page.evaluate(
    () =>
      new Promise<number>((done) => {
        const look = new MutationObserver(
          () => document.body.textContent?.includes("Approved by you") && done(Date.now()),
        );
        look.observe(document.body, { subtree: true, childList: true, characterData: true });
      }),
  );
  await far.page
    .locator(`[data-question="${request}"]`)
    .getByRole("button", { name: /Approve/ })
    .click();
  const answer = await until(
    "the record",
    async () => (await world.rest.sessions.messages(session)).messages.find((m) => m.answer)?.answer,
  );
  expect((await seen) - answer.ts).toBeLessThan(1000);
});

test("a difference of 5,000 lines costs half a second at most", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const before = Array.from({ length: 5_000 }, (_, i) => `const value${i} = compute(${i}, "before");`).join("\n");
  const session = await world.session("Large", { "large.ts": `${before}\n` });
  await sayAll(world, session, "hello");
  await writeFile(join(world.workspace(session), "large.ts"), `${before.replaceAll('"before"', '"after"')}\n`);
  await sayAll(world, session, "and now?");
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  await page.getByRole("tab", { name: "Changes" }).click();
  const lines = page.getByRole("region", { name: "Changes, line by line" });
  const round = async (): Promise<number> => {
    await page.getByRole("tab", { name: "Terminal" }).click();
    await page.evaluate(() => {
      const w = window as unknown as { blocked: number; watcher?: PerformanceObserver };
      w.watcher?.disconnect();
      w.blocked = 0;
      w.watcher = new PerformanceObserver((list) => list.getEntries().forEach((e) => (w.blocked += e.duration)));
      w.watcher.observe({ type: "longtask" });
    });
    await page.getByRole("tab", { name: "Changes" }).click();
    await lines.getByText("value0 ").first().waitFor();
    for (let i = 0; i < 20; i++)
      await lines.evaluate(
        (e, at) =>
          new Promise((go) => {
            e.scrollTop = at;
            requestAnimationFrame(() => requestAnimationFrame(go));
          }),
        i * 4_000,
      );
    return page.evaluate(() => (window as unknown as { blocked: number }).blocked);
  };
  // The best of five, since others may use the machine.
  let best = Infinity;
  for (let i = 0; i < 5 && best > 500; i++) best = Math.min(best, await round());
  expect(best).toBeLessThanOrEqual(500);
});

test(
  "10,000 changed lines: no task over 50 ms while they are opened and scrolled through",
  { timeout: 300_000 },
  async ({ browser, world, visit }) => {
    await world.model.script(writesFiles);
    const names = Array.from({ length: 10 }, (_, i) => `part${i}.ts`);
    const text = (word: string) =>
      `${Array.from({ length: 1_000 }, (_, i) => `const value${i} = compute(${i}, "${word}");`).join("\n")}\n`;
    const session = await world.session("Wide", Object.fromEntries(names.map((n) => [n, text("before")])));
    await sayAll(world, session, "hello");
    for (const n of names) await writeFile(join(world.workspace(session), n), text("after"));
    await sayAll(world, session, "and now?");
    const { page } = await visit({ path: `/s/${session}` });
    await live(page);
    const lines = page.getByRole("region", { name: "Changes, line by line" });
    const open = async () => {
      await page.getByRole("tab", { name: /^Changes/ }).click();
      await lines.locator(".text-s-key").first().waitFor(); // with its colours
    };
    const scroll = async () => {
      for (let i = 0; i < 40; i++)
        await lines.evaluate(
          (e, at) =>
            new Promise((go) => {
              e.scrollTop = at;
              requestAnimationFrame(() => requestAnimationFrame(go));
            }),
          i * 9_000,
        );
    };
    // The best of five, since a busy machine has slower processors.
    let best = { open: Infinity, scroll: Infinity };
    for (let i = 0; i < 5 && Math.max(best.open, best.scroll) > 50; i++) {
      if (i > 0) await page.getByRole("tab", { name: "Terminal" }).click();
      const [opened, scrolled] = [await traced(browser, page, open), await traced(browser, page, scroll)];
      best = { open: Math.min(best.open, opened.task), scroll: Math.min(best.scroll, scrolled.task) };
    }
    figures({ diff_open_task_ms: best.open, diff_scroll_task_ms: best.scroll });
    expect(best.open).toBeLessThanOrEqual(50);
    expect(best.scroll).toBeLessThanOrEqual(50);
  },
);

test("a session of 5,000 messages is scrubbed without delay", async ({ world, visit }) => {
  const session = await longSession(world, 5_000);
  const { page } = await visit({ path: `/s/${session}/time` });
  const slider = page.getByRole("slider", { name: "Point in time" });
  await slider.waitFor();
  await slider.focus();
  await page.keyboard.press("Home");
  // From a key to the frame that shows it.
  const { frames, stale } = await page.evaluate(async () => {
    const slider = document.querySelector<HTMLElement>("[role=slider]")!;
    const times: number[] = [];
    for (let i = 0; i < 60; i++) {
      const from = performance.now();
      slider.dispatchEvent(new KeyboardEvent("keydown", { key: i % 3 ? "PageDown" : "ArrowRight", bubbles: true }));
      await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
      times.push(performance.now() - from);
    }
    return { frames: times.sort((a, b) => a - b), stale: document.querySelector("[data-preview]") === null };
  });
  expect(stale).toBe(true); // what was not looked at yet cannot be gone back to
  expect(frames[30]).toBeLessThan(100);
  expect(Number(await slider.getAttribute("aria-valuenow"))).toBeGreaterThan(400);
  // The preview of the first question: nearly all of it would go.
  await page.keyboard.press("Home");
  const first = (await world.rest.sessions.timeline(session)).marks[0]!.message_id;
  await page.locator(`[data-preview="${first}"]`).waitFor();
  await page.getByText("4999 messages will be removed").waitFor();
  await screenshots(page, "time-long");
});
