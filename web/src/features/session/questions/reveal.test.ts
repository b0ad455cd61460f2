import { expect, test } from "vitest";
import { deceives, pieces } from "./reveal";

test("what the eye would miss is taken out of the text and named", () => {
  expect(pieces("rm \u202etxt.exe")).toEqual([{ text: "rm " }, { code: "U+202E" }, { text: "txt.exe" }]);
  expect(pieces("a\u200bb")).toEqual([{ text: "a" }, { code: "U+200B" }, { text: "b" }]);
  expect(pieces("\u001b[2K")).toEqual([{ code: "U+001B" }, { text: "[2K" }]);
  expect(pieces("x\u{e0041}")).toEqual([{ text: "x" }, { code: "U+E0041" }]);
  expect(pieces("\ud800")).toEqual([{ code: "U+D800" }]);
  for (const c of ["\u2066", "\u200f", "\ufeff", "\u00ad", "\u00a0", "\u3164", "\u0000", "\u007f", "\r"])
    expect(deceives(`ls${c}`), c).toBe(true);
});

test("plain text in any language stays as it is", () => {
  for (const text of ["go test ./...", "세션을 다시 연결", "naïve café", "שלום", "😀 🇰🇷", "a\tb\nc", ""]) {
    expect(deceives(text), text).toBe(false);
    expect(pieces(text)).toEqual(text === "" ? [] : [{ text }]);
  }
});
