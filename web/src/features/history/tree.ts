import type { HistoryItem } from "@clew-run/client";

/** A task with its subtasks, and what all of them cost together. */
export interface TaskNode {
  item: HistoryItem;
  children: TaskNode[];
  cost: number;
  tokensIn: number;
  tokensOut: number;
}

/**
 * Makes a tree of a flat history. A task whose parent is not in the list stands
 * at the top, so nothing is lost when the list is cut.
 */
export function taskTree(items: readonly HistoryItem[]): TaskNode[] {
  const nodes = new Map(
    items.map((item) => [
      item.id,
      { item, children: [], cost: item.total_cost, tokensIn: item.tokens_in, tokensOut: item.tokens_out } as TaskNode,
    ]),
  );
  const tops: TaskNode[] = [];
  for (const node of nodes.values()) {
    const parent = node.item.parent_task_id ? nodes.get(node.item.parent_task_id) : undefined;
    if (parent && !leadsTo(node, parent, nodes)) parent.children.push(node);
    else tops.push(node);
  }
  tops.forEach(sum);
  return tops;
}

/** Guards against a circle, which a damaged history could have. */
function leadsTo(node: TaskNode, from: TaskNode, nodes: Map<string, TaskNode>): boolean {
  const seen = new Set<TaskNode>();
  for (
    let at: TaskNode | undefined = from;
    at && !seen.has(at);
    at = at.item.parent_task_id ? nodes.get(at.item.parent_task_id) : undefined
  ) {
    if (at === node) return true;
    seen.add(at);
  }
  return false;
}

function sum(node: TaskNode): void {
  for (const child of node.children) {
    sum(child);
    node.cost += child.cost;
    node.tokensIn += child.tokensIn;
    node.tokensOut += child.tokensOut;
  }
}
