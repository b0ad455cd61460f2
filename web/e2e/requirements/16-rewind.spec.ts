import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { barriers, expect, live, screenshots, test, until } from "../harness";
import { hashOf, messagesOf, openTime, saidAt, sayAll, writesFiles } from "../pages/files";

// Requirement 16: the conversation, files or both; what would go is told before;
// it can be undone; edits made outside are not overwritten unasked.

const button = {
  both: "Conversation and files",
  talk: "Conversation only",
  files: "Files only",
  undo: "Undo the last rewind",
  redo: "Redo",
};

test("both, undo, redo: equal by hash and by messages, as the preview said", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const session = await world.session("Rewind both", { "a.txt": "one\n", "dir/b.txt": "b\n" });
  const dir = world.workspace(session);
  await sayAll(world, session, "hello", "write a.txt: two");
  const early = { files: await hashOf(dir), messages: await messagesOf(world, session) };
  await sayAll(world, session, "write a.txt: three", "write new/c.txt: c");
  const late = { files: await hashOf(dir), messages: await messagesOf(world, session) };
  const target = await saidAt(world, session, "write a.txt: three");

  const { page } = await visit({ path: "/" });
  await openTime(page, session, target);
  const { messages } = await world.rest.sessions.messages(session, { limit: 200 });
  const gone = messages.filter((m) => m.message_id >= target && !m.say?.startsWith("api_req_")).length; // the model calls are not counted
  await page.getByText(`${gone} messages will be removed`).waitFor();
  await page.getByText("2 files will be restored").waitFor();
  await page.getByRole("button", { name: "new/c.txt", exact: true }).waitFor();
  await screenshots(page, "16-preview");
  expect(await barriers(page)).toEqual([]);

  await page.getByRole("button", { name: button.both }).click();
  await page.getByText("Rewound.").waitFor();
  expect(await hashOf(dir)).toBe(early.files);
  expect(await messagesOf(world, session)).toEqual(early.messages);

  await page.getByRole("button", { name: button.undo }).click();
  await page.getByText("Undone.").waitFor();
  expect(await hashOf(dir)).toBe(late.files);
  expect(await messagesOf(world, session)).toEqual(late.messages);

  await page.getByRole("button", { name: button.redo, exact: true }).first().click();
  await page.getByText("Redone.").waitFor();
  expect(await hashOf(dir)).toBe(early.files);
  expect(await messagesOf(world, session)).toEqual(early.messages);
});

test("the conversation alone leaves the files, the files alone leave the conversation", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const session = await world.session("Rewind one", { "a.txt": "one\n" });
  const dir = world.workspace(session);
  await sayAll(world, session, "hello");
  const early = { files: await hashOf(dir), messages: await messagesOf(world, session) };
  await sayAll(world, session, "write a.txt: two");
  const late = { files: await hashOf(dir), messages: await messagesOf(world, session) };
  const target = await saidAt(world, session, "write a.txt: two");

  const { page } = await visit({ path: "/" });
  await openTime(page, session, target);
  await page.getByRole("button", { name: button.files }).click();
  await page.getByText("Files restored").waitFor();
  expect(await hashOf(dir)).toBe(early.files);
  expect((await messagesOf(world, session)).slice(0, late.messages.length)).toEqual(late.messages);
  // A restore of files alone has its own way back, with the notice.
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await until("the files are back", async () => (await hashOf(dir)) === late.files);

  await openTime(page, session, target);
  await page.getByRole("button", { name: button.talk }).click();
  await page.getByText("Rewound.").waitFor();
  expect(await hashOf(dir)).toBe(late.files);
  expect(await messagesOf(world, session)).toEqual(early.messages);
});

