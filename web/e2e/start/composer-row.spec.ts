import type { Page } from "playwright-core";
import { barriers, expect, live, screenshots, test, tried, until } from "../harness";

const long = "gpt-oss-120b-instruct-preview-2026-10-31"; // 40 characters
const sizes = [
  { width: 1440, height: 900 },
  { width: 900, height: 1100 },
  { width: 390, height: 844 },
];
const words = {
  en: {
    model: `Model: ${long}`,
    mode: "Mode: Code",
    permissions: /^Permissions: /,
    plan: "Plan first",
    steer: "Steer now",
    queue: "Queue",
    send: "Send",
  },
  ko: {
    model: `모델: ${long}`,
    mode: "모드: 코드",
    permissions: /^권한: /,
    plan: "계획 먼저",
    steer: "바로 전달",
    queue: "대기열",
    send: "보내기",
  },
};

const works = [
  { when: { last_user: "work", turn: 1 }, times: 0, reply: [{ text: "I begin." }, { delay: "1h" }, { text: "Done." }] },
  { times: 0, reply: [{ text: "Good day." }] },
];

/** The boxes of what can be pressed below the words, from left to right. */
async function row(page: Page) {
  const boxes = await page.locator("[data-composer-box] button").evaluateAll((all) =>
    all
      .filter((b) => b.checkVisibility() && !b.closest("[popover]"))
      .map((b) => {
        const at = b.getBoundingClientRect();
        return {
          name: b.getAttribute("aria-label") ?? b.textContent!,
          left: at.left,
          right: at.right,
          middle: at.top + at.height / 2,
          over: b.scrollWidth - b.clientWidth,
        };
      }),
  );
  return boxes.sort((a, b) => a.left - b.left);
}

/** All of them on one line, none over another or beyond the box, and no words beside their button. */
async function expectOneRow(page: Page, what: string): Promise<void> {
  const boxes = await row(page);
  const within = (await page.locator("[data-composer-box]").boundingBox())!;
  const told = `${what}: ${JSON.stringify(boxes)}`;
  expect(boxes.length, told).toBeGreaterThanOrEqual(6);
  expect(Math.max(...boxes.map((b) => b.middle)) - Math.min(...boxes.map((b) => b.middle)), told).toBeLessThan(4);
  boxes.slice(1).forEach((b, i) => expect(b.left, told).toBeGreaterThanOrEqual(boxes[i]!.right - 0.5));
  expect(boxes[0]!.left, told).toBeGreaterThanOrEqual(within.x);
  expect(boxes.at(-1)!.right, told).toBeLessThanOrEqual(within.x + within.width);
  expect(
    boxes.filter((b) => b.over > 1),
    told,
  ).toEqual([]);
}

for (const language of ["en", "ko"] as const) {
  for (const phone of [false, true]) {
    if (!tried(language === "ko", phone)) continue;
    test(`chips and buttons stay on one row with a long model name: ${language}${phone ? " phone" : ""}`, async ({
      world,
      visit,
    }) => {
      const t = words[language];
      await world.model.script(works);
      const session = await world.session("One row");
      await world.rest.sessions.command(session, "update_settings", {
        settings: { model: long, permissions: "sandbox" },
      });
      const { page } = await visit({ path: `/s/${session}`, phone, prefs: { language } });
      await live(page);
      const box = page.locator("[data-composer-box]");
      const button = (name: string | RegExp) => box.getByRole("button", { name });
      const looked = async (state: string) => {
        for (const size of phone ? sizes.slice(2) : sizes) {
          await page.setViewportSize(size);
          // An icon alone still has its name, and shows it to a mouse.
          for (const name of [t.model, t.mode, t.permissions, t.plan]) await button(name).waitFor();
          expect(await button(t.model).getAttribute("title")).toBe(t.model);
          await until("it is laid out anew", async () => (await expectOneRow(page, `${state} at ${size.width}`), true));
        }
        await screenshots(page, `composer-${state}-${language}`, phone ? ["narrow"] : ["wide", "narrow"]);
      };
      await button(t.send).waitFor();
      await looked("idle");
      expect(await barriers(page)).toEqual([]);
      await world.say(session, "work");
      await page.getByText("I begin.").waitFor();
      await page.locator("[data-composer]").fill("rather this way");
      await button(t.steer).waitFor();
      await button(t.queue).waitFor();
      await looked("working");
      expect(await barriers(page)).toEqual([]);
      await world.model.release();
      await world.settled(session);
    });
  }
}
