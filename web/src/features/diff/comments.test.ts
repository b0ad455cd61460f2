import { expect, test } from "vitest";
import { place, reviewText, type LineComment } from "./comments";
import { rowsOf } from "./parse";

test("one message has every comment with path, side, line and text", () => {
  const text = reviewText("Review:", [
    { path: "a.go", side: "after", line: 12, text: "x := 1", comment: "why? " },
    { path: "b.md", side: "before", line: 3, text: "```sh", comment: "keep" },
  ]);
  expect(text).toBe(
    "Review:\n\n**a.go:12** (after)\n```\nx := 1\n```\nwhy?\n\n**b.md:3** (before)\n````\n```sh\n````\nkeep",
  );
});

test("remarks move along with their lines, and none is lost silently", () => {
  const remark = (line: number, text: string): LineComment => ({ path: "a", side: "after", line, text, comment: "?" });
  const rows = rowsOf("--- a\n+++ b\n@@ -1,2 +1,4 @@\n+first\n x\n+x\n y\n");
  const found = place([remark(1, "x"), remark(4, "y"), remark(2, "gone")], (path) => (path === "a" ? rows : []));
  expect(found.placed.map((c) => [c.line, c.text])).toEqual([
    [2, "x"],
    [4, "y"],
  ]);
  expect(found.lost.map((c) => c.text)).toEqual(["gone"]);
});
