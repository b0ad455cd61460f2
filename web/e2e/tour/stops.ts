import type { Page } from "playwright-core";
import { live, type Visitor, type VisitorOptions, type World } from "../harness";
import { saidAt } from "../pages/files";
import { asked } from "./script";
import type { Home } from "./shop";
import { forecast } from "./notebook";
import { connect, staged } from "./stage";

/** What a stop has at hand. */
export interface Tour {
  world: World;
  home: Home;
  visit: (options?: VisitorOptions) => Promise<Visitor>;
}

/** One picture: the page it is of, as its route is written in App.tsx, and the way there. */
export interface Stop {
  route: string;
  at: (tour: Tour) => Promise<Page>;
}

export type Stops = Record<string, Stop>;

const tablet = { size: { width: 900, height: 1100 } };
const phone = { phone: true, scale: 2 };

/** The lines of a diff are there with their colours. */
const coloured = (page: Page) =>
  page.getByRole("region", { name: "Changes, line by line" }).locator(".text-s-key").first().waitFor();

/** A page that is there when its heading is. */
const plain = (route: string, ready: (page: Page) => Promise<unknown>, options: VisitorOptions = {}): Stop => ({
  route,
  at: async ({ world, home, visit }) => {
    await staged(world, home);
    const { page } = await visit({ path: route, ...options });
    await ready(page);
    return page;
  },
});

/** A part of the settings. */
const settings = (
  part: string,
  ready: (page: Page) => Promise<unknown>,
  before?: (tour: Tour) => Promise<unknown>,
): Stop => ({
  route: `/settings/${part}`,
  at: async (tour) => {
    await staged(tour.world, tour.home);
    await before?.(tour);
    const { page } = await tour.visit({ path: `/settings/${part}` });
    await ready(page);
    return page;
  },
});

/** The session that waits for an approval, at its end. */
const approval = (options: VisitorOptions = {}, then?: (page: Page, tour: Tour) => Promise<unknown>): Stop => ({
  route: "/s/:id",
  at: async (tour) => {
    const { orders } = await staged(tour.world, tour.home);
    const { page } = await tour.visit({ path: `/s/${orders}`, ...options });
    await live(page);
    await page.locator("[data-question]").first().waitFor();
    await then?.(page, tour);
    return page;
  },
});

const heading = (name: string | RegExp) => (page: Page) => page.getByRole("heading", { name }).first().waitFor();

/** On a server that nobody has used yet. */
export const firstRun: Stops = {
  "sign-in": {
    route: "/sign-in",
    at: async ({ visit }) => {
      const { page } = await visit({ stranger: true });
      await heading("Sign in")(page);
      return page;
    },
  },
  "first-run": {
    route: "/",
    at: async ({ world, visit }) => {
      await world.rest.settings.change({ model_profile: null, model_profiles: null });
      const { page } = await visit();
      await heading("Welcome to clew")(page);
      await page.getByRole("radio", { name: /^Ollama/ }).waitFor({ state: "attached" });
      await page.getByRole("button", { name: "storefront" }).waitFor();
      return page;
    },
  },
  "first-task": {
    route: "/",
    at: async ({ world, visit }) => {
      await connect(world);
      const { page } = await visit();
      await heading("Ready for your first task")(page);
      await page.getByRole("button", { name: "storefront" }).click();
      await page.getByText("Suggested for storefront").waitFor();
      return page;
    },
  },
};

