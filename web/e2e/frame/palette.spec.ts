import type { Page } from "playwright-core";
import { staged } from "../access/stage";
import { barriers, expect, live, test, until } from "../harness";
import { shot } from "./measure";

const chosen = (page: Page) =>
  page
    .getByRole("combobox")
    .evaluate((b) => document.getElementById(b.getAttribute("aria-activedescendant") ?? "")?.textContent ?? "");
const group = (page: Page, name: string) => page.getByRole("listbox").getByRole("group", { name });

test("W28: this session first, its open request on top; Enter goes to it and approves nothing", async ({
  world,
  visit,
}) => {
  const { asking } = await staged(world);
  const { page } = await visit({ path: `/s/${asking}` });
  await live(page);
  const request = await world.question(asking);
  await page.keyboard.press("Control+k");
  await page.getByRole("listbox").waitFor();
  await until("the request is chosen", async () => (await chosen(page)).startsWith("Go to the open request"));
  expect(await chosen(page)).toContain("go test ./...");
  expect(await page.getByRole("listbox").getByRole("group").first().locator("p").textContent()).toBe("This session");
  for (const name of [/^Switch model/, /^Stop/, /^Time travel/, /^Fork/])
    await group(page, "This session").getByRole("option", { name }).waitFor();
  await group(page, "Recent sessions")
    .getByRole("option", { name: /A larger repair/ })
    .waitFor();
  await group(page, "Go to").getByRole("option", { name: /^Home/ }).waitFor();
  const bare = await page
    .getByRole("option")
    .evaluateAll((all) => all.filter((o) => !o.querySelector("svg")).map((o) => o.textContent));
  expect(bare).toEqual([]); // each has an icon or a mark
  await shot(page, "palette-1440");
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await until("the card has the focus", () =>
    page.evaluate((id) => document.querySelector(`[data-question="${id}"]`)?.contains(document.activeElement), request),
  );
  expect((await world.rest.inbox.list()).items.map((i) => i.question.request_id)).toContain(request);
});

test("W28: commands of the session, settings and places are found by letters", async ({ world, visit }) => {
  const { story } = await staged(world);
  const { page } = await visit({ path: `/s/${story}` });
  await live(page);
  await page.keyboard.press("Control+k");
  for (const [letters, name] of [
    ["arch", /^Archive/],
    ["exp", /^Export/],
    ["term", /^Terminal/],
    ["share", /^Share/],
  ] as const) {
    await page.getByRole("combobox").fill(letters);
    await group(page, "This session").getByRole("option", { name }).waitFor();
  }
  await page.getByRole("combobox").fill("rename");
  await until("rename", async () => (await chosen(page)).startsWith("Rename"));
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Rename session" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("switch model");
  await until("model", async () => (await chosen(page)).startsWith("Switch model"));
  await page.keyboard.press("Enter");
  const models = page.getByRole("menu", { name: "Model", exact: true });
  await models.waitFor();
  await page.keyboard.press("Escape");
  await models.waitFor({ state: "hidden" }); // an open menu takes the keys
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("notifications");
  await group(page, "Settings")
    .getByRole("option", { name: /^Notifications/ })
    .click();
  await until("the settings", () => page.url().endsWith("/settings/notifications"));
});

test("W28: the page of components is offered to those who ask for it only", async ({ visit }) => {
  const { page } = await visit();
  await page.getByRole("navigation", { name: "Main" }).first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("design");
  await page.getByRole("option", { name: "Search everything for “design”" }).waitFor();
  expect(await page.getByRole("option", { name: /^Design/ }).count()).toBe(0);
  await page.goto("/?design");
  await page.getByRole("navigation", { name: "Main" }).first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("design");
  await page.getByRole("option", { name: /^Design/ }).click();
  await until("the page", () => page.url().endsWith("/design"));
});
