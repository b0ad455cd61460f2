import { text } from "node:stream/consumers";
import { Rest } from "../../../sdk/typescript/src/rest";
import { barriers, expect, screenshots, test, until } from "../harness";

const spends = {
  reply: [{ text: "Done." }, { usage: { input: 20_000, output: 500, cache_read: 60_000, cache_write: 0 } }],
};

test("what models cost, by day, model, session and person, and as a file", async ({ world, visit }) => {
  await world.rest.request("PATCH", "/settings", { settings: { budget_month_usd: 20 } });
  await world.model.script([spends, spends]);
  const { token } = await world.rest.keys.create({ user: "ada", role: "owner" });
  const ada = new Rest({ baseUrl: world.direct, token: async () => token, fetch });
  const { session_id: hers } = await ada.sessions.create({ title: "Ada's own" });
  await ada.sessions.command(hers, "user_message", { text: "hello" });
  const mine = await world.session("=Mine");
  await world.say(mine, "hello");
  type Usage = { rows: { owner: string }[] };
  await until(
    "both are counted",
    async () =>
      (await world.rest.request<Usage>("GET", "/usage/tokens", undefined, { query: { by: "person", owner: "*" } })).rows
        .length === 2,
  );

  const { page } = await visit({ path: "/usage" });
  await page.getByRole("heading", { name: "Usage", level: 1 }).waitFor();
  await page.getByRole("slider", { name: "Cost by day" }).waitFor();
  await page.getByText(/^\$19\.\d\d left of \$20\.00$/).waitFor();
  await page.getByRole("link", { name: "Ada's own" }).waitFor();
  await page.getByText("ada", { exact: true }).waitFor();
  expect(await page.getByRole("link", { name: "Usage" }).getAttribute("aria-current")).toBe("page");
  await screenshots(page, "usage");
  expect(await barriers(page)).toEqual([]);

  // The keyboard reads a day, and the table has the same numbers.
  await page.getByRole("slider").focus();
  await page.keyboard.press("End");
  expect(await page.getByRole("slider").getAttribute("aria-valuetext")).toMatch(/, \$/);
  await page.getByText("Show as table").click();
  expect(await page.getByRole("row").count()).toBe(2);

  await page.getByRole("radio", { name: "Person" }).check({ force: true });
  await page.getByRole("columnheader", { name: "ada" }).waitFor();
  await page.getByRole("radio", { name: "Mine" }).check({ force: true });
  await until("hers are gone", async () => (await page.getByRole("link", { name: "Ada's own" }).count()) === 0);
  await page.getByRole("radio", { name: "Year" }).check({ force: true });
  await page.getByRole("slider", { name: "Cost by week" }).waitFor();

  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export CSV" }).click(),
  ]);
  const lines = (await text(await file.createReadStream())).trimEnd().split("\r\n");
  expect(lines[0]).toBe(
    "day,owner,session_id,title,model,calls,tokens_in,tokens_out,cache_reads,cache_writes,cost_usd",
  );
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain("'=Mine");
});

test("who is no administrator sees their own, and what would be here", async ({ world, visit }) => {
  const { token } = await world.rest.keys.create({ user: "bob", role: "owner" });
  const { page } = await visit({ stranger: true, path: `/usage#token=${token}` });
  await page.getByText("No usage in this period").waitFor();
  expect(await page.getByRole("radio", { name: "Everyone" }).count()).toBe(0);
  expect(await page.getByRole("link", { name: "Change" }).count()).toBe(0);
  expect(await barriers(page)).toEqual([]);
});
