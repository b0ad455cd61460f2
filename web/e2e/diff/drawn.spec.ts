import { barriers, expect, literal, live, screenshots, test, until, type World } from "../harness";

const fence = (lang: string, text: string) => `\`\`\`${lang}\n${text}\n\`\`\``;
const flow =
  "flowchart LR\n  A[Request] --> B{Known key?}\n  B -- yes --> C[Saved order]\n  B -- no --> D[Charge]\n  D --> E[(Orders)]";
const sequence =
  "sequenceDiagram\n  participant C as Client\n  participant S as Server\n  C->>S: checkout\n  S-->>C: order";

async function said(world: World, text: string): Promise<string> {
  await world.model.script([{ times: 0, reply: [{ text: literal(text) }] }]);
  const session = await world.session("Drawn");
  await world.say(session, "draw");
  await world.settled(session);
  return session;
}

test("diagrams are drawn as pictures, in the colours of the page, with their source behind a button", async ({
  world,
  visit,
}) => {
  const session = await said(
    world,
    [
      "Here is how it works:",
      fence("mermaid", flow),
      fence("mermaid", sequence),
      "And this is broken:",
      fence("mermaid", "flowchart LR\n  A -->"),
      "Of another kind:",
      fence("mermaid", 'pie\n  "a" : 1'),
    ].join("\n\n"),
  );
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  const figures = page.getByRole("figure", { name: "Diagram" });
  await until("four diagrams", async () => (await figures.count()) === 4);
  const picture = figures.first().getByRole("img");
  await picture.waitFor();
  await until("it is there", () => picture.evaluate((i: HTMLImageElement) => i.complete && i.naturalWidth > 100));
  const light = await picture.getAttribute("src");
  expect(light).toMatch(/^blob:/);
  await figures.nth(1).getByRole("img").waitFor();
  // What cannot be drawn is shown as it is written, and why.
  await figures.nth(2).getByText("Cannot be drawn: there is an error in its source.").waitFor();
  expect(await figures.nth(2).locator("pre").textContent()).toContain("A -->");
  await figures.nth(3).getByText("diagrams of this kind are not supported").waitFor();
  await figures.first().getByRole("button", { name: "Show source" }).click();
  expect(await figures.first().locator("pre").textContent()).toContain("A[Request]");
  await figures.first().getByRole("button", { name: "Show drawing" }).click();
  await page.evaluate(() => void (document.documentElement.dataset.theme = "dark"));
  await until("the other colours", async () => (await figures.first().getByRole("img").getAttribute("src")) !== light);
  expect(await barriers(page)).toEqual([]);
  await page.evaluate(() => void (document.documentElement.dataset.theme = "light"));
  await screenshots(page, "drawn-diagrams");
});

test("formulas are drawn, money is not", async ({ world, visit }) => {
  const session = await said(
    world,
    [
      "Euler: $e^{i\\pi} + 1 = 0$, and \\(a^2 + b^2 = c^2\\). It costs $5 and then $6, from $HOME to $PATH.",
      "$$\\int_0^1 x^2\\,dx = \\frac{1}{3}$$",
      "\\[ A = \\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix} \\]",
      fence("math", "\\sum_{i=1}^{n} i = \\frac{n(n+1)}{2}"),
      "Broken: $\\nosuch{x}$ and",
      "$$\\frac{1}{$$",
    ].join("\n\n"),
  );
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  const text = page.locator("[data-row=text]").last();
  await until("five formulas", async () => (await text.locator("math").count()) === 5);
  expect(await text.locator("p math").count()).toBe(2);
  await text.getByText("It costs $5 and then $6, from $HOME to $PATH.").waitFor();
  expect(await text.locator("mtd").count()).toBe(4);
  expect(await text.locator("code.math-broken").getAttribute("title")).toContain("\\nosuch");
  await text.getByText(/^Cannot be drawn: /).waitFor();
  await text.getByRole("button", { name: "Show source" }).first().click();
  await text.getByText("\\int_0^1", { exact: false }).first().waitFor();
  await text.getByRole("button", { name: "Show drawing" }).first().click();
  expect(await barriers(page)).toEqual([]);
  await screenshots(page, "drawn-formulas");
});

test("a code block: nothing lies over its lines, and its colours come", async ({ world, visit }) => {
  const long = `const text = "${"very long ".repeat(40)}";`;
  const session = await said(world, [fence("ts", long), fence("", long)].join("\n\n"));
  const { page } = await visit({ path: `/s/${session}` });
  await live(page);
  const blocks = page.locator("[data-row=text]").last().locator(".group\\/code");
  await blocks.first().locator(".text-s-key", { hasText: "const" }).waitFor();
  for (const block of await blocks.all()) {
    const pre = (await block.locator("pre").boundingBox())!;
    for (const part of await block.locator("button, span.font-mono").all()) {
      const b = (await part.boundingBox())!;
      expect(b.x >= pre.x + pre.width - 1 || b.y + b.height <= pre.y + 1, "it is beside the lines or above them").toBe(
        true,
      );
    }
  }
});
