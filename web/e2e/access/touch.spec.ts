import { expect, size, test } from "../harness";
import { look, pagesOf } from "./matrix";

/** What one taps must be as large as a finger; links within sentences are let off, as WCAG does. */
for (const language of size(["ko"], ["ko", "en"]))
  test(
    `on a phone everything that is tapped is 44 px high, and nothing is wider than it: ${language}`,
    { timeout: 240_000 },
    async ({ world, visit }) => {
      const v = await visit({ phone: true, prefs: { language } });
      v.allow(/(status of 404|WebSocket connection).*none/);
      const small: string[] = [];
      const wide: string[] = [];
      for (const [name, path] of Object.entries(await pagesOf(world))) {
        await look(v, path);
        const found = await v.page.evaluate(() => {
          const all = document.querySelectorAll<HTMLElement>(
            "button, select, textarea, input:not([type=hidden]), a[href], summary, [role=button], [role=tab], [role=menuitem], [role=switch]",
          );
          const bad: string[] = [];
          for (const e of all) {
            const hidden =
              !e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) ||
              e.closest(".sr-only, [hidden], [inert]");
            if (hidden || e.closest("p, .md, li > span") || (e instanceof HTMLButtonElement && e.disabled)) continue;
            // The label of a field is tapped with it.
            const boxes = [e, e.closest("label")].filter((x) => x !== null).map((x) => x.getBoundingClientRect());
            const height = Math.max(...boxes.map((b) => b.height));
            if (height > 0 && height < 43.5)
              bad.push(
                `${e.tagName.toLowerCase()} "${(e.getAttribute("aria-label") ?? e.textContent ?? "").trim().slice(0, 40)}" is ${Math.round(height)} px`,
              );
          }
          return [...new Set(bad)];
        });
        small.push(...found.map((f) => `${name}: ${f}`));
        const over = await v.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (over > 0) wide.push(`${name}: ${over} px`);
      }
      expect(small).toEqual([]);
      expect(wide).toEqual([]);
    },
  );
