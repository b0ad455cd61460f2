import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { barriers, expect, live, screenshots, test, until } from "../harness";
import { messagesOf, openTime, saidAt, sayAll, writesFiles } from "./files";

const comesTo = (page: Page, message: string) => page.locator(`[data-here="${message}"]`).waitFor();

test("the past is scrubbed by keys, by pointer, step by step, and by its link", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const session = await world.session("Scrub", { "a.txt": "one\n" });
  await sayAll(world, session, "first words", "write a.txt: two", "last words");
  const { marks } = await world.rest.sessions.timeline(session);
  const { page } = await visit({ path: `/s/${session}/time` });
  await live(page);
  const slider = page.getByRole("slider", { name: "Point in time" });
  await comesTo(page, marks.at(-1)!.message_id);
  expect(await slider.getAttribute("aria-valuetext")).toContain(`${marks.length} of ${marks.length}`);

  await slider.focus();
  await page.keyboard.press("Home");
  await comesTo(page, marks[0]!.message_id);
  await page.getByText("Snapshot").first().waitFor();
  await until(
    "as it was",
    async () =>
      (await page.locator("section[aria-label='Snapshot'] li").count()) >= 1 &&
      !(await page.locator("section[aria-label='Snapshot']").getByText("last words").count()),
  );
  // Each kind of step, there and back.
  for (const [by, kinds] of [
    ["people", ["user", "answer"]],
    ["checkpoints", ["checkpoint"]],
    ["everything", null],
  ] as const) {
    await page.getByLabel("Step by").selectOption(by);
    await slider.focus();
    await page.keyboard.press("Home");
    const expected = marks.filter((m, i) => i > 0 && (!kinds || (kinds as readonly string[]).includes(m.kind)));
    for (const m of expected) {
      await page.keyboard.press("ArrowRight");
      await comesTo(page, m.message_id);
    }
  }
  // The address follows, and leads back here.
  const people = marks.filter((m) => m.kind === "user");
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+ArrowRight");
  await until("the link", () => page.url().endsWith(`at=${people[1]!.message_id}`));
  await page.reload();
  await comesTo(page, people[1]!.message_id);
  await page.getByText("write a.txt: two").first().waitFor();
  expect(await page.locator("section[aria-label='Snapshot']").getByText("last words").count()).toBe(0);

  // By pointer, quicker than a browser takes changes of the address.
  const box = (await slider.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  // The page makes the moves itself: each from here would wait for a frame to be drawn.
  await slider.evaluate(async (el) => {
    const { left, top, width } = el.getBoundingClientRect();
    const shown = new MessageChannel();
    for (let i = 0; i < 300; i++) {
      el.dispatchEvent(
        new PointerEvent("pointermove", {
          pointerId: 1,
          bubbles: true,
          clientX: left + ((i * 0.37) % 1) * width,
          clientY: top + 5,
        }),
      );
      await new Promise((done) => {
        // behind React's own message, so that each move is a render
        shown.port1.onmessage = done;
        shown.port2.postMessage(undefined);
      });
    }
  });
  await page.mouse.move(box.x + box.width - 1, box.y + box.height / 2);
  await page.mouse.up();
  await comesTo(page, marks.at(-1)!.message_id);
  // By the page's own keys, from anywhere.
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("[");
  await comesTo(page, marks.at(-2)!.message_id);
  await page.keyboard.press("]");
  await comesTo(page, marks.at(-1)!.message_id);
});

test("a checkpoint is a place as well: right behind the message before it", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const session = await world.session("Checkpoints", { "a.txt": "one\n" });
  await sayAll(world, session, "write a.txt: two", "write a.txt: three");
  const points = (await world.rest.sessions.timeline(session)).marks.filter((m) => m.kind === "checkpoint");
  const { page } = await visit({ path: `/s/${session}/time?at=${points[1]!.message_id}` });
  await page.locator("[data-preview]").waitFor(); // of the message before it
  expect(await page.getByRole("radio", { name: "Remove this message too" }).count()).toBe(0);
  await page.getByRole("button", { name: "Conversation and files" }).click();
  await page.getByText("Rewound.").waitFor();
  expect(await readFile(join(world.workspace(session), "a.txt"), "utf8")).toBe("two");
});

