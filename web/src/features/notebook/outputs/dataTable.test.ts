import { expect, test } from "vitest";
import { inOrder, tableOf, tableOfResource } from "./dataTable";

const frame = (inside: string, after = "") =>
  `<div>\n<style scoped>.dataframe { color: red }</style>\n<table border="1" class="dataframe">${inside}</table>${after}</div>`;
const small = frame(
  '<thead><tr style="text-align: right;"><th></th><th>week</th><th>units</th></tr></thead><tbody><tr><th>0</th><td>W46</td><td>742</td></tr><tr><th>...</th><td>...</td><td>...</td></tr><tr><th>311</th><td>W45</td><td>1,098.5</td></tr><tr><th>312</th><td>W44</td><td>NaN</td></tr></tbody>',
  "<p>312 rows × 2 columns</p>",
);

test("the table of a data frame is read cell by cell", () => {
  const t = tableOf(small)!;
  expect(t.columns).toEqual([
    { name: "", numeric: false },
    { name: "week", numeric: false },
    { name: "units", numeric: true },
  ]);
  expect(t.rows[0]).toEqual(["0", "W46", "742"]);
  expect(t.index).toBe(1);
  expect(t.note).toBe("312 rows × 2 columns");
});

test("it sorts by numbers, keeps how they were written, and puts empty ones last", () => {
  const t = tableOf(small)!;
  const units = (down: boolean) => inOrder(t, { column: 2, down }).map((r) => r[2]);
  expect(units(false)).toEqual(["742", "1,098.5", "NaN"]);
  expect(units(true)).toEqual(["1,098.5", "742", "NaN"]);
  expect(inOrder(t, null)).toHaveLength(4); // with the row for those left out
});

test("names over several rows and columns stand in all of them", () => {
  const t = tableOf(
    frame(
      '<thead><tr><th></th><th></th><th colspan="2">units</th></tr><tr><th>region</th><th>week</th><th>sum</th><th>mean</th></tr></thead><tbody><tr><th rowspan="2">North</th><th>1</th><td>5</td><td>2.5</td></tr><tr><th>2</th><td>6</td><td>3.0</td></tr></tbody>',
    ),
  )!;
  expect(t.columns.map((c) => c.name)).toEqual(["region", "week", "units · sum", "units · mean"]);
  expect(t.rows).toEqual([
    ["North", "1", "5", "2.5"],
    ["North", "2", "6", "3.0"],
  ]);
});

test("whatever is in a cell becomes words, and nothing runs", () => {
  (globalThis as { ran?: number }).ran = 0;
  const t = tableOf(
    frame(
      '<thead><tr><th>a<script>ran++</script></th></tr></thead><tbody><tr><td><img src=x onerror="ran++">one<script>ran++</script></td></tr><tr><td onclick="ran++"><a href="javascript:ran++">two</a></td></tr></tbody>',
    ),
  )!;
  expect(t.rows).toEqual([["one"], ["two"]]);
  expect(t.columns[0]!.name).toBe("a");
  expect((globalThis as { ran?: number }).ran).toBe(0);
});

test("other HTML is none", () => {
  expect(tableOf("<table><tr><td>1</td></tr></table>")).toBeNull();
  expect(tableOf("<p>dataframe</p>")).toBeNull();
  expect(tableOf(frame("<tbody><tr><td>1</td></tr></tbody>") + frame("<tbody><tr><td>2</td></tr></tbody>"))).toBeNull();
  expect(tableOf(frame(`<tbody>${`<tr>${"<td>1</td>".repeat(300)}</tr>`.repeat(200)}</tbody>`))).toBeNull(); // too large to be ours
});

test("a data resource is a table, and nonsense is none", () => {
  const schema = {
    fields: [
      { name: "index", type: "integer" },
      { name: "week" },
      { name: "units", type: "number" },
      { name: "__proto__" },
    ],
    primaryKey: ["index"],
  };
  const t = tableOfResource({
    schema,
    data: [{ index: 0, week: "W46", units: 742 }, { index: 1, week: "<b>", units: null }, null],
  })!;
  expect(t.columns).toEqual([
    { name: "", numeric: false },
    { name: "week", numeric: false },
    { name: "units", numeric: true },
    { name: "__proto__", numeric: false },
  ]);
  expect(t.rows).toEqual([
    ["0", "W46", "742", ""],
    ["1", "<b>", "", ""],
    ["", "", "", ""],
  ]);
  expect(t.index).toBe(1);
  for (const wrong of [
    null,
    [],
    {},
    { schema: { fields: [] }, data: [] },
    { schema, data: {} },
    { schema: { fields: "x" }, data: [] },
    { schema, data: Array(20_000).fill({}) },
  ])
    expect(tableOfResource(wrong)).toBeNull();
});
