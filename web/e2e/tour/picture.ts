import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import { until } from "../harness";
import { web } from "../harness/build";

/** Where the pictures of docs/tour.md are, and what they say. */
export const pictures = join(web, "../docs/tour");
export const kept = join(web, "e2e/tour/words");

/** Whether pictures are made anew; otherwise the words of a page are compared with those of its picture. */
export const taking = process.env.CLEW_TOUR !== undefined && process.env.CLEW_TOUR !== "";

/** Holds a page to its picture, or makes the picture. `home` is a path that is different each time. */
export async function picture(browser: Browser, page: Page, name: string, home: string): Promise<void> {
  await until(
    "nothing is still loading",
    async () => (await page.locator("[data-loading]:not([data-sample] *)").count()) === 0,
  );
  await page.evaluate(async () => void (await document.fonts.ready));
  const words = plain(await wordsOf(page), home);
  const file = join(kept, `${name}.txt`);
  if (!taking) {
    const before = await readFile(file, "utf8").catch(() => "");
    const other = difference(before.split(/\s+/), words.split(/\s+/));
    expect(
      other.length,
      `docs/tour/${name}.webp does not show what the page says now; make tour takes it again. Differs: ${other.slice(0, 40).join(" ")}`,
    ).toBeLessThanOrEqual(few(before));
    return;
  }
  await mkdir(pictures, { recursive: true });
  await mkdir(kept, { recursive: true });
  await writeFile(
    join(pictures, `${name}.webp`),
    await webp(browser, await page.screenshot({ animations: "disabled" })),
  );
  await writeFile(file, words);
}

/** How many words may differ: a line at the lower edge may be in the picture of one run and not of the next. */
const few = (text: string): number => Math.max(8, text.split(/\s+/).length * 0.05);

/** The words that only one of two texts has. */
function difference(a: readonly string[], b: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const word of a) left.set(word, (left.get(word) ?? 0) + 1);
  for (const word of b) left.set(word, (left.get(word) ?? 0) - 1);
  return [...left].flatMap(([word, n]) => Array.from({ length: Math.abs(n) }, () => word));
}

/** What can be read on the picture of a page, but for times of day. */
function wordsOf(page: Page): Promise<string> {
  return page.evaluate(() => {
    /** Whether the middle of it is on the screen and cut off by nothing that scrolls. */
    const seen = (r: DOMRect, from: Element | null): boolean => {
      const x = (r.left + r.right) / 2;
      const y = (r.top + r.bottom) / 2;
      const inside = (b: { left: number; right: number; top: number; bottom: number }) =>
        x >= b.left && x <= b.right && y >= b.top && y <= b.bottom;
      if (r.width === 0 || !inside({ left: 0, top: 0, right: innerWidth, bottom: innerHeight })) return false;
      for (let e = from; e; e = e.parentElement) {
        if (getComputedStyle(e).overflow !== "visible" && !inside(e.getBoundingClientRect())) return false;
      }
      return true;
    };
    const blockOf = (e: Element | null): Element | null =>
      e && getComputedStyle(e).display.startsWith("inline") ? blockOf(e.parentElement) : e;
    const lines: string[] = [];
    let last: Element | null = null;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement!;
      const text = node.textContent ?? "";
      if (text.trim() === "" && blockOf(parent) !== last) continue;
      if (parent.closest("time") || !parent.checkVisibility({ visibilityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      if (text.trim() !== "" && !seen(range.getBoundingClientRect(), parent)) continue;
      const block = blockOf(parent);
      if (block === last) lines[lines.length - 1] += text;
      else lines.push(text);
      last = block;
    }
    for (const field of document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea")) {
      if (field.checkVisibility() && seen(field.getBoundingClientRect(), field))
        lines.push(field.value || field.placeholder);
    }
    return lines.join("\n");
  });
}

const months = /\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)[a-z]*\b/g;

/** Without what differs from one run to the next: numbers, dates, paths, hashes. */
function plain(text: string, home: string): string {
  return (
    text
      .replaceAll(home, "~")
      .replace(/\b[0-9a-f]{8,}\b/g, "#")
      .replace(months, "Month")
      .replace(/\d+(?:[.,:]\d+)*/g, "#")
      .replace(/# (?:B|kB|KB|KiB|MB|MiB|GB|GiB|TB|TiB)\b/g, "# B")
      .replace(/# (?:h|min|s|ms)(?: # (?:min|s))?\b/g, "# s")
      .split("\n")
      .map((line) => line.replace(/\s+/g, " ").trim())
      .filter((line) => line !== "")
      .join("\n") + "\n"
  );
}

/** The browser itself turns a picture into WebP, which is a third as large. */
async function webp(browser: Browser, png: Buffer): Promise<Buffer> {
  const page = await browser.newPage();
  try {
    const base64 = await page.evaluate(async (data) => {
      const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const canvas = document.createElement("canvas");
      canvas.width = image.width;
      canvas.height = image.height;
      canvas.getContext("2d")!.drawImage(image, 0, 0);
      return canvas.toDataURL("image/webp", 0.7).split(",")[1]!;
    }, png.toString("base64"));
    return Buffer.from(base64, "base64");
  } finally {
    await page.close();
  }
}
