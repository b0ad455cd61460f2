import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { web } from "./build";
import { desktop, phone } from "./visitor";

/**
 * Takes pictures of a page, light and dark, wide and narrow, to e2e/shots. They
 * are to be looked at; nothing is compared. Only with CLEW_SHOTS=1, since they
 * take their time.
 */
export async function screenshots(
  page: Page,
  name: string,
  widths: ("wide" | "narrow")[] = ["wide", "narrow"],
): Promise<void> {
  if (!process.env.CLEW_SHOTS) return;
  const dir = join(web, "e2e/shots");
  await mkdir(dir, { recursive: true });
  const was = page.viewportSize();
  const theme = await page.evaluate(() => document.documentElement.dataset.theme);
  for (const width of widths) {
    await page.setViewportSize(width === "wide" ? desktop : phone);
    for (const look of ["light", "dark"]) {
      await page.evaluate((t) => void (document.documentElement.dataset.theme = t), look);
      await page.screenshot({ path: join(dir, `${name}-${width}-${look}.png`), animations: "disabled" });
    }
  }
  await page.evaluate((t) => void (document.documentElement.dataset.theme = t), theme);
  if (was) await page.setViewportSize(was);
}
