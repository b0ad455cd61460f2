import { barriers, expect, screenshots, test as base, until } from "../harness";
import { runsCommands } from "./scripts";

// With the flags on, only the pattern is missing: then a rule for the session makes sense.
const test = base.extend({ options: [{ settings: { always_allow_execute: true } }, { scope: "file" }] });

test("the rule saved is the text shown, with one match and one near miss", async ({ world, visit }) => {
  await world.model.script(runsCommands);
  const session = await world.session("Rule", { "a.txt": "a\n", "b.txt": "b\n" });
  const { page } = await visit({ path: "/inbox" });
  const answers: { remember?: unknown }[] = [];
  page.on(
    "request",
    (r) => void (r.method() === "POST" && r.url().includes("/inbox/req_") && answers.push(r.postDataJSON())),
  );
  await world.say(session, "run: cat a.txt");
  const card = page.locator(`[data-question="${await world.question(session)}"]`);
  await card.getByLabel("In this session").check();
  const rule = card.getByLabel("Rule", { exact: true });
  await rule.waitFor();
  await card.getByText("Not covered").waitFor();
  await screenshots(page, "06-rule");
  expect(await barriers(page)).toEqual([]);

  const approve = card.getByRole("button", { name: /Approve in this session/ });
  await rule.fill("cat b.txt");
  await card.getByText(/does not cover/).waitFor();
  expect(await approve.isDisabled()).toBe(true);
  await rule.fill("cat a.txt *");
  await expect.poll(() => approve.isDisabled()).toBe(false);
  await approve.click();
  await card.getByText("Approved by you").waitFor();
  expect(answers.map((a) => a.remember)).toEqual([{ scope: "session", pattern: "cat a.txt *" }]);

  // What it covers is not asked about any more; its near miss is.
  await world.settled(session);
  await world.rest.sessions.command(session, "new_task", { text: "run: cat a.txt -n" });
  await until(
    "it ran unasked",
    async () =>
      (await world.rest.sessions.messages(session)).messages.filter((m) => m.tool?.status === "complete").length === 2,
  );
  await world.settled(session);
  await world.rest.sessions.command(session, "new_task", { text: "run: cat b.txt" });
  await world.question(session);
});

test("what was allowed for a task is listed, said on the call, and can be taken back", async ({ world, visit }) => {
  await world.model.script([
    { when: { tool_result: "execute_command" }, times: 0, reply: [{ text: "It is done." }] },
    {
      when: { last_user: { regexp: "run: (.*)" } },
      times: 0,
      reply: [{ tool: { name: "execute_command", id: "c_run", input: { command: "{{match 1}}" } } }],
    },
  ]);
  const session = await world.session("Remembered", { "a.txt": "a\n", "b.txt": "b\n" });
  const { page } = await visit({ path: `/s/${session}` });
  await world.say(session, "run: cat a.txt");
  const card = page.locator(`[data-question="${await world.question(session)}"]`);
  await card.getByLabel("For this task").check();
  await card.getByLabel("Rule", { exact: true }).fill("cat *");
  await card.getByRole("button", { name: /Approve for this task/ }).click();
  await page.getByText("It is done.").waitFor();
  await world.say(session, "run: cat b.txt");
  const call = page.locator("[data-call]").last();
  await call.locator("[data-allowed]").waitFor();
  expect(await call.getByText("cat b.txt").count()).toBeGreaterThan(0);
  expect(await call.locator("[data-allowed]").textContent()).toContain("cat *");
  await world.settled(session);

  await page.getByRole("button", { name: "More about this session" }).click();
  await page.getByRole("menuitem", { name: "Allowed without asking…" }).click();
  const dialog = page.getByRole("dialog", { name: "Allowed without asking" });
  await dialog.getByText("cat *").waitFor();
  await screenshots(page, "06-allowed");
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: /^Ask again/ }).click();
  await dialog.getByText("No saved approvals").waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await world.say(session, "run: cat b.txt");
  await world.question(session);
});

test("going back to before something was allowed says that it will be asked about again", async ({ world, visit }) => {
  await world.model.script(runsCommands);
  const session = await world.session("Back before", { "a.txt": "a\n" });
  await world.say(session, "run: cat a.txt");
  const request = await world.question(session);
  await world.rest.inbox.answer(request, { action: "approve", remember: { scope: "task", pattern: "cat *" } });
  await world.settled(session);
  const { marks } = await world.rest.sessions.timeline(session);
  const answer = marks.find((m) => m.kind === "answer")!;
  expect(answer.asked).toMatchObject({ kind: "command", subject: "cat a.txt" });
  const { page } = await visit({ path: `/s/${session}/time?at=${answer.message_id}`, prefs: { language: "ko" } });
  await page.locator("[data-here]").getByText("승인 · 명령을 실행할까요? cat a.txt").waitFor();
  const forgotten = page.locator("[data-forgotten='1']");
  await forgotten.getByText("cat *").waitFor();
  await screenshots(page, "06-forgotten");
  expect(await barriers(page)).toEqual([]);
  // Where it was allowed already, it stays so.
  await page.goto(`/s/${session}/time?at=${marks.at(-1)!.message_id}`);
  await page.locator("[data-preview]").waitFor();
  expect(await forgotten.count()).toBe(0);
});
