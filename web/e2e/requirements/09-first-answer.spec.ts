import { expect, test, until } from "../harness";
import { runsCommands } from "./scripts";

test("the first answer wins, and the other device says who gave it", async ({ world, visit }) => {
  await world.model.script(runsCommands);
  const session = await world.session("Two devices", { "a.txt": "a\n" });
  const near = await visit({ path: `/s/${session}` });
  const far = await visit({ path: "/inbox", phone: true });
  await world.say(session, "run: cat a.txt");
  const request = await world.question(session);
  const here = near.page.locator(`[data-question="${request}"]`).first();
  const there = far.page.locator(`[data-question="${request}"]`);
  await here.waitFor();
  await there.getByRole("button", { name: /Approve/ }).click();
  await near.page.getByText("Approved by you").first().waitFor(); // how soon: budgets/delay.spec.ts
  await there.getByText("Approved by you").waitFor();
});

test("a click without a line is not sent, and nothing is decided", async ({ world, visit }) => {
  await world.model.script(runsCommands);
  const session = await world.session("Tunnel");
  const { page } = await visit({ path: "/inbox", phone: true });
  await world.say(session, "run: date");
  const request = await world.question(session);
  const card = page.locator(`[data-question="${request}"]`);
  await card.waitFor();
  world.line.cut();
  await card.getByRole("button", { name: /Approve/ }).click();
  await card.getByText(/Not sent/).waitFor();
  expect((await world.rest.inbox.list()).items.some((i) => i.question.request_id === request)).toBe(true);
  world.line.mend();
  await card.getByRole("button", { name: "Send again" }).click();
  await card.getByText("Approved by you").waitFor();
  await until(
    "decided once",
    async () => (await world.rest.sessions.messages(session)).messages.filter((m) => m.answer).length === 1,
  );
});
