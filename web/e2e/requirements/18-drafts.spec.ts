import { expect, test, until } from "../harness";

// Drafts are kept on the server, and go only when the message is acknowledged.

test("a draft survives leaving, loading again and another device", async ({ world, visit }) => {
  await world.model.script([{ when: {}, times: 0, reply: [{ text: "Heard." }] }]);
  const session = await world.session("Draft");
  const { page } = await visit({ path: `/s/${session}` });
  const box = page.getByLabel("Message to the agent");
  await box.fill("half a thought");
  await until(
    "the server has it",
    async () => (await world.rest.sessions.draft.get(session))?.text === "half a thought",
  );
  await page.goto("/");
  await page.goto(`/s/${session}`);
  await until("it is back", async () => (await box.inputValue()) === "half a thought");

  const other = await visit({ path: `/s/${session}`, phone: true });
  const there = other.page.getByLabel("Message to the agent");
  await until("it is there, too", async () => (await there.inputValue()) === "half a thought");

  await there.press("Enter");
  await other.page.getByText("Heard.").waitFor();
  await until("it is gone", async () => (await world.rest.sessions.draft.get(session)) === null);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await until("it is gone here, too", async () => (await box.inputValue()) === "");
});

test("without a line a message is not sent, says so, and goes out once when it is back", async ({ world, visit }) => {
  await world.model.script([{ when: {}, times: 0, reply: [{ text: "Heard." }] }]);
  const session = await world.session("Tunnel");
  const { page } = await visit({ path: `/s/${session}` });
  const box = page.getByLabel("Message to the agent");
  await page.locator("[data-connection=active]").waitFor();
  world.line.cut();
  await page.locator("[data-connection=reconnecting], [data-connection=failed]").first().waitFor();
  await box.fill("into the tunnel");
  await box.press("Enter");
  await page.locator("[data-pending=unsent]", { hasText: "into the tunnel" }).waitFor();
  world.line.mend();
  await page.getByText("Heard.").waitFor();
  expect(await page.locator("[data-pending]").count()).toBe(0);
  const said = (await world.rest.sessions.messages(session)).messages.filter((m) => m.say === "user_feedback");
  expect(said.map((m) => m.text)).toEqual(["into the tunnel"]);
});

test("a page that is loaded again in the tunnel sends it all the same, once", async ({ world, visit }) => {
  await world.model.script([{ when: {}, times: 0, reply: [{ text: "Heard." }] }]);
  const session = await world.session("Tunnel and reload");
  const { page } = await visit({ path: `/s/${session}` });
  const box = page.getByLabel("Message to the agent");
  await page.locator("[data-connection=active]").waitFor();
  world.line.cut();
  await page.locator("[data-connection=reconnecting], [data-connection=failed]").first().waitFor();
  await box.fill("remember me");
  await box.press("Enter");
  await page.locator("[data-pending=unsent]").waitFor();
  world.line.mend();
  await page.goto(`/s/${session}`);
  await page.getByText("Heard.").waitFor();
  const said = (await world.rest.sessions.messages(session)).messages.filter((m) => m.say === "user_feedback");
  expect(said.map((m) => m.text)).toEqual(["remember me"]);
});
