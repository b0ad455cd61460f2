import { barriers, expect, screenshots, until } from "../harness";
import { cell, opened, test as base } from "./stage";

// In the shell a frame shares the page's process, and a chart that never ends stops both.
const test = base.extend({ wholeBrowser: [true, { scope: "file" }] });

const shown = (data: object) => [{ output_type: "display_data", metadata: {}, data }];
const away = "http://203.0.113.7";
const mark = "(window.__ran=1,fetch('http://203.0.113.7/ran'))";

const rows = ["North", "West", "South"].flatMap((region, r) =>
  Array.from({ length: 12 }, (_, i) => ({ week: i + 1, units: 300 + 60 * r + ((i * 37 + r * 11) % 50), region })),
);
const bars = {
  $schema: "https://vega.github.io/schema/vega-lite/v5.json",
  data: { values: rows },
  mark: "line",
  width: 480,
  height: 200,
  encoding: {
    x: { field: "week", type: "quantitative" },
    y: { field: "units", type: "quantitative", scale: { zero: false } },
    color: { field: "region", type: "nominal" },
  },
};
const weeks = rows.filter((r) => r.region === "North");
const plotly = {
  data: [
    {
      type: "scattergl",
      mode: "lines+markers",
      name: "North",
      x: weeks.map((r) => r.week),
      y: weeks.map((r) => r.units),
    },
    { type: "histogram", name: "all", x: rows.map((r) => r.units), xaxis: "x2", yaxis: "y2" },
  ],
  layout: { title: { text: "Units" }, height: 320, grid: { rows: 1, columns: 2, pattern: "independent" } },
};
const vega = {
  width: 100,
  height: 60,
  data: [{ name: "t", values: [{ a: 3 }, { a: 5 }] }],
  scales: [{ name: "y", domain: [0, 5], range: "height" }],
  marks: [
    {
      type: "rect",
      from: { data: "t" },
      encode: {
        enter: { x: { signal: "datum.a * 10" }, width: { value: 8 }, y: { scale: "y", field: "a" }, y2: { value: 60 } },
      },
    },
  ],
};

const drawing = (page: Parameters<typeof cell>[0], id: string) =>
  cell(page, id).frameLocator("iframe").locator("#chart");

test("charts are drawn from their description alone", async ({ world, visit }) => {
  const session = await opened(world, "Charts", [
    {
      source: "lines",
      count: 1,
      outputs: shown({
        "application/vnd.vegalite.v5+json": bars,
        "text/html": "<script>draw()</script>",
        "text/plain": "alt.Chart(...)",
      }),
    },
    {
      source: "figure",
      count: 2,
      outputs: shown({ "application/vnd.plotly.v1+json": plotly, "text/html": "<script>draw()</script>" }),
    },
    { source: "vega", count: 3, outputs: shown({ "application/vnd.vega.v5+json": vega }) },
    {
      source: "three",
      count: 4,
      outputs: shown({
        "application/vnd.plotly.v1+json": { data: [{ type: "surface", z: [[1]] }] },
        "text/plain": "Figure(surface)",
      }),
    },
    {
      source: "nonsense",
      count: 5,
      outputs: shown({
        "application/vnd.vegalite.v5+json": { mark: { type: "nothing" }, data: 7 },
        "text/plain": "alt.Chart(nonsense)",
      }),
    },
  ]);
  const v = await visit({ path: `/s/${session}/notebook` });
  v.allow(/localStorage.*sandboxed/); // of the test's own script, in the frame
  const { page } = v;
  await drawing(page, "c0").getByText("units", { exact: true }).waitFor();
  expect(await drawing(page, "c0").locator("path[stroke]").count()).toBeGreaterThanOrEqual(3);
  await screenshots(page, "charts", ["wide"]);
  expect(await barriers(page)).toEqual([]);
  const near = async (id: string) =>
    until(`cell ${id}`, async () => {
      await page.locator("[data-cells]").evaluate((el) => el.scrollBy(0, 200));
      return (await cell(page, id).count()) > 0;
    });
  await near("c1");
  await drawing(page, "c1").getByText("Units", { exact: true }).waitFor();
  expect(await drawing(page, "c1").locator(".scatterlayer .point").count()).toBe(12);
  expect(await drawing(page, "c1").locator(".barlayer .point").count()).toBeGreaterThan(2);
  await near("c2");
  await until("two bars", async () => (await drawing(page, "c2").locator(".mark-rect path").count()) === 2);
  await near("c4");
  await cell(page, "c3").getByText("Figure(surface)").waitFor();
  await cell(page, "c3")
    .getByText(/Charts of this kind/)
    .waitFor();
  await cell(page, "c4").getByText("alt.Chart(nonsense)").waitFor();
  expect(await cell(page, "c4").locator("iframe").count()).toBe(0);
  // On a phone a chart is as wide as there is room.
  const p = await visit({ path: `/s/${session}/notebook`, phone: true });
  await drawing(p.page, "c0").getByText("units", { exact: true }).waitFor();
  const wide = await drawing(p.page, "c0").evaluate((el) => [el.scrollWidth, el.clientWidth]);
  expect(wide[0]).toBe(wide[1]);
  await p.page.locator("[data-cells]").evaluate((el) => el.scrollBy(0, 200));
  await drawing(p.page, "c1").getByText("Units", { exact: true }).waitFor();
  expect(await drawing(p.page, "c1").locator(".modebar-btn").count()).toBe(0);
  await screenshots(p.page, "charts", ["narrow"]);
});