test("what one points at stays, unless it is said otherwise", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const session = await world.session("Kept", { "a.txt": "one\n" });
  await sayAll(world, session, "first words");
  await world.say(session, "run: cat a.txt");
  const request = await world.question(session);
  const question = (await world.rest.sessions.timeline(session)).marks.find((m) => m.kind === "question")!;
  const { page } = await visit({ path: `/s/${session}/time?at=${question.message_id}` });
  await page.locator("[data-preview][data-keeps=true]").waitFor();
  // It is the newest message: keeping it is no way back.
  await page.getByText("This is the current state.").waitFor();
  for (const name of ["Conversation and files", "Conversation only", "Files only"])
    expect(await page.getByRole("button", { name }).isDisabled(), name).toBe(true);
  expect(await barriers(page)).toEqual([]);
  await world.rest.inbox.answer(request, { action: "reject", comment: "not now" });
  await world.settled(session);
  await page.getByText("It stays; later messages are removed.").waitFor();
  await page.getByRole("button", { name: "Conversation only" }).click();
  await page.getByText("Rewound.").waitFor();
  expect(await messagesOf(world, session)).toContain(question.message_id);
  // The marks speak plainly: no ids, no programs' words.
  await page.goto(`/s/${session}/time`);
  await page.getByRole("switch", { name: "Show removed messages" }).click();
  const slider = page.getByRole("slider", { name: "Point in time" });
  await slider.focus();
  const { marks } = await world.rest.sessions.timeline(session, { hidden: true });
  await until("all marks", async () => (await slider.getAttribute("aria-valuemax")) === String(marks.length));
  await page.keyboard.press("Home");
  for (const m of marks) {
    expect(await page.locator("[data-here]").textContent()).not.toMatch(/msg_|sess_|reject|execute_command/);
    if (m.kind === "rewind") await page.locator("[data-here]").getByText("to after “").waitFor();
    await page.keyboard.press("ArrowRight");
  }
});

test("back to before an answer by a button: the question is open again, and is answered anew", async ({
  world,
  visit,
}) => {
  await world.model.script(writesFiles);
  const session = await world.session("Anew", { "a.txt": "one\n" });
  await world.say(session, "run: cat a.txt");
  const request = await world.question(session);
  await world.rest.inbox.answer(request, { action: "reject" });
  await world.settled(session);
  await sayAll(world, session, "last words");
  const late = await messagesOf(world, session);
  const answer = (await world.rest.sessions.timeline(session)).marks.find((m) => m.kind === "answer")!;
  expect(answer).toMatchObject({ target: true, what: "reject", request_id: request });

  const { page } = await visit({ path: `/s/${session}/time?at=${answer.message_id}` });
  await page.getByRole("heading", { name: "Rewind to before this answer" }).waitFor();
  await page.locator(`[data-preview="${answer.message_id}"][data-keeps=false]`).waitFor();
  await page.getByText("The request is open again: answer it again.").waitFor();
  await page.locator("[data-here]").getByText("No · May it run cat a.txt?").waitFor();
  expect(await page.locator("section[aria-label='Snapshot'] [aria-current=step]").textContent()).toMatch(
    /^Answered.*No$/,
  );
  await screenshots(page, "time-answer");
  expect(await barriers(page)).toEqual([]);

  // A fork from there asks as well; this session stays as it is.
  await page.getByRole("button", { name: "Fork from before this answer" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Fork", exact: true }).click();
  await page.waitForURL((url) => /\/s\/[^/]+$/.test(url.pathname) && !url.pathname.endsWith(session));
  const fork = new URL(page.url()).pathname.split("/").at(-1)!;
  expect(await world.question(fork)).not.toBe(request);
  expect(await messagesOf(world, session)).toEqual(late);

  await page.goto(`/s/${session}/time?at=${answer.message_id}`);
  await page.locator(`[data-preview="${answer.message_id}"]`).waitFor();
  await page.getByRole("button", { name: "Conversation only" }).click();
  await page.getByText("Rewound.").waitFor();
  expect(await world.question(session)).toBe(request);
  await page.locator("[data-here]").getByText("to before the answer after “").waitFor();
  await page.goto(`/s/${session}`);
  await page
    .locator(`[data-question="${request}"]`)
    .getByRole("button", { name: /^Approve/ })
    .click();
  await page.getByText("It ran.").waitFor();
});

test("an answer that nothing was said after is taken back as well", async ({ world, visit }) => {
  await world.model.script([
    { when: { tool_result: "execute_command" }, times: 0, reply: [{ delay: "1h" }, { text: "Too late." }] },
    ...writesFiles,
  ]);
  const session = await world.session("At once");
  await world.say(session, "run: ls");
  const request = await world.question(session);
  await world.rest.inbox.answer(request, { action: "reject" });
  const { page } = await visit({ path: `/s/${session}/time`, prefs: { language: "ko" } });
  await page.getByRole("heading", { name: "답하기 전으로 되돌리기" }).waitFor();
  await page.locator("[data-preview][data-keeps=false]").waitFor();
  await page.getByText("제거되는 메시지 없음").waitFor();
  await page.getByText("요청이 다시 열립니다. 다시 답하세요.").waitFor();
  await screenshots(page, "time-answer-ko");
  await page.getByRole("button", { name: "대화만" }).click();
  await page.getByText("되돌렸습니다.").waitFor();
  expect(await world.question(session)).toBe(request);
});

test("undo names the work that went on since, and redo brings it back", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const session = await world.session("Went on");
  await sayAll(world, session, "first words", "second words");
  const before = await messagesOf(world, session);
  await world.rest.sessions.command(session, "rewind", { message_id: await saidAt(world, session, "second words") });
  await until("back", async () => (await messagesOf(world, session)).length < before.length);
  await sayAll(world, session, "other words");
  const after = await messagesOf(world, session);
  const { page } = await visit({ path: `/s/${session}/time` });
  const undo = page.getByRole("button", { name: "Undo the last rewind" });
  await undo.click();
  const dialog = page.getByRole("dialog", { name: "Undo the last rewind?" });
  await dialog.getByText("other words").waitFor();
  await screenshots(page, "time-undo");
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Leave it" }).click();
  await dialog.waitFor({ state: "hidden" });
  expect(await messagesOf(world, session)).toEqual(after);
  await undo.click();
  await dialog.getByRole("button", { name: "Undo the rewind" }).click();
  await page.getByText("Undone.").waitFor();
  expect(await messagesOf(world, session)).toEqual(before);
  await page.getByRole("button", { name: "Redo", exact: true }).first().click();
  await page.getByText("Redone.").waitFor();
  expect(await messagesOf(world, session)).toEqual(after);
});

test("what was taken back can be looked at", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const session = await world.session("Hidden");
  await sayAll(world, session, "first words", "words to hide");
  const target = await saidAt(world, session, "words to hide");
  await world.rest.sessions.command(session, "rewind", { message_id: target });
  await until("gone", async () => !(await messagesOf(world, session)).includes(target));
  const { page } = await visit({ path: `/s/${session}/time` });
  await page.locator("[data-here]").waitFor();
  const count = (await page.locator("[data-here] ~ span").first().textContent())!;
  await page.getByRole("switch", { name: "Show removed messages" }).click();
  await until("more marks", async () => (await page.locator("[data-here] ~ span").first().textContent()) !== count);
  await page.goto(`/s/${session}/time?at=${target}`);
  await page.getByRole("switch", { name: "Show removed messages" }).click();
  await page.getByText("Removed by a rewind").waitFor();
  await page.locator("section[aria-label='Snapshot']").getByText("words to hide").waitFor();
  await screenshots(page, "time-hidden");
  expect(await barriers(page)).toEqual([]);
});

