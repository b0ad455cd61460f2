import { barriers, expect, screenshots, test, until } from "../harness";
import { contentOf, sayAll, writesFiles } from "./files";

// Covers: UIC-52, UIC-57
test("sessions are searched, filtered, paged, and show their tasks with what all of it cost", async ({
  world,
  visit,
}) => {
  await world.model.script([
    {
      when: { last_user: "a part of it" },
      times: 0,
      reply: [{ tool: { name: "attempt_completion", id: "c_done", input: { result: "The part is done." } } }],
    },
    { when: { tool_result: "new_task" }, times: 0, reply: [{ text: "All done." }] },
    {
      when: { last_user: "delegate" },
      times: 0,
      reply: [{ tool: { name: "new_task", id: "c_sub", input: { message: "a part of it", mode: "code" } } }],
    },
    ...writesFiles,
  ]);
  const tree = await world.session("With a subtask");
  await world.say(tree, "delegate this");
  const asked = await Promise.race([world.question(tree).catch(() => null), world.settled(tree).then(() => null)]);
  if (asked) await world.rest.inbox.answer(asked, { action: "approve" });
  await until("both tasks", async () => (await world.rest.sessions.tasks(tree)).tasks.length >= 2);
  await world.settled(tree);
  await Promise.all(Array.from({ length: 55 }, (_, i) => world.session(`Filler ${String(i).padStart(2, "0")}`)));

  const { page } = await visit({ path: "/history" });
  const rows = page.locator("main ul").first().locator("> li");
  await until("a page", async () => (await rows.count()) === 50);
  await page.getByRole("button", { name: "Show more" }).click();
  await until("all", async () => (await rows.count()) >= 56);
  expect(await page.getByRole("button", { name: "Show more" }).count()).toBe(0);

  await page.getByRole("searchbox", { name: "Search titles and ids" }).fill("subtask");
  await until("found", async () => (await rows.count()) === 1);
  await page.getByRole("button", { name: "Tasks of With a subtask" }).click();
  await rows.locator("ul ul li").first().waitFor();
  const { tasks } = await world.rest.sessions.tasks(tree);
  const sum = tasks.reduce((n, t) => n + t.tokens_in + t.tokens_out, 0);
  expect(await rows.locator("ul > li span[title*=Tokens]").first().getAttribute("title")).toMatch(/in \d+, out \d+/);
  const shown = (await rows.locator("ul > li span[title*=Tokens]").first().getAttribute("title"))!
    .match(/\d+/g)!
    .map(Number)
    .reduce((a, b) => a + b);
  expect(shown).toBe(sum);
  await screenshots(page, "history-tree");
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("searchbox").fill("nothing has this name");
  await page.getByText("No matches").waitFor();
});

test("by state: what runs, what needs you", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const runs = await world.session("It runs");
  const asks = await world.session("It asks");
  await world.say(runs, "work for long");
  await world.say(asks, "run: date");
  await world.question(asks);
  for (const status of ["awaiting_input", "executing"] as const)
    await until("listed so", async () => (await world.rest.sessions.list({ status })).sessions.length > 0);
  const { page } = await visit({ path: "/history" });
  await page.getByRole("radio", { name: "Needs you" }).check({ force: true });
  await page.getByRole("main").getByText("It asks").waitFor();
  await until("only that", async () => (await page.getByRole("main").getByText("It runs").count()) === 0);
  await page.getByRole("radio", { name: "Running" }).check({ force: true });
  await page.getByRole("main").getByText("It runs").waitFor();
  await until("only that", async () => (await page.getByRole("main").getByText("It asks").count()) === 0);
  await world.model.release();
});

