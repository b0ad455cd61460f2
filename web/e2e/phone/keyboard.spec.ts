import type { Page } from "playwright-core";
import { expect, live, test, until } from "../harness";
import { runsCommands } from "../requirements/scripts";
import { shot } from "./measure";

const composer = (page: Page) => page.locator("[data-composer]");

async function wholly(page: Page, selector: string): Promise<boolean> {
  return page
    .locator(selector)
    .first()
    .evaluate((e) => {
      const { top, bottom } = e.getBoundingClientRect();
      return top >= 0 && bottom <= Math.min(innerHeight, visualViewport!.height) + 0.5;
    });
}

for (const [how, size, above] of [
  ["upright", { width: 390, height: 844 }, 508],
  ["lying", { width: 844, height: 390 }, 190],
] as const) {
  test(`above the keyboard there is room to write: ${how}`, async ({ world, visit }) => {
    const session = await world.session("Keyboard");
    const { page } = await visit({ path: `/s/${session}`, phone: true, size });
    await live(page);
    await composer(page).tap();
    await page.setViewportSize({ width: size.width, height: above }); // the page was told to shrink
    await composer(page).fill("one\ntwo\nthree\nfour\nfive\nsix\nseven\neight");
    expect(await wholly(page, "[data-composer]")).toBe(true);
    await until("the button to send is seen", () => wholly(page, "button[aria-label='Send']"));
    await shot(page, `keyboard-${how}`);
    expect(
      Number(await composer(page).evaluate((e) => parseFloat(getComputedStyle(e).fontSize))),
    ).toBeGreaterThanOrEqual(16); // below it an iPhone zooms in
  });
}

test("the newest words stay in view when the keyboard comes", async ({ world, visit }) => {
  await world.model.script([
    { when: { last_user: "tell" }, times: 0, reply: [{ text: `${"A line.\n\n".repeat(8)}The last line.` }] },
  ]);
  const session = await world.session("Newest");
  await world.say(session, "tell");
  const { page } = await visit({ path: `/s/${session}`, phone: true });
  await page.getByText("The last line.").waitFor();
  await composer(page).tap();
  await page.setViewportSize({ width: 390, height: 430 });
  await until("it is in view", () =>
    page.getByText("The last line.").evaluate((e) => {
      const box = e.closest("[data-transcript]")!.getBoundingClientRect();
      return e.getBoundingClientRect().bottom <= box.bottom && e.getBoundingClientRect().top >= box.top;
    }),
  );
});

test("a tap beside the keyboard hits what it was for", async ({ world, visit }) => {
  const session = await world.session("Hit");
  const { page } = await visit({ path: `/s/${session}`, phone: true, size: { width: 844, height: 390 } });
  await live(page);
  await composer(page).fill("these words");
  await page.getByRole("button", { name: "Send" }).tap();
  await page.locator("[data-row=user]", { hasText: "these words" }).waitFor();
  expect(await composer(page).evaluate((e) => document.activeElement === e)).toBe(true); // the keyboard stays
});

test("where the keyboard only covers the page, the page ends above it", async ({ world, visit }) => {
  const session = await world.session("Covering");
  // Safari leaves the page as high as it is and tells of a smaller visual viewport.
  const before = `{
    const real = window.visualViewport;
    let height = null;
    Object.defineProperty(real, "height", { get: () => height ?? innerHeight });
    window.cover = (by) => { height = by ? innerHeight - by : null; real.dispatchEvent(new Event("resize")); };
  }`;
  const { page } = await visit({ path: `/s/${session}`, phone: true, before });
  await live(page);
  await composer(page).tap();
  const cover = (by: number) => page.evaluate((n) => (window as unknown as { cover(n: number): void }).cover(n), by);
  await cover(336);
  await until("the composer is above it", () => wholly(page, "[data-composer]"));
  expect(await wholly(page, "header")).toBe(true);
  await cover(0);
  await until("the page is whole again", () =>
    page.evaluate(() => document.body.getBoundingClientRect().height === innerHeight),
  );
});

test("nothing lies under a notch or the bar at the lower edge", async ({ world, visit }) => {
  const session = await world.session("Notch");
  const { page, context } = await visit({ path: `/s/${session}`, phone: true, size: { width: 844, height: 390 } });
  await live(page);
  const cdp = await context.newCDPSession(page);
  await cdp.send(
    "Emulation.setSafeAreaInsetsOverride" as never,
    {
      insets: { top: 12, topMax: 12, left: 47, leftMax: 47, right: 47, rightMax: 47, bottom: 21, bottomMax: 21 },
    } as never,
  );
  const within = () =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("header a, header button, nav button, [data-composer], textarea")]
        .filter((e) => e.checkVisibility())
        .every((e) => {
          const at = e.getBoundingClientRect();
          return at.left >= 47 && at.right <= innerWidth - 47 && at.top >= 12 && at.bottom <= innerHeight - 21;
        }),
    );
  await until("all is within", within);
  for (const path of ["/", "/inbox", "/history", "/settings"]) {
    await page.goto(path);
    await page.getByRole("heading").first().waitFor();
    await until(`all of ${path} is within`, () =>
      page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>("nav a, nav button, h1")]
          .filter((e) => e.checkVisibility() && !e.closest(".sr-only, .overflow-y-auto"))
          .every((e) => {
            const at = e.getBoundingClientRect();
            return at.left >= 47 && at.right <= innerWidth - 47 && at.bottom <= innerHeight - 21;
          }),
      ),
    );
  }
});

test("pulling the page down loses no word", async ({ world, visit }) => {
  const session = await world.session("Pull");
  const { page } = await visit({ path: `/s/${session}`, phone: true });
  await live(page);
  expect(await page.evaluate(() => getComputedStyle(document.body).overscrollBehaviorY)).toBe("none"); // it does not load anew by a slip
  await composer(page).fill("not sent yet");
  await page.reload();
  await until("the words are there", async () => (await composer(page).inputValue()) === "not sent yet");
  await page.goto("/");
  await page.getByRole("textbox").first().fill("new work");
  await page.reload();
  await until("the words are there", async () => (await page.getByRole("textbox").first().inputValue()) === "new work");
});

test("turning the phone keeps what is being answered", async ({ world, visit }) => {
  await world.model.script(runsCommands);
  const session = await world.session("Turn");
  const { page } = await visit({ path: `/s/${session}`, phone: true });
  await live(page);
  await world.say(session, "run: date");
  const card = page.locator(`[data-question="${await world.question(session)}"]`).first();
  await card.getByRole("button", { name: "Deny with instructions…" }).tap();
  await card.getByRole("textbox").fill("not now");
  await page.setViewportSize({ width: 844, height: 390 });
  expect(await card.getByRole("textbox").inputValue()).toBe("not now");
  await card.getByRole("textbox").scrollIntoViewIfNeeded();
  await card.getByRole("button", { name: /Deny/ }).last().tap();
  await page.getByText("Denied by you", { exact: true }).waitFor();
});
