import { staged } from "../access/stage";
import { barriers, expect, live, test } from "../harness";
import { shot } from "./measure";

const looks = [
  { name: "en-light-1440", size: { width: 1440, height: 900 }, prefs: { theme: "light", language: "en" } },
  { name: "ko-dark-1440", size: { width: 1440, height: 900 }, prefs: { theme: "dark", language: "ko" } },
  { name: "ko-light-900", size: { width: 900, height: 1100 }, prefs: { theme: "light", language: "ko" } },
  { name: "en-dark-700", size: { width: 700, height: 900 }, prefs: { theme: "dark", language: "en" } },
  { name: "en-light-390", phone: true, size: { width: 390, height: 844 }, prefs: { theme: "light", language: "en" } },
  { name: "ko-dark-390", phone: true, size: { width: 390, height: 844 }, prefs: { theme: "dark", language: "ko" } },
  { name: "en-light-2560", size: { width: 2560, height: 1440 }, prefs: { theme: "light", language: "en" } },
];

for (const { name, ...how } of looks) {
  test(`the frame fits and has no barriers: ${name}`, async ({ world, visit }) => {
    const { asking, planned } = await staged(world);
    const { page } = await visit(how);
    const found: string[] = [];
    const look = async (what: string) => {
      for (const b of await barriers(page)) found.push(`${what}: ${b}`);
      if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) found.push(`${what}: wider than the window`);
      await shot(page, `${what}-${name}`);
    };
    await page.locator("[data-question]").first().waitFor();
    await look("home");
    await page.goto("/inbox");
    await page.locator("[data-question]").first().waitFor();
    await look("inbox");
    for (const [what, id] of [["asking", asking], ["planned", planned]] as const) {
      await page.goto(`/s/${id}`);
      await live(page);
      await page.locator("[data-question]").first().waitFor();
      await look(what);
    }
    await page.keyboard.press("Control+k");
    await page.getByRole("option").first().waitFor();
    await look("palette");
    expect(found).toEqual([]);
  });
}
