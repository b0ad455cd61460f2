import { expect, inTurn, live, test, tried, until, type World } from "../harness";
import { hashOf, openTime, saidAt, sayAll, writesFiles } from "../pages/files";
import { plansRuns, runsCommands } from "../requirements/scripts";
import { shot } from "./measure";

const words = {
  en: {
    steer: "Steer now",
    send: "Send",
    approve: "Approve",
    plan: "Approve plan",
    questions: "Questions",
    more: "More about this session",
    time: "Time travel",
    both: "Conversation and files",
    gone: "Rewound",
  },
  ko: {
    steer: "바로 전달",
    send: "보내기",
    approve: "승인",
    plan: "계획 승인",
    questions: "질문",
    more: "이 세션 메뉴",
    time: "시간 여행",
    both: "대화와 파일",
    gone: "되돌렸습니다",
  },
};

const works = [
  {
    when: { last_user: "work", turn: 1 },
    times: 0,
    reply: [
      { text: "I begin." },
      { delay: "1h" },
      { tool: { name: "list_files", id: "c_list", input: { path: "." } } },
    ],
  },
  {
    when: { last_user: "ask me", turn: 1 },
    times: 0,
    reply: [
      { tool: { name: "ask_followup", id: "c_ask", input: { question: "Which colour?", options: ["Teal", "Amber"] } } },
    ],
  },
  { when: { tool_result: "ask_followup" }, times: 0, reply: [{ text: 'You said: {{tool_result "ask_followup"}}' }] },
];

const still = async (world: World, session: string): Promise<boolean> =>
  !["executing", "planning"].includes((await world.rest.sessions.get(session)).status);

for (const language of ["en", "ko"] as const) {
  for (const [how, size, theme] of [
    ["upright", { width: 390, height: 844 }, "light"],
    ["lying", { width: 844, height: 390 }, "dark"],
  ] as const) {
    if (!tried(language === "ko", how === "lying")) continue;
    const way = how === "lying" ? 1 : 0; // in CI each journey is made in one way
    const t = words[language];
    const phone = { phone: true, size, prefs: { language, theme } };
    const name = `${language} ${how}`;

    if (inTurn(0, way))
      test(`watch, steer and stop with a thumb: ${name}`, async ({ world, visit }) => {
        await world.model.script(works);
        const session = await world.session("Thumb");
        const { page } = await visit({ path: `/s/${session}`, ...phone });
        await live(page);
        await page.locator("[data-composer]").fill("work");
        await page.getByRole("button", { name: t.send }).tap();
        await page.getByText("I begin.").waitFor();
        await page.locator("[data-composer]").fill("rather this way");
        await shot(page, `working-${language}-${how}`);
        await page.getByRole("button", { name: t.steer }).tap();
        await page.locator("[data-row=user]", { hasText: "rather this way" }).waitFor();
        expect(await still(world, session)).toBe(false);
        await page.locator("[data-stop]").tap();
        await until("it stands still", () => still(world, session));
      });

    if (inTurn(1, way))
      test(`answer and approve with a thumb: ${name}`, async ({ world, visit }) => {
        await world.model.script([...works, ...runsCommands]);
        const asks = await world.session("Asks");
        await world.say(asks, "ask me");
        const { page } = await visit({ path: `/s/${asks}?question=${await world.question(asks)}`, ...phone });
        await page.locator("[data-question]").first().getByText("Amber").tap();
        await page.getByText("You said: Amber").waitFor();

        const runs = await world.session("Runs");
        await world.say(runs, "run: date");
        await world.question(runs);
        await page.goto(`/s/${runs}`);
        await page.getByRole("navigation").getByRole("button", { name: t.questions }).tap();
        await shot(page, `questions-${language}-${how}`);
        await page.locator("[data-question]").first().getByRole("button", { name: t.approve }).first().tap();
        await until(
          "it is on record",
          async () => !(await world.rest.inbox.list()).items.some((i) => i.session_id === runs),
        );
      });

    if (inTurn(2, way))
      test(`review a plan with a thumb: ${name}`, async ({ world, visit }) => {
        await world.model.script(plansRuns);
        const session = await world.session("Plan");
        await world.say(session, "do it", { mode: "run" });
        const request = await world.question(session);
        const { page } = await visit({ path: `/s/${session}?question=${request}`, ...phone });
        const card = page.locator(`[data-question="${request}"]`).first();
        await card.getByText("Put both together.").waitFor();
        await shot(page, `plan-${language}-${how}`);
        await card.getByRole("button", { name: t.plan }).tap();
        await page.getByText("All of it is done.").waitFor();
      });

    if (inTurn(3, way))
      test(`go back in time with a thumb: ${name}`, async ({ world, visit }) => {
        await world.model.script(writesFiles);
        const session = await world.session("Back", { "a.txt": "one\n" });
        await sayAll(world, session, "hello");
        const early = await hashOf(world.workspace(session));
        await sayAll(world, session, "write a.txt: two");
        const target = await saidAt(world, session, "write a.txt: two");
        const { page } = await visit({ path: `/s/${session}`, ...phone });
        await live(page);
        await page.getByRole("button", { name: t.more }).tap();
        await page.getByRole("menuitem", { name: t.time }).tap();
        await page.getByRole("button", { name: t.both }).waitFor();
        await openTime(page, session, target);
        await page.getByRole("button", { name: "a.txt" }).first().waitFor();
        await shot(page, `rewind-${language}-${how}`);
        await page.getByRole("button", { name: t.both }).tap();
        await page.getByText(t.gone).first().waitFor();
        expect(await hashOf(world.workspace(session))).toBe(early);
      });
  }
}
