import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { web } from "../harness/build";

export interface Edges {
  left: number;
  right: number;
}

/** The edges of a session's parts on the screen: the text, the composer, the thread and what they stand in. */
export function edges(page: Page): Promise<{ text: Edges; composer: Edges; thread: Edges; chat: Edges }> {
  return page.evaluate(() => {
    const box = (e: Element) => {
      const r = e.getBoundingClientRect();
      return { left: r.left, right: r.right };
    };
    const row = document.querySelector("[data-transcript] article[data-message]")!;
    const s = getComputedStyle(row);
    const r = row.getBoundingClientRect();
    return {
      text: { left: r.left + parseFloat(s.paddingLeft), right: r.right - parseFloat(s.paddingRight) },
      composer: box(document.querySelector("[data-composer-box]")!),
      thread: box(row.querySelector("[data-thread] > span")!),
      chat: box(document.querySelector("[data-transcript]")!),
    };
  });
}

/** A picture of the page as it is, with CLEW_SHOTS=1. */
export async function shot(page: Page, name: string): Promise<void> {
  if (!process.env.CLEW_SHOTS) return;
  const dir = join(web, "e2e/shots");
  await mkdir(dir, { recursive: true });
  await page.screenshot({ path: join(dir, `frame-${name}.png`), animations: "disabled" });
}