test("a fork leads to the new session, with the files of that time if it has a directory", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const session = await world.session("To fork", { "a.txt": "one\n" });
  await sayAll(world, session, "hello", "write a.txt: two");
  const before = await messagesOf(world, session);
  const { page } = await visit({ path: "/" });
  await openTime(page, session, await saidAt(world, session, "write a.txt: two"));
  await page.getByRole("button", { name: "Fork from here" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("both sessions work on the same files").waitFor();
  expect(await barriers(page)).toEqual([]);
  await screenshots(page, "time-fork");
  const dir = await mkdtemp(join(tmpdir(), "clew-web-fork-"));
  await dialog.getByLabel("Its own directory").fill(dir);
  await dialog.getByRole("button", { name: "Fork", exact: true }).click();
  await page.waitForURL((url) => /\/s\/[^/]+$/.test(url.pathname) && !url.pathname.endsWith(session));
  await live(page);
  expect(await readdir(dir)).toEqual(["a.txt"]);
  expect(await readFile(join(dir, "a.txt"), "utf8")).toBe("one\n");
  await rm(dir, { recursive: true });
  expect(await messagesOf(world, session)).toEqual(before);
});

test("who may only watch sees the past and no way to change it", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const session = await world.session("Watched", { "a.txt": "one\n" });
  await sayAll(world, session, "hello", "write a.txt: two");
  await world.rest.sessions.setAccess(session, "eve", "viewer");
  const { token } = await world.rest.keys.create({ user: "eve", role: "owner" });
  const { page } = await visit({ stranger: true, path: `/s/${session}/time#token=${token}` });
  await page.getByText("You have view-only access. Only the owner can rewind.").waitFor();
  await page.getByText("write a.txt: two").first().waitFor();
  for (const name of ["Conversation and files", "Conversation only", "Files only", "Fork from here", "Compare"]) {
    expect(await page.getByRole("button", { name }).count(), name).toBe(0);
  }
  await screenshots(page, "time-viewer");
  expect(await barriers(page)).toEqual([]);
  await page.goto(`/s/${session}`);
  await page.getByRole("tab", { name: "Changes" }).click();
  await page.getByText("Only the owner of the session sees its files.").waitFor();
});

test("any two checkpoints are compared", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const session = await world.session("Compare", { "a.txt": "one\n" });
  await sayAll(world, session, "write a.txt: two", "write a.txt: three");
  const { page } = await visit({ path: `/s/${session}/time` });
  await page.getByRole("button", { name: "Compare" }).click();
  const dialog = page.getByRole("dialog", { name: "Compare" });
  await dialog.getByText("three").first().waitFor();
  await screenshots(page, "time-compare");
  expect(await barriers(page)).toEqual([]);
  const to = dialog.getByLabel("To");
  await to.selectOption({ index: 1 });
  await until("another difference", async () => (await dialog.getByText("three").count()) === 0);
});