test("charts that come while nobody sees the page are drawn", async ({ world, visit }) => {
  const session = await opened(world, "Behind", [
    { source: "lines", count: 1, outputs: shown({ "application/vnd.vegalite.v5+json": bars }) },
    { source: "figure", count: 2, outputs: shown({ "application/vnd.plotly.v1+json": plotly }) },
  ]);
  // In a page that is not seen a frame has neither.
  const before =
    "if (top !== window) { ResizeObserver.prototype.observe = () => {}; window.requestAnimationFrame = () => 0; }";
  const v = await visit({ path: `/s/${session}/notebook`, before });
  v.allow(/localStorage.*sandboxed/);
  for (const id of ["c0", "c1"]) await cell(v.page, id).locator("[data-drawn=true]").waitFor();
});

const points = (bytes: number) =>
  Array.from({ length: Math.floor(bytes / 40) }, (_, i) => ({ x: i, y: (i * 7919) % 1000, l: "a point" }));
const html = `<img src="${away}/l.png" onerror="${mark}"><script>${mark}</script><a href="${away}/a">link</a><a href="javascript:${mark}">run</a>`;

/** Each tries to run a script, to reach another host, or to make the page do something else than to draw. */
const hostile: [string, string, object][] = [
  ["Vega-Lite that loads its data", "vegalite.v5", { ...bars, data: { url: `${away}/data.json` } }],
  [
    "Vega-Lite with pictures and links",
    "vegalite.v5",
    {
      ...bars,
      mark: { type: "image" },
      data: { values: [{ u: `${away}/i.png`, v: 1 }] },
      encoding: { url: { field: "u" }, x: { field: "v", type: "quantitative" }, href: { value: `javascript:${mark}` } },
    },
  ],
  [
    "Vega-Lite with HTML in words",
    "vegalite.v5",
    {
      ...bars,
      title: html,
      usermeta: { embedOptions: { loader: { baseURL: away }, sourceHeader: html, patch: `${away}/p.json` } },
      encoding: { ...bars.encoding, tooltip: { value: html } },
    },
  ],
  [
    "Vega-Lite with expressions",
    "vegalite.v5",
    {
      ...bars,
      transform: [
        { calculate: `constructor.constructor("${mark}")()`, as: "z" },
        { calculate: `datum.__proto__.polluted = 1`, as: "q" },
      ],
    },
  ],
  [
    "Vega with signals",
    "vega.v5",
    {
      ...vega,
      signals: [
        { name: "s", init: `[].constructor.constructor('${mark}')()` },
        { name: "e", on: [{ events: "window:mousemove", update: `event.view.parent.postMessage('x', '*')` }] },
      ],
      data: [...vega.data, { name: "u", url: `${away}/v.csv`, format: { type: "csv" } }],
    },
  ],
  [
    "Plotly with HTML in labels",
    "plotly.v1",
    {
      data: [{ type: "bar", x: [html, "b"], y: [1, 2], text: [html], hovertemplate: html }],
      layout: { title: { text: html }, annotations: [{ text: html, x: 0, y: 1 }] },
      config: { plotlyServerURL: away, showLink: true, linkText: html, showSendToCloud: true },
    },
  ],
  [
    "Plotly with pictures",
    "plotly.v1",
    {
      data: [{ type: "image", source: `${away}/s.png` }],
      layout: {
        images: [{ source: `${away}/i.png`, x: 0, y: 1, sizex: 1, sizey: 1 }],
        template: { layout: { images: [{ source: `${away}/t.png` }] } },
      },
    },
  ],
  [
    "Plotly with a map",
    "plotly.v1",
    {
      data: [{ type: "choropleth", geojson: `${away}/g.json`, locations: ["x"], z: [1] }],
      layout: { mapbox: { style: `${away}/style.json` } },
    },
  ],
  [
    "prototype keys",
    "plotly.v1",
    JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"data":[{"type":"bar","y":[1],"__proto__":{"polluted":1}}],"layout":{"__proto__":{"polluted":1},"title.__proto__.polluted":1}}',
    ) as object,
  ],
  ["no object", "vegalite.v5", ["a", "list"]],
  ["a trace that is none", "plotly.v1", { data: ["x", null], layout: 7 }],
  [
    "five megabytes of Vega-Lite",
    "vegalite.v5",
    {
      ...bars,
      mark: "point",
      data: { values: points(4_500_000) },
      encoding: { x: { field: "x", type: "quantitative" }, y: { field: "y", type: "quantitative" } },
    },
  ],
  ["more than is drawn", "plotly.v1", { data: [{ type: "scatter", y: points(6_000_000) }] }],
];

