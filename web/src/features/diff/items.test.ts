import type { CheckpointFile } from "@clew-run/client";
import { expect, test } from "vitest";
import { foldersOf } from "./FileTree";
import { gapKey, itemsOf, parsedFile } from "./items";
import { diffWords } from "./words";

const text = Array.from({ length: 30 }, (_, i) => `${i + 1}`);
const after = text.with(9, "ten");
const file = (content: boolean, path = "a.txt"): CheckpointFile => ({
  paths: { relative: path, absolute: "" },
  content: content ? { before: `${text.join("\n")}\n`, after: `${after.join("\n")}\n` } : { before: "", after: "" },
  unified: "--- a/a.txt\n+++ b/a.txt\n@@ -9,3 +9,3 @@\n 9\n-10\n+ten\n 11\n",
  status: "modified",
});
const none = { folded: new Set<string>(), opened: new Set<string>() };
const rowsOf = (f: CheckpointFile, folds = none) =>
  itemsOf([parsedFile(f)], folds, "split", diffWords.en).flatMap((i) => (i.kind === "row" ? [i.row] : []));

test("lines that are left out are counted, before and behind, and shown when wanted", () => {
  const rows = rowsOf(file(true));
  expect(rows.map((r) => [r.kind, r.skipped])).toEqual([
    ["gap", 8],
    ["same", undefined],
    ["change", undefined],
    ["same", undefined],
    ["gap", 19],
  ]);
  const opened = rowsOf(file(true), {
    ...none,
    opened: new Set([gapKey("a.txt", rows[0]!), gapKey("a.txt", rows.at(-1)!)]),
  });
  expect(opened.map((r) => r.after)).toEqual(after);
  expect(opened.map((r) => r.new)).toEqual(after.map((_, i) => i + 1));
});

test("where the text is not at hand, what follows is not known", () => {
  expect(rowsOf(file(false)).map((r) => r.kind)).toEqual(["gap", "same", "change", "same"]);
});

test("files by their folder", () => {
  const files = ["b/x", "a", "b/y", "b/c/z"].map((p) => parsedFile(file(false, p)));
  expect(foldersOf(files).map((f) => [f.folder, f.rows.map((r) => r.name)])).toEqual([
    ["b", ["x", "y"]],
    ["", ["a"]],
    ["b/c", ["z"]],
  ]);
});
