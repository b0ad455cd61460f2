import { test, until } from "../harness";
import { plansRuns } from "./scripts";

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
