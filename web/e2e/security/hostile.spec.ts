import { expect, literal, live, screenshots, test as base, until, type Visitor } from "../harness";
import { canary, hostile, lines } from "./corpus";

// Every place that shows what agents, tools and strangers wrote.
const test = base.extend({ options: [{ settings: { always_allow_execute: false } }, { scope: "file" }] });

const all = hostile.join("\n\n");
const scripted = literal(all);
const inFiles = hostile.join("\n").replaceAll("\0", ""); // with it a file is no text
const title = lines[1]! + lines[0]!;
const fileNames = [
  "<img src=x onerror=window.__ran=1>.txt",
  "[x](javascript:window.__ran=1).md",
  '"><svg onload=window.__ran=1>.go',
];

/** Nothing ran, nothing of the page was taken over, and no element came out of the text. */
async function unharmed(v: Visitor): Promise<void> {
  const found = await v.page.evaluate(() => {
    const bad: string[] = [];
    if ((window as unknown as { __ran?: number }).__ran) bad.push("a script ran");
    for (const e of document.querySelectorAll(
      "main script, main iframe, main object, main embed, main style, main link, main meta, main base, main template",
    ))
      bad.push(e.outerHTML.slice(0, 100));
    for (const e of document.querySelectorAll("body *")) {
      for (const a of e.attributes) {
        if (/^on/i.test(a.name)) bad.push(`${e.tagName} has ${a.name}`);
        if (
          /^(href|src|action|formaction|xlink:href)$/.test(a.name) &&
          !/^(\/|#|blob:|https?:|mailto:|data:image\/)/.test(a.value)
        )
          bad.push(`${e.tagName} ${a.name}=${a.value.slice(0, 80)}`);
      }
      if (
        e instanceof HTMLAnchorElement &&
        e.host &&
        e.host !== location.host &&
        !(e.target === "_blank" && /noopener/.test(e.rel))
      )
        bad.push(`a link without care: ${e.href}`);
      if (
        e instanceof HTMLImageElement &&
        e.src &&
        !/^(blob:|data:image)/.test(e.src) &&
        new URL(e.src).host !== location.host
      )
        bad.push(`a picture of elsewhere: ${e.src}`);
    }
    if (!document.getElementById("app")?.contains(document.querySelector("main"))) bad.push("the page was replaced");
    return bad;
  });
  expect(found).toEqual([]);
  expect(v.problems()).toEqual([]);
}

/** Opens what is folded, so that everything is shown once. */
async function unfold(v: Visitor): Promise<void> {
  await v.page
    .locator("[data-transcript] [aria-expanded=false]")
    .evaluateAll((list) => list.forEach((e) => (e as HTMLElement).click()));
}

/** Scrolls through all of a transcript. */
async function through(v: Visitor): Promise<void> {
  const box = v.page.locator("[data-transcript]");
  await box.evaluate((b) => void (b.scrollTop = 0));
  for (let last = -1; ;) {
    await unfold(v);
    await unharmed(v);
    const at = await box.evaluate(
      (b) =>
        new Promise<number>((go) => {
          b.scrollTop += b.clientHeight * 0.8;
          requestAnimationFrame(() => requestAnimationFrame(() => go(b.scrollTop)));
        }),
    );
    if (at === last) return;
    last = at;
  }
}

test("messages of people and agents, and the title", async ({ world, visit }) => {
  await world.model.script([
    { when: { last_user: "<script>" }, times: 0, reply: [{ thinking: scripted }, { text: scripted, pieces: 40 }] },
  ]);
  const session = await world.session(title);
  const v = await visit({ path: `/s/${session}`, before: canary });
  await live(v.page);
  await world.say(session, all); // before our eyes, piece by piece
  await world.settled(session);
  await until("the answer", async () => (await v.page.locator("[data-row=text]").count()) > 0);
  await through(v);
  await v.page.reload(); // and at once
  await live(v.page);
  await through(v);
  await screenshots(v.page, "hostile-messages");
  for (const path of ["/", "/inbox", "/history", "/settings/people"]) {
    await v.page.goto(path);
    await v.page.getByRole("heading").first().waitFor();
    await v.page.keyboard.press("Control+k"); // the palette has the titles, too
    await v.page.getByRole("option").first().waitFor();
    await unharmed(v);
    await v.page.keyboard.press("Escape");
  }
  await v.page.goto(`/s/${session}/time`);
  await v.page.getByRole("heading").first().waitFor();
  await unharmed(v);
});

test("tools: input, output, names of files, diffs, errors", async ({ world, visit }) => {
  await world.model.script([
    {
      when: { turn: 1 },
      times: 0,
      reply: [
        { tool: { name: "list_files", id: "c1", input: { path: "." } } },
        { tool: { name: "read_file", id: "c2", input: { path: fileNames[0] } } },
        { tool: { name: "read_file", id: "c3", input: { path: lines[0] } } },
      ],
    },
    {
      when: { turn: 2 },
      times: 0,
      reply: [
        { tool: { name: "write_file", id: "c4", input: { path: fileNames[1], content: literal(inFiles) } } },
        {
          tool: {
            name: "execute_command",
            id: "c5",
            input: { command: `printf '%s' "${lines[0]!.replace(/["$`\\]/g, "\\$&")}"; cat ${"*.txt"}; exit 3` },
          },
        },
      ],
    },
    { when: { turn: 3 }, times: 0, reply: [{ text: "Done." }] },
  ]);
  const session = await world.session("Tools", { [fileNames[0]!]: inFiles, [fileNames[2]!]: inFiles });
  const v = await visit({ path: `/s/${session}`, before: canary });
  await live(v.page);
  await world.say(session, "Look.");
  const request = await world.question(session);
  await until("the question", async () => (await v.page.locator(`[data-question="${request}"]`).count()) > 0);
  await through(v);
  await screenshots(v.page, "hostile-question");
  await v.page.goto("/inbox");
  await v.page.locator(`[data-question="${request}"]`).first().waitFor();
  await unharmed(v);
  await world.rest.inbox.answer(request, { action: "approve" });
  await world.settled(session);
  await v.page.goto(`/s/${session}`);
  await live(v.page);
  await through(v);
  await screenshots(v.page, "hostile-tools");
});

