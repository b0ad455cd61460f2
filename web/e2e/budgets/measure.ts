import type { Page } from "playwright-core";

export interface Frames {
  fps: number;
  /** The longest time between two frames, ms. */
  gap: number;
  /** The longest task, ms; 0 if none took 50. */
  task: number;
  /** Of the keys that were pressed meanwhile, how long 98 of 100 took at most, ms. */
  key: number;
}

/** Watches the frames of a page for a while, and types if `type` says where. */
export async function watchFrames(page: Page, ms: number, type?: string): Promise<Frames> {
  if (type) await page.locator(type).focus();
  const watching = page.evaluate(async (time) => {
    const tasks: number[] = [0];
    const keys: number[] = [];
    const seeTasks = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((e) => e.duration)));
    seeTasks.observe({ type: "longtask" });
    const seeKeys = new PerformanceObserver((list) => {
      for (const e of list.getEntries()) if (e.name === "keydown") keys.push(e.duration);
    });
    seeKeys.observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit);
    let pressed = 0;
    const count = () => void pressed++;
    window.addEventListener("keydown", count, true);
    const begin = performance.now();
    const frames: number[] = [];
    await new Promise<void>((done) => {
      const frame = (now: number) => {
        frames.push(now);
        if (now - begin < time) requestAnimationFrame(frame);
        else done();
      };
      requestAnimationFrame(frame);
    });
    window.removeEventListener("keydown", count, true);
    seeTasks.disconnect();
    seeKeys.disconnect();
    let gap = 0;
    for (let i = 1; i < frames.length; i++) gap = Math.max(gap, frames[i]! - frames[i - 1]!);
    while (keys.length < pressed) keys.push(0); // those that took less than 16 ms are not told of
    keys.sort((a, b) => a - b);
    return {
      fps: ((frames.length - 1) * 1000) / (frames.at(-1)! - frames[0]!),
      gap,
      task: Math.max(...tasks),
      key: keys.length > 0 ? keys[Math.min(keys.length - 1, Math.ceil(keys.length * 0.98) - 1)]! : 0,
    };
  }, ms);
  let over = false;
  const end = watching.finally(() => (over = true));
  while (type && !over) await page.keyboard.type("a", { delay: 40 });
  return end;
}

/** What this machine does right now with a page that only moves a box. */
export async function barePage(page: Page, throttle: number): Promise<Frames> {
  await page.setContent("<div style='width:9px;height:9px;background:#000'></div>");
  await page.evaluate(() => {
    const box = document.querySelector("div")!;
    const move = (now: number) => {
      box.style.transform = `translateX(${(now / 5) % 300}px)`;
      requestAnimationFrame(move);
    };
    requestAnimationFrame(move);
  });
  await slowDown(page, throttle);
  return watchFrames(page, 2_000);
}

/**
 * What the browser itself needs for the same: somebody types into a bare page whose text grows by 100 words a
 * second. Main thread's work in a second, ms.
 */
export async function bareTyping(page: Page): Promise<number> {
  await page.setContent(
    "<main style='height:700px;overflow:auto'><p></p></main><textarea rows=3 style='width:600px'></textarea>",
  );
  await page.evaluate(() => {
    const box = document.querySelector("main")!;
    const text = document.querySelector("p")!;
    let n = 0;
    setInterval(() => {
      text.append(`token${n++} `);
      box.scrollTop = box.scrollHeight;
    }, 10);
  });
  return mainThread(page, () => watchFrames(page, 2_000, "textarea"));
}

export async function slowDown(page: Page, times: number): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: times });
}

/**
 * How long the page's main thread works in a second of `during`, ms of CPU
 * time. How much that is depends on the machine and the browser: see bareTyping.
 */
export async function mainThread(page: Page, during: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  const worked = await cpuOf(page, during);
  return worked / ((performance.now() - begin) / 1000);
}

async function cpuOf(page: Page, during: () => Promise<unknown>): Promise<number> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  const worked = async () =>
    (await cdp.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration")!.value * 1000;
  const before = await worked();
  await during();
  const result = (await worked()) - before;
  await cdp.detach();
  return result;
}
