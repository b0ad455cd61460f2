import { expect, test, until } from "../harness";

// Queue or steer is chosen at send; what waits can be changed, moved and taken out.

const works = [
  {
    when: { last_user: "work", turn: 1 },
    times: 0,
    reply: [
      { text: "I begin." },
      { delay: "1h" },
      { tool: { name: "list_files", id: "c_list", input: { path: "." } } },
    ],
  },
  { when: { tool_result: "list_files" }, times: 0, reply: [{ text: "I looked." }] },
  { when: {}, times: 0, reply: [{ text: "Heard." }] },
];

test("messages wait in line, are edited, moved, removed and sent now", async ({ world, visit }) => {
  await world.model.script(works);
  const session = await world.session("Line");
  const { page } = await visit({ path: `/s/${session}` });
  const box = page.getByLabel("Message to the agent");
  await box.fill("work");
  await box.press("Enter");
  await page.getByText("I begin.").waitFor();

  for (const text of ["first", "second", "third"]) {
    await box.fill(text);
    await page.getByRole("button", { name: "Queue", exact: false }).click();
    await page.locator("[data-queued]", { hasText: text }).waitFor();
  }
  const waiting = () => page.locator("[data-queued]").allInnerTexts();
  expect((await waiting()).map((t) => t.trim())).toEqual(["first", "second", "third"]);
  expect(await page.locator("[data-row=user]").count()).toBe(1);

  const row = (text: string) => page.locator("[data-queued]", { hasText: text });
  await row("third").getByRole("button", { name: "Move up" }).click();
  await until("it is moved", async () => (await waiting()).join() === "first,third,second");
  await row("second").getByRole("button", { name: "Edit" }).click();
  await page.getByRole("dialog").getByLabel("Edit the waiting message").fill("second, better");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await row("second, better").waitFor();
  await row("third").getByRole("button", { name: "Remove" }).click();
  await until("it is gone", async () => (await waiting()).length === 2);
  await row("first").getByRole("button", { name: "Steer now" }).click();
  await until("it is said", async () => (await page.locator("[data-row=user]", { hasText: "first" }).count()) === 1);

  await world.model.release();
  await page.locator("[data-row=user]", { hasText: "second, better" }).waitFor();
  await world.settled(session);
  const said = (await world.rest.sessions.messages(session)).messages
    .filter((m) => m.say === "user_feedback")
    .map((m) => m.text);
  expect([...said].sort()).toEqual(["first", "second, better", "work"]);
});

test("steering lands in the turn under way and is marked there", async ({ world, visit }) => {
  await world.model.script(works);
  const session = await world.session("Steer");
  const { page } = await visit({ path: `/s/${session}` });
  const box = page.getByLabel("Message to the agent");
  await box.fill("work");
  await box.press("Enter");
  await page.getByText("I begin.").waitFor();
  await box.fill("rather this way");
  await box.press("Control+Enter");
  await page.locator("[data-row=user]", { hasText: "rather this way" }).getByText("while it worked").waitFor();
  expect(await page.locator("[data-queued]").count()).toBe(0);
  await world.model.release();
  await world.settled(session);
  await box.fill("thank you");
  await box.press("Enter");
  await page.getByText("Heard.").first().waitFor();
  const marked = async () =>
    (await page.locator("[data-row=user]", { hasText: "while it worked" }).allInnerTexts()).length;
  expect(await marked()).toBe(1); // and not what was said when it was at rest
  await page.reload();
  await page.locator("[data-row=user]", { hasText: "rather this way" }).getByText("while it worked").waitFor();
  expect(await marked()).toBe(1);
});

test("a stop ends one turn and says so; the next in line goes on and can be stopped, too", async ({ world, visit }) => {
  await world.model.script([
    { when: {}, times: 0, reply: [{ text: "I begin." }, { delay: "1h" }, { text: "I end." }] },
  ]);
  const session = await world.session("Two turns");
  const { page } = await visit({ path: `/s/${session}` });
  const box = page.getByLabel("Message to the agent");
  await box.fill("work");
  await box.press("Enter");
  await page.getByText("I begin.").waitFor();
  await box.fill("more work");
  await box.press("Enter");
  await page.locator("[data-queued]", { hasText: "more work" }).waitFor();

  const stopped = page.locator("[data-row=marker]", { hasText: "Stopped" });
  const stop = page.getByRole("button", { name: "Stop", exact: true });
  await stop.click();
  await page.locator("[data-row=user]", { hasText: "more work" }).waitFor();
  await expect.poll(() => stopped.count()).toBe(1);
  await until("the next turn", async () => (await page.getByText("I begin.").count()) === 2);
  await stop.click(); // not "Stopping…" for ever
  await expect.poll(() => stopped.count()).toBe(2);
  await world.settled(session);
});