/** On a server in daily use. */
export const work: Stops = {
  home: plain("/", (page) => page.locator("[data-question]").first().waitFor()),
  session: {
    route: "/s/:id",
    at: async ({ world, home, visit }) => {
      const { search } = await staged(world, home);
      const { page } = await visit({ path: `/s/${search}` });
      await live(page);
      await page.getByText("Added an index. Search is 11 times faster.").first().waitFor();
      return page;
    },
  },
  approval: approval({}, async (page, { world, home, visit }) => {
    const { orders, jonas } = await staged(world, home);
    await visit({ stranger: true, path: `/s/${orders}#token=${jonas}` });
    await page.locator("[data-viewers='2']").first().waitFor();
  }),
  "approval-dark": approval({ prefs: { theme: "dark" } }),
  "approval-ko": approval({ prefs: { language: "ko" } }),
  changes: approval(
    {
      before: `localStorage.setItem("clew.side", JSON.stringify({ part: "changes", open: true, width: 760 }))`,
      prefs: { slimRail: true },
    },
    async (page) => {
      await coloured(page);
      await page.getByRole("navigation", { name: "Changed files" }).getByText("4 files").waitFor();
    },
  ),
  "time-travel": {
    route: "/s/:id/time",
    at: async ({ world, home, visit }) => {
      const { orders } = await staged(world, home);
      const { page } = await visit({ path: `/s/${orders}/time?at=${await saidAt(world, orders, asked.orders)}` });
      await page.locator("[data-preview]").waitFor();
      await coloured(page);
      return page;
    },
  },
  find: approval({}, async (page) => {
    await page.keyboard.press("/");
    await page.getByRole("searchbox", { name: "Find in this session" }).fill("request key");
    await page
      .locator("[data-find-at]")
      .getByText(/^\d+ of \d+$/)
      .waitFor();
  }),
  search: plain("/search", async (page) => {
    await page.getByRole("searchbox").fill("request key");
    await page.getByText(/^\d+ matches in 2 sessions$/).waitFor();
  }),
  palette: approval({}, async (page) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("option").first().waitFor();
  }),
  inbox: plain("/inbox", (page) => page.locator("[data-question]").first().waitFor()),
  history: plain("/history", (page) => page.getByText("Clean up supplier data").last().waitFor()),
  usage: plain("/usage", async (page) => {
    await page.getByRole("slider", { name: "Cost by day" }).waitFor();
    await page.getByText(/left of \$320/).waitFor();
  }),
  windows: {
    route: "/s/:id",
    at: async ({ world, home, visit }) => {
      const { restock } = await staged(world, home);
      const { page } = await visit({ path: `/s/${restock}` });
      await live(page);
      await page.locator("[data-window=stock]").getByText("Ribbon, red").waitFor();
      await page.locator("[data-window=week]").getByText("14% above").waitFor();
      return page;
    },
  },
  desktop: {
    route: "/s/:id/desktop/:monitor?",
    at: async ({ world, home, visit }) => {
      const { restock } = await staged(world, home);
      const { page } = await visit({ path: `/s/${restock}/desktop` });
      await live(page);
      await page.locator("[data-window=stock]").getByText("Ribbon, red").waitFor();
      await page.locator("[data-window=order]").getByRole("button", { name: "Place order" }).waitFor();
      await page.locator("[data-window=week]").getByText("14% above").waitFor();
      return page;
    },
  },
  "settings-models": settings("models", async (page) => {
    const row = page.getByRole("group", { name: "anthropic" }).first();
    await row
      .getByRole("button", { name: /^Test: / })
      .first()
      .click();
    await row.getByText("Connected").waitFor();
  }),
  "settings-permissions": settings("permissions", heading("Permissions")),
  "settings-tools": settings("tools", heading("Tool servers")),
  "settings-notifications": settings("notifications", heading("Notifications")),
  "settings-appearance": settings("appearance", heading("Appearance")),
  "settings-devices": settings("devices", heading("Keys and devices"), async ({ world }) => {
    for (const d of (await world.rest.devices.list()).devices) await world.rest.devices.end(d.id); // those of the stops before
  }),
  "settings-people": settings("people", (page) => page.getByText("jonas-weber").first().waitFor()),
  "settings-storage": settings("storage", heading("Storage")),
  "settings-secrets": settings("secrets", (page) => page.getByText("deploy_token").first().waitFor()),
  "settings-all": settings("all", heading("All settings")),
  tablet: approval(tablet),
  "tablet-panel": approval(tablet, async (page) => {
    await page.getByRole("button", { name: "Show the panel" }).click();
    await page
      .getByRole("dialog", { name: "Plan, changes and terminal" })
      .getByRole("tab", { name: /^Plan/ })
      .waitFor();
  }),
  "phone-session": approval(phone),
  "phone-inbox": plain("/inbox", (page) => page.locator("[data-question]").first().waitFor(), phone),
  // It shows the mark of loading itself, so that is not waited for.
  design: {
    route: "/design",
    at: async ({ world, home, visit }) => {
      await staged(world, home);
      const { page } = await visit({ path: "/design" });
      await heading("Design")(page);
      return page;
    },
  },
  // The last one: its session stands in the list of those after it.
  notebook: {
    route: "/s/:id/notebook/:nb?",
    at: async ({ world, home, visit }) => {
      await staged(world, home);
      const { page } = await visit({ path: `/s/${await forecast(world)}/notebook` });
      await page.locator("[data-output=table]").waitFor();
      await page.locator("[data-output=image]").first().waitFor();
      return page;
    },
  },
};
