import type { Page } from "playwright-core";
import { barriers, expect, live, screenshots, size, test as base, until } from "../harness";

// Long enough for three pages to show the request while it is open; the server's clock ends it.
const test = base.extend({ options: [{ settings: { run_approval_timeout_sec: 12 } }, { scope: "file" }] });

/** A run of one step, which wants to run a command. */
const oneStep = [
  {
    when: { has_tool: "report_understanding" },
    times: 0,
    reply: [
      {
        tool: {
          name: "report_understanding",
          id: "c_know",
          input: { domain: "tests", category: "plans", confidence: 1, entities: [] },
        },
      },
    ],
  },
  {
    when: { has_tool: "propose_plan" },
    times: 0,
    reply: [
      {
        tool: {
          name: "propose_plan",
          id: "c_plan",
          input: {
            message: "One step.",
            todos: [{ id: "date", task: "Look at the date.", tool: "agent", priority: 1, estimated_duration_sec: 1 }],
          },
        },
      },
    ],
  },
  {
    when: { has_tool: "respond" },
    times: 0,
    reply: [
      {
        tool: { name: "respond", id: "c_answer", input: { text: "That is all.", summary: "Done.", next_actions: [] } },
      },
    ],
  },
  {
    when: { has_tool: "report_failure", tool_result: "execute_command" },
    times: 0,
    reply: [{ tool: { name: "attempt_completion", id: "s_done", input: { result: "Without the date." } } }],
  },
  {
    when: { has_tool: "report_failure" },
    times: 0,
    reply: [{ tool: { name: "execute_command", id: "c_run", input: { command: "date" } } }],
  },
];

const said = { en: "Expired, not denied", ko: "만료됨 (거부 아님)" };

/** The languages of the session's page and of the lists. A clock is waited for: CI does so once, for both. */
for (const [language, listed] of size<["en" | "ko", "en" | "ko"][]>(
  [["en", "ko"]],
  [
    ["en", "en"],
    ["ko", "ko"],
  ],
)) {
  test(`a request that nobody answered expired, and was not denied: ${language}, ${listed}`, async ({
    world,
    visit,
  }) => {
    await world.model.script(oneStep);
    const session = await world.session("Nobody");
    const prefs = (language: string) => ({ language, theme: language === "ko" ? "dark" : "light" });
    const chat = (await visit({ path: `/s/${session}`, prefs: prefs(language) })).page;
    const inbox = (await visit({ path: "/inbox", prefs: prefs(listed) })).page;
    const home = (await visit({ path: "/", prefs: prefs(listed) })).page;
    await live(chat);
    await world.say(session, "do it", { mode: "run" });
    const plan = await world.question(session);
    await world.rest.inbox.answer(plan, { action: "approve" });
    const request = await until(
      "the step asks",
      async () =>
        (await world.rest.inbox.list({ limit: 100 })).items.find(
          (i) => i.session_id === session && i.question.request_id !== plan,
        )?.question.request_id,
    );
    const card = (page: Page) => page.locator(`[data-question="${request}"]`);
    for (const page of [chat, inbox, home]) await card(page).locator("[role=timer]").waitFor();
    // What is just settled stays for a few seconds in lists, and longer where the focus is.
    await card(inbox).focus();

    const words = await Promise.all(
      [inbox, home].map((page) => card(page).locator("[data-settled=expired] .font-medium").innerText()),
    );
    expect(words).toEqual([said[listed], said[listed]]);
    expect(await card(inbox).getAttribute("data-state")).toBe("expired");
    expect(await card(inbox).getByRole("button").count()).toBe(0);
    await screenshots(inbox, `expired-inbox-${listed}`);
    const answer = await until(
      "the record",
      async () =>
        (await world.rest.sessions.messages(session, { limit: 200 })).messages.find((m) => m.request_id === request)
          ?.answer,
    );
    expect(answer.by_timeout).toBe(true);

    // In the transcript it stands under its call, in its step.
    await world.settled(session);
    const step = chat.locator("[data-group]", { hasText: "Look at the date." });
    if ((await step.getAttribute("aria-expanded")) === "false") await step.click();
    const call = chat.locator("[data-call=c_run]");
    await until("it says so", async () => (await call.getAttribute("data-status")) === "expired");
    expect(await call.locator("[data-settled=expired] .font-medium").innerText()).toBe(said[language]);
    expect((await call.innerText()).replace(said[language], "")).not.toMatch(/denied|거절|거부/i);
    expect(await call.locator(".text-fail").count()).toBe(0);
    await screenshots(chat, `expired-${language}`);
    for (const page of [chat, inbox]) expect(await barriers(page)).toEqual([]);
  });
}
