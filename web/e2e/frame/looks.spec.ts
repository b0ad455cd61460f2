import { staged } from "../access/stage";
import { barriers, expect, inTurn, live, test } from "../harness";
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

for (const [i, { name, ...how }] of looks.entries()) {
  test(`the frame fits and has no barriers: ${name}`, async ({ world, visit }) => {
    const { asking, planned } = await staged(world);
    const { page } = await visit(how);
    const found: string[] = [];
    const look = async (what: string) => {
      for (const b of await barriers(page)) found.push(`${what}: ${b}`);
      if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
        found.push(`${what}: wider than the window`);
      await shot(page, `${what}-${name}`);
    };
    const pages = { home: "/", inbox: "/inbox", asking: `/s/${asking}`, planned: `/s/${planned}`, palette: "/" };
    for (const [n, [what, path]] of Object.entries(pages).entries()) {
      if (!inTurn(n + i, 0, 3)) continue; // in CI each page is seen in two or three of the looks
      if (path !== new URL(page.url()).pathname) await page.goto(path);
      if (path.startsWith("/s/")) await live(page);
      await page.locator("[data-question]").first().waitFor();
      if (what === "palette") {
        await page.keyboard.press("Control+k");
        await page.getByRole("option").first().waitFor();
      }
      await look(what);
    }
    expect(found).toEqual([]);
  });
}
