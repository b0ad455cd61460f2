import type { Page } from "playwright-core";
import { barriers, expect, live, screenshots, test, until } from "../harness";
import { plansRuns } from "../requirements/scripts";

const rowsOf = (page: Page, kind: string) => page.locator(`[data-row=${kind}]`);

/** Levels of the page's own headings, those in an agent's text left out. */
const headings = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("h1,h2,h3,h4,h5,h6")]
      .filter((h) => !h.closest(".md") && (h as HTMLElement).offsetParent !== null)
      .map((h) => Number(h.tagName[1])),
  );

test("what a run tells the agents of its steps is nobody's word, and folded", async ({ world, visit }) => {
  await world.model.script(plansRuns);
  const session = await world.session("Told");
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  await world.say(session, "Do it all.", { mode: "run" });
  const review = await world.question(session);
  await world.rest.inbox.answer(review, { action: "approve" });
  await page.getByText("All of it is done.").first().waitFor();

  const look = async () => {
    await until("four steps", async () => (await page.locator("[data-group][aria-expanded=false]").count()) === 4);
    expect(await rowsOf(page, "user").count()).toBe(1);
    expect(await page.getByText("while it worked").count()).toBe(0);
    expect(await page.getByText("You carry out one step").count()).toBe(0);
    const step = page.locator("[data-group]").first();
    expect(await step.innerText()).toContain("Look around.");
    await step.click();
    await page.locator("[data-brief=step]").getByRole("button", { name: "Instructions" }).click();
    await page.getByText("You carry out one step").waitFor();
  };
  await look();
  await screenshots(page, "session-steps");
  await page.reload();
  await look();
  expect((await world.rest.sessions.timeline(session)).marks.filter((m) => m.kind === "user")).toHaveLength(1);

  // In its past, too.
  await page.goto(`/s/${session}/time`);
  const then = page.locator("section[aria-label='Snapshot']");
  await until("four steps then", async () => (await then.locator("[data-group][aria-expanded=false]").count()) === 4);
  expect(await then.getByText("You carry out one step").count()).toBe(0);
  await screenshots(page, "time-steps");
  expect(await barriers(page)).toEqual([]);
});

test("the steps that an agent keeps for itself are beside the transcript, live", async ({ world, visit }) => {
  const list = (...states: string[]) =>
    states.map((status, i) => ({
      id: `${i + 1}`,
      task: ["Read the rules", "Mend the price", "Run the tests"][i],
      status,
    }));
  await world.model.script([
    {
      when: { turn: 1 },
      times: 0,
      reply: [
        { tool: { name: "update_todos", id: "t1", input: { todos: list("in_progress", "pending", "pending") } } },
      ],
    },
    {
      when: { turn: 2 },
      times: 0,
      reply: [
        { text: "I read them." },
        { delay: "1h" },
        { tool: { name: "update_todos", id: "t2", input: { todos: list("completed", "in_progress", "pending") } } },
      ],
    },
    { times: 0, reply: [{ text: "So far." }] },
  ]);
  const session = await world.session("Its own steps");
  const { page } = await visit({ path: `/s/${session}` });
  await page.getByText("No plan yet").waitFor();
  await world.say(session, "Mend it.");
  const steps = page.getByRole("region", { name: "Steps" });
  await steps.getByText("Run the tests").waitFor();
  const states = () =>
    steps.getByRole("listitem").evaluateAll((all) => all.map((e) => (e as HTMLElement).dataset.status));
  expect(await states()).toEqual(["in_progress", "pending", "pending"]);
  await page.getByRole("tab", { name: "Plan 0/3" }).waitFor();
  await world.model.release();
  await until("the next one", async () => (await states()).join() === "completed,in_progress,pending");
  await page.getByRole("tab", { name: "Plan 1/3" }).waitFor();
  await world.settled(session);
  await page.reload();
  await steps.getByText("1 of 3 done").waitFor();
  expect(await barriers(page)).toEqual([]);
  await screenshots(page, "session-own-steps");
});

