import type { Browser } from "playwright-core";
import { expect, live, nightly, size, test, until, type World, type Visitor } from "../harness";
import { figures } from "./figures";
import { longSession } from "./long";
import { barePage, bareTyping, mainThread, slowDown, watchFrames, type Frames } from "./measure";
import { traced, type Traced } from "./trace";

const messages = size(4_000, 10_000);
const tries = 5;
/** How much more the main thread may work than on a bare page with the same words and keys: the rest is the browser's own. */
const mostWork = 1.75;
const work = (t: Try): number => t.cpu / t.typing;

interface Try {
  bare: Frames;
  pinned: Frames;
  wheel: Frames;
  /** What its scripts did meanwhile. */
  script: Traced;
  scriptWheel: Traced;
  /** The main thread's work in a second of typing, ms. */
  cpu: number;
  /** The same on a bare page: what the browser itself needs. */
  typing: number;
  /** The machine was the same before and after, so that the comparison says something. */
  tells: boolean;
}

/**
 * Streams 100 tokens a second into the long session, and watches the page
 * pinned to the end while somebody types, then scrolled by wheel.
 */
async function once(browser: Browser, world: World, v: Visitor, session: string, throttle: number): Promise<Try> {
  const before = await bareOf(browser, throttle);
  await v.page.locator("[data-transcript]").evaluate((b) => void (b.scrollTop = b.scrollHeight));
  await world.task(session, "Stream.");
  await until("the stream", async () =>
    (await v.page.locator("[data-row=text]").last().textContent())?.includes("token5 "),
  );
  await slowDown(v.page, throttle);
  let pinned!: Frames;
  const cpu = await mainThread(v.page, async () => (pinned = await watchFrames(v.page, 4_000, "[data-composer]")));
  // A trace costs frames of its own, so it has a time of its own.
  const script = await traced(browser, v.page, () => watchFrames(v.page, 2_000, "[data-composer]"));
  const box = (await v.page.locator("[data-transcript]").boundingBox())!;
  await v.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const rolling = { on: true };
  const rolled = (async () => {
    while (rolling.on) {
      await v.page.mouse.wheel(0, -240);
      await new Promise((go) => setTimeout(go, 16)); // as fast as a screen shows it; a flood would measure the flood
    }
  })();
  const wheel = await watchFrames(v.page, 3_000);
  const scriptWheel = await traced(browser, v.page, () => watchFrames(v.page, 2_000));
  rolling.on = false;
  await rolled;
  await slowDown(v.page, 1);
  await world.rest.sessions.command(session, "interrupt");
  await world.settled(session);
  const after = await bareOf(browser, throttle);
  const typing = Math.max(before.typing, after.typing);
  // Others may use the machine at any time: the worse of the two is what there was.
  return {
    bare: { ...before, fps: Math.min(before.fps, after.fps), gap: Math.max(before.gap, after.gap) },
    pinned,
    wheel,
    script,
    scriptWheel,
    cpu,
    typing,
    tells: Math.min(before.fps, after.fps) >= 40,
  };
}

async function bareOf(browser: Browser, throttle: number): Promise<Frames & { typing: number }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const frames = await barePage(page, throttle);
  const typing = await bareTyping(page);
  await context.close();
  return { ...frames, typing };
}

/** How near a page comes to what the machine can do at the moment; 1 at best. */
const share = (f: Frames, bare: Frames): number => f.fps / Math.min(60, bare.fps);

for (const [throttle, least] of [
  [1, 55],
  [4, 45],
] as const) {
  if (throttle > 1 && !nightly) continue;
  test(
    `${messages} messages, 100 tokens a second, CPU slowed ${throttle} times`,
    { timeout: 300_000 },
    async ({ browser, world, visit, skip }) => {
      const text = Array.from({ length: 3_000 }, (_, i) => `token${i}${i % 40 === 39 ? "\n\n" : " "}`).join("");
      await world.model.script([{ times: 0, reply: [{ slow: { per_token: "10ms" } }, { text }] }]);
      const session = await longSession(world, messages);
      const v = await visit({ path: `/s/${session}` });
      await live(v.page);
      await v.page.locator("[data-row=text]").first().waitFor();
      const all: Try[] = [];
      for (let i = 0; i < tries; i++) {
        all.push(await once(browser, world, v, session, throttle));
        if (all.at(-1)!.tells && good(all.at(-1)!, least, throttle)) break;
      }
      const told = all.filter((t) => t.tells);
      const best = (score: (t: Try) => number) => Math.max(...(told.length > 0 ? told : all).map(score));
      const name = throttle === 1 ? "" : `_${throttle}x`;
      figures({
        [`fps${name}`]: best((t) => t.pinned.fps),
        [`fps_wheel${name}`]: best((t) => t.wheel.fps),
        [`fps_bare${name}`]: best((t) => t.bare.fps),
        [`ratio${name}`]: best((t) => share(t.pinned, t.bare)),
        [`ratio_wheel${name}`]: best((t) => share(t.wheel, t.bare)),
        [`longest_task_ms${name}`]: -best((t) => -t.pinned.task),
        [`bare_gap_ms${name}`]: -best((t) => -t.bare.gap),
        [`key_p98_ms${name}`]: -best((t) => -t.pinned.key),
        ...(throttle === 1
          ? {
              cpu_ms_per_s: -best((t) => -t.cpu),
              cpu_bare: -best((t) => -t.typing),
              cpu_ratio: -best((t) => -work(t)),
              script_p95_ms: -best((t) => -t.script.scriptP95),
              script_wheel_p95_ms: -best((t) => -t.scriptWheel.scriptP95),
              traced_task_ms: -best((t) => -t.script.task),
            }
          : {}),
        tries: all.length,
        told: told.length,
      });
      if (throttle === 1) {
        expect(-best((t) => -work(t)), "work of the main thread, compared with a bare page").toBeLessThanOrEqual(
          mostWork,
        );
        expect(-best((t) => -t.script.scriptP95), "script in a frame, p95, ms").toBeLessThanOrEqual(10);
        expect(-best((t) => -t.script.task), "longest task, ms").toBeLessThanOrEqual(50);
      }
      if (told.length === 0) return skip("the machine is too busy: a bare page gets less than 40 frames");
      expect(
        best((t) => share(t.pinned, t.bare)),
        "frames at the end of the transcript",
      ).toBeGreaterThanOrEqual(least / 60);
      expect(
        best((t) => share(t.wheel, t.bare)),
        "frames on the wheel",
      ).toBeGreaterThanOrEqual(least / 60);
      if (throttle === 1) {
        expect(
          best((t) => allowed(t) - t.pinned.task),
          "long tasks",
        ).toBeGreaterThanOrEqual(0);
        expect(
          best((t) => allowed(t) - t.pinned.key),
          "keys",
        ).toBeGreaterThanOrEqual(0);
      }
    },
  );
}

/** How long a task may take, ms: 100, and what the machine took away from an empty page meanwhile. */
function allowed({ bare }: Try): number {
  return (100 * 60) / Math.min(60, bare.fps) + Math.max(0, bare.gap - 17);
}

function good(t: Try, least: number, throttle: number): boolean {
  if (share(t.pinned, t.bare) < least / 60 || share(t.wheel, t.bare) < least / 60) return false;
  return (
    throttle > 1 ||
    (work(t) <= mostWork &&
      t.script.scriptP95 <= 10 &&
      t.script.task <= 50 &&
      t.pinned.task <= 100 &&
      t.pinned.key <= 100)
  );
}
