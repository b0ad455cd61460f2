import { expect, test } from "vitest";
import { characters, placeAfter } from "./kernel";
import { changeTo } from "./mount";

test("places are counted in characters, as a kernel does", () => {
  const code = "s = '🐳'\nst";
  expect(characters(code, code.length)).toBe(10);
  expect(placeAfter(code, 8)).toBe(9);
  expect(placeAfter(code, 10)).toBe(code.length);
});

test("a text from elsewhere changes as little as it can", () => {
  expect(changeTo("one two three", "one 2 three")).toEqual({ from: 4, to: 7, insert: "2" });
  expect(changeTo("aa", "aaa")).toEqual({ from: 2, to: 2, insert: "a" });
  expect(changeTo("same", "same")).toBeNull();
});
