import { barriers, expect, screenshots, test, until } from "../harness";
import { plansRuns, runsCommands } from "../requirements/scripts";

test("new work begins at home, and nothing that was written is lost", async ({ world, visit }) => {
  await world.model.script([{ when: { last_user: "hello there" }, times: 0, reply: [{ text: "Good day." }] }]);
  const { page } = await visit({ path: "/?new=1" });
  const box = page.getByRole("textbox", { name: "Describe a task…" });
  await until("the focus is there", () => box.evaluate((b) => document.activeElement === b));
  await box.fill("hello there");
  world.line.cut();
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  expect(await box.inputValue()).toBe("hello there");
  world.line.mend();
  await page.reload();
  expect(await box.inputValue()).toBe("hello there");
  const before = (await world.rest.sessions.list()).sessions.length;
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByText("Good day.").waitFor();
  expect(new URL(page.url()).pathname).toMatch(/^\/s\//);
  expect((await world.rest.sessions.list()).sessions.length).toBe(before + 1);
  await page.goto("/");
  expect(await page.getByRole("textbox", { name: "Describe a task…" }).inputValue()).toBe("");
});

const dot = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("images go with the first words", async ({ world, visit }) => {
  await world.model.script([{ when: { last_user: "look at it" }, times: 0, reply: [{ text: "I see a dot." }] }]);
  const { page } = await visit();
  await page.getByRole("textbox", { name: "Describe a task…" }).fill("look at it");
  await page.locator("input[type=file]").setInputFiles([
    { name: "a.png", mimeType: "image/png", buffer: dot },
    { name: "b.bin", mimeType: "application/octet-stream", buffer: Buffer.from([0, 255, 1]) },
  ]);
  await page.getByRole("img", { name: "Image 1" }).waitFor();
  await page
    .getByText(/^b\.bin can't be attached\. You can attach images/)
    .first()
    .waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("button", { name: "Enlarge image 1" }).waitFor();
  await page.getByText("I see a dot.").waitFor();
});

test("home shows what needs an answer, and takes it in place", async ({ world, visit }) => {
  await world.model.script([...plansRuns, ...runsCommands]);
  const session = await world.session("Needs a yes");
  await world.say(session, "do it", { mode: "run" });
  const request = await world.question(session);
  const { page } = await visit();
  const card = page.locator(`[data-question="${request}"]`);
  await card.getByText("Plan with 4 steps").waitFor();
  const runs = await world.session("Runs a command");
  await world.say(runs, "run: date");
  const command = page.locator(`[data-question="${await world.question(runs)}"]`);
  await command.getByText("date", { exact: true }).waitFor();
  const long = await world.session("Runs a long command");
  await world.say(long, `run: echo ${"a".repeat(90)}`);
  const unseen = page.locator(`[data-question="${await world.question(long)}"]`);
  await unseen.getByRole("link", { name: "Review" }).waitFor();
  expect(await unseen.getByRole("button").count()).toBe(0); // a line does not show all of it
  expect(await page.getByRole("heading", { name: "Running" }).count()).toBe(0); // each is in one place
  await screenshots(page, "home");
  expect(await barriers(page)).toEqual([]);
  await world.rest.inbox.answer(await world.question(long), { action: "reject" });
  await command.getByRole("button", { name: "Approve" }).click();
  await command.getByText("Approved by you").waitFor();
  await world.settled(runs);
  await card.getByRole("link", { name: "Review plan" }).click();
  await page.locator(`[data-question="${request}"]`).first().getByText("Look around.").waitFor();
  await page.getByRole("button", { name: "Approve plan" }).first().click();
  await until(
    "the run is done",
    async () => (await world.rest.sessions.get(session)).runs.at(-1)?.phase === "completed",
  );
});

test("the inbox by keyboard alone", async ({ world, visit }) => {
  await world.model.script(runsCommands);
  const sessions: string[] = [];
  for (const n of ["One", "Two", "Three"]) {
    sessions.push(await world.session(n, { "a.txt": "a\n" }));
    await world.say(sessions.at(-1)!, "run: cat a.txt");
    await world.question(sessions.at(-1)!);
  }
  const { page } = await visit({ path: "/inbox" });
  await until("all are there", async () => (await page.locator("[data-question]").count()) === 3);
  const here = () =>
    page.evaluate(() => document.activeElement?.closest<HTMLElement>("[data-question]")?.dataset.question);
  const ids = await page
    .locator("[data-question]")
    .evaluateAll((all) => all.map((c) => (c as HTMLElement).dataset.question));
  await page.keyboard.press("j");
  expect(await here()).toBe(ids[0]);
  await page.keyboard.press("j");
  expect(await here()).toBe(ids[1]);
  await page.keyboard.press("x");
  await page.keyboard.press("k");
  await page.keyboard.press("x");
  await page.getByText("2 chosen").waitFor();
  await page.keyboard.press("a");
  const open = async () => (await world.rest.inbox.list()).items.map((i) => i.question.request_id);
  await until("the first one is answered", async () => !(await open()).includes(ids[0]!));
  expect(await here()).toBe(ids[0]); // the focus stays where it was
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await until("its session", () => page.url().includes(`question=${ids[1]}`));
});

test("an empty inbox says what would be here", async ({ world, visit }) => {
  for (const i of (await world.rest.inbox.list()).items)
    await world.rest.inbox.answer(i.question.request_id, { action: "reject" });
  const { page } = await visit({ path: "/inbox" });
  await page.getByRole("heading", { name: "You're all caught up" }).waitFor();
  await screenshots(page, "inbox-empty");
  expect(await barriers(page)).toEqual([]);
});

for (const role of ["viewer", "approver"] as const) {
  test(`a ${role} is told what they may do, and is offered nothing that fails`, async ({ world, visit }) => {
    const { token } = await world.rest.keys.create({ user: `guest-${role}`, role });
    const { page } = await visit({ stranger: true, path: `/#token=${token}` });
    await page.getByRole("heading", { name: "Shared with you", exact: true }).waitFor();
    await page.getByText(`You are signed in as a${role === "viewer" ? "" : "n"} ${role}`).waitFor();
    expect(await page.getByRole("textbox", { name: "Describe a task…" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "New session" }).count()).toBe(0);
    await page.keyboard.press("n");
    expect(page.url()).not.toContain("new");
    await page.getByRole("heading", { name: "No session is shared with you yet" }).waitFor();
    await screenshots(page, `home-${role}`);
    expect(await barriers(page)).toEqual([]);
  });
}

test("recent sessions stand by what happened last, and are renamed in place", async ({ world, visit }) => {
  await world.model.script([{ times: 0, reply: [{ text: "Good day." }] }]);
  const older = await world.session("The older one");
  const newer = await world.session("The newer one");
  for (const s of [newer, older]) {
    await world.say(s, "hello");
    await world.settled(s);
  }
  const { page } = await visit();
  const names = () =>
    page
      .getByRole("region", { name: "Recent" })
      .locator("li a")
      .evaluateAll((all) => all.map((a) => a.getAttribute("href")!.slice(3)));
  await until("the one that was spoken to last stands first", async () => {
    const at = await names();
    return at.includes(older) && at.indexOf(older) < at.indexOf(newer);
  });
  const menu = page.getByRole("button", { name: "Actions for The older one" });
  await menu.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Rename…" }).waitFor();
  await page.keyboard.press("r");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Rename the session" });
  await dialog.getByLabel("Title").fill("Another name");
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await page.getByText("Another name").first().waitFor();
  expect((await world.rest.sessions.get(older)).title).toBe("Another name");
});