test("a session is put away, found under Archived, and brought back", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const quiet = await world.session("Put me away");
  const asks = await world.session("Asks and is put away");
  await world.say(asks, "run: date");
  const request = await world.question(asks);
  const v = await visit({ path: "/history" });
  v.allow(/status of 409/);
  const { page } = v;
  const row = (title: string) => page.getByRole("main").getByRole("link", { name: new RegExp(title) });
  const put = async (title: string) => {
    await page.getByRole("button", { name: `Actions for ${title}` }).click();
    await page.getByRole("menuitem", { name: "Archive…" }).click();
  };

  await put("Put me away");
  const dialog = page.getByRole("dialog", { name: "Archive “Put me away”?" });
  await dialog.getByText("Nothing is deleted").waitFor();
  expect(await barriers(page)).toEqual([]);
  await screenshots(page, "history-archive");
  await dialog.getByRole("button", { name: "Keep it here" }).click();
  await dialog.waitFor({ state: "detached" });
  expect((await world.rest.sessions.list({ archived: true })).sessions).toEqual([]);

  await put("Put me away");
  await dialog.getByRole("button", { name: "Archive", exact: true }).click();
  await page.getByText("“Put me away” is archived").waitFor();
  expect(await row("^Put me away").count()).toBe(0); // at once, though the server's lists follow later
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
  // While it asks, it stays.
  await put("Asks and is put away");
  await page.getByText("A question in it is still open").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Archive", exact: true }).click();
  await page.getByRole("alert").getByText("or waits for an answer").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Keep it here" }).click();
  await world.rest.inbox.answer(request, { action: "reject" });
  await until("it is at rest", async () =>
    (await world.rest.sessions.list({ status: "idle" })).sessions.some((s) => s.session_id === asks),
  );
  await put("Asks and is put away");
  await page.getByRole("dialog").getByRole("button", { name: "Archive", exact: true }).click();
  await row("Asks and is put away").waitFor({ state: "detached" });

  await page.getByRole("radio", { name: "Archived" }).check({ force: true });
  await row("^Put me away").waitFor();
  await row("Asks and is put away").waitFor();
  expect((await world.rest.sessions.list({ archived: true })).sessions.map((s) => s.session_id).toSorted()).toEqual(
    [asks, quiet].toSorted(),
  );
  await screenshots(page, "history-archived");
  await page.getByRole("button", { name: "Actions for Asks and is put away" }).click();
  await page.getByRole("menuitem", { name: "Bring back" }).click();
  await page.getByText("“Asks and is put away” is back").waitFor();
  expect(await row("Asks and is put away").count()).toBe(0);

  // It opens as before, and its page says what it is.
  await row("^Put me away").click();
  const head = page.locator("main header");
  await head.getByText("Archived", { exact: true }).waitFor();
  await page.getByRole("button", { name: "More about this session" }).click();
  await page.getByRole("menuitem", { name: "Bring back" }).click();
  await head.getByText("Archived", { exact: true }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "More about this session" }).click();
  await page.getByRole("menuitem", { name: "Archive…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Archive", exact: true }).click();
  await page.waitForURL((url) => url.pathname === "/");
  await page.getByRole("button", { name: "Bring back" }).last().click();
  await row("Put me away").waitFor();
  await until("none is away", async () => (await world.rest.sessions.list({ archived: true })).sessions.length === 0);
});

test("what is at work cannot be put away", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const session = await world.session("At work");
  await world.say(session, "work for long");
  await until("at work", async () =>
    (await world.rest.sessions.list({ status: "executing" })).sessions.some((s) => s.session_id === session),
  );
  const v = await visit({ path: "/history" });
  v.allow(/status of 409/);
  const { page } = v;
  await page.getByRole("button", { name: "Actions for At work" }).click();
  await page.getByRole("menuitem", { name: "Archive…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Archive", exact: true }).click();
  await page.getByRole("alert").getByText("An agent is at work in it").waitFor();
  expect((await world.rest.sessions.list({ q: session })).sessions.length).toBe(1);
  await world.model.release();
});

test("out to a file, and in again as a session of its own", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const session = await world.session("To take along");
  await sayAll(world, session, "remember these words");
  const v = await visit({ path: "/history" });
  v.allow(/status of 4\d\d/);
  const { page } = v;
  await page.getByRole("searchbox").fill("To take along");
  await page.getByRole("button", { name: "Actions for To take along" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "Export" }).click(),
  ]);
  const bundle = await contentOf(download);
  const choose = async (buffer: Buffer) => {
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Import…" }).click(),
    ]);
    await chooser.setFiles({ name: "some.bundle", mimeType: "application/octet-stream", buffer });
  };
  await choose(Buffer.from("no bundle at all"));
  await page.getByRole("alert").first().waitFor();
  await choose(bundle);
  await page.waitForURL((url) => /^\/s\/[^/]+$/.test(url.pathname) && !url.pathname.endsWith(session));
  await page.getByText("remember these words").first().waitFor();
  await page.goto("/history");
  await page
    .getByRole("button", { name: /^Actions for/ })
    .first()
    .click();
  await page.getByRole("menuitem", { name: "Time travel" }).click();
  await page.getByRole("slider", { name: "Point in time" }).waitFor();
});

test("lists follow by themselves, without losing the place or the focus", async ({ world, visit }) => {
  const first = await world.session("Follow: the first");
  for (const path of ["/history", "/settings/people"]) {
    const { page } = await visit();
    await page.clock.install();
    await page.goto(path);
    await page.getByPlaceholder("Search titles and ids").fill("Follow:");
    await page.clock.runFor(500);
    const row = page.getByRole("main").getByRole("link", { name: /Follow: the first/ });
    await row.waitFor();
    await row.focus();
    const late = `Follow: came later, ${path}`;
    await world.session(late);
    expect(await page.getByRole("main").getByText(late).count()).toBe(0);
    await page.clock.runFor(11_000);
    await page.getByRole("main").getByText(late).waitFor();
    expect(await row.evaluate((r) => document.activeElement === r)).toBe(true);
    // Nothing moves while a menu is open.
    await page.getByRole("button", { name: "Actions for Follow: the first" }).click();
    const later = `${late}, once more`;
    await world.session(later);
    await page.clock.runFor(11_000);
    expect(await page.getByRole("main").getByText(later).count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.clock.runFor(11_000);
    await page.getByRole("main").getByText(later).waitFor();
  }
  expect(first).toBeTruthy();
});