test("hostile charts run nothing and reach nobody", { timeout: 240_000 }, async ({ world, visit }) => {
  const session = await opened(
    world,
    "Hostile charts",
    hostile.map(([name, type, spec]) => ({
      source: `# ${name}`,
      count: 1,
      outputs: shown({
        [`application/vnd.${type}+json`]: spec,
        "text/html": `<script>${mark}</script>`,
        "text/plain": `the text of ${name}`,
      }),
    })),
  );
  const v = await visit();
  const out: string[] = [];
  v.page.on("request", (r) => r.url().includes("203.0.113.7") && out.push(r.url()));
  v.page.on("popup", (p) => out.push(`popup ${p.url()}`));
  await v.page.goto(`/s/${session}/notebook`);
  const ran = () =>
    Promise.all(
      v.page
        .frames()
        .map((f) =>
          f
            .evaluate(() => [(window as { __ran?: number }).__ran, ({} as { polluted?: number }).polluted])
            .catch(() => []),
        ),
    );
  for (let i = 0; i < hostile.length; i++) {
    const [name] = hostile[i]!;
    await until(`the cell: ${name}`, async () => {
      await v.page.locator("[data-cells]").evaluate((el) => el.scrollBy(0, 120));
      return (await cell(v.page, `c${i}`).locator("[data-outputs]").count()) > 0;
    });
    const end = cell(v.page, `c${i}`).locator("[data-drawn=true], [data-not-drawn]");
    await end.first().waitFor();
    if ((await end.first().getAttribute("data-drawn")) === "true") {
      const box = (await cell(v.page, `c${i}`).locator("iframe").boundingBox())!;
      await v.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2); // what it shows under a pointer
      for (const link of await drawing(v.page, `c${i}`).locator("a").all()) await link.dispatchEvent("click");
    } else {
      await cell(v.page, `c${i}`).getByText(`the text of ${name}`).waitFor();
    }
    for (const [script, polluted] of await ran())
      expect([name, script, polluted]).toEqual([name, undefined, undefined]);
  }
  expect(out).toEqual([]);
  expect(v.page.url()).toContain("/notebook/");
});

test("a chart that never ends is given up, and the page goes on meanwhile", async ({ world, visit }) => {
  const endless = { ...vega, signals: [{ name: "s", init: `test(/^(a+)+$/, "${"a".repeat(60)}b")` }] };
  const session = await opened(world, "Without end", [
    {
      source: "endless",
      count: 1,
      outputs: shown({ "application/vnd.vega.v5+json": endless, "text/plain": "its text" }),
    },
  ]);
  const { page } = await visit({ path: `/s/${session}/notebook` });
  const drawn = cell(page, "c0").locator("[data-output=chart]");
  await drawn.waitFor();
  await cell(page, "c0").locator("pre").first().click();
  await cell(page, "c0").locator(".cm-content").waitFor();
  await page.keyboard.insertText("more ");
  await cell(page, "c0").getByText("more ").waitFor();
  await cell(page, "c0").locator("[data-not-drawn=time]").waitFor();
  await cell(page, "c0").getByText("its text").waitFor();
  expect(await cell(page, "c0").locator("iframe").count()).toBe(0);
});
