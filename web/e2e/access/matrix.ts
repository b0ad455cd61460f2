import { barriers, expect, inTurn, live, opposite, screenshots, test, type Visitor, type World } from "../harness";
import { staged } from "./stage";

const parts = [
  "permissions",
  "notifications",
  "appearance",
  "devices",
  "models",
  "tools",
  "people",
  "storage",
  "secrets",
  "all",
];

/** Every page, with something on it. */
export async function pagesOf(world: World): Promise<Record<string, string>> {
  const s = await staged(world);
  return {
    home: "/",
    inbox: "/inbox",
    history: "/history",
    search: "/search",
    found: "/search?q=price",
    "nothing-found": "/search?q=zebrafish",
    usage: "/usage",
    design: "/design",
    settings: "/settings",
    ...Object.fromEntries(parts.map((p) => [p, `/settings/${p}`])),
    story: `/s/${s.story}`,
    asking: `/s/${s.asking}`,
    planned: `/s/${s.planned}`,
    time: `/s/${s.story}/time`,
    desktop: `/s/${s.story}/desktop`,
    none: "/s/none",
    lost: "/settings/none",
  };
}

/** Goes to a page and waits until it is all there. */
export async function look(v: Visitor, path: string): Promise<void> {
  await v.page.goto(path);
  await v.page.getByRole("heading", { level: 1 }).first().waitFor();
  if (/^\/s\/[^/]+$/.test(path) && path !== "/s/none") await live(v.page);
  // What is still being fetched is not the page yet; the page of components shows this state too.
  if (path !== "/design") await v.page.locator("main [data-loading]").first().waitFor({ state: "detached" });
}

/** No barriers on any page, in one theme: both languages, wide and narrow. CI tries one of the four, on every other page; the other theme has the rest. */
export function matrix(theme: "light" | "dark"): void {
  for (const language of ["en", "ko"]) {
    for (const phone of [false, true]) {
      if (!opposite(theme === "dark", language === "ko", phone)) continue;
      for (const settings of [false, true])
        test(
          `no barriers: ${settings ? "settings" : "pages"} ${theme} ${language} ${phone ? "phone" : "desktop"}`,
          { timeout: 240_000 },
          async ({ world, visit }) => {
            const v = await visit({ phone, prefs: { theme, language } });
            v.allow(/(status of 404|WebSocket connection).*none/);
            const found: string[] = [];
            for (const [n, [name, path]] of Object.entries(await pagesOf(world)).entries()) {
              if (!inTurn(n, theme === "dark" ? 1 : 0)) continue;
              if (path.startsWith("/settings") !== settings) continue;
              await look(v, path);
              for (const b of await barriers(v.page)) found.push(`${name}: ${b}`);
              if (theme === "light") await screenshots(v.page, `page-${name}-${language}`, [phone ? "narrow" : "wide"]);
            }
            expect(found).toEqual([]);
          },
        );
    }
  }
}
