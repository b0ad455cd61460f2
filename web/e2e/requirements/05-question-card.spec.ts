import { barriers, expect, screenshots, test, until } from "../harness";
import { runsCommands } from "./scripts";

test("the card shows the exact effect, and its keys count only with the card focused", async ({ world, visit }) => {
  await world.model.script(runsCommands);
  const session = await world.session("Card", { "a.txt": "a\n" });
  const { page } = await visit({ path: `/s/${session}` });
  await world.say(session, "run: ls -la a.txt");
  const request = await world.question(session);
  const card = page.locator(`[data-question="${request}"]`).first();
  await card.getByText("ls -la a.txt").waitFor();
  await card.getByText(world.workspace(session), { exact: true }).waitFor();
  await screenshots(page, "05-session");

  await page.locator("body").press("a");
  expect((await world.rest.inbox.list()).items.some((i) => i.question.request_id === request)).toBe(true);
  expect((await barriers(page)).filter((b) => b.includes("question-"))).toEqual([]);

  await card.focus();
  await page.keyboard.press("e");
  await card.getByLabel("Do this instead").fill("ls a.txt");
  await page.keyboard.press("Escape");
  await page.keyboard.press("a");
  await until(
    "the answer is on record",
    async () => !(await world.rest.inbox.list()).items.some((i) => i.question.request_id === request),
  );
  await page.getByText("It is done.").waitFor();
});

test("a no with a reason reaches the agent and the record", async ({ world, visit }) => {
  await world.model.script(runsCommands);
  const session = await world.session("No");
  const { page } = await visit({ path: "/inbox" });
  await world.say(session, "run: rm a.txt");
  const request = await world.question(session);
  const card = page.locator(`[data-question="${request}"]`);
  await card.getByRole("button", { name: "Deny with instructions…" }).click();
  await card.getByLabel("Reason (optional)").fill("it is needed");
  await page.keyboard.press("Enter");
  await card.getByText("Denied by you").waitFor();
  await card.getByText("it is needed").waitFor();
  await expect.poll(() => card.getByRole("button", { name: /Approve/ }).count()).toBe(0);
});

test("a plain yes in the composer is not sent, for words deny; other words do", async ({ world, visit }) => {
  await world.model.script(runsCommands);
  const session = await world.session("Words");
  const { page } = await visit({ path: `/s/${session}` });
  await world.say(session, "run: date");
  const request = await world.question(session);
  const card = page.locator(`[data-question="${request}"]`).first();
  await card.getByRole("button", { name: /Approve/ }).waitFor();
  const box = page.getByLabel("Message to the agent");
  await box.fill("OK, go ahead!");
  await page.locator("[data-effect=denies]").waitFor();
  await box.press("Enter");
  await page.locator("[data-hint=held]").getByText("use the question's buttons").waitFor();
  expect(await box.inputValue()).toBe("OK, go ahead!");
  expect(await world.question(session)).toBe(request);

  await card.getByRole("button", { name: "Deny with instructions…" }).click();
  expect(await card.getByRole("radio").count()).toBe(0); // for how long a yes holds is no matter of a no
  await card.getByRole("button", { name: "Cancel" }).click();
  expect(await card.evaluate((e) => e === document.activeElement)).toBe(true);

  await box.fill("use date -u");
  await page.locator("[data-effect=denies]").waitFor();
  await box.press("Enter");
  await page.getByText("Denied by you").waitFor();
});

test("text that deceives the eye is shown by its number", async ({ world, visit }) => {
  await world.model.script(runsCommands);
  const session = await world.session("Bidi \u202etitle");
  const { page } = await visit({ path: "/inbox" });
  await world.say(session, "run: echo a\u202ecod.exe\u200b");
  const card = page.locator(`[data-question="${await world.question(session)}"]`);
  await card.getByText("U+202E").first().waitFor();
  await card.getByText("U+200B").waitFor();
  expect(await card.evaluate((e) => /[\u202e\u200b]/.test(e.textContent ?? ""))).toBe(false);
});

test("a number that the browser cannot hold is shown as the tool gets it", async ({ world, visit }) => {
  await world.model.script(`
- when: {last_user: read far, turn: 1}
  times: 0
  reply: [{tool: {name: read_file, id: c_far, input: {path: a.txt, offset: 9007199254740993}}}]
- when: {tool_result: read_file}
  times: 0
  reply: [{text: There is nothing there.}]
`);
  const session = await world.session("Large number", { "a.txt": "a\n" });
  await world.rest.sessions.command(session, "update_settings", { settings: { always_allow_read_only: false } });
  const { page } = await visit({ path: `/s/${session}` });
  await world.say(session, "read far");
  const card = page.locator(`[data-question="${await world.question(session)}"]`).first();
  await card.getByText('"offset": 9007199254740993').waitFor();
  expect(await card.getByText("9007199254740992").count()).toBe(0);
});

test("a question for words is answered with a suggestion or in writing", async ({ world, visit }) => {
  await world.model.script([
    {
      when: { last_user: "ask me", turn: 1 },
      times: 0,
      reply: [
        {
          tool: {
            name: "ask_followup",
            id: "c_ask",
            input: { question: "Which colour?", options: ["Teal", "Amber, as it was before"] },
          },
        },
      ],
    },
    { when: { tool_result: "ask_followup" }, times: 0, reply: [{ text: 'You said: {{tool_result "ask_followup"}}' }] },
  ]);
  const one = await world.session("By click");
  const two = await world.session("In writing");
  const { page } = await visit({ path: "/inbox", phone: true });
  for (const s of [one, two]) await world.say(s, "ask me");
  const card = async (s: string) => page.locator(`[data-question="${await world.question(s)}"]`);
  const [first, second] = [await card(one), await card(two)];
  await first.getByRole("button", { name: "Teal" }).waitFor();
  await screenshots(page, "05-words");
  expect(await barriers(page)).toEqual([]);
  await first.getByRole("button", { name: "Teal" }).click();
  await first.getByText("Answered by you").waitFor();
  await second.getByRole("textbox", { name: "Which colour?" }).fill("Blue");
  await page.keyboard.press("Enter");
  await second.getByText("Answered by you").waitFor();
  for (const [s, said] of [
    [one, "Teal"],
    [two, "Blue"],
  ] as const) {
    await until(said, async () =>
      (await world.rest.sessions.messages(s)).messages.some(
        (m) => m.text?.includes(`You said: `) && m.text.includes(said),
      ),
    );
  }
});
