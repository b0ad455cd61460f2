import { expect, test, until } from "../harness";
import { plansRuns } from "./scripts";

test("pause shows within 250 ms and is confirmed by the event", async ({ world, visit }) => {
  await world.model.script(plansRuns);
  const session = await world.session("Controls");
  await world.say(session, "do it, and it takes long", { mode: "run" });
  await world.rest.inbox.answer(await world.question(session), { action: "approve" });
  const { page } = await visit({ path: `/s/${session}` });
  await page.locator("[data-todo=left][data-status=in_progress]").waitFor();
  const plan = page.locator("[data-run]");

  world.freeze(); // a server that takes its time
  // The page itself notes how long it takes: the way to the test takes its own time.
  const took = page.evaluate(() => new Promise<number>((done) => {
    document.addEventListener("click", (e) => {
      const look = () => document.querySelector("[data-run]")?.textContent?.includes("Pausing…") && done(performance.now() - e.timeStamp);
      new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
    }, { capture: true, once: true });
  }));
  await plan.getByRole("button", { name: "Pause" }).click();
  await plan.getByRole("button", { name: "Pausing…" }).waitFor();
  expect(await took).toBeLessThanOrEqual(250);
  expect(await plan.getByText(/^Paused/).count()).toBe(0);
  world.thaw();
  await plan.getByText(/^Paused/).waitFor();
  await plan.getByText(/^finishing: \S/).waitFor(); // what is under way ends first
  await plan.getByRole("button", { name: "Resume" }).click();
  await plan.getByRole("button", { name: "Pause" }).waitFor();

  await page.locator("[data-todo=join]").hover();
  await plan.getByRole("button", { name: "Skip step 4" }).click();
  await page.locator("[data-todo=join][data-status=skipped]").waitFor();

  await plan.getByRole("button", { name: "Cancel run" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel run" }).click();
  await until("cancelled", async () => (await world.rest.sessions.get(session)).runs.at(-1)?.phase === "cancelled");
  await plan.getByText("The run was cancelled").waitFor();
  await world.model.release();
});

test("a failed step is tried again or left out", async ({ world, visit }) => {
  await world.model.script(plansRuns);
  const session = await world.session("Failure");
  await world.say(session, "do it, and the left half fails", { mode: "run" });
  await world.rest.inbox.answer(await world.question(session), { action: "approve" });
  const { page } = await visit({ path: `/s/${session}` });
  const left = page.locator("[data-todo=left]");
  await left.getByText("There is no left half").waitFor();
  await left.getByRole("button", { name: "Retry" }).click();
  await until("tried again", async () => (await left.textContent())?.includes("There is no left half"));
  await left.getByRole("button", { name: "Skip" }).last().click();
  await until("done", async () => (await world.rest.sessions.get(session)).runs.at(-1)?.phase === "completed");
});
