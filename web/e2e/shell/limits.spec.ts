import { expect, live, test as base, until } from "../harness";

const test = base.extend({ options: [{ env: { CLEW_LIMITS_CONNECTS_PER_MINUTE: "6" } }, { scope: "file" }] });

test(
  "with too many tabs a page says that it waits, and comes in by itself",
  { timeout: 240_000 },
  async ({ world, visit }) => {
    const session = await world.session("Many tabs");
    await world.rest.sessions.setAccess(session, "tess", "viewer");
    const { token } = await world.rest.keys.create({ user: "tess", role: "owner" });
    const v = await visit({ stranger: true, path: `/s/${session}#token=${token}` });
    await live(v.page);
    const tabs = [v.page];
    // Each has two lines, one of them for the inbox.
    for (let i = 0; i < 3; i++) {
      const tab = await v.context.newPage();
      await tab.goto(`/s/${session}`);
      tabs.push(tab);
    }
    const last = tabs.at(-1)!;
    const badge = last.locator("[data-connection]").first();
    await badge.getByText("Waiting to connect").waitFor();
    expect(await badge.getAttribute("title")).toContain("connects by itself");
    expect(await last.getByRole("button", { name: "Try now" }).count()).toBe(0);
    await until("it is in", async () => (await badge.getAttribute("data-connection")) === "active", 150_000);
  },
);
