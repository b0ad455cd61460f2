import dagre from "@dagrejs/dagre";

export interface Box {
  id: string;
  x: number;
  y: number;
}

export const boxWidth = 208;
export const boxHeight = 56;

export interface Shape {
  nodes: string[];
  edges: [from: string, to: string][];
}

/** Places the steps of a plan from top to bottom, each below what it waits for. */
export function layout({ nodes, edges }: Shape): Box[] {
  const g = new dagre.graphlib.Graph();
  g.setGraph({ rankdir: "TB", nodesep: 20, ranksep: 36 });
  g.setDefaultEdgeLabel(() => ({}));
  for (const id of nodes) g.setNode(id, { width: boxWidth, height: boxHeight });
  for (const [from, to] of edges) g.setEdge(from, to);
  dagre.layout(g);
  return inOrder(
    nodes.map((id) => {
      const { x, y } = g.node(id) as { x: number; y: number };
      return { id, x: x - boxWidth / 2, y: y - boxHeight / 2 };
    }),
  );
}

/** Turns the picture round if most steps at one height stand against the plan's order. */
function inOrder(boxes: Box[]): Box[] {
  let right = 0;
  for (const [i, a] of boxes.entries())
    for (const b of boxes.slice(i + 1)) if (a.y === b.y) right += Math.sign(b.x - a.x);
  if (right >= 0) return boxes;
  const width = Math.max(...boxes.map((b) => b.x));
  return boxes.map((b) => ({ ...b, x: width - b.x }));
}
