import { expect, test } from "vitest";
import { partOf } from "./long";

const lines = (n: number) => Array.from({ length: n }, (_, i) => `line ${i}\n`).join("");

test("a short text is whole", () => {
  for (const text of ["", "a", "\n", lines(150), lines(3).trimEnd()])
    expect(partOf(text, 0)).toEqual({ text, whole: true });
});

test("of a long one there are the beginning and the end, and more of it when asked", () => {
  const text = lines(5_000);
  const first = partOf(text, 0);
  expect(first.whole).toBe(false);
  expect(first.text.split("\n").slice(49, 53)).toEqual(["line 49", "⋮", "line 4970", "line 4971"]);
  expect(first.text.endsWith("line 4999\n")).toBe(true);
  expect(partOf(text, 1).text).toContain("line 1049\n⋮\nline 4970");
  expect(partOf(text, 5)).toEqual({ text, whole: true });
});

test("one line that is endless is cut as well", () => {
  const text = "x".repeat(10_000_000);
  const part = partOf(text, 0);
  expect(part.whole).toBe(false);
  expect(part.text.length).toBeLessThan(10_000);
  expect(partOf("x".repeat(11_000), 0).whole).toBe(true);
});
