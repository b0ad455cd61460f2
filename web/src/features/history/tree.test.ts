import type { HistoryItem } from "@clew-run/client";
import { expect, test } from "vitest";
import { taskTree } from "./tree";

const task = (id: string, parent?: string, cost = 1): HistoryItem =>
  ({
    id,
    number: 1,
    ts: 1,
    task: id,
    tokens_in: 10,
    tokens_out: 1,
    total_cost: cost,
    parent_task_id: parent,
  }) as HistoryItem;

test("costs roll up, and no task is lost", () => {
  const tree = taskTree([task("a"), task("b", "a", 2), task("c", "b", 4), task("d", "gone", 8)]);
  expect(tree.map((n) => n.item.id)).toEqual(["a", "d"]);
  expect(tree[0]!.cost).toBe(7);
  expect(tree[0]!.tokensIn).toBe(30);
  expect(tree[0]!.children[0]!.children[0]!.item.id).toBe("c");
});

test("a circle is cut, not followed", () => {
  const tree = taskTree([task("a", "b"), task("b", "a")]);
  const count = (nodes: typeof tree): number => nodes.reduce((n, x) => n + 1 + count(x.children), 0);
  expect(count(tree)).toBe(2);
});
