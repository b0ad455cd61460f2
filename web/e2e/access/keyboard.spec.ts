import type { Page } from "playwright-core";
import { expect, live, screenshots, test, until } from "../harness";
import { staged } from "./stage";

/** What has the focus, as it is read aloud. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const e = document.activeElement as HTMLElement | null;
    return e && e !== document.body
      ? `${e.getAttribute("aria-label") ?? ""} ${e.textContent ?? ""} ${e.title}`.trim()
      : "";
  });

/** Presses Tab until something with this name has the focus. */
async function tabTo(page: Page, name: RegExp, most = 60): Promise<void> {
  for (let i = 0; i < most; i++) {
    await page.keyboard.press("Tab");
    if (name.test(await focused(page))) return;
  }
  throw new Error(`Tab does not come to ${name}`);
}

test("a session is begun, asked and answered without a mouse", async ({ world, visit }) => {
  await world.model.script([
    {
      when: { last_user: "Run the tests", turn: 1 },
      times: 0,
      reply: [{ tool: { name: "execute_command", id: "c", input: { command: "echo tested" } } }],
    },
    { when: { tool_result: "execute_command" }, times: 0, reply: [{ text: "They pass." }] },
  ]);
  const session = await world.session("By keyboard");
  const { page } = await visit();
  await page.getByRole("navigation", { name: "Main" }).first().waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("By keyboard");
  await page
    .getByRole("option", { name: /^By keyboard/ })
    .first()
    .waitFor();
  await page.keyboard.press("Enter");
  await live(page);
  await page.keyboard.press("c"); // to the composer
  await page.keyboard.type("Run the tests");
  await page.keyboard.press("Enter");
  const request = await world.question(session);
  await page.locator(`[data-question="${request}"]`).first().waitFor();
  await page.keyboard.press("Escape");
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press("g"); // to the question
  await until("the card has the focus", () =>
    page.evaluate((id) => document.querySelector(`[data-question="${id}"]`)?.contains(document.activeElement), request),
  );
  await page.keyboard.press("a");
  await world.settled(session);
  await page.getByText("They pass.").first().waitFor();
});

test("the first Tab skips to the content, and the focus is always seen", async ({ world, visit }) => {
  const { story } = await staged(world);
  const { page } = await visit({ path: `/s/${story}` });
  await live(page);
  await page.keyboard.press("Tab");
  expect(await focused(page)).toMatch(/Skip/);
  await screenshots(page, "skip");
  await page.keyboard.press("Enter");
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
  const unseen: string[] = [];
  const seen = new Set<string>();
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press("Tab");
    const found = await page.evaluate(() => {
      const e = document.activeElement as HTMLElement;
      if (!e || e === document.body) return null;
      let shown = false;
      // The mark may be on the element or on the box around a field.
      for (let x: HTMLElement | null = e, n = 0; x && n < 3; x = x.parentElement, n++) {
        const s = getComputedStyle(x);
        shown ||=
          (s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0) ||
          s.boxShadow !== "none" ||
          (n > 0 && x.matches(":focus-within") && /border/.test(x.className) && e.matches("textarea, input"));
      }
      return {
        name: `${e.tagName} ${e.getAttribute("aria-label") ?? e.textContent?.slice(0, 30) ?? ""}`,
        shown,
        visible: e.checkVisibility(),
      };
    });
    if (!found) break;
    seen.add(found.name);
    if (!found.shown || !found.visible) unseen.push(found.name);
  }
  expect(unseen).toEqual([]);
  expect(seen.size).toBeGreaterThan(8);
});

test("the transcript is walked by arrow keys, from row to row", async ({ world, visit }) => {
  const { story } = await staged(world);
  const { page } = await visit({ path: `/s/${story}` });
  await live(page);
  await page.locator("[data-message][tabindex='0']").focus();
  const place = () => page.evaluate(() => Number(document.activeElement?.getAttribute("aria-posinset")));
  const last = await place();
  await page.keyboard.press("Home");
  await until("the first row", async () => (await place()) === 1);
  for (let i = 2; i <= last; i++) {
    await page.keyboard.press("ArrowDown");
    await until(`row ${i}`, async () => (await place()) === i);
  }
});

test("dialogs hold the focus and give it back", async ({ world, visit }) => {
  const { story } = await staged(world);
  const { page } = await visit({ path: `/s/${story}` });
  await live(page);
  await tabTo(page, /Rename/);
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog").first();
  await dialog.waitFor();
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press("Tab");
    expect(
      await page.evaluate(
        () => document.activeElement === document.body || !!document.activeElement?.closest("dialog, [role=dialog]"),
      ),
    ).toBe(true);
  }
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await until("the focus is back", async () => /Mend the prices/.test(await focused(page)));
});

test("with reduced motion nothing moves", async ({ world, visit }) => {
  const { story, asking } = await staged(world);
  const v = await visit({ reducedMotion: true });
  for (const path of ["/", "/inbox", `/s/${story}`, `/s/${asking}`, "/design"]) {
    await v.page.goto(path);
    await v.page.getByRole("heading").first().waitFor();
    const moving = await v.page.evaluate(() =>
      document
        .getAnimations()
        .filter(
          (a) =>
            a.playState === "running" &&
            Number(a.effect?.getComputedTiming().duration) > 1 &&
            a.effect?.getComputedTiming().iterations === Infinity,
        )
        .map((a) => (a as CSSAnimation).animationName ?? "transition"),
    );
    expect(moving, path).toEqual([]);
    const longest = await v.page.evaluate(() =>
      Math.max(
        0,
        ...[...document.querySelectorAll("body *")].map((e) => parseFloat(getComputedStyle(e).transitionDuration) || 0),
      ),
    );
    expect(longest, path).toBeLessThanOrEqual(0.001);
  }
});
