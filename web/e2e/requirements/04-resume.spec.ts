import { expect, live, test } from "../harness";
import { runsCommands } from "./scripts";

// Pending questions are restored, resolved ones are inert.
test("a line cut in the middle of an approval, then a reload: one live card", async ({ world, visit }) => {
  await world.model.script(runsCommands);
  const session = await world.session("Resume");
  const v = await visit({ path: `/s/${session}` });
  await live(v.page);
  await world.say(session, "run: echo first");
  const request = await world.question(session);
  const card = v.page.locator(`[data-question="${request}"]`);
  await card.first().waitFor();
  world.line.cut();
  await expect.poll(() => v.page.locator("[data-connection=active]").count()).toBe(0);
  await card
    .getByRole("button", { name: /^Approve/ })
    .first()
    .click(); // it goes nowhere, and nobody is told that it did
  await card.getByText("Not sent").first().waitFor();
  world.line.mend();
  await live(v.page);
  expect(await card.count()).toBe(1);
  await v.page.reload();
  await live(v.page);
  await card.first().waitFor();
  expect(await card.count()).toBe(1);
  await card
    .getByRole("button", { name: /^Approve/ })
    .first()
    .click();
  await world.settled(session);
  await v.page.getByText("It is done.").first().waitFor();

  await v.page.reload(); // what is settled offers nothing any more
  await live(v.page);
  await v.page.getByText("It is done.").first().waitFor();
  expect(await v.page.getByRole("button", { name: /^Approve/ }).count()).toBe(0);
});

test("the server killed while a question is open: it is open again, once", async ({ world, visit }) => {
  await world.model.script(runsCommands);
  const session = await world.session("Killed");
  const v = await visit({ path: `/s/${session}` });
  await live(v.page);
  await world.say(session, "run: echo second");
  const request = await world.question(session);
  const card = v.page.locator(`[data-question="${request}"]`);
  await card.first().waitFor();
  await world.restart();
  await live(v.page);
  await card.first().waitFor();
  expect(await card.count()).toBe(1);
  await card
    .getByRole("button", { name: /^Approve/ })
    .first()
    .click();
  await v.page.getByText("It is done.").first().waitFor();
});
