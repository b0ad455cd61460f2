import type { Page } from "playwright-core";
import { expect, inTurn, live, test, tried, until, type World } from "../harness";
import { plansRuns } from "../requirements/scripts";
import { shot, smallTargets, tooWide } from "./measure";

const upright = { width: 390, height: 844 };
const lying = { width: 844, height: 390 };

const words = {
  en: { plan: "Plan", changes: "Changes", questions: "Questions", more: "More", find: /^Search/ },
  ko: { plan: "계획", changes: "변경", questions: "질문", more: "더 보기", find: /^검색/ },
};

const long = `## What I found\n\nThe file \`internal/very/long/path/that/does/not/end/before/the/edge/of/the/screen.go\` has a fault. See https://example.org/${"a".repeat(90)}.\n\n| a | b | c | d |\n|---|---|---|---|\n| ${"wide ".repeat(8)} | ${"cells ".repeat(8)} | x | y |\n\n\`\`\`go\nfunc main() { fmt.Println("${"x".repeat(120)}") }\n\`\`\`\n`;

const script = [
  { when: { last_user: "tell me" }, times: 0, reply: [{ text: long }] },
  { when: { tool_result: "execute_command" }, times: 0, reply: [{ text: "It is done." }] },
  {
    when: { last_user: { regexp: "run: (.*)" } },
    times: 0,
    reply: [{ tool: { name: "execute_command", id: "c_run", input: { command: "{{match 1}}" } } }],
  },
  ...plansRuns,
];

/** A session with much in it and an open question, and one with a plan to review. */
async function sessions(world: World): Promise<{ talk: string; plan: string }> {
  await world.model.script(script);
  const talk = await world.session("A session whose title is rather long for such a narrow screen", { "a.txt": "a\n" });
  await world.say(talk, "tell me");
  await until("the answer", async () =>
    (await world.rest.sessions.messages(talk)).messages.some((m) => m.text?.includes("What I found")),
  );
  await world.settled(talk);
  await world.say(talk, `run: grep -rn "${"needle".repeat(12)}" --include='*.go' . | head -20`);
  await world.question(talk);
  const plan = await world.session("Plan");
  await world.say(plan, "do it", { mode: "run" });
  await world.question(plan);
  return { talk, plan };
}

const pages = [
  "/",
  "/inbox",
  "/history",
  "/settings",
  "/settings/models",
  "/settings/permissions",
  "/settings/notifications",
  "/settings/devices",
  "/settings/all",
  "/settings/tools",
  "/settings/people",
  "/settings/storage",
  "/design",
];

async function opened(page: Page): Promise<void> {
  await page.getByRole("heading").first().waitFor();
  // What is still being fetched is not the page yet; the page of components shows this state too.
  if (!page.url().endsWith("/design")) await page.locator("main [role=status]").first().waitFor({ state: "detached" });
}

for (const language of ["en", "ko"] as const) {
  for (const theme of ["light", "dark"] as const) {
    if (!tried(language === "ko", theme === "dark")) continue;
    test(
      `every page fits a finger and the screen: ${language} ${theme}`,
      { timeout: 180_000 },
      async ({ world, visit }) => {
        const { talk, plan } = await sessions(world);
        const v = await visit({ phone: true, prefs: { language, theme } });
        const { page } = v;
        const t = words[language];
        const found: string[] = [];
        const look = async (name: string) => {
          for (const size of [upright, lying]) {
            await page.setViewportSize(size);
            await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
            const how = size === upright ? "upright" : "lying";
            // The page of components shows them in all sizes, also those of a mouse.
            if (name !== "design") for (const s of await smallTargets(page)) found.push(`${name} ${how}: small: ${s}`);
            for (const s of await tooWide(page)) found.push(`${name} ${how}: wide: ${s}`);
            await shot(page, `${name}-${language}-${theme}-${how}`);
          }
          await page.setViewportSize(upright);
        };
        const seen = (n: number): boolean => inTurn(n, theme === "dark" ? 1 : 0);
        for (const path of pages.filter((_, n) => seen(n))) {
          await page.goto(path);
          await opened(page);
          await look(path.slice(1).replace("/", "-") || "home");
        }
        for (const [n, [name, id]] of (
          [
            ["talk", talk],
            ["plan", plan],
          ] as const
        ).entries()) {
          if (!seen(n)) continue;
          await page.goto(`/s/${id}`);
          await live(page);
          await page.locator("[data-question]").getByRole("button").first().waitFor();
          await look(`session-${name}`);
          // What somebody approves is all there, and nothing of it beside the screen.
          expect(
            await page
              .locator("[data-question] pre")
              .evaluateAll((all) => all.filter((e) => e.scrollWidth > e.clientWidth).length),
          ).toBe(0);
          for (const part of ["plan", "changes", "questions"] as const) {
            await page.getByRole("navigation").getByRole("button", { name: t[part] }).tap();
            await opened(page);
            await look(`session-${name}-${part}`);
          }
        }
        if (seen(0)) {
          await page.goto("/");
          await page.getByRole("button", { name: t.find }).last().tap();
          await page.getByRole("option").first().waitFor();
          await look("palette");
        }
        if (seen(1)) {
          await page.goto(`/s/${talk}/time`);
          await opened(page);
          await look("time");
        }
        expect([...new Set(found)]).toEqual([]);
      },
    );
  }
}

test("the way in fits, too", async ({ visit }) => {
  const { page } = await visit({ phone: true, stranger: true });
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  for (const size of [upright, lying]) {
    await page.setViewportSize(size);
    expect([...(await smallTargets(page)), ...(await tooWide(page))]).toEqual([]);
    await shot(page, `sign-in-${size.width}`);
  }
});
