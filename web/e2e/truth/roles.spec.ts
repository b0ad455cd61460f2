import { barriers, expect, live, screenshots, test } from "../harness";
import { plansRuns, runsCommands } from "../requirements/scripts";

test("who may only watch is not told that they are needed, and is offered nothing that fails", async ({
  world,
  visit,
}) => {
  await world.model.script(runsCommands);
  const session = await world.session("Watched");
  await world.say(session, "run: ls");
  await world.question(session);
  await world.rest.sessions.setAccess(session, "vera", "viewer");
  const { token } = await world.rest.keys.create({ user: "vera", role: "viewer" });
  const { page } = await visit({ stranger: true, path: `/#token=${token}` });
  const row = page.getByRole("main").getByRole("link", { name: /Watched/ });
  await row.getByText("Waiting for an answer").waitFor();
  const all = async () => (await page.locator("body").innerText()) + (await page.locator("body").textContent());
  expect(await all()).not.toMatch(/needs you|tool servers/i);
  await page.goto(`/s/${session}`);
  await live(page);
  await page.locator("header").getByText("Waiting for an answer").waitFor();
  await page.getByText("No plan yet").waitFor();
  expect(await all()).not.toMatch(/needs you|plan first|tool servers/i);
  await screenshots(page, "truth-viewer");
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.press("Control+k");
  await page
    .getByRole("dialog")
    .getByRole("combobox")
    .or(page.getByRole("dialog").getByRole("textbox"))
    .first()
    .fill("tool");
  expect(await page.getByRole("dialog").getByText("Tool servers").count()).toBe(0);
});

test("a run has one button to pause it, wherever one looks", async ({ world, visit }) => {
  await world.model.script(plansRuns);
  const session = await world.session("One pause");
  await world.say(session, "do it, it takes long", { mode: "run" });
  await world.rest.inbox.answer(await world.question(session), { action: "approve" });
  const { page } = await visit({ path: `/s/${session}` });
  const pause = page.getByRole("button", { name: "Pause", exact: true });
  await pause.first().waitFor();
  expect(await pause.count()).toBe(1);
  await page.getByRole("tab", { name: "Changes" }).click();
  await pause.first().waitFor();
  expect(await pause.count()).toBe(1);
  await page.getByRole("button", { name: "Hide the panel" }).click();
  expect(await pause.count()).toBe(1);
  await world.model.release();
  await world.settled(session);
  await page.reload();
  await page.getByRole("button", { name: "Show the panel" }).click();
  await page.getByRole("tab", { name: "Plan" }).click();
});

test("a finished run has its answer and figures after a reload as before", async ({ world, visit }) => {
  await world.model.script(plansRuns);
  const session = await world.session("Kept summary");
  await world.say(session, "do it", { mode: "run" });
  const { page } = await visit({ path: `/s/${session}` });
  await world.rest.inbox.answer(await world.question(session), { action: "approve" });
  const result = page.getByRole("region", { name: "Result" });
  await result.getByText("All of it is done.").waitFor();
  await result.getByText(/tokens/).waitFor();
  const before = await result.innerText();
  await page.reload();
  await result.getByText(/tokens/).waitFor();
  expect(await result.innerText()).toBe(before);
});
