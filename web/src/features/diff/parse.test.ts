import { expect, test } from "vitest";
import { countOf, mixedEnds, rowsOf, stacked } from "./parse";

const diff = `--- a/x.go
+++ b/x.go
@@ -10,5 +10,6 @@
 one
-seq := s.next
-gone
+seq := s.next + 1
 two
+three
\\ No newline at end of file
@@ -40,2 +41,1 @@
 last
-- dash
`;

test("lines face each other, with their numbers", () => {
  const rows = rowsOf(diff);
  expect(rows.map((r) => [r.kind, r.old, r.new])).toEqual([
    ["gap", undefined, undefined],
    ["same", 10, 10],
    ["change", 11, 11],
    ["del", 12, undefined],
    ["same", 13, 12],
    ["add", undefined, 13],
    ["gap", undefined, undefined],
    ["same", 40, 41],
    ["del", 41, undefined],
  ]);
  expect(rows[2]!.marks).toEqual({ before: [13, 13], after: [13, 17] });
  expect(rows.at(-1)!.before).toBe("- dash");
  expect(countOf(rows)).toEqual({ added: 2, removed: 3 });
});

test("a new file has no gap, and nothing is lost on either side", () => {
  const rows = rowsOf("--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n");
  expect(rows.map((r) => r.after)).toEqual(["a", "b"]);
  expect(rows[0]!.new).toBe(1);
});

test("stacked keeps every line once, removed before added", () => {
  const rows = stacked(rowsOf("--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a1\n-a2\n+b1\n+b2\n"));
  expect(rows.map((r) => r.before ?? r.after)).toEqual(["a1", "a2", "b1", "b2"]);
});

test("line ends are told only where they differ", () => {
  const all = rowsOf("--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\r\n-old\r\n+new\r\n");
  expect(all.map((r) => r.before)).toEqual(["same", "old"]);
  expect(mixedEnds(all)).toBe(false);
  const some = rowsOf("--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\n-text\n+text\r\n");
  expect(some[1]!.cr).toEqual({ before: false, after: true });
  expect(some[1]!.after).toBe("text");
  expect(mixedEnds(some)).toBe(true);
  expect(stacked(some).map((r) => [r.kind, r.cr?.after])).toEqual([["same", undefined], ["del", true], ["add", true]]);
});

test("a last line without an end is told on its side", () => {
  const rows = rowsOf("--- a\n+++ b\n@@ -1 +1 @@\n-end\n\\ No newline at end of file\n+end\n");
  expect(rows).toHaveLength(1);
  expect(rows[0]!.noEnd).toEqual({ before: true, after: undefined });
});
