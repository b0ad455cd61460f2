import { barriers, expect, screenshots, test, until } from "../harness";
import { runsCommands } from "./scripts";

test("one click approves all that are alike, each on its own record", async ({ world, visit }) => {
  await world.model.script(runsCommands);
  const sessions: string[] = [];
  for (const i of [1, 2, 3]) sessions.push(await world.session(`Batch ${i}`, { "a.txt": "a\n" }));
  const other = await world.session("Another thing");
  const { page } = await visit({ path: "/inbox" });
  for (const [i, s] of sessions.entries()) await world.say(s, `run: cat a.txt ${"-n ".repeat(i)}`);
  await world.say(other, "run: date");
  for (const s of [...sessions, other]) await world.question(s);

  await page.getByRole("button", { name: "Approve 3 alike…" }).first().waitFor();
  await screenshots(page, "07-inbox");
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Approve 3 alike…" }).first().click();
  const dialog = page.getByRole("dialog");
  await expect.poll(() => dialog.locator("[data-batch]").count()).toBe(3);
  await screenshots(page, "07-dialog");
  expect(await barriers(page)).toEqual([]);
  // Somebody else is faster with one of them: that one fails alone, and is named.
  const first = (await world.rest.inbox.list()).items.find((i) => i.session_id === sessions[0])!;
  await world.rest.inbox.answer(first.question.request_id, { action: "reject" });
  await dialog.getByRole("button", { name: "Approve 3", exact: true }).click();
  await dialog.getByText("2 approved, 1 not").first().waitFor();

  for (const [i, s] of sessions.entries()) {
    await until("the answer", async () =>
      (await world.rest.sessions.messages(s)).messages.some(
        (m) => m.answer?.action === (i === 0 ? "reject" : "approve"),
      ),
    );
  }
  expect((await world.rest.inbox.list()).items.map((i) => i.session_id)).toEqual([other]);
});
