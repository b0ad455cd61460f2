import { barriers, expect, screenshots, test, until } from "../harness";
import { plansRuns } from "./scripts";

test("list and graph show one plan; every step can be visited by keyboard", async ({ world, visit }) => {
  await world.model.script(plansRuns);
  const session = await world.session("Two halves");
  await world.say(session, "do it, and it takes long", { mode: "run" });
  await world.rest.inbox.answer(await world.question(session), { action: "approve" });
  const { page } = await visit({ path: `/s/${session}` });
  await page.locator("[data-todo=look][data-status=completed]").waitFor();
  await page.locator("[data-todo=left][data-status=in_progress]").waitFor();
  await screenshots(page, "14-list");
  expect(await barriers(page)).toEqual([]);

  await page.locator("[data-todo=join]").getByRole("link", { name: "step 2" }).click();
  expect(await page.locator("[data-todo=left]").evaluate((e) => document.activeElement === e)).toBe(true);

  await page.getByText("Graph", { exact: true }).click();
  const node = (id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
  await node("join").waitFor();
  await screenshots(page, "14-graph");
  expect(await barriers(page)).toEqual([]);
  await node("look").focus();
  const seen = new Set<string>();
  const here = () =>
    page.evaluate(() => document.activeElement?.closest<HTMLElement>(".react-flow__node")?.dataset.id ?? "");
  for (const key of ["", "ArrowDown", "ArrowRight", "ArrowLeft", "ArrowDown"]) {
    if (key) await page.keyboard.press(key);
    seen.add(await here());
  }
  expect([...seen].sort()).toEqual(["join", "left", "look", "right"]);
  await world.model.release();
  await until(
    "the run is done",
    async () => (await world.rest.sessions.get(session)).runs.at(-1)?.phase === "completed",
  );
  await page.getByText("The run is done").waitFor();
  await page.getByRole("list", { name: "Reports" }).getByRole("link").first().waitFor();
  await screenshots(page, "14-done");
});
