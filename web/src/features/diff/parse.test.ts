import { expect, test } from "vitest";
import { countOf, filesOf, mixedEnds, rowsOf, stacked } from "./parse";

const diff = `--- a/x.go
+++ b/x.go
@@ -10,4 +10,4 @@ func next()
 one
-seq := s.next
-gone
+seq := s.next + 1
 two
+three
\\ No newline at end of file
@@ -40,2 +40,1 @@
 last
-- dash
`;

test("lines face each other, with their numbers", () => {
  const rows = rowsOf(diff);
  expect(rows.map((r) => [r.kind, r.old, r.new])).toEqual([
    ["gap", 1, 1],
    ["same", 10, 10],
    ["change", 11, 11],
    ["del", 12, undefined],
    ["same", 13, 12],
    ["add", undefined, 13],
    ["gap", 14, 14],
    ["same", 40, 40],
    ["del", 41, undefined],
  ]);
  expect(rows.filter((r) => r.kind === "gap").map((r) => [r.skipped, r.section])).toEqual([
    [9, "func next()"],
    [26, undefined],
  ]);
  expect(rows[2]!.mate).toEqual({ before: "seq := s.next + 1", after: "seq := s.next" });
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

test("stacked: what went alone stands with what went", () => {
  const rows = stacked(rowsOf("--- a\n+++ b\n@@ -1,3 +1,1 @@\n-a1\n-a2\n-a3\n+b1\n"));
  expect(rows.map((r) => r.before ?? r.after)).toEqual(["a1", "a2", "a3", "b1"]);
});

test("a line is compared with the one that it is most like", () => {
  const rows = rowsOf(
    "--- a\n+++ b\n@@ -1,1 +1,3 @@\n-order = create(cart)\n+key = cart.key\n+saved = find(key)\n+order = create(cart, key)\n",
  );
  expect(rows.map((r) => [r.mate?.before, r.mate?.after])).toEqual([
    ["order = create(cart, key)", undefined],
    [undefined, undefined],
    [undefined, "order = create(cart)"],
  ]);
});

test("lines that look like heads are text", () => {
  const text =
    "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/evil\n+++ b/evil\n @@ -1 +1 @@\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n";
  const files = filesOf(text);
  expect(files.map((f) => f.path)).toEqual(["x", "y"]);
  expect(rowsOf(files[0]!.unified).map((r) => r.before)).toEqual(["-- a/evil", "@@ -1 +1 @@"]);
  expect(files.map((f) => f.unified).join("")).toBe(text);
  expect(filesOf("no diff at all")).toEqual([{ path: "", unified: "no diff at all" }]);
});

test("a hunk that only adds leaves out what stands before it", () => {
  const rows = rowsOf("--- a\n+++ b\n@@ -5,0 +6,1 @@\n+x\n@@ -9,1 +9,0 @@\n-y\n");
  expect(rows.map((r) => [r.kind, r.old, r.new, r.skipped])).toEqual([
    ["gap", 1, 1, 5],
    ["add", undefined, 6, undefined],
    ["gap", 6, 7, 3],
    ["del", 9, undefined, undefined],
  ]);
});

test("line ends are told only where they differ", () => {
  const all = rowsOf("--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\r\n-old\r\n+new\r\n");
  expect(all.map((r) => r.before)).toEqual(["same", "old"]);
  expect(mixedEnds(all)).toBe(false);
  const some = rowsOf("--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\n-text\n+text\r\n");
  expect(some[1]!.cr).toEqual({ before: false, after: true });
  expect(some[1]!.after).toBe("text");
  expect(mixedEnds(some)).toBe(true);
  expect(stacked(some).map((r) => [r.kind, r.cr?.after])).toEqual([
    ["same", undefined],
    ["del", true],
    ["add", true],
  ]);
});

test("a last line without an end is told on its side", () => {
  const rows = rowsOf("--- a\n+++ b\n@@ -1 +1 @@\n-end\n\\ No newline at end of file\n+end\n");
  expect(rows).toHaveLength(1);
  expect(rows[0]!.noEnd).toEqual({ before: true, after: undefined });
});
