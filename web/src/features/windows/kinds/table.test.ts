import { expect, test } from "vitest";
import { csvOf, nextSorting, parseCsv, sorted, tableIn } from "./table";

test("a press sorts up, the next one down, the third as it came", () => {
  const up = nextSorting(null, 1);
  const down = nextSorting(up, 1);
  expect([up, down, nextSorting(down, 1), nextSorting(down, 0)]).toEqual([
    { column: 1, down: false },
    { column: 1, down: true },
    null,
    { column: 0, down: false },
  ]);
});

test("numbers are compared as numbers, words as people do, and empty cells come last", () => {
  const rows = [
    ["b10", 10],
    ["B2", "9"],
    ["a", null],
    ["", 1.5],
  ];
  expect(sorted(rows, { column: 1, down: false }).map((r) => r[1])).toEqual([1.5, "9", 10, null]);
  expect(sorted(rows, { column: 1, down: true }).map((r) => r[1])).toEqual([10, "9", 1.5, null]);
  expect(sorted(rows, { column: 0, down: false }).map((r) => r[0])).toEqual(["a", "B2", "b10", ""]);
  expect(sorted(rows, null)).toBe(rows);
});

test("CSV with quotes, commas and line breaks is read and written", () => {
  const text = '\ufeffname,note\r\n"Ribbon, red","says ""hi""\nand more"\r\nTea,\r\n';
  expect(parseCsv(text)).toEqual([
    ["name", "note"],
    ["Ribbon, red", 'says "hi"\nand more'],
    ["Tea", ""],
  ]);
  const { columns, rows } = tableIn(text, "text/csv", []);
  expect(columns).toEqual([{ name: "name" }, { name: "note" }]);
  expect(parseCsv(csvOf(columns, rows))).toEqual([["name", "note"], ...rows]);
});

test("JSON lines are rows, as lists or as objects", () => {
  expect(tableIn('{"a":1,"b":"x"}\n\n{"b":"y","c":true}\n', "application/x-ndjson", [])).toEqual({
    columns: [{ name: "a" }, { name: "b" }, { name: "c" }],
    rows: [
      [1, "x", null],
      [null, "y", true],
    ],
  });
  expect(tableIn("[1,2]\n[3,4]", "application/jsonl", [{ name: "a" }, { name: "b" }]).rows).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test("no cell becomes a formula in a spreadsheet", () => {
  expect(csvOf([{ name: "a", title: "A" }], [["=1+1"], ["@x"], ["-cmd"], ["-5"], [-5], ["+3.2"]])).toBe(
    "A\r\n'=1+1\r\n'@x\r\n'-cmd\r\n-5\r\n-5\r\n+3.2\r\n",
  );
});