test("diagrams and formulas: pictures come out of them, and nothing else", async ({ world, visit }) => {
  const drawn = hostile.filter((h) => /^(```mermaid|\$)/.test(h));
  expect(drawn.length).toBeGreaterThanOrEqual(8);
  await world.model.script([
    { times: 0, reply: [{ text: literal(["```mermaid\nflowchart LR\n  A --> B\n```", ...drawn].join("\n\n")) }] },
  ]);
  const session = await world.session("Drawn");
  await world.say(session, "draw");
  await world.settled(session);
  const v = await visit({ path: `/s/${session}`, before: canary });
  await live(v.page);
  const figures = v.page.getByRole("figure", { name: "Diagram" });
  await figures.first().getByRole("img").waitFor();
  // Each is drawn or says why not.
  await until(
    "all diagrams",
    async () =>
      (await figures.count()) > 0 &&
      (await figures.evaluateAll((all) => all.every((f) => f.querySelector("img, figcaption") !== null))),
  );
  await through(v);
  expect(await v.page.locator("math a, math [href], math [id], math img").count()).toBe(0);
  for (const url of await figures.locator("img").evaluateAll((all) => all.map((i) => (i as HTMLImageElement).src)))
    expect(url).toMatch(/^blob:/);
  await screenshots(v.page, "hostile-drawn");
});

test("questions to a person, and errors of the model", async ({ world, visit }) => {
  await world.model.script([
    {
      when: { last_user: "ask", turn: 1 },
      times: 0,
      reply: [{ tool: { name: "ask_followup", id: "c1", input: { question: scripted, options: lines.slice(0, 4) } } }],
    },
    { when: { last_user: "fail" }, times: 0, reply: [{ status: 400, message: all }] },
    { times: 0, reply: [{ text: scripted }] },
  ]);
  const v = await visit({ before: canary });
  for (const words of ["ask", "fail"]) {
    const session = await world.session(`${words} ${title}`);
    await world.say(session, words);
    await world.settled(session);
    await v.page.goto(`/s/${session}`);
    await live(v.page);
    await through(v);
    await screenshots(v.page, `hostile-${words}`);
  }
  await v.page.goto("/inbox");
  await v.page.getByRole("heading").first().waitFor();
  await unharmed(v);
});

test("plans: steps, messages, results", async ({ world, visit }) => {
  const todo = (id: string, task: string, depends_on: string[] = []) => ({
    id,
    task,
    tool: "agent",
    priority: 5,
    depends_on,
    estimated_duration_sec: 1,
  });
  await world.model.script([
    {
      when: { has_tool: "report_understanding" },
      times: 0,
      reply: [
        {
          tool: {
            name: "report_understanding",
            id: "k",
            input: { domain: lines[0], category: lines[1], confidence: 1, entities: [] },
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
            id: "p",
            input: {
              message: lines.slice(0, 12).join("\n"),
              todos: [todo("a", lines.slice(0, 4).join("\n")), todo("b", lines[1]!, ["a"])],
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
          tool: {
            name: "respond",
            id: "r",
            input: { text: scripted, summary: lines[1], next_actions: lines.slice(0, 3) },
          },
        },
      ],
    },
    {
      when: { has_tool: "report_failure" },
      times: 0,
      reply: [{ tool: { name: "attempt_completion", id: "s", input: { result: scripted } } }],
    },
  ]);
  const session = await world.session("Plans");
  const v = await visit({ path: `/s/${session}`, before: canary });
  await live(v.page);
  await world.say(session, lines[0]!, { mode: "run" });
  const request = await world.question(session);
  await until("the plan", async () => (await v.page.locator(`[data-question="${request}"]`).count()) > 0);
  await through(v);
  await screenshots(v.page, "hostile-plan");
  await world.rest.inbox.answer(request, { action: "approve" });
  await until("the end of the run", async () =>
    (await world.rest.sessions.get(session)).runs.some(
      (r) => r.phase === "completed" || r.status === "completed" || r.status === "failed",
    ),
  );
  await through(v);
  await screenshots(v.page, "hostile-run");
});
