import { expect, test } from "vitest";
import { piecesOf } from "./code";

test("pieces joined are the code", () => {
  const samples: [string, string][] = [
    ["go", 'package main // why\nvar s = "a \\" b"\nx := 0x1F /* open'],
    ["python", "def f(x):  # note\n  return '''long\ntext''' + 'open"],
    ["json", '{"a": [1, true, null]}'],
    ["sql", "SELECT * FROM t WHERE a = 'x' -- end"],
    ["diff", "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same"],
    ["unknown", "<script>"],
  ];
  for (const [lang, code] of samples) expect(piecesOf(code, lang).map((p) => p.text).join("")).toBe(code);
});

test("in a shell a hash within a word is no comment", () => {
  const comments = (code: string) => piecesOf(code, "sh").filter((p) => p.kind === "comment").map((p) => p.text);
  expect(comments("part=${1#*.}\npart=${part#0} # 08 would be an octal number\necho $# a#b;# done")).toEqual(["# 08 would be an octal number", "# done"]);
  expect(comments("#!/bin/sh\n  # indented")).toEqual(["#!/bin/sh", "# indented"]);
});

test("kinds are told apart", () => {
  const kinds = Object.fromEntries(piecesOf('return "x" // 12', "go").map((p) => [p.text, p.kind]));
  expect(kinds).toMatchObject({ return: "word", '"x"': "string", "// 12": "comment" });
  expect(piecesOf("-old\n+new", "diff").map((p) => p.kind)).toEqual(["removed", "added"]);
});
