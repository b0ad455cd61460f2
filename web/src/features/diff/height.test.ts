import { expect, test } from "vitest";
import { columnsOf, heightOf } from "./height";
import type { Item } from "./items";
import type { Row } from "./parse";

const row = (row: Partial<Row>) => ({ kind: "row", of: {}, showCr: false, row: { kind: "same", ...row } }) as Item;

test("rows are as high as their longer side", () => {
  expect(heightOf(row({ before: "short", after: "short" }), 10)).toBe(20);
  expect(heightOf(row({ before: "ten chars!", after: "eleven char" }), 10)).toBe(40);
});

test("a line breaks at a space, and inside of a word that is too long", () => {
  expect(heightOf(row({ after: "aaaa bbbb cccc" }), 9)).toBe(40);
  expect(heightOf(row({ after: "aaaaaaaaaaaaaaaaaaaaa" }), 10)).toBe(60);
  expect(heightOf(row({ after: "x".repeat(100_000) }), 40)).toBe(200); // what is shown of it
});

test("two sides have less than half of the room each", () => {
  expect(columnsOf(800, true)).toBeLessThan(columnsOf(800, false) / 2);
});
