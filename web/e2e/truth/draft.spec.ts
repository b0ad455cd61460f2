import { expect, test, until } from "../harness";

test("a message that is sent after the server was dead leaves no draft behind", async ({ world, visit }) => {
  await world.model.script([{ when: {}, times: 0, reply: [{ text: "Heard." }] }]);
  const session = await world.session("Ghost");
  const { page } = await visit({ path: `/s/${session}` });
  const box = page.getByLabel("Message to the agent");
  await page.locator("[data-connection=active]").waitFor();
  await box.fill("into the dark");
  await until(
    "the server has the draft",
    async () => (await world.rest.sessions.draft.get(session))?.text === "into the dark",
  );
  // The page itself is still served, as by its service worker.
  await world.kill9();
  await page.locator("[data-connection=reconnecting], [data-connection=failed]").first().waitFor();
  await box.press("Enter");
  await page.locator("[data-pending=unsent]").waitFor();
  await world.restart();
  await page.reload();
  await page.getByText("Heard.").waitFor();
  await until("no draft on the server", async () => (await world.rest.sessions.draft.get(session)) === null);
  expect(await box.inputValue()).toBe("");
  await page.reload();
  await page.getByText("Heard.").waitFor();
  expect(await box.inputValue()).toBe("");
});
