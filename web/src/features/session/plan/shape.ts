import type { Todo } from "@clew-run/client";
import type { Shape } from "./layout";

/** What is placed: the steps, and an edge from each to those that wait for it. */
export function shapeOf(todos: readonly Todo[]): Shape {
  const known = new Set(todos.map((t) => t.id));
  return {
    nodes: todos.map((t) => t.id),
    edges: todos.flatMap((t) => t.depends_on.filter((on) => known.has(on)).map((on): [string, string] => [on, t.id])),
  };
}
