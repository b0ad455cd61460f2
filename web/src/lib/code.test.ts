import hljs from "highlight.js/lib/common";
import { expect, test } from "vitest";
import { languageOfPath } from "./code";
import { coloursOf, piecesOf, type Scope } from "./code_scopes";

const coloured = (code: string, lang: string) =>
  coloursOf(
    (hljs.highlight(code, { language: lang, ignoreIllegals: true })._emitter as unknown as { rootNode: Scope })
      .rootNode,
  );
const told = (code: string, lang: string) => piecesOf(code, coloured(code, lang)).map((p) => [p.kind, p.text]);

test("code in pieces: the words of a language, texts, numbers and comments", () => {
  const code = 'def f(x):\n    return "a" + 1  # why\n';
  expect(told(code, "python")).toEqual([
    ["key", "def"],
    [undefined, " "],
    ["fn", "f"],
    [undefined, "(x):\n    "],
    ["key", "return"],
    [undefined, " "],
    ["str", '"a"'],
    [undefined, " + "],
    ["num", "1"],
    [undefined, "  "],
    ["com", "# why"],
    [undefined, "\n"],
  ]);
});

test("what stands inside a text is code again", () => {
  expect(told("`a ${1} b`", "javascript")).toEqual([
    ["str", "`a "],
    [undefined, "${"],
    ["num", "1"],
    [undefined, "}"],
    ["str", " b`"],
  ]);
});

test("joined, the pieces of any line are the line", () => {
  const code = "/* one\n   two */ x = `three\nfour`; // five";
  const colours = coloured(code, "javascript");
  let start = 0;
  for (const line of code.split("\n")) {
    expect(
      piecesOf(line, colours, start)
        .map((p) => p.text)
        .join(""),
    ).toBe(line);
    start += line.length + 1;
  }
  expect(piecesOf("   two */ x", colours, 7)).toEqual([{ text: "   two */", kind: "com" }, { text: " x" }]);
});

test("marks cut pieces without losing their colours", () => {
  const code = "return order";
  expect(piecesOf(code, coloured(code, "python"), 0, [[3, 9]])).toEqual([
    { text: "ret", kind: "key" },
    { text: "urn", kind: "key", marked: true },
    { text: " or", marked: true },
    { text: "der" },
  ]);
  expect(
    piecesOf("abc", null, 0, [
      [0, 1],
      [2, 3],
    ]),
  ).toEqual([{ text: "a", marked: true }, { text: "b" }, { text: "c", marked: true }]);
});

test("the language of a file is in its name", () => {
  expect(["a/b.py", "go.mod", "Makefile", "README", "x.TSX"].map(languageOfPath)).toEqual([
    "py",
    "go",
    "makefile",
    "",
    "tsx",
  ]);
});
