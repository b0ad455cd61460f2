import { expect, live, screenshots, test, until } from "../harness";
import { openTime, saidAt, sayAll, writesFiles } from "../pages/files";

/** The agent keeps four steps, and has a subtask do a part, which runs a command. */
const delegates = [
  { when: { tool_result: "new_task" }, times: 0, reply: [{ text: "All done." }] },
  {
    when: { last_user: { regexp: "a part of it" }, turn: 1 },
    times: 0,
    reply: [{ tool: { name: "read_file", id: "c_read", input: { path: "a.txt" } } }],
  },
  {
    when: { tool_result: "read_file" },
    times: 0,
    reply: [{ tool: { name: "attempt_completion", id: "c_end", input: { result: "The part is done." } } }],
  },
  {
    when: { tool_result: "update_todos" },
    times: 0,
    reply: [{ tool: { name: "new_task", id: "c_sub", input: { message: "a part of it", mode: "code" } } }],
  },
  {
    when: { last_user: "delegate" },
    times: 0,
    reply: [
      {
        tool: {
          name: "update_todos",
          id: "c_todos",
          input: {
            todos: ["Look", "Left", "Right", "Join"].map((content, i) => ({
              id: `s${i}`,
              task: content,
              status: i === 0 ? "in_progress" : "pending",
            })),
          },
        },
      },
    ],
  },
];

test("the steps of the agent stay in the plan when the session is rewound into a subtask", async ({ world, visit }) => {
  await world.model.script(delegates);
  const session = await world.session("Into a subtask", { "a.txt": "one\n" });
  await sayAll(world, session, "delegate");
  const { messages } = await world.rest.sessions.messages(session, { limit: 200 });
  const read = messages.find((m) => m.tool?.name === "read_file")!;
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  await page.getByText("Right", { exact: true }).first().waitFor();
  await world.rest.sessions.command(session, "rewind", { message_id: read.message_id, keep_target: true });
  await until("rewound", async () => (await world.rest.sessions.get(session)).can_undo);
  await page
    .getByText(/Rewound here/)
    .first()
    .waitFor();
  await page.reload();
  await live(page);
  for (const step of ["Look", "Left", "Right", "Join"]) await page.getByText(step, { exact: true }).first().waitFor();
  expect(await page.getByText("No plan yet").count()).toBe(0);
  await screenshots(page, "truth-subtask");
});

test("time travel shows a subtask's result once, and counts the todos that it does not name", async ({
  world,
  visit,
}) => {
  await world.model.script(delegates);
  const session = await world.session("Once", { "a.txt": "one\n" });
  await sayAll(world, session, "delegate");
  const { page } = await visit({ path: `/s/${session}/time` });
  const then = page.locator("section[aria-label='Snapshot']");
  await then.getByText("All done.").waitFor();
  expect(await then.getByText("The part is done.").count()).toBe(1);
  await openTime(page, session, await saidAt(world, session, "delegate"));
  await page.getByText("4 steps change: Look, Left, Right and 1 more").waitFor();
});

test("a notice covers no button of time travel", async ({ world, visit }) => {
  await world.model.script(writesFiles);
  const session = await world.session("Uncovered", { "a.txt": "one\n" });
  await sayAll(world, session, "first words", "second words");
  const { page } = await visit({ path: "/" });
  await openTime(page, session, await saidAt(world, session, "second words"));
  await page.getByRole("button", { name: "Conversation only", exact: true }).click();
  const notice = page.getByRole("status").filter({ hasText: "Rewound." });
  await notice.waitFor();
  const box = (await notice.boundingBox())!;
  await screenshots(page, "truth-notice", ["wide"]);
  for (const control of await page
    .locator("main")
    .getByRole("button")
    .or(page.locator("main").getByRole("slider"))
    .all()) {
    const at = await control.boundingBox();
    if (!at) continue;
    const apart =
      at.x >= box.x + box.width || at.x + at.width <= box.x || at.y >= box.y + box.height || at.y + at.height <= box.y;
    expect(apart, `${await control.innerText()} at ${at.x},${at.y}`).toBe(true);
  }
});
