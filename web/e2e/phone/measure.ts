import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { web } from "../harness/build";

/** What is smaller than a finger, of all that can be touched and is seen. */
export async function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const touchable =
      "button, a[href], input, select, textarea, summary, [role=button], [role=tab], [role=menuitem], [role=option], [role=switch], [role=slider], [role=treeitem]";
    const small: string[] = [];
    for (const e of document.querySelectorAll<HTMLElement>(touchable)) {
      if (
        !e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) ||
        e.closest("[aria-hidden=true], .sr-only, [inert]")
      )
        continue;
      if (e instanceof HTMLAnchorElement && e.closest("p, .markdown, [data-markdown]")) continue; // a link in a sentence is as high as its line
      const label = e.closest("label") ?? (e.id ? document.querySelector(`label[for="${CSS.escape(e.id)}"]`) : null);
      const at = (
        e instanceof HTMLInputElement && /radio|checkbox/.test(e.type) && label ? label : e
      ).getBoundingClientRect();
      if (at.width === 0 || at.height === 0) continue;
      if (at.width < 43.5 || at.height < 43.5) {
        const name = e.getAttribute("aria-label") ?? e.textContent?.trim().slice(0, 40);
        small.push(
          `${e.tagName.toLowerCase()} "${name}" ${Math.round(at.width)}x${Math.round(at.height)} (${e.className.slice(0, 60)})`,
        );
      }
    }
    return [...new Set(small)];
  });
}

/** What makes the page wider than the screen. What scrolls by itself, such as code, does not. */
export async function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const root = document.scrollingElement!;
    const found: string[] = [];
    if (root.scrollWidth > innerWidth) found.push(`the page: ${root.scrollWidth} > ${innerWidth}`);
    const over = (e: Element): boolean => {
      const { left, right, width } = e.getBoundingClientRect();
      return width > 1 && (right > innerWidth + 1 || left < -1);
    };
    // Cut off, with dots or not, or scrolled by itself: then it is within what fits.
    const held = (e: Element | null): boolean =>
      e !== null && ((getComputedStyle(e).overflowX !== "visible" && !over(e)) || held(e.parentElement));
    for (const e of document.querySelectorAll<HTMLElement>("body *")) {
      if (e.checkVisibility() && !e.closest("svg") && over(e) && !held(e.parentElement))
        found.push(`${e.tagName.toLowerCase()}.${String(e.className).slice(0, 50)}`);
    }
    // An own scroll bar sideways is clumsy in whatever is not code or a graph.
    for (const e of document.querySelectorAll<HTMLElement>("main, main *, dialog *")) {
      if (
        e.checkVisibility() &&
        /auto|scroll/.test(getComputedStyle(e).overflowX) &&
        e.scrollWidth > e.clientWidth + 1 &&
        !e.matches("pre, table, textarea, input") &&
        !e.closest(".react-flow, pre, table")
      ) {
        found.push(
          `scrolls sideways: ${e.tagName.toLowerCase()}.${String(e.className).slice(0, 60)} ${e.scrollWidth} > ${e.clientWidth}`,
        );
      }
    }
    return found.slice(0, 8);
  });
}

/** A picture as the phone shows it, with CLEW_SHOTS=1. */
export async function shot(page: Page, name: string): Promise<void> {
  if (!process.env.CLEW_SHOTS) return;
  const dir = join(web, "e2e/shots");
  await mkdir(dir, { recursive: true });
  await page.screenshot({ path: join(dir, `phone-${name}.png`), animations: "disabled" });
}
