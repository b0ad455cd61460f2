import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

interface Axe {
  run(root: Document, options: object): Promise<AxeResults>;
}

/** Looks for barriers (WCAG 2.2 AA) and gives each as one line. */
export async function barriers(page: Page): Promise<string[]> {
  // By the debugger, which the content policy does not bind.
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Runtime.evaluate", { expression: source });
  await cdp.detach();
  // A theme that was just changed is on its way from one colour to the other.
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter((a) => a.effect?.getComputedTiming().endTime !== Infinity)
        .map((a) => a.finished),
    ),
  );
  const found = await page.evaluate(
    // Agents write headings of any level; their order is not the page's to choose.
    (only) =>
      (window as unknown as { axe: Axe }).axe.run(document, {
        runOnly: only,
        rules: { "heading-order": { enabled: false } },
        resultTypes: ["violations"],
      }),
    tags,
  );
  return found.violations.flatMap((v) =>
    v.nodes.map((n) => `${v.id} at ${n.target.join(" ")}: ${n.failureSummary?.split("\n").slice(1).join(";").trim()}`),
  );
}
