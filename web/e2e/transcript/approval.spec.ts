import { barriers, expect, live, screenshots, test as base, until } from "../harness";
import { runsCommands } from "../requirements/scripts";

const test = base.extend({ options: [{ settings: { always_allow_execute: true } }, { scope: "file" }] });

test("the card says what it covers, and its button follows the scope", async ({ world, visit }) => {
  await world.model.script(runsCommands);
  const session = await world.session("Migrate");
  await world.say(session, "run: seq 1 3");
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  const card = page.locator(`[data-question="${await world.question(session)}"]`).first();
  const main = (name: string) => card.getByRole("button", { name, exact: true });
  await card.getByRole("heading", { name: "Run this command?" }).waitFor();
  await main("Approve").waitFor();
  const scope = (name: string) => card.getByRole("radio", { name, exact: true });
  expect(await scope("Once").isChecked()).toBe(true);
  await scope("For this task").check();
  await main("Approve for this task").waitFor();
  await scope("In this session").check();
  await main("Approve in this session").waitFor();
  await page.keyboard.press("ArrowLeft"); // a radio group: the arrows choose
  await main("Approve for this task").waitFor();
  const line = async (text: string) => (await card.getByText(text, { exact: true }).boundingBox())!.y;
  expect(Math.abs((await line("Covers")) - (await line("Not covered")))).toBeLessThan(2);
  await screenshots(page, "approval");
  expect(await barriers(page)).toEqual([]);
  await main("Approve for this task").click();
  await page.getByText("Approved by you").waitFor();
  await page.getByText("It is done.").waitFor();
});

test("Deny denies at once", async ({ world, visit }) => {
  await world.model.script(runsCommands);
  const session = await world.session("No");
  await world.say(session, "run: rm -r build");
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  const card = page.locator(`[data-question="${await world.question(session)}"]`).first();
  await card.focus();
  await page.keyboard.press("d");
  const call = page.locator("[data-call]");
  await until("denied", async () => (await call.getAttribute("data-status")) === "denied");
  expect((await call.innerText()).split("Denied").length - 1).toBe(2); // the line, and by whom
  expect(await call.locator(".text-fail").count()).toBe(0);
});
