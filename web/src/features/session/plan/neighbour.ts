import type { Todo } from "@clew-run/client";
import type { Box } from "./layout";

/** Where an arrow key leads: up and down along the edges, left and right among those at one height. */
export function neighbour(
  todos: readonly Todo[],
  boxes: readonly Box[],
  from: string,
  key: string,
): string | undefined {
  const at = new Map(boxes.map((b) => [b.id, b]));
  const here = at.get(from);
  if (!here) return undefined;
  const nearest = (ids: string[]) =>
    ids.filter((id) => at.has(id)).sort((a, b) => Math.abs(at.get(a)!.x - here.x) - Math.abs(at.get(b)!.x - here.x))[0];
  switch (key) {
    case "ArrowUp":
      return nearest(todos.find((t) => t.id === from)?.depends_on ?? []);
    case "ArrowDown":
      return nearest(todos.filter((t) => t.depends_on.includes(from)).map((t) => t.id));
    case "ArrowLeft":
    case "ArrowRight": {
      const row = boxes.filter((b) => b.y === here.y).sort((a, b) => a.x - b.x);
      return row[row.indexOf(here) + (key === "ArrowRight" ? 1 : -1)]?.id;
    }
    case "Home":
      return todos[0]?.id;
    case "End":
      return todos.at(-1)?.id;
  }
  return undefined;
}