test("what was edited by hand is named, kept without consent, and comes back with the undo", async ({
  world,
  visit,
}) => {
  await world.model.script(writesFiles);
  const session = await world.session("By hand", { "a.txt": "one\n", "mine.txt": "mine\n" });
  const dir = world.workspace(session);
  await sayAll(world, session, "hello");
  const early = await hashOf(dir);
  await sayAll(world, session, "write a.txt: two");
  const target = await saidAt(world, session, "write a.txt: two");
  const { page } = await visit({ path: "/" });

  // Edited while the preview is open: the click finds out.
  await openTime(page, session, target);
  await writeFile(join(dir, "mine.txt"), "edited by hand\n");
  const edited = await hashOf(dir);
  await page.getByRole("button", { name: button.both }).click();
  await page.getByText("Files changed in the meantime").waitFor();
  expect(await hashOf(dir)).toBe(edited);
  await page.getByText("1 file was changed since the last checkpoint").waitFor();
  expect(await page.getByRole("button", { name: button.both }).isDisabled()).toBe(true);
  expect(await page.getByRole("button", { name: button.files }).isDisabled()).toBe(true);
  await screenshots(page, "16-by-hand");
  expect(await barriers(page)).toEqual([]);

  await page.getByRole("switch", { name: "Overwrite them as well" }).click();
  await page.getByRole("button", { name: button.both }).click();
  await page.getByText("Rewound.").waitFor();
  expect(await hashOf(dir)).toBe(early);
  await page.getByRole("button", { name: button.undo }).click();
  await page.getByText("Undone.").waitFor();
  expect(await hashOf(dir)).toBe(edited);

  // An undo asks as well, when something was edited since.
  await page.getByRole("button", { name: button.redo, exact: true }).first().click();
  await page.getByText("Redone.").waitFor();
  await writeFile(join(dir, "mine.txt"), "once more\n");
  const again = await hashOf(dir);
  await page.getByRole("button", { name: button.undo }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("They would be overwritten").waitFor();
  expect(await hashOf(dir)).toBe(again);
  await dialog.getByRole("button", { name: "Overwrite and continue" }).click();
  await until("undone", async () => (await hashOf(dir)) === edited);
});

test("agents at work are stopped first, and steps that cannot be undone are named", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const session = await world.session("At work", { "a.txt": "one\n" });
  await sayAll(world, session, "hello");
  const before = await messagesOf(world, session);
  await world.say(session, "run: curl http://127.0.0.1:9/");
  await world.rest.inbox.answer(await world.question(session), { action: "approve" });
  await world.settled(session);
  await world.say(session, "work for long");
  await saidAt(world, session, "work for long");
  await until("at work", async () => (await world.rest.sessions.get(session)).status === "executing");
  const { page } = await visit({ path: "/" });
  await openTime(page, session, await saidAt(world, session, "run: curl http://127.0.0.1:9/"));
  await page.getByText("Agents at work are stopped first.").waitFor();
  const steps = page.getByRole("region", { name: "Cannot be undone" });
  await steps.getByText("curl http://127.0.0.1:9/").waitFor();
  await screenshots(page, "16-irreversible");
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("button", { name: button.both }).click();
  await page.getByText("Rewound.").waitFor();
  expect(await messagesOf(world, session)).toEqual(before);
  await until("stopped", async () => (await world.rest.sessions.get(session)).status !== "executing");
});

test("a server killed in the middle: the page heals, says how it ended, and is not stuck", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const many = Array.from({ length: 600 }, (_, i) => `many/${i}.txt`);
  const session = await world.session(
    "Killed",
    Object.fromEntries(many.map((name) => [name, `${name}\n`.repeat(200)])),
  );
  const dir = world.workspace(session);
  await sayAll(world, session, "hello");
  const early = await hashOf(dir);
  await Promise.all(many.map((name) => writeFile(join(dir, name), `changed ${name}\n`.repeat(200))));
  await sayAll(world, session, "write a.txt: two");
  const late = await hashOf(dir);
  const { page } = await visit({ path: "/" });
  let begun = () => {};
  page.on("websocket", (w) =>
    w.on("framereceived", (f) => void (String(f.payload).includes('"returning":{') && begun())),
  );
  const hello = await saidAt(world, session, "hello");
  await openTime(page, session, hello);
  await page.evaluate(() => void ((window as unknown as { same: boolean }).same = true));

  const ends = page.getByText("Rewound.").or(page.getByText("Everything is as it was"));
  const trip = async (): Promise<boolean> => {
    const started = new Promise<void>((go) => (begun = go));
    await page.getByRole("button", { name: button.both }).click();
    await started;
    await world.kill9();
    const inTheMiddle = (await ends.count()) === 0; // nobody had told the end yet
    await world.restart();
    await live(page);
    return inTheMiddle;
  };
  for (let tries = 0; !(await trip()); tries++) {
    expect(tries, "the server was always faster").toBeLessThan(5);
    await page.getByRole("button", { name: button.undo }).click();
    await page.getByText("Undone.").waitFor();
    await page.goto(`/s/${session}/time?at=${hello}`);
    await page.locator(`[data-preview="${hello}"]`).waitFor();
  }
  await ends.first().waitFor();
  await screenshots(page, "16-killed");
  const done = (await page.getByText("Rewound.").count()) > 0;
  expect(await hashOf(dir)).toBe(done ? early : late); // all or nothing, and as it was said
  await until("free again", async () => (await page.locator("main [aria-busy=true]").count()) === 0);
  if (!done) return;
  await page.getByRole("button", { name: button.undo }).click();
  await page.getByText("Undone.").waitFor();
  expect(await hashOf(dir)).toBe(late);
});
