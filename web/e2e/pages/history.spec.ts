import { barriers, expect, screenshots, test, until } from "../harness";
import { contentOf, sayAll, writesFiles } from "./files";

// Covers: UIC-52, UIC-57
test("sessions are searched, filtered, paged, and show their tasks with what all of it cost", async ({ world, visit }) => {
  await world.model.script([
    { when: { last_user: "a part of it" }, times: 0, reply: [{ tool: { name: "attempt_completion", id: "c_done", input: { result: "The part is done." } } }] },
    { when: { tool_result: "new_task" }, times: 0, reply: [{ text: "All done." }] },
    { when: { last_user: "delegate" }, times: 0, reply: [{ tool: { name: "new_task", id: "c_sub", input: { message: "a part of it", mode: "code" } } }] },
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
  const shown = (await rows.locator("ul > li span[title*=Tokens]").first().getAttribute("title"))!.match(/\d+/g)!.map(Number).reduce((a, b) => a + b);
  expect(shown).toBe(sum);
  await screenshots(page, "history-tree");
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("searchbox").fill("nothing has this name");
  await page.getByText("Nothing fits").waitFor();
});

test("by state: what runs, what needs you", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const runs = await world.session("It runs");
  const asks = await world.session("It asks");
  await world.say(runs, "work for long");
  await world.say(asks, "run: date");
  await world.question(asks);
  for (const status of ["awaiting_input", "executing"] as const) await until("listed so", async () => (await world.rest.sessions.list({ status })).sessions.length > 0);
  const { page } = await visit({ path: "/history" });
  await page.getByRole("radio", { name: "Needs you" }).check({ force: true });
  await page.getByText("It asks").waitFor();
  await until("only that", async () => (await page.getByText("It runs").count()) === 0);
  await page.getByRole("radio", { name: "Running" }).check({ force: true });
  await page.getByText("It runs").waitFor();
  await until("only that", async () => (await page.getByText("It asks").count()) === 0);
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
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: "Export" }).click()]);
  const bundle = await contentOf(download);
  const choose = async (buffer: Buffer) => {
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Import…" }).click()]);
    await chooser.setFiles({ name: "some.bundle", mimeType: "application/octet-stream", buffer });
  };
  await choose(Buffer.from("no bundle at all"));
  await page.getByRole("alert").first().waitFor();
  await choose(bundle);
  await page.waitForURL((url) => /^\/s\/[^/]+$/.test(url.pathname) && !url.pathname.endsWith(session));
  await page.getByText("remember these words").first().waitFor();
  await page.goto("/history");
  await page.getByRole("button", { name: /^Actions for/ }).first().click();
  await page.getByRole("menuitem", { name: "Time travel" }).click();
  await page.getByRole("slider", { name: "Point in time" }).waitFor();
});
