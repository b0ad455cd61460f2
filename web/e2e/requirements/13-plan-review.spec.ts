import { barriers, expect, screenshots, test, until } from "../harness";
import { plansRuns } from "./scripts";

test("a plan is changed step by step, and a stale version says so", async ({ world, visit }) => {
  await world.model.script(plansRuns);
  const session = await world.session("Review");
  await world.say(session, "do it", { mode: "run" });
  const request = await world.question(session);
  const { page } = await visit({ path: `/inbox` });
  const card = page.locator(`[data-question="${request}"]`);
  await card.getByText("Look around.").waitFor();
  await screenshots(page, "13-review");
  expect(await barriers(page)).toEqual([]);

  await card.getByRole("button", { name: "Change step 3" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await card.getByRole("button", { name: "Change step 4" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await card.getByRole("textbox", { name: "step 4" }).fill("Put it together well.");
  await page.keyboard.press("Enter");
  await card.getByRole("button", { name: "Add a step" }).click();
  await card.getByLabel("New step").fill("Read it again.");
  await card.getByLabel("Begins after").selectOption({ value: "join" });
  await card.getByRole("button", { name: "Add", exact: true }).click();
  await expect.poll(() => card.getByRole("button", { name: "Approve plan" }).count()).toBe(0); // a yes would be for something else
  await card.getByRole("button", { name: "Send 3 changes" }).click();

  const next = await until("a new version", async () => {
    const q = (await world.rest.inbox.list()).items.find(
      (i) => i.session_id === session && i.question.request_id !== request,
    )?.question;
    return q?.type === "hitl_plan_review" ? q : undefined;
  });
  expect(next.version).toBe(2);
  expect(next.plan.todos.map((t) => t.task).sort()).toEqual([
    "Do the left half.",
    "Look around.",
    "Put it together well.",
    "Read it again.",
  ]);
  await world.rest.inbox.answer(next.request_id, { action: "approve" });
});

test("approving a version that is no longer the plan's is a conflict", async ({ world, visit }) => {
  await world.model.script(plansRuns);
  const session = await world.session("Stale");
  const { page } = await visit({ path: `/s/${session}` });
  await world.say(session, "do it", { mode: "run" });
  const request = await world.question(session);
  const card = page.locator(`[data-question="${request}"]`).first();
  await card.getByText("Look around.").waitFor();
  await world.rest.sessions.command(session, "edit_plan", { modifications: [{ action: "remove", todo_id: "right" }] });
  await page.getByText("Version 2").first().waitFor();
  await expect
    .poll(() => page.locator(`[data-question="${request}"]`).getByRole("button", { name: "Approve plan" }).count())
    .toBe(0);
  const refused = await world.rest.inbox.answer(request, { action: "approve" }).then(
    () => null,
    (e: { code: string }) => e.code,
  );
  expect(refused).toBe("HITL_REQUEST_EXPIRED");
});

test("changes are sent by the first click, also while a comment is being written", async ({ world, visit }) => {
  await world.model.script(plansRuns);
  const session = await world.session("First click");
  await world.say(session, "do it", { mode: "run" });
  const request = await world.question(session);
  const { page } = await visit({ path: `/inbox` });
  const card = page.locator(`[data-question="${request}"]`);
  await card.getByText("Look around.").waitFor();
  await card.getByRole("button", { name: "Change step 2" }).click();
  await page.getByRole("menuitem", { name: "Comment" }).click();
  await page.keyboard.type("Only half of it.");
  const button = card.getByRole("button", { name: "Send 1 change" });
  await button.scrollIntoViewIfNeeded(); // other requests may stand above
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  let box = (await button.boundingBox())!;
  let still = 0;
  await until("the button stands still", async () => {
    const before = box;
    box = (await button.boundingBox())!;
    still = box.x === before.x && box.y === before.y ? still + 1 : 0;
    return still > 20;
  });
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2); // as a hand does: where it is, pressed and let go
  await page.mouse.down();
  await page.mouse.up();
  const answered = await until(
    "the answer",
    async () => !(await world.rest.inbox.list()).items.some((i) => i.question.request_id === request),
  );
  expect(answered).toBe(true);
});

test("a long plan is folded, so that what comes after it is in reach; words ask for changes", async ({
  world,
  visit,
}) => {
  const todos = Array.from({ length: 40 }, (_, i) => ({
    id: `t${i}`,
    task: `Part ${i + 1} of it.`,
    tool: "agent",
    priority: 5,
    depends_on: [],
    estimated_duration_sec: 5,
  }));
  await world.model.script([
    {
      when: { has_tool: "report_understanding" },
      times: 0,
      reply: [
        {
          tool: {
            name: "report_understanding",
            id: "k",
            input: { domain: "d", category: "c", confidence: 1, entities: [] },
          },
        },
      ],
    },
    {
      when: { has_tool: "propose_plan" },
      times: 0,
      reply: [{ tool: { name: "propose_plan", id: "p", input: { message: "Forty parts.", todos } } }],
    },
    { times: 0, reply: [{ text: "Done." }] },
  ]);
  const session = await world.session("Long");
  await world.say(session, "do it", { mode: "run" });
  const request = await world.question(session);
  const { page } = await visit({ path: `/s/${session}` });
  const card = page.locator(`[data-question="${request}"]`).first();
  await card.getByText("Part 12 of it.").waitFor();
  expect(await card.locator("[data-step]").count()).toBe(12);
  await card.getByRole("button", { name: "Show all 40 steps" }).click();
  await card.getByText("Part 40 of it.").waitFor();
  await card.getByRole("button", { name: "Add a step" }).waitFor();
  const box = page.getByLabel("Message to the agent");
  await box.fill("looks good");
  await page.locator("[data-effect=changes]").waitFor();
  await box.press("Enter");
  await page.locator("[data-hint=held]").waitFor();
  expect(await world.question(session)).toBe(request);
});