test("going back, forth again, and forks are lines on the thread, also after a reload", async ({ world, visit }) => {
  await world.model.script([{ times: 0, reply: [{ text: "Good." }] }]);
  const session = await world.session("There and back");
  for (const text of ["One", "Two", "Three"]) {
    await world.say(session, text);
    await world.settled(session);
  }
  const { page } = await visit({ path: `/s/${session}` });
  await page.getByText("Three").first().waitFor();
  await live(page);
  const two = (await world.rest.sessions.messages(session)).messages.find((m) => m.text === "Two")!.message_id;
  await world.rest.sessions.command(session, "rewind", { message_id: two });
  await page.getByText(/^Rewound here, \d+ messages removed$/).waitFor();
  expect(await page.getByText("Three").count()).toBe(0);
  await world.say(session, "Another two");
  await world.settled(session);
  const told = async () =>
    (await page.locator("[data-row=user], [data-row=return]").allInnerTexts()).map((t) => t.replace(/\s+/g, " "));
  const inOrder = async () =>
    expect(await told()).toEqual([
      expect.stringContaining("One"),
      expect.stringContaining("Rewound here"),
      expect.stringContaining("Another two"),
    ]);
  await page.getByText("Another two").waitFor();
  await inOrder();
  await page.reload();
  await rowsOf(page, "return").waitFor();
  await inOrder();
  expect(await barriers(page)).toEqual([]);
  await screenshots(page, "session-returned");

  await world.rest.sessions.command(session, "undo_rewind", {});
  await page.getByText(/^\d+ messages restored$/).waitFor();
  await page.getByText("Three").first().waitFor();

  const fork = (await world.rest.sessions.command(session, "fork_session", { title: "A fork" })).session_id!;
  await page.getByRole("link", { name: `Forked to ${fork}` }).click();
  const back = page.getByRole("link", { name: `Forked from ${session}` });
  await back.waitFor();
  await page.reload();
  await back.waitFor();
  expect((await told()).at(-1)).toContain("Forked from");
});

test("its own headings skip no level", async ({ world, visit }) => {
  await world.model.script(plansRuns);
  const session = await world.session("Headings");
  await world.say(session, "Do it all.", { mode: "run" });
  await world.question(session);
  const { page } = await visit({ path: `/s/${session}` });
  await page.locator("[data-question]").first().waitFor();
  await page.locator("[data-run]").waitFor();
  const levels = await headings(page);
  expect(levels[0]).toBe(1);
  expect(levels.length).toBeGreaterThan(2);
  levels.forEach((l, i) =>
    expect(l - (levels[i - 1] ?? 0), `heading ${i + 1} of ${levels.join()}`).toBeLessThanOrEqual(1),
  );
  expect(await barriers(page)).toEqual([]);
});

test("a call that the server's end cut short is not shown as running", async ({ world, visit }) => {
  await world.model.script([
    {
      when: { turn: 1 },
      times: 0,
      reply: [
        { text: "I run it." },
        { tool: { name: "execute_command", id: "c_long", input: { command: "echo begun; sleep 300" } } },
      ],
    },
    { times: 0, reply: [{ text: "I look what happened." }] },
  ]);
  const session = await world.session("In doubt");
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  await world.say(session, "run it");
  await world.rest.inbox.answer(await world.question(session), { action: "approve" });
  const call = page.locator("[data-call=c_long]");
  await until("it runs", async () => (await call.getAttribute("data-status")) === "running");
  await page.getByRole("tab", { name: "Terminal" }).click();
  await page.getByText("begun").first().waitFor();
  await world.restart();
  await live(page);
  await until("it is said", async () => (await call.getAttribute("data-status")) === "halted");
  await page.getByRole("button", { name: /^Resume/ }).click();
  await page.getByText("I look what happened.").waitFor();
  await page.getByText("May not have completed: the server stopped").waitFor();
  expect(await barriers(page)).toEqual([]);
});

test("a window that gets narrow keeps what is written, where one is and what is open", async ({ world, visit }) => {
  await world.model.script([
    { when: { turn: 1 }, times: 0, reply: [{ tool: { name: "read_file", id: "c_read", input: { path: "a.txt" } } }] },
    { times: 0, reply: [{ text: "Read." }] },
  ]);
  const session = await world.session("Narrower", { "a.txt": "what is in it\n" });
  await world.say(session, "read");
  await world.settled(session);
  const { page } = await visit({ path: `/s/${session}` });
  await page.locator("[data-call=c_read] > button").click();
  await page.getByText("what is in it").waitFor();
  const box = page.getByLabel("Message to the agent");
  await box.fill("half a sent");
  await page.setViewportSize({ width: 600, height: 900 });
  await page.getByRole("navigation", { name: "Parts of the session" }).waitFor();
  await page.keyboard.type("ence");
  expect(await box.inputValue()).toBe("half a sentence");
  expect(await page.getByText("what is in it").count()).toBe(1);
});
